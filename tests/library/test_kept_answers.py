"""Answers that a caller keeps last, and few of them are in page-locked memory; those of one who drops them all are."""

from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest
from every_device import opened
from fake_locking import fake_locking
from faulty_device import Faulty
from late_device import LateDevice, Lot
from scipy.sparse.csgraph import dijkstra

import warpath
from warpath.device import open_device, pinned
from warpath.library.calls import Call

VERTICES = 60
SOURCES = [5, 0, 59, 5, 17, 33, 8]
ARCS = np.random.default_rng(3).integers(0, VERTICES, (2, 5 * VERTICES))
TYPES = [np.int32, np.float64]


class PooledDevice(LateDevice):
    """A device whose answers are in memory of the pool of ``pinned``. Copies in streams need page-locked memory."""

    def __init__(self, locking):
        super().__init__(Lot(0))
        self._locking = locking
        self._lot.pools.append(locking)

    def copy(self, source, target, stream=None):
        assert stream is None or self._locking.has(target)
        super().copy(source, target, stream)

    def pinned_answer(self, shape, dtype, blocks):
        return pinned.pinned_answer(shape, dtype, blocks)


class OwnDevice(PooledDevice):
    """A device with which updates are in memory of the pool, too."""

    def pinned(self, shape, dtype, pooled=False):
        return pinned.pinned_array(shape, dtype, pooled)


class InterruptedDevice(Faulty, OwnDevice):
    pass


class PageableDevice(PooledDevice):
    """A device whose answers are all in ordinary memory."""

    def pinned_answer(self, shape, dtype, blocks):
        return None


@pytest.fixture
def locking(monkeypatch):
    monkeypatch.setattr(pinned, "_LARGE_BYTES", 8)
    return fake_locking(monkeypatch)


@pytest.fixture(params=[PooledDevice, PageableDevice])
def device(request, locking):
    return request.param(locking)


def graph_of(seed, dtype=np.int32):
    weights = np.random.default_rng(seed).integers(1, 90, ARCS.shape[1])
    return warpath.from_arcs(VERTICES, *ARCS, weights.astype(dtype))


def check(graph, sources, distances, predecessors=None):
    """Each source has a row of distances, and of predecessors on shortest paths, if there are any."""
    expected = dijkstra(graph.to_scipy(), indices=np.asarray(sources))
    unreachable = np.isinf(expected)
    floats = np.where(unreachable, np.inf, distances)
    np.testing.assert_array_equal(floats, expected)
    if predecessors is not None:
        for source, row, tree in zip(sources, np.atleast_2d(distances), np.atleast_2d(predecessors), strict=True):
            warpath.prepare(graph, "cpu").certify(int(source), row, tree)


BATCH = {"algorithm": "label_correcting", "variant": "batch", "predecessors": False}


def check_update(solver, weights):
    """The solver has these weights after an update, and answers for them."""
    solver.update(weights)
    paths = solver.sssp([5, 8], certify=False, **BATCH)
    np.testing.assert_array_equal(solver.graph.weights, weights)
    check(solver.graph, [5, 8], paths.distances)


# In both tests, new weights are of the size of the answer, so that they would be lent its memory.


def test_a_failed_call_writes_into_no_memory_that_is_lent_again(locking, monkeypatch):
    """Vertex 1 reaches beyond 32 bits, which is found while the rows of vertices before it are being copied."""
    monkeypatch.setattr(Call, "rows_at_once", lambda *_, **__: 1)
    tails, heads = np.append(ARCS % (VERTICES - 4) + 4, [[1, 0], [0, 4]], axis=1)
    weights = np.append(graph_of(1).weights, [2**31 - 3, 9])
    solver = warpath.prepare(warpath.from_arcs(VERTICES, tails, heads, weights), OwnDevice(locking))
    solver.sssp([5, 6, 7, 8, 9], **BATCH)
    with pytest.raises(warpath.GraphError):
        solver.sssp([2, 1, 3, 6, 7], **BATCH)
    check_update(solver, np.arange(1, len(weights) + 1, dtype=np.int32))


@pytest.mark.parametrize(("sources", "arcs"), [(5, VERTICES), ([5, 6, 7, 8, 9], 5 * VERTICES)], ids=str)
def test_an_interrupted_call_writes_into_no_memory_that_is_lent_again(locking, monkeypatch, sources, arcs):
    monkeypatch.setattr(Call, "rows_at_once", lambda *_, **__: 1)
    for step in count(1):
        device = InterruptedDevice(locking)
        solver = warpath.prepare(warpath.from_arcs(VERTICES, *ARCS[:, :arcs], np.arange(1, arcs + 1)), device)
        solver.sssp(sources, **BATCH)
        device.fails(step, KeyboardInterrupt(), after=step % 2)
        try:
            solver.sssp(sources, **BATCH)
        except KeyboardInterrupt:
            device.never_fails()
            check_update(solver, np.arange(step, step + arcs, dtype=np.int32))
        else:
            break
    assert step > 10


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("predecessors", [True, False])
def test_answers_from_one_source_and_from_several_last(device, dtype, predecessors):
    graph = graph_of(1, dtype)
    solver = warpath.prepare(graph, device)
    for certify in (True, False):
        options = {"predecessors": predecessors, "certify": certify}
        kept = [solver.sssp(source, **options) for source in SOURCES]
        kept_rows = [solver.sssp([source, 3, 4], **options) for source in SOURCES]
        for source, paths, rows in zip(SOURCES, kept, kept_rows, strict=True):
            check(graph, [source], paths.distances[None], paths.predecessors)
            check(graph, [source, 3, 4], rows.distances, rows.predecessors)


