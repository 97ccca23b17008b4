"""The store of rows: filled by several processes, resumed after a kill, and believed only where it is whole."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest
import zarr
from full_disk import with_little_room
from scatter_samples import job, part_of, roads, statistics
from tiny_graphs import TINY, scattered_path

import warpath
from warpath.distances import UNREACHABLE
from warpath.errors import FormatError, UsageError
from warpath_study.parts import job as reducing
from warpath_study.parts import store as stores
from warpath_study.parts.store import NOT_SOLVED, Store, open_store
from warpath_study.provenance.code import sources_of_statistics

GRAPH = scattered_path(70)
PARTS = 7  # of ten rows, a shard each


def opened(path, graph=GRAPH, sources=None, nearest=1, parts=PARTS):
    return open_store(path, graph, sources or graph.vertices, nearest, parts, sources_of_statistics("simulated").code)


def filled(path, number=1, parts=1, graph=GRAPH):
    """A store of which one part is filled, and what that gave: the part, and the rows that were there before."""
    store = opened(path, graph)
    return store, job(graph, number, parts, nearest=1, block=store.block).reduce_into(store)


def rows_of(graph):
    return warpath.prepare(graph, "simulated").apsp(predecessors=False).distances


def test_anyone_opens_the_store_and_reads_rows(tmp_path):
    path = tmp_path / "rows.zarr"
    _, (part, taken) = filled(path, 2, 7)
    group = zarr.open(path, mode="r")
    rows = group["distances"]
    assert (rows.shape, rows.dtype, rows.shards, taken) == ((70, 70), np.int32, (10, 70), 0)
    np.testing.assert_array_equal(rows[10:20], rows_of(GRAPH)[10:20])
    assert (rows[:10] == NOT_SOLVED).all() and (rows[20:] == NOT_SOLVED).all()
    assert rows.attrs.asdict() == {"unreachable": int(UNREACHABLE), "not_solved": NOT_SOLVED, "scale": 1}
    np.testing.assert_array_equal(group["labels"][:], GRAPH.labels)
    assert sorted(name for name, _ in group.members()) == ["distances", "labels"]
    assert (part.facts.first, part.facts.last) == (10, 20)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_of_floats(tmp_path, dtype):
    graph = warpath.from_arcs(70, GRAPH.tails(), GRAPH.indices, (GRAPH.weights / 10).astype(dtype))
    _, (part, taken) = filled(tmp_path / "rows.zarr", 2, 7, graph)
    rows = zarr.open(tmp_path / "rows.zarr")["distances"]
    assert (rows.shape, rows.dtype, taken) == ((70, 70), dtype, 0)
    np.testing.assert_array_equal(rows[10:20], rows_of(graph)[10:20])
    assert np.isnan(rows[:10]).all() and np.isnan(rows[20:]).all()
    assert rows.attrs.asdict() == {"unreachable": "Infinity", "not_solved": "NaN", "scale": 1}
    _, (again, taken) = filled(tmp_path / "rows.zarr", 2, 7, graph)
    assert taken == 10
    for name in ("eccentricities", "farthest", "reached", "sums", "nearest", "nearest_distances", "histogram"):
        np.testing.assert_array_equal(getattr(part.statistics.rows, name), getattr(again.statistics.rows, name))
    assert again.statistics.rows.eccentricities.dtype == dtype


def test_parts_with_a_store_come_to_what_they_come_to_without(tmp_path):
    _, (part, taken) = filled(tmp_path / "rows.zarr")
    whole = part_of(GRAPH, nearest=1)
    assert taken == 0 and part.facts.certificate == whole.facts.certificate
    for name in ("eccentricities", "farthest", "reached", "sums", "nearest", "nearest_distances", "histogram"):
        np.testing.assert_array_equal(getattr(part.statistics.rows, name), getattr(whole.statistics.rows, name))


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
    program = f"import sys; sys.path[:0] = {sys.path!r}; import test_store as t\n{before}\n"
    return subprocess.Popen([sys.executable, "-c", f"{program}t.filled({str(path)!r}, {number}, {parts})"])


@pytest.mark.slow
def test_several_processes_begin_and_fill_one_store(tmp_path):
    path = tmp_path / "rows.zarr"
    running = [started(path, number, 3) for number in (1, 2, 3)]
    assert [process.wait(120) for process in running] == [0, 0, 0]
    np.testing.assert_array_equal(zarr.open(path)["distances"][:], rows_of(GRAPH))
    assert filled(path)[1][1] == 70
    assert [name for name in os.listdir(tmp_path) if name != "rows.zarr"] == []


def test_a_killed_process_is_resumed_shard_by_shard(tmp_path):
    """Killed when the third shard is written, but not its certificate."""
    path = tmp_path / "rows.zarr"
    kill = """
