"""All pairs in parts: ranges, files, what is gathered of them, and the store of rows, believed where it is whole."""

import os
import signal
import subprocess
import sys
from itertools import pairwise
from random import Random

import numpy as np
import pandas as pd
import pytest
import zarr
from full_disk import with_little_room
from fuzz.mutations import damaged
from hypothesis import given, strategies
from scatter_samples import job, part_of, parts_of, roads, statistics
from tiny_graphs import TINY, named, scattered_path

import warpath
from warpath.__main__ import main
from warpath.distances import UNREACHABLE
from warpath.errors import FormatError, UsageError
from warpath_study.datasets.generate import generate
from warpath_study.measure.runs import find
from warpath_study.parts import job as reducing
from warpath_study.parts import store as stores
from warpath_study.parts.parts import parse_part, range_of, read_part, write_part
from warpath_study.parts.store import NOT_SOLVED, open_store
from warpath_study.provenance.code import sources_of_statistics

GRAPH = scattered_path(70)
PARTS = 7  # of ten rows, a shard each


def assert_same_rows(one, other):
    """Two parts have the same statistics."""
    for name in ("eccentricities", "farthest", "reached", "sums", "nearest", "nearest_distances", "histogram"):
        np.testing.assert_array_equal(getattr(one.statistics.rows, name), getattr(other.statistics.rows, name))