@pytest.mark.parametrize("dtype", TYPES)
def test_answers_up_to_a_cutoff_last(device, dtype):
    graph = graph_of(1, dtype)
    solver = warpath.prepare(graph, device)
    kept = [solver.sssp(source, cutoff=70) for source in SOURCES]
    for source, paths in zip(SOURCES, kept, strict=True):
        expected = dijkstra(graph.to_scipy(), indices=source, limit=70)
        np.testing.assert_array_equal(paths.floats(), expected)
        np.testing.assert_array_equal(paths.predecessors >= 0, np.isfinite(expected) & (np.arange(VERTICES) != source))


@pytest.mark.parametrize("dtype", TYPES)
def test_answers_for_all_pairs_last(device, dtype):
    graphs = [graph_of(seed, dtype) for seed in range(4)]
    kept = [warpath.apsp(graph, device=device) for graph in graphs]
    for graph, paths in zip(graphs, kept, strict=True):
        check(graph, range(VERTICES), paths.distances, paths.predecessors)


@pytest.mark.parametrize("options", [{}, {"predecessors": True}, {"targets": [7, 5, 9]}, {"cutoff": 70}], ids=str)
@pytest.mark.parametrize("dtype", TYPES)
def test_chunks_of_a_stream_last(device, dtype, options):
    graph = graph_of(1, dtype)
    solver = warpath.prepare(graph, device)
    sources = SOURCES * 3
    kept = list(solver.stream(sources, chunk=2, **options))
    assert np.concatenate([chunk[0] for chunk in kept]).tolist() == sources and len(kept) == 11
    distances = np.concatenate([chunk[1] for chunk in kept])
    if not options or "predecessors" in options:
        trees = np.concatenate([chunk[2] for chunk in kept]) if options else None
        check(graph, sources, distances, trees)
    else:
        whole = warpath.table(graph, sources, options.get("targets"), cutoff=options.get("cutoff"), device="cpu")
        np.testing.assert_array_equal(distances, whole.distances)


def test_closures_tables_and_what_is_nearest_last(device):
    graphs = [
        warpath.from_arcs(VERTICES, *ARCS[:, : 40 + 9 * number], np.ones(40 + 9 * number, int)) for number in range(5)
    ]
    on_cpu = {"device": "cpu"}
    calls = {
        "closure": lambda graph, **options: warpath.closure(graph, **options).reachable,
        "table": lambda graph, **options: warpath.table(graph, SOURCES, **options).distances,
        "nearest targets": lambda graph, **options: warpath.table(graph, SOURCES, nearest=4, **options).distances,
        "pairs": lambda graph, **options: warpath.pairs(graph, SOURCES, SOURCES[::-1], **options).distances,
        "nearest": lambda graph, **options: warpath.nearest(graph, SOURCES[:3], **options).distances,
    }
    for call in calls.values():
        kept = [call(graph, device=device) for graph in graphs]
        for graph, array in zip(graphs, kept, strict=True):
            np.testing.assert_array_equal(array, call(graph, **on_cpu))


# What is locked


def arrays_of(paths):
    return [array for array in (paths.distances, paths.predecessors) if array is not None]


CALLS = {
    "one source": lambda solver: arrays_of(solver.sssp(5)),
    "distances from one source": lambda solver: arrays_of(solver.sssp(5, predecessors=False)),
    "several sources": lambda solver: arrays_of(solver.sssp(SOURCES)),
    "a cutoff": lambda solver: arrays_of(solver.sssp(SOURCES, cutoff=70)),
    "a table": lambda solver: [solver.table(SOURCES, range(20)).distances],
    "closure": lambda solver: [solver.closure().reachable],
}


@pytest.mark.parametrize("call", CALLS)
def test_a_caller_who_keeps_answers_locks_a_few(call, locking):
    solver = warpath.prepare(graph_of(1), PooledDevice(locking))
    kept = [CALLS[call](solver) for _ in range(20)]
    assert locking.has(kept[0][0]) and locking.has(kept[1][0])
    assert sum(any(map(locking.has, arrays)) for arrays in kept) < 10
    locked = len(locking.places)
    kept += [CALLS[call](solver) for _ in range(5)]
    assert len(locking.places) == locked


@pytest.mark.parametrize("call", CALLS)
def test_a_caller_who_keeps_the_last_answer_alone_has_all_in_page_locked_memory(call, locking):
    solver = warpath.prepare(graph_of(1), PooledDevice(locking))
    for turn in range(8):
        last = CALLS[call](solver)
        assert all(map(locking.has, last)), turn
        if turn == 1:
            locked = len(locking.places)
    assert len(locking.places) == locked


