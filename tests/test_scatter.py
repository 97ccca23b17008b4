"""All pairs in parts: ranges, the files of parts, and what is gathered of them, in Python and on the command line."""

from itertools import pairwise
from random import Random

import numpy as np
import pytest
from damage import damaged
from hypothesis import given, strategies
from scatter_samples import part_of, parts_of, reduce, roads
from tiny_graphs import TINY

import warpath
from warpath.__main__ import main
from warpath.errors import FormatError, UsageError
from warpath.scatter.parts import parse_part, range_of, read_part, write_part
from warpath_study.measure.runs import find


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
    assert found.facts == part.facts and found.reductions.certificate == part.reductions.certificate
    for name in ("eccentricities", "farthest", "reached", "sums", "nearest", "nearest_distances", "histogram"):
        np.testing.assert_array_equal(getattr(found.reductions.rows, name), getattr(part.reductions.rows, name))


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
    assert main(["run", str(tmp_path / "ties.npz"), "all_pairs.reductions", "--device", "host"]) == 2
    assert "use 'warpath reduce'" in capsys.readouterr().err
    with pytest.raises(UsageError, match="unknown algorithm 'all_pairs'"):
        warpath.sssp(TINY["ties"], 0, algorithm="all_pairs", device="host")
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
    status, said = reduce(capsys, roads(tmp_path), *arguments)
    assert status == 2 and says in said["errors"] and said["errors"].count("\n") == 1


def test_gathering_with_another_graph_is_refused(tmp_path, capsys):
    files = parts_of(tmp_path, TINY["ties"], 2)
    assert main(["gather", str(roads(tmp_path)), *map(str, files)]) == 1
    assert "belongs to another graph than" in capsys.readouterr().err
    warpath.write(TINY["ties"], tmp_path / "ties.npz")
    assert main(["gather", str(tmp_path / "ties.npz"), *map(str, files), "--table", "table.txt"]) == 2
    assert "the suffix is not .csv" in capsys.readouterr().err