@given(parts=strategies.integers(1, 40), count=strategies.integers(1, 200), block=strategies.integers(1, 30))
def test_ranges_are_whole_blocks_and_share_the_sources(parts, count, block):
    ranges = [range_of(number, parts, count, block) for number in range(1, parts + 1)]
    assert (ranges[0][0], ranges[-1][1]) == (0, count)
    assert all(one[1] == other[0] for one, other in pairwise(ranges))
    assert all(first % block == 0 or first == count for first, _ in ranges)
    blocks = [-(-(last - first) // block) for first, last in ranges]
    assert max(blocks) - min(blocks) <= 1


def test_what_is_no_part():
    for text in ("0/3", "4/3", "1", "-1/2", "1/2/3", "a/b", "1/0", "٣/٤", ""):
        with named(text), pytest.raises(UsageError, match="part"):
            parse_part(text)


def test_a_part_is_read_as_it_was_written(tmp_path):
    part = part_of(TINY["sinks"], nearest=2)
    write_part(tmp_path / "part.npz", part)
    write_part(tmp_path / "again.npz", part)
    found = read_part(tmp_path / "part.npz")
    assert (tmp_path / "part.npz").read_bytes() == (tmp_path / "again.npz").read_bytes()
    assert found.facts == part.facts and found.statistics.certificate == part.statistics.certificate
    assert_same_rows(found, part)


def test_a_part_is_solved_as_by_a_prepared_solver():
    road = generate("road", vertices=1500, arcs=4000, seed=3)
    part = job(road, 1, 3).reduce()
    prepared = warpath.prepare(road, "simulated").statistics(range(500))
    assert part.statistics.variant == prepared.variant
    np.testing.assert_array_equal(part.statistics.rows.sums, prepared.rows.sums)


def test_a_damaged_part_is_refused_with_its_name(tmp_path):
    file = tmp_path / "part.npz"
    write_part(file, part_of(TINY["path of 33"], nearest=1))
    content, random = file.read_bytes(), Random(4)
    whole = read_part(file).facts
    refused = 0
    for _ in range(100):
        file.write_bytes(damaged(content, random))
        try:
            assert read_part(file).facts == whole  # the damage is in bytes that say nothing, such as a date
        except FormatError as error:
            refused += 1
            assert str(error).startswith(f"{file}: ") and "\n" not in str(error)
    assert refused > 75


def test_only_parts_make_such_a_run(tmp_path, capsys):
    warpath.write(TINY["ties"], tmp_path / "ties.npz")
    assert main(["run", str(tmp_path / "ties.npz"), "all_pairs.reductions", "--device", "simulated"]) == 2
    assert "warpath statistics" in capsys.readouterr().err
    with pytest.raises(UsageError, match="all_pairs"):
        warpath.sssp(TINY["ties"], 0, algorithm="all_pairs", device="simulated")
    with pytest.raises(UsageError, match="reductions"):
        find("all_pairs", "rows")


def test_the_command_refuses_with_one_sentence(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for option, value in (
        ("--part", "3/2"),
        ("--first", "0"),
        ("--first", "7"),
        ("--nearest", "-1"),
        ("--output", "part.npy"),
    ):
        with named(f"{option} {value}"):
            status, said = statistics(capsys, roads(tmp_path), option, value)
            assert status == 2 and value in said["errors"] and said["errors"].count("\n") == 1


def test_gathering_with_another_graph_is_refused(tmp_path, capsys):
    files = parts_of(tmp_path, TINY["ties"], 2)
    assert main(["gather", str(roads(tmp_path)), *map(str, files)]) == 1
    assert "another graph" in capsys.readouterr().err
    warpath.write(TINY["ties"], tmp_path / "ties.npz")
    assert main(["gather", str(tmp_path / "ties.npz"), *map(str, files), "--table", "table.txt"]) == 2
    assert ".csv" in capsys.readouterr().err


@pytest.mark.parametrize("options", [["--run", "all_pairs.reductions.nearest=3"], ["--dataset", "a/b"]])
def test_a_record_that_cannot_be_made_leaves_no_other_file(options, tmp_path, capsys):
    files, written = parts_of(tmp_path, TINY["ties"], 2), [str(tmp_path / "whole.npz"), str(tmp_path / "table.csv")]
    warpath.write(TINY["ties"], tmp_path / "ties.npz")
    outputs = ["--output", written[0], "--table", written[1], "--record", str(tmp_path / "record.json")]
    assert main(["gather", str(tmp_path / "ties.npz"), *map(str, files), *outputs, *options]) == 2
    assert options[1] in capsys.readouterr().err and not any(map(os.path.exists, written))


def test_a_table_has_labels_beyond_what_a_float_holds(tmp_path):
    first = 2**53 + 1
    graph, table = tmp_path / "graph.npz", tmp_path / "table.csv"
    warpath.from_arcs(3, [0, 1], [1, 2], [5, 5], labels=first).save(graph)
    part = str(tmp_path / "part.npz")
    assert main(["statistics", str(graph), "--device", "simulated", "--nearest", "2", "--output", part]) == 0
    assert main(["gather", str(graph), part, "--table", str(table)]) == 0
    read = pd.read_csv(table, dtype=str, keep_default_na=False)
    assert read["nearest_1"].tolist() == [str(first + 1), str(first + 2), ""]
    assert read["nearest_2"].tolist() == [str(first + 2), "", ""]


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


def test_parts_of_two_kinds_of_devices_are_told_by_the_devices(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    warpath.write(warpath.from_arcs(2, [0, 1], [1, 0], [1, 2]), "graph.npz")
    for number, device in ((1, "cpu"), (2, "simulated")):
        command = ["statistics", "graph.npz", "--part", f"{number}/2", "--device", device]
        assert main([*command, "--output", f"{device}.npz"]) == 0
    assert main(["gather", "graph.npz", "cpu.npz", "simulated.npz"]) == 2
    assert "device" in capsys.readouterr().err


# The store.


def opened(path, graph=GRAPH, sources=None, nearest=1, parts=PARTS):
    return open_store(path, graph, sources or graph.vertices, nearest, parts, sources_of_statistics("simulated").code)


def filled(path, number=1, parts=1, graph=GRAPH):
    """A store of which one part is filled, and what that gave: the part, and the rows that were there before."""
    store = opened(path, graph)
    return store, job(graph, number, parts, nearest=1, block=store.block).reduce_into(store)


def rows_of(graph):
    return warpath.prepare(graph, "simulated").apsp(predecessors=False).distances


@pytest.mark.parametrize("dtype", [np.int32, np.float32, np.float64])
def test_anyone_opens_the_store_and_reads_rows(tmp_path, dtype):
    path, graph, marks = tmp_path / "rows.zarr", GRAPH, {"unreachable": int(UNREACHABLE), "not_solved": NOT_SOLVED}
    if dtype != np.int32:
        graph = warpath.from_arcs(70, GRAPH.tails(), GRAPH.indices, (GRAPH.weights / 10).astype(dtype))
        marks = {"unreachable": "Infinity", "not_solved": "NaN"}
    _, (part, taken) = filled(path, 2, 7, graph)
    group = zarr.open(path, mode="r")
    rows = group["distances"]
    assert (rows.shape, rows.dtype, rows.shards, taken) == ((70, 70), dtype, (10, 70), 0)
    np.testing.assert_array_equal(rows[10:20], rows_of(graph)[10:20])
    not_solved = np.concatenate([rows[:10], rows[20:]])
    assert (not_solved == NOT_SOLVED if dtype == np.int32 else np.isnan(not_solved)).all()
    assert rows.attrs.asdict() == {**marks, "scale": 1}
    np.testing.assert_array_equal(group["labels"][:], graph.labels)
    assert sorted(name for name, _ in group.members()) == ["distances", "labels"]
    assert (part.facts.first, part.facts.last) == (10, 20)
    _, (again, taken) = filled(path, 2, 7, graph)
    assert taken == 10
    assert_same_rows(part, again)
    assert again.statistics.rows.eccentricities.dtype == part.statistics.rows.eccentricities.dtype


def test_parts_with_a_store_come_to_what_they_come_to_without(tmp_path):
    _, (part, taken) = filled(tmp_path / "rows.zarr")
    whole = part_of(GRAPH, nearest=1)
    assert taken == 0 and part.facts.certificate == whole.facts.certificate
    assert_same_rows(part, whole)


def test_text_labels_are_left_out(tmp_path):
    named = warpath.from_arcs(2, [0], [1], [3], labels=["a", "b"])
    filled(tmp_path / "rows.zarr", graph=named)
    assert list(zarr.open(tmp_path / "rows.zarr")) == ["distances"]


def test_what_is_done_is_not_solved_again(tmp_path, monkeypatch):
    path = tmp_path / "rows.zarr"
    filled(path, 3, 7)
    solved = []
    honest = reducing.statistics_of

    def counted(kept, prepared, sources, *rest, **more):
        solved.append(sources[0])
        return honest(kept, prepared, sources, *rest, **more)

    monkeypatch.setattr(reducing, "statistics_of", counted)
    _, (part, taken) = filled(path)
    assert solved == [0, 10, 30, 40, 50, 60] and taken == 10
    assert filled(path)[1][1] == 70 and len(solved) == 6
    np.testing.assert_array_equal(zarr.open(path)["distances"][:], rows_of(GRAPH))
    assert len(part.statistics.rows) == 70


def started(path, number, parts, before=""):
    """A process that fills one part; ``before`` is what it does first."""
    program = f"import sys; sys.path[:0] = {sys.path!r}; import test_parts as t\n{before}\n"
    return subprocess.Popen([sys.executable, "-c", f"{program}t.filled({str(path)!r}, {number}, {parts})"])


@pytest.mark.slow
def test_several_processes_begin_and_fill_one_store(tmp_path):
    path = tmp_path / "rows.zarr"
    running = [started(path, number, 3) for number in (1, 2, 3)]
    assert [process.wait(120) for process in running] == [0, 0, 0]
    np.testing.assert_array_equal(zarr.open(path)["distances"][:], rows_of(GRAPH))
    assert filled(path)[1][1] == 70
    assert [name for name in os.listdir(tmp_path) if name != "rows.zarr"] == []


@pytest.mark.slow
def test_a_killed_process_is_resumed_shard_by_shard(tmp_path):
    """Killed when the third shard is written, but not its certificate."""
    path = tmp_path / "rows.zarr"
    kill = """
import os, signal
honest, calls = t.stores.Store.mark_done, []
def killed(self, part):
    calls.append(part)
    if len(calls) == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    honest(self, part)
t.stores.Store.mark_done = killed
t.reducing.WRITERS_MAX = 1
"""
    assert started(path, 1, 1, kill).wait(120) == -signal.SIGKILL
    _, (part, taken) = filled(path)
    assert taken == 20 and len(part.statistics.rows) == 70
    assert sorted(int(name) for name in os.listdir(path / "distances/c")) == list(range(7))
    np.testing.assert_array_equal(zarr.open(path)["distances"][:], rows_of(GRAPH))


def test_a_file_of_a_shard_without_its_certificate_counts_as_not_there(tmp_path):
    path = tmp_path / "rows.zarr"
    store, _ = filled(path)
    (path / "distances/done/20.npz").unlink()
    (path / "distances/c/2/0").write_bytes(b"half")
    assert store.done(20, 30) is None
    assert filled(path)[1][1] == 60
    np.testing.assert_array_equal(zarr.open(path)["distances"][:], rows_of(GRAPH))


@pytest.mark.parametrize("how", ["cut", "flipped", "gone"])
def test_a_damaged_shard_is_refused_with_what_to_do(tmp_path, how):
    path = tmp_path / "rows.zarr"
    filled(path)
    shard = path / "distances/c/3/0"
    content = shard.read_bytes()
    if how == "gone":
        shard.unlink()
    else:
        shard.write_bytes(content[:-9] if how == "cut" else bytes([content[0] ^ 1]) + content[1:])
    with pytest.raises(FormatError, match=r"rows 30 to 39 .*/done/30.npz"):
        filled(path)
    (path / "distances/done/30.npz").unlink()
    assert filled(path)[1][1] == 60
    np.testing.assert_array_equal(zarr.open(path)["distances"][:], rows_of(GRAPH))


def test_a_damaged_or_foreign_certificate_is_refused(tmp_path):
    path = tmp_path / "rows.zarr"
    store, _ = filled(path)
    done = path / "distances/done"
    (done / "10.npz").write_bytes((done / "20.npz").read_bytes())
    with pytest.raises(FormatError, match=r"done/10\.npz"):
        filled(path)
    (done / "10.npz").write_bytes(b"PK")
    with pytest.raises(FormatError, match=r"done/10\.npz"):
        filled(path)
    part = store.done(20, 30)
    part.facts.code.revisions["variant"] += 1
    store.mark_done(part)
    with pytest.raises(FormatError, match=r"rows 20 to 29 .*code"):
        store.done(20, 30)


def test_a_store_of_something_else_is_refused(tmp_path):
    path = tmp_path / "rows.zarr"
    opened(path)
    for changes, says in (
        ({"graph": scattered_path(71)}, "graph"),
        ({"sources": 50}, "70 sources, not 50"),
        ({"nearest": 2}, "1 nearest .* not 2"),
    ):
        with pytest.raises(FormatError, match=f"rows.zarr: .*{says}"):
            opened(path, **changes)
    with pytest.raises(FormatError, match="code"):
        open_store(path, GRAPH, 70, 1, PARTS, sources_of_statistics("cuda").code)
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("text")
    zarr.create_array(tmp_path / "other.zarr", shape=3, dtype="int32")
    for name in ("folder", "file", "other.zarr"):
        with pytest.raises(FormatError, match=name):
            opened(tmp_path / name)


def test_without_zarr_one_sentence_says_what_to_install(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "zarr", None)
    status, said = statistics(capsys, roads(tmp_path), "--store", tmp_path / "rows.zarr")
    assert status == 2 and "zarr" in said["errors"] and "'.[store]'" in said["errors"]


@pytest.mark.slow
def test_a_full_disk_is_one_sentence_and_what_was_done_stays(tmp_path):
    path, graph = tmp_path / "rows.zarr", tmp_path / "graph.npz"
    filled(path, 1, 7)
    warpath.write(GRAPH, graph)
    command = ["-m", "warpath", "statistics", graph, "--device", "simulated", "--nearest", "1", "--store"]
    subprocess.run([sys.executable, *command, tmp_path / "first.zarr"], check=True)  # keeps what Numba compiles
    limited = with_little_room([*command, path], 1000)
    assert limited.returncode == 1
    assert limited.stderr.startswith(f"warpath: error: {path}: the disk is full (")
    assert limited.stderr.count("\n") == 1
    assert filled(path)[1][1] == 10


def test_a_shard_is_whole_pieces_of_rows_unless_a_part_has_fewer():
    assert stores._block(4 * 264_346, 264_346, 1) == 112
    assert stores._block(4 * 264_346, 10_000, 500) == 16
    assert stores._block(4 * 264_346, 10_000, 1000) == 10
    assert stores._block(4 * 10**8, 10**8, 4) == 1
    assert stores._block(4 * 100, 100, 3) == 32


def test_the_smallest_stores(tmp_path):
    for name in ("one vertex", "no arcs"):
        filled(tmp_path / name, graph=TINY[name])
        np.testing.assert_array_equal(zarr.open(tmp_path / name)["distances"][:], rows_of(TINY[name]))
    with pytest.raises(UsageError):
        job(GRAPH, nearest=-1).reduce()
