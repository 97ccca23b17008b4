"""All pairs in parts: ranges, the files of parts, and what is gathered of them, in Python and on the command line."""

from itertools import pairwise
from random import Random

import numpy as np
import pandas as pd
import pytest
from damage import damaged
from hypothesis import given, strategies
from scatter_samples import part_of, parts_of, roads, statistics
from tiny_graphs import TINY

import warpath
from warpath.__main__ import main
from warpath.errors import FormatError, UsageError
from warpath_study.measure.runs import find
from warpath_study.parts.parts import parse_part, range_of, read_part, write_part


@given(parts=strategies.integers(1, 40), count=strategies.integers(1, 200), block=strategies.integers(1, 30))
def test_ranges_are_whole_blocks_and_share_the_sources(parts, count, block):
    ranges = [range_of(number, parts, count, block) for number in range(1, parts + 1)]
    assert (ranges[0][0], ranges[-1][1]) == (0, count)
    assert all(one[1] == other[0] for one, other in pairwise(ranges))
    assert all(first % block == 0 or first == count for first, _ in ranges)
    blocks = [-(-(last - first) // block) for first, last in ranges]
    assert max(blocks) - min(blocks) <= 1


@pytest.mark.parametrize("text", ["0/3", "4/3", "1", "1/", "/2", "-1/2", "1/2/3", "a/b", "1/0", "٣/٤", ""])
def test_what_is_no_part(text):
    with pytest.raises(UsageError, match="not a part; write 2/8"):
        parse_part(text)


def test_a_part_is_read_as_it_was_written(tmp_path):
    part = part_of(TINY["sinks"], nearest=2)
    write_part(tmp_path / "part.npz", part)
    write_part(tmp_path / "again.npz", part)
    found = read_part(tmp_path / "part.npz")
    assert (tmp_path / "part.npz").read_bytes() == (tmp_path / "again.npz").read_bytes()
    assert found.facts == part.facts and found.statistics.certificate == part.statistics.certificate
    for name in ("eccentricities", "farthest", "reached", "sums", "nearest", "nearest_distances", "histogram"):
        np.testing.assert_array_equal(getattr(found.statistics.rows, name), getattr(part.statistics.rows, name))


def test_a_damaged_part_is_refused_with_its_name(tmp_path):
    file = tmp_path / "part.npz"
    write_part(file, part_of(TINY["path of 33"], nearest=1))
    content, random = file.read_bytes(), Random(4)
    whole = read_part(file).facts
    refused = 0
    for _ in range(150):
        file.write_bytes(damaged(content, random))
        try:
            assert read_part(file).facts == whole  # the damage is in bytes that say nothing, such as a date
        except FormatError as error:
            refused += 1
            assert str(error).startswith(f"{file}: ") and "\n" not in str(error)
    assert refused > 120


def test_only_parts_make_such_a_run(tmp_path, capsys):
    warpath.write(TINY["ties"], tmp_path / "ties.npz")
    assert main(["run", str(tmp_path / "ties.npz"), "all_pairs.reductions", "--device", "simulated"]) == 2
    assert "use 'warpath statistics'" in capsys.readouterr().err
    with pytest.raises(UsageError, match="unknown algorithm 'all_pairs'"):
        warpath.sssp(TINY["ties"], 0, algorithm="all_pairs", device="simulated")
    with pytest.raises(UsageError, match="all_pairs has no variant 'rows'; there is reductions"):
        find("all_pairs", "rows")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--part", "3/2"], "not a part; write 2/8"),
        (["--first", "0"], "--first 0: the graph has 6 vertices"),
        (["--first", "7"], "--first 7: the graph has 6 vertices"),
        (["--nearest", "-1"], "the number of nearest vertices is -1"),
        (["--output", "part.npy"], "part.npy: the suffix is not .npz"),
    ],
)
def test_the_command_refuses_with_one_sentence(tmp_path, capsys, monkeypatch, arguments, says):
    monkeypatch.chdir(tmp_path)
    status, said = statistics(capsys, roads(tmp_path), *arguments)
    assert status == 2 and says in said["errors"] and said["errors"].count("\n") == 1


def test_gathering_with_another_graph_is_refused(tmp_path, capsys):
    files = parts_of(tmp_path, TINY["ties"], 2)
    assert main(["gather", str(roads(tmp_path)), *map(str, files)]) == 1
    assert "belongs to another graph than" in capsys.readouterr().err
    warpath.write(TINY["ties"], tmp_path / "ties.npz")
    assert main(["gather", str(tmp_path / "ties.npz"), *map(str, files), "--table", "table.txt"]) == 2
    assert "the suffix is not .csv" in capsys.readouterr().err


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_parts_of_floats_are_gathered(tmp_path, dtype, capsys):
    whole = warpath.read(roads(tmp_path))
    graph = warpath.from_arcs(whole.vertices, whole.tails(), whole.indices, (whole.weights / 10).astype(dtype))
    graph.save(tmp_path / "roads.npz")
    parts = [str(tmp_path / f"part{number}.npz") for number in (1, 2)]
    for number, part in enumerate(parts, 1):
        arguments = ["--part", f"{number}/2", "--nearest", "2", "--output", part, "--device", "simulated"]
        assert main(["statistics", str(tmp_path / "roads.npz"), *arguments]) == 0
    table = tmp_path / "table.csv"
    assert main(["gather", str(tmp_path / "roads.npz"), *parts, "--table", str(table)]) == 0
    distances = warpath.apsp(graph, device="simulated").distances
    reached = np.isfinite(distances)
    expected = np.where(reached, distances, 0).max(axis=1)
    read = pd.read_csv(table)
    np.testing.assert_array_equal(read["eccentricity"].to_numpy().astype(dtype), expected)
    np.testing.assert_array_equal(read["reached"], reached.sum(axis=1))
    nearest = np.sort(np.where(np.eye(len(distances), dtype=bool), np.inf, distances), axis=1)[:, 1]
    np.testing.assert_array_equal(read["distance_2"].fillna(np.inf).to_numpy().astype(dtype), nearest)


@pytest.mark.parametrize(("name", "wrong"), [("sums", np.nan), ("eccentricities", -0.5), ("nearest_distances", np.nan)])
def test_a_part_of_floats_that_is_wrong_is_refused(tmp_path, name, wrong):
    graph = warpath.from_arcs(3, [0, 1, 2], [1, 2, 0], [0.5, 1.5, 0.25])
    part = part_of(graph, nearest=1)
    getattr(part.statistics.rows, name).ravel()[0] = wrong
    write_part(tmp_path / "part.npz", part)
    with pytest.raises(FormatError, match=f"{name} are not all from 0 to"):
        read_part(tmp_path / "part.npz")


def test_parts_of_two_kinds_of_devices_are_told_by_the_devices(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    warpath.write(warpath.from_arcs(2, [0, 1], [1, 0], [1, 2]), "graph.npz")
    for number, device in ((1, "cpu"), (2, "simulated")):
        assert (
            main(["statistics", "graph.npz", "--part", f"{number}/2", "--device", device, "--output", f"{device}.npz"])
            == 0
        )
    assert main(["gather", "graph.npz", "cpu.npz", "simulated.npz"]) == 2
    assert "device" in capsys.readouterr().err