@pytest.mark.parametrize("call", CALLS)
def test_answers_that_are_too_large_for_page_locked_memory_lock_none(call, locking, monkeypatch):
    for user in ("calls", "chunks"):
        monkeypatch.setattr(f"warpath.library.{user}.PINNED_BYTES_MAX", 100)
    CALLS[call](warpath.prepare(graph_of(1), PooledDevice(locking)))
    assert not locking.places


@pytest.mark.parametrize("cutoff", [None, 70])
def test_answers_on_the_device_lock_none(cutoff, locking):
    solver = warpath.prepare(graph_of(1), PooledDevice(locking))
    asked = {"output": "device", "algorithm": "near_far", "cutoff": cutoff}
    solver.sssp(5, **asked)
    solver.sssp(SOURCES, **asked)
    list(solver.stream(SOURCES, **asked))
    solver.closure(output="device")
    assert not locking.places


def test_a_device_on_the_cpu_has_one_kind_of_memory():
    for name in ("cpu", "simulated"):
        kept = [open_device(name).pinned_answer((17 << 20,), np.uint8, 0) for _ in range(3)]
        assert all(array.nbytes == 17 << 20 for array in kept)


@pytest.mark.parametrize("predecessors", [True, False])
def test_the_chunks_of_a_stream_are_in_page_locked_memory_unless_its_caller_keeps_them(predecessors, locking):
    solver = warpath.prepare(graph_of(1), PooledDevice(locking))
    asked = {"sources": SOURCES * 5, "chunk": 5, "predecessors": predecessors}
    for _, *arrays in solver.stream(**asked):
        assert all(map(locking.has, arrays))
    assert len(locking.places) == 3 * (1 + predecessors)
    del arrays
    kept = [array for _, *arrays in solver.stream(**asked) for array in arrays]
    assert 3 <= sum(map(locking.has, kept)) <= 6
    assert len(locking.places) <= 6


def test_an_update_keeps_no_answer_out_of_page_locked_memory(locking, monkeypatch):
    monkeypatch.setattr(PooledDevice, "pinned", lambda _, *options, **named: pinned.pinned_array(*options, **named))
    vertices = ARCS.shape[1] // 2  # an answer has the size of the weights
    graph = warpath.from_arcs(vertices, *ARCS, np.arange(1, ARCS.shape[1] + 1))
    solvers = [warpath.prepare(graph, PooledDevice(locking)) for _ in range(4)]
    for solver in solvers:
        solver.update(solver.graph.weights + 1)
    assert len(locking.places) >= 4
    solvers[0].sssp(3)  # the first answer is of the CPU
    kept = [solvers[0].sssp(source) for source in (5, 9, 5)]
    assert [locking.has(paths.distances) for paths in kept] == [True, True, False]


def test_a_stream_of_chunks_that_the_host_cannot_hold_has_smaller_ones(monkeypatch):
    machine = SimpleNamespace(LARGE_BYTES=0, memory_bytes=lambda: (5 * 8 * VERTICES, 10**6))
    monkeypatch.setattr("warpath.library.calls.LARGE_BYTES", 0)
    monkeypatch.setattr("warpath.solvers.checks.preconditions.host_machine", machine)
    graph = graph_of(1)
    solver = warpath.prepare(graph, "simulated")
    pieces = list(solver.stream(SOURCES * 3, chunk=20, predecessors=True))
    assert len(pieces[0][0]) == 5
    assert len(next(solver.stream(SOURCES[:4], chunk=20, predecessors=True))[0]) == 4
    check(graph, SOURCES * 3, *(np.concatenate([piece[part] for piece in pieces]) for part in (1, 2)))


@pytest.mark.cuda
def test_large_answers_that_are_kept_are_right_and_few_are_in_page_locked_memory():
    device, vertices = opened("cuda"), 3_000_000
    tails = np.arange(vertices - 1)
    solver = warpath.prepare(warpath.from_arcs(vertices, tails, tails + 1, 1 + tails % 3), device)
    before = np.concatenate([[0], np.cumsum(1 + tails % 3)])
    sources = [vertices - 1000 * step for step in (1, 2, 3, 4, 5)]
    kept = [solver.sssp(source, algorithm="near_far") for source in sources]
    for source, paths in zip(sources, kept, strict=True):
        np.testing.assert_array_equal(paths.distances[source:], before[source:] - before[source])
        np.testing.assert_array_equal(paths.predecessors[source + 1 :], np.arange(source, vertices - 1))
        assert np.isinf(paths.floats()[:source]).all() and (paths.predecessors[: source + 1] == -1).all()
    are_pinned = [device.is_pinned(paths.distances) for paths in kept]
    assert are_pinned[0] and sum(are_pinned) < len(kept)
    del kept
    for source in sources:
        assert device.is_pinned(solver.sssp(source, algorithm="near_far").distances)