import os, signal
honest, calls = t.Store.mark_done, []
def killed(self, part):
    calls.append(part)
    if len(calls) == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    honest(self, part)
t.Store.mark_done = killed
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
    with pytest.raises(
        FormatError, match=r"c/3/0: rows 30 to 39 are damaged or missing; delete .*/done/30.npz to make"
    ):
        filled(path)
    (path / "distances/done/30.npz").unlink()
    assert filled(path)[1][1] == 60
    np.testing.assert_array_equal(zarr.open(path)["distances"][:], rows_of(GRAPH))


def test_a_damaged_or_foreign_certificate_is_refused(tmp_path):
    path = tmp_path / "rows.zarr"
    store, _ = filled(path)
    done = path / "distances/done"
    (done / "10.npz").write_bytes((done / "20.npz").read_bytes())
    with pytest.raises(FormatError, match=r"done/10\.npz: belongs to other rows"):
        filled(path)
    (done / "10.npz").write_bytes(b"PK")
    with pytest.raises(FormatError, match=r"done/10\.npz: not a valid part"):
        filled(path)
    part = store.done(20, 30)
    part.facts.code.revisions["variant"] += 1
    store.mark_done(part)
    with pytest.raises(FormatError, match="rows 20 to 29 were made by other code"):
        store.done(20, 30)


def test_a_store_of_something_else_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "rows.zarr"
    opened(path)
    for given, says in (
        ({"graph": scattered_path(71)}, "has the distances of another graph"),
        ({"sources": 50}, "has rows for 70 sources, not 50"),
        ({"nearest": 2}, "has 1 nearest vertices per source, not 2"),
    ):
        with pytest.raises(FormatError, match=f"rows.zarr: {says}; delete it, or name another store"):
            opened(path, **given)
    with pytest.raises(FormatError, match="was made by other code"):
        open_store(path, GRAPH, 70, 1, PARTS, sources_of_statistics("cuda").code)
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("text")
    zarr.create_array(tmp_path / "other.zarr", shape=3, dtype="int32")
    for name in ("folder", "file", "other.zarr"):
        with pytest.raises(FormatError, match=f"{name}: not a store of distances"):
            opened(tmp_path / name)


def test_without_zarr_one_sentence_says_what_to_install(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "zarr", None)
    status, said = statistics(capsys, roads(tmp_path), "--store", tmp_path / "rows.zarr")
    assert status == 2 and "a store needs the package zarr" in said["errors"]
    assert "'.[store]'" in said["errors"]


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


@pytest.mark.parametrize("graph", [TINY["one vertex"], TINY["no arcs"]], ids=["one vertex", "no arcs"])
def test_the_smallest_stores(tmp_path, graph):
    filled(tmp_path / "rows.zarr", graph=graph)
    np.testing.assert_array_equal(zarr.open(tmp_path / "rows.zarr")["distances"][:], rows_of(graph))


def test_usage_errors_are_those_of_the_library(tmp_path):
    with pytest.raises(UsageError):
        job(GRAPH, nearest=-1).reduce()
    assert isinstance(opened(tmp_path / "rows.zarr"), Store)
