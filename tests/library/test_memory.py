"""Where memory is short, answers come in smaller pieces or not at all, and what failed leaves nothing behind."""

import gc
from contextlib import suppress
from functools import partial

import numpy as np
import pytest
from every_device import opened
from hypothesis import given, settings
from hypothesis.strategies import floats, just, sampled_from
from limited_device import LimitedDevice
from scipy.sparse.csgraph import dijkstra
from tiny_graphs import TINY, graph, named

import warpath
from warpath.distances import UNREACHABLE
from warpath.errors import DeviceError, OutOfMemoryError, UsageError
from warpath.library.memory import forget_all
from warpath.library.solver import Solver
from warpath.solvers.choice.choose import MANY
from warpath.solvers.registry import entries
from warpath.system.arrays import on_host
from warpath_study.datasets.generate import generate

AMPLE = 2**40
ROADS = generate("road", vertices=200, arcs=500, seed=5)
POWER_LAW = generate("gnutella", vertices=150, arcs=750, seed=3)
NEGATIVE = graph(60, *[(v, v + 1, 5 - v % 9) for v in range(59)], *[(v, v // 2, 300) for v in range(1, 60)])
GRAPHS = {"roads": (ROADS, 0), "prepared roads": (ROADS, MANY), "power law": (POWER_LAW, 0)}
GRAPHS |= {"negative": (NEGATIVE, False)}
SOURCES = [*range(0, 60, 2), 7, 7]


def paths_in(paths):
    assert paths.certificate and paths.certificate.verdict == "exact"
    return paths.distances


def streamed(solver, **options):
    pieces = list(solver.stream(SOURCES, predecessors=True, **options))
    assert np.concatenate([piece[0] for piece in pieces]).tolist() == SOURCES
    return np.concatenate([piece[1] for piece in pieces])


def reduced(solver):
    found = solver.statistics(SOURCES, nearest=3)
    assert found.certificate and found.certificate.sources == len(SOURCES)
    return np.concatenate([found.rows.eccentricities, found.rows.sums, found.rows.histogram, found.rows.reached])


def judged(solver):
    answer = warpath.sssp(solver.graph, SOURCES, device="simulated")
    found = solver.certify(SOURCES, answer.distances.copy(), answer.predecessors.copy())
    return np.array([found.sources, found.arcs_checked, found.reached])


CALLS = {
    "one source": lambda solver: paths_in(solver.sssp(3)),
    "one source, on the device": lambda solver: paths_in(solver.sssp(3, output="device", predecessors=False)),
    "many sources": lambda solver: paths_in(solver.sssp(SOURCES)),
    "many sources, on the device": lambda solver: paths_in(solver.sssp(SOURCES, output="device")),
    "some columns": lambda solver: paths_in(solver.table(SOURCES, [1, 5], cutoff=40, output="device")),
    "nearest": lambda solver: paths_in(solver.table(SOURCES, nearest=3)),
    "pairs": lambda solver: paths_in(solver.pairs(SOURCES, SOURCES[::-1], paths=True)),
    "pairs, not certified": lambda solver: solver.pairs(SOURCES, SOURCES[::-1], certify=False).distances,
    "all pairs": lambda solver: paths_in(solver.apsp()),
    "all pairs, on the device": lambda solver: paths_in(solver.apsp(output="device", predecessors=False)),
    "stream": streamed,
    "stream, on the device": lambda solver: streamed(solver, output="device", chunk=20),
    "statistics": reduced,
    "closure": lambda solver: solver.closure().reachable,
    "certify": judged,
}


def outcome(call, solver):
    """The answer, or None where memory ran out; then nothing is left, even while the error is being handled."""
    try:
        return call(solver)
    except OutOfMemoryError as error:
        assert "\n" not in str(error) and "bytes" in str(error)
        assert solver.device.used == 0
        return None


def check(name, call, fractions):
    """With so many fourths of the memory that suffices, the answer is right or missing, and the device stays usable."""
    (given, prepared), ask = GRAPHS[name], CALLS[call]
    if call in ("statistics", "nearest") and given.weight_min < 0:
        return
    ample = LimitedDevice(AMPLE)
    expected = np.array(ask(Solver(given, ample, prepared)))
    for fraction in fractions:
        limit = int(ample.most * fraction)
        device = LimitedDevice(limit)
        found = outcome(ask, Solver(given, device, prepared))
        if found is not None:
            np.testing.assert_array_equal(found, expected)
        assert found is not None or fraction < 1
        # The next call has as much room as a first one.
        fresh = outcome(CALLS["one source"], Solver(TINY["ties"], LimitedDevice(limit)))
        after = outcome(CALLS["one source"], Solver(TINY["ties"], device))
        assert (fresh is None) == (after is None)


@settings(max_examples=9)
@given(name=sampled_from([*GRAPHS]), call=sampled_from([*CALLS]), fraction=floats(0, 1) | just(1))
def test_whatever_the_memory_answers_are_right_or_missing(name, call, fraction):
    check(name, call, [fraction])


@pytest.mark.nightly
@pytest.mark.parametrize("name", GRAPHS)
def test_every_call_with_ample_and_little_memory(name):
    for call in CALLS:
        with named(call):
            check(name, call, [0, 1 / 3, 2 / 3, 1])


@pytest.mark.parametrize("name", [entry.name for entry in entries() if entry.problem == "sssp" and entry.cost])
def test_calls_with_and_without_predecessors_share_what_is_prepared(name):
    algorithm, variant = name.split(".")
    device = LimitedDevice(AMPLE)
    solver = Solver(ROADS, device)
    bare, full = (
        partial(solver.sssp, 3, algorithm=algorithm, variant=variant, predecessors=each) for each in (False, True)
    )
    full()
    before = device.used
    bare()
    row_bytes = ROADS.vertices * ROADS.weights.itemsize
    assert device.used <= before + 2 * row_bytes  # of answers
    full()
    assert device.used <= before + 2 * row_bytes


def test_many_sources_take_no_more_than_a_few():
    few, many = LimitedDevice(AMPLE), list(range(150)) * 4
    solver = Solver(POWER_LAW, few)
    expected = solver.sssp(many[:150]).distances
    tight = LimitedDevice(few.most)
    for call in (
        lambda solver: solver.sssp(many),
        lambda solver: solver.sssp(many, certify=False),
        lambda solver: np.concatenate([rows for _, rows in solver.stream(many)]),
    ):
        found = call(Solver(POWER_LAW, tight))
        np.testing.assert_array_equal(getattr(found, "distances", found), np.concatenate([expected] * 4))
    found = Solver(POWER_LAW, tight).statistics(many)
    assert found.rows.eccentricities.tolist() == np.where(expected == UNREACHABLE, 0, expected).max(1).tolist() * 4
    assert found.rows.histogram.sum() + len(many) == found.rows.reached.sum()


def marked(entry):
    """The published works' variants are frozen, so their cases are slow ones."""
    marks = [] if entry.module.startswith("warpath.") else [pytest.mark.slow]
    return pytest.param(entry, id=entry.name, marks=marks)


@pytest.mark.parametrize(
    "entry", [marked(entry) for entry in entries() if entry.problem in ("sssp", "apsp") and entry.variant != "cluster"]
)
def test_every_solver_leaves_nothing_behind(entry):
    def ask(solver):
        solve = solver.apsp if entry.problem == "apsp" else partial(solver.sssp, 0)
        return paths_in(solve(algorithm=entry.algorithm, variant=entry.variant))

    given = generate("road", vertices=40, arcs=100, seed=5)
    ample = LimitedDevice(AMPLE)
    expected = ask(Solver(given, ample)).copy()
    # One variant plans with what is free, and leaves some of that alone.
    for limit in (int(ample.most * 0.6), int(ample.most * 1.25)):
        found = outcome(ask, Solver(given, LimitedDevice(limit)))
        if found is not None:
            np.testing.assert_array_equal(found, expected)
    assert found is not None


@pytest.mark.parametrize(
    "name",
    ["sparse_all_pairs.narrow"]
    + [entry.name for entry in entries() if entry.problem == "sssp" and entry.cost and entry.variant != "cluster"],
)
def test_memory_of_dropped_solvers_and_old_weights_is_free_without_garbage_collection(name):
    algorithm, variant = name.split(".")

    def used(device):
        solver = Solver(ROADS, device)
        for factor in (1, 2, 3):
            solver.sssp([3, 5], algorithm=algorithm, variant=variant)
            yield device.used
            solver.update(factor * ROADS.weights)

    list(used(LimitedDevice(AMPLE)))  # compiles
    device = LimitedDevice(AMPLE)
    gc.collect()
    gc.disable()
    try:
        _, before, after = used(device)
        assert (after, device.used) == (before, 0)
    finally:
        gc.enable()


class Failing(LimitedDevice):
    """Its next ``failures`` allocations fail."""

    failures, error = 0, OutOfMemoryError("for a moment")

    def empty(self, shape, dtype):
        if self.failures:
            self.failures -= 1
            raise self.error
        return super().empty(shape, dtype)


def test_vertices_that_can_be_read_once_are_all_solved_after_a_retry():
    def calls(solver):
        yield solver.sssp(iter([0, 1, 2])).distances
        yield solver.table(iter([0, 1, 2]), iter([3, 4])).distances
        yield solver.pairs(iter([0, 1, 2]), iter([3, 4, 5])).distances
        yield solver.statistics(iter([0, 1, 2])).rows.eccentricities

    expected, device = list(calls(Solver(ROADS, LimitedDevice(AMPLE)))), Failing(AMPLE)
    solver = Solver(ROADS, device)
    found = calls(solver)
    for right in expected:
        solver.table([0, 1], [3, 4])  # fills the caches
        device.failures = 1
        np.testing.assert_array_equal(next(found), right)


def test_a_stream_that_failed_does_not_end_as_if_all_its_chunks_had_been_there():
    device = Failing(AMPLE)
    for device.error in (KeyboardInterrupt(), DeviceError("a launch failed")):
        chunks = Solver(ROADS, device).stream(range(20), chunk=5)
        next(chunks)
        device.failures = 1
        with pytest.raises(type(device.error)):
            list(chunks)
        assert device.failures == 0
        for _ in range(2):
            with pytest.raises(UsageError, match=type(device.error).__name__):
                next(chunks)
    chunks = Solver(ROADS, device).stream(range(20), chunk=5)
    assert (len(list(chunks)), list(chunks)) == (4, [])


def test_a_moment_without_memory_does_not_change_the_choice():
    graph, device = generate("gnutella", vertices=3000, arcs=18_000, seed=3), Failing(AMPLE)
    usual = Solver(graph, device).sssp(range(20), predecessors=False).variant
    solver = Solver(graph, device)
    solver.sssp(0)
    device.failures = 1
    assert [solver.sssp(range(20), predecessors=False).variant for _ in range(2)] == [usual] * 2


@pytest.mark.parametrize(
    ("name", "dtype", "predecessors", "certify"),
    [
        ("near_far.queue", np.int32, True, True),
        ("near_far.queue", np.float64, False, False),
        ("near_far.whole_grid", np.float64, True, False),
        ("label_correcting.cluster", np.int32, False, True),
        ("partition.borders", np.int32, True, False),
        ("partition.borders", np.float64, True, True),
    ],
)
def test_an_answer_on_the_device_is_freed_when_the_caller_drops_it(name, dtype, predecessors, certify):
    algorithm, variant = name.split(".")
    device = LimitedDevice(AMPLE)
    solver = Solver(warpath.from_arcs(200, ROADS.tails(), ROADS.indices, ROADS.weights.astype(dtype)), device)
    options = {"algorithm": algorithm, "variant": variant, "predecessors": predecessors, "certify": certify}
    used = []
    for source in (0, 1, 2):
        paths = solver.sssp(source, output="device", **options)
        assert paths.variant == name
        with_it = device.used
        del paths
        gc.collect()
        used.append(device.used)
        assert with_it - device.used >= 200 * np.dtype(dtype).itemsize
    assert used[2] == used[1]


def test_without_memory_for_an_answer_a_solver_takes_updates_and_answers_later():
    device = Failing(AMPLE)
    solver = Solver(ROADS, device, prepared=MANY)
    solver.sssp(0)
    solver.update(ROADS.weights[::-1].copy())
    device.failures = 10**6
    with pytest.raises(OutOfMemoryError):
        solver.sssp(0)
    with suppress(OutOfMemoryError):
        solver.update(ROADS.weights + 1)
    device.failures = 0
    np.testing.assert_array_equal(solver.sssp(0).distances, warpath.sssp(solver.graph, 0, device="cpu").distances)


@pytest.mark.parametrize(
    ("algorithm", "variant", "matrices"),
    [("blocked_all_pairs", "out_of_core", 1), ("floyd_warshall", "shared_rows", 2)],
)
def test_all_pairs_that_no_device_has_room_for_are_in_host_memory(algorithm, variant, matrices):
    given = generate("gnutella", vertices=520, arcs=2600, seed=3)
    solver = Solver(given, LimitedDevice(matrices * 4 * given.vertices**2))
    found = paths_in(solver.apsp(algorithm=algorithm, variant=variant, predecessors=False))
    np.testing.assert_array_equal(found, warpath.apsp(given, device="cpu", predecessors=False).distances)


def test_other_graphs_on_the_device_make_room():
    first = LimitedDevice(AMPLE)
    Solver(ROADS, first).sssp(0)
    device = LimitedDevice(first.most * 3 // 2)
    solvers = [Solver(ROADS, device), Solver(generate("road", vertices=200, arcs=500, seed=6), device)]
    for _ in range(2):
        for solver in solvers:
            assert solver.sssp(0).certificate.verdict == "exact"


def test_numpys_and_cupys_own_errors_are_told_alike():
    for call in ("one source", "many sources", "all pairs", "stream", "statistics"):
        with named(call):
            device = Failing(AMPLE)
            device.failures, device.error = 10**6, MemoryError("Unable to allocate 9 bytes")
            assert outcome(CALLS[call], Solver(ROADS, device)) is None


@pytest.mark.cuda
@pytest.mark.parametrize("limit", [8 << 30, 1 << 30, 64 << 20])
def test_a_gpu_whose_pool_is_limited(limit):
    gpu = opened("cuda")
    pool = gpu.xp.get_default_memory_pool()
    given, sources = generate("road", vertices=20_000, arcs=50_000, seed=5), np.arange(2000)
    expected = dijkstra(given.to_scipy(), indices=[0, 1, 2])
    calls = {
        "many sources": lambda solver: paths_in(solver.sssp(sources)),
        "on the device": lambda solver: paths_in(solver.sssp(sources, output="device")),
        "near": lambda solver: paths_in(solver.sssp(sources, cutoff=10**9, output="device", predecessors=False)),
        "stream": lambda solver: next(solver.stream(sources, predecessors=True))[1],
        "all pairs": lambda solver: paths_in(solver.apsp(predecessors=False)),
        "matrices": lambda solver: paths_in(solver.apsp(predecessors=False, algorithm="floyd_warshall")),
    }
    forget_all(gpu)  # what other tests have left would be freed, and make room
    others = pool.used_bytes()
    pool.set_limit(others + limit)
    answered = []
    try:
        for name, ask in calls.items():
            try:
                found = on_host(ask(Solver(given, gpu))[:3])
            except OutOfMemoryError as error:
                assert "bytes" in str(error)
                assert pool.used_bytes() < others + limit // 8
            else:
                np.testing.assert_array_equal(np.where(found == UNREACHABLE, np.inf, found), expected[: len(found)])
                answered.append(name)
            assert Solver(TINY["ties"], gpu).sssp(0).distances.tolist() == [0, 1, 1, 2]
    finally:
        pool.set_limit(0)
    assert {"many sources", "stream", "all pairs"} <= set(answered)
    assert ("matrices" in answered) == (limit == 8 << 30)
