"""All pairs in parts: ranges, the files of parts, and what is gathered of them, in Python and on the command line."""

import json
from dataclasses import replace
from itertools import pairwise
from random import Random

import msgspec
import numpy as np
import pandas as pd
import pytest
from damage import damaged
from hypothesis import given, strategies
from scatter_samples import part_of, parts_of, reduce, roads
from tiny_graphs import TINY

import warpath
from warpath.__main__ import main
from warpath.errors import FormatError, UsageError
from warpath.scatter.parts import gathered, parse_part, range_of, read_part, write_part
from warpath_study.measure.all_pairs_record import record_of
from warpath_study.measure.runs import find
from warpath_study.records.files import read_record, write_record


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
    with pytest.raises(UsageError, match="a part is such as 2/8"):
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


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda facts: {"last": facts.last + 1}, "not a whole part"),
        (lambda facts: {"of": 3}, "sources 0 to 6 of 3"),
        (lambda facts: {"bin_width": 3}, "its histogram is not of"),
        (lambda facts: {"nearest": 4}, "nearest are int32 of shape"),
        (lambda facts: {"certificate": None}, "its certificate is not of 6 sources"),
        (
            lambda facts: {"certificate": msgspec.structs.replace(facts.certificate, reached=35)},
            "and its certificate 35",
        ),
        (lambda facts: {"format": 2}, "Invalid enum value 2"),
    ],
)
def test_a_part_that_contradicts_itself_is_refused(tmp_path, change, says):
    part = part_of(TINY["sinks"])
    write_part(tmp_path / "part.npz", replace(part, facts=msgspec.structs.replace(part.facts, **change(part.facts))))
    with pytest.raises(FormatError, match=says):
        read_part(tmp_path / "part.npz")


def test_a_part_of_no_sources_counts_no_pairs(tmp_path):
    part = part_of(TINY["sinks"], 1, 7)
    assert not len(part.reductions.rows)
    part.reductions.rows.histogram[:2] = 1, -1
    write_part(tmp_path / "part.npz", part)
    with pytest.raises(FormatError):
        read_part(tmp_path / "part.npz")


def test_parts_in_any_order_are_gathered(tmp_path):
    files = parts_of(tmp_path, TINY["path of 33"], 4, nearest=2)
    whole = part_of(TINY["path of 33"], nearest=2)
    found, parts = gathered([files[2], files[0], files[3], files[1]])
    assert [part.facts.first for part in parts] == [0, 8, 16, 24]
    assert found.facts.certificate == whole.facts.certificate
    np.testing.assert_array_equal(found.reductions.rows.nearest, whole.reductions.rows.nearest)
    np.testing.assert_array_equal(found.reductions.rows.histogram, whole.reductions.rows.histogram)
    assert found.reductions.diameter_ends == whole.reductions.diameter_ends


def test_more_parts_than_sources_are_parts_all_the_same(tmp_path):
    files = parts_of(tmp_path, TINY["ties"], 7)
    assert sorted(len(read_part(file).reductions.rows) for file in files) == [0, 0, 0, 1, 1, 1, 1]
    assert gathered(files)[0].reductions.diameter == 2


def test_parts_that_do_not_belong_together_are_refused(tmp_path):
    files = parts_of(tmp_path, TINY["path of 33"], 3)
    for names, says in (
        (files[1:], "there is no part with sources 0 to 10;"),
        (files[:2], "there is no part with sources 22 to 32;"),
        ([files[0], files[2]], "there is no part with sources 11 to 21;"),
        ([*files, files[1]], "begins at source 11, which another part has"),
        ([*files[:2], *parts_of(tmp_path / "b", TINY["path of 64"], 3)], "is of another graph than"),
        ([*files[:2], *parts_of(tmp_path / "c", TINY["path of 33"], 3, nearest=1)], "another number of nearest"),
        ([*files[:2], *parts_of(tmp_path / "d", TINY["path of 33"], 3, of=20)], "another number of sources"),
    ):
        with pytest.raises(UsageError, match=says):
            gathered(names)
    part = read_part(files[2])
    part.facts.code.revisions["variant"] += 1
    write_part(files[2], part)
    with pytest.raises(UsageError, match=r"2\.npz: is of other code than "):
        gathered(files)


def test_the_command_says_what_all_pairs_come_to(tmp_path, capsys):
    status, said = reduce(capsys, roads(tmp_path), "--nearest", "1")
    assert status == 0
    assert said["sources"] == "6, all vertices"
    assert said["pairs"] == "16 of 30 have a path"
    assert (said["diameter"], said["radius"]) == ("6, from 1 to 4", "none; no source reaches every vertex")
    assert said["mean distance"] == "3"
    assert said["certificate"] == "exact: every distance of 6 rows"


def test_the_commands_make_tables_by_labels(tmp_path, capsys):
    graph = roads(tmp_path)
    for part in (1, 2):
        options = ["--nearest", "2", "--part", f"{part}/2", "--output", tmp_path / f"{part}.npz"]
        assert reduce(capsys, graph, *options)[0] == 0
    command = ["gather", graph, tmp_path / "2.npz", tmp_path / "1.npz", "--output", tmp_path / "all.npz"]
    tables = ["--table", tmp_path / "t.csv", "--histogram", tmp_path / "h.csv"]
    assert main([str(word) for word in (*command, *tables)]) == 0
    table = pd.read_csv(tmp_path / "t.csv", dtype={"nearest_1": "Int64", "nearest_2": "Int64"}).set_index("vertex")
    assert table.loc[1, ["reached", "eccentricity", "farthest"]].tolist() == [4, 6, 4]
    assert table.loc[1, ["nearest_1", "distance_1", "nearest_2", "distance_2"]].tolist() == [3, 3, 2, 5]
    assert table.loc[6, ["reached", "eccentricity", "closeness"]].tolist() == [1, 0, 0]
    assert table.loc[6, ["mean_distance", "nearest_1", "distance_1"]].isna().all()
    histogram = pd.read_csv(tmp_path / "h.csv")
    assert histogram["pairs"].sum() == 16 and histogram.loc[0].tolist() == [0, 1, 1]
    assert len(read_part(tmp_path / "all.npz").reductions.rows) == 6


def test_parts_make_the_record_of_the_run(tmp_path, capsys):
    graph = tmp_path / "path.npz"
    warpath.write(TINY["path of 33"], graph)
    files = parts_of(tmp_path, TINY["path of 33"], 2, nearest=1, of=20)
    command = ["record-parts", str(graph), *map(str, files), "--output", str(tmp_path / "r.json")]
    assert main(command) == 0
    record = read_record(tmp_path / "r.json")
    assert (record.run, record.dataset) == ("all_pairs.reductions.first=20+nearest=1", "path")
    assert record.parameters == {"first": 20, "nearest": 1, "store": 0}
    assert (record.reductions.sources, record.reductions.parts, record.reductions.pairs) == (20, 2, 20 * 32)
    assert (record.reductions.diameter, record.reductions.radius) == (64, 32)
    assert sum(record.samples[0].phases.values()) == record.seconds > 0
    assert main([*command, "--run", "all_pairs.reductions.nearest=1"]) == 2
    assert "is of 33 sources, and these parts are of 20" in capsys.readouterr().err
    assert main([*command, "--run", "bellman_ford.naive"]) == 2
    assert "parts make runs of all_pairs.reductions" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"pairs": 4}, "4 pairs of 4 sources are not those of the certificate"),
        ({"histogram": [0, 4, 2]}, "reductions.histogram: 6 pairs, where there are 5"),
        ({"diameter": 3.0}, "reductions.diameter: 3.0, which is not in the last bin"),
        (None, "every run of all pairs in parts has them"),
    ],
)
def test_a_record_whose_reductions_contradict_it_is_refused(tmp_path, change, says):
    whole, parts = gathered(parts_of(tmp_path, TINY["ties"], 2))
    record = record_of(whole, parts, "all_pairs.reductions", "ties")
    write_record(tmp_path / "r.json", record)
    content = json.loads((tmp_path / "r.json").read_text())
    content["reductions"] = change and {**content["reductions"], **change}
    (tmp_path / "r.json").write_text(json.dumps(content))
    with pytest.raises(FormatError, match=says):
        read_record(tmp_path / "r.json")


def test_only_parts_make_such_a_run(tmp_path, capsys):
    warpath.write(TINY["ties"], tmp_path / "ties.npz")
    assert main(["run", str(tmp_path / "ties.npz"), "all_pairs.reductions", "--device", "host"]) == 2
    assert "is made in parts: by 'warpath reduce'" in capsys.readouterr().err
    with pytest.raises(UsageError, match="unknown algorithm 'all_pairs'"):
        warpath.sssp(TINY["ties"], 0, algorithm="all_pairs", device="host")
    with pytest.raises(UsageError, match="all_pairs has no variant 'rows'; there is reductions"):
        find("all_pairs", "rows")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--part", "3/2"], "a part is such as 2/8"),
        (["--first", "0"], "--first 0: the graph has 6 vertices"),
        (["--first", "7"], "--first 7: the graph has 6 vertices"),
        (["--nearest", "-1"], "the nearest vertices are a number from 0"),
        (["--output", "part.npy"], "part.npy: a part is a .npz file"),
    ],
)
def test_the_command_refuses_with_one_sentence(tmp_path, capsys, monkeypatch, arguments, says):
    monkeypatch.chdir(tmp_path)
    status, said = reduce(capsys, roads(tmp_path), *arguments)
    assert status == 2 and says in said["errors"] and said["errors"].count("\n") == 1


def test_gathering_with_another_graph_is_refused(tmp_path, capsys):
    files = parts_of(tmp_path, TINY["ties"], 2)
    assert main(["gather", str(roads(tmp_path)), *map(str, files)]) == 1
    assert "is of another graph than" in capsys.readouterr().err
    warpath.write(TINY["ties"], tmp_path / "ties.npz")
    assert main(["gather", str(tmp_path / "ties.npz"), *map(str, files), "--table", "table.txt"]) == 2
    assert "--table writes a .csv file" in capsys.readouterr().err
