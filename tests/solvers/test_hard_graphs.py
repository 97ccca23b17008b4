"""Every solver, certificate and statistic on hard graphs, compared with lengths of 64 bits."""

from contextlib import contextmanager
from functools import partial

import numpy as np
import pytest
from every_device import EVERY_DEVICE, drawn, each, opened, order_of
from guarded_device import GuardedDevice
from hard_graphs import (
    GRAPHS,
    HARD,
    LARGEST,
    NO_PATH,
    assert_trees,
    closing_arcs,
    distances,
    fits,
    graph,
    lengths,
    lightest_arcs,
    tree,
)
from judges import WAYS_ON_A_GPU, opened_closure_judge, opened_judge
from planned import solve_rows
from row_samples import assert_rows
from tiny_graphs import named

import warpath
from warpath.distances import UNREACHABLE
from warpath.errors import CertificateError, GraphError, NoClustersError
from warpath.library import chunks
from warpath.solvers import variants
from warpath.statistics.statistics import RowCollector
from warpath.system.arrays import on_host
from warpath_study.measure.plans import plan_of

SOLVERS = [variant for variant in variants() if variant.problem in ("sssp", "apsp")]


@contextmanager
def checked(device):
    yield
    if isinstance(device, GuardedDevice):
        device.check()


@pytest.fixture(params=EVERY_DEVICE)
def device(request):
    """The GPU, or a simulated GPU that notices what kernels write beside their arrays."""
    device = opened("cuda") if request.param == "cuda" else GuardedDevice(order=order_of(request.param), seed=7)
    with checked(device):
        yield device


JUDGES = ["host", "host compiled", "simulated spread", "simulated blocks", *WAYS_ON_A_GPU]


@pytest.fixture(scope="module", params=JUDGES)
def judge(request):
    return opened_judge(request.param)


@pytest.fixture(scope="module", params=["host", *EVERY_DEVICE])
def closure_judge(request):
    return opened_closure_judge(request.param)


def assert_solves(variant, device, graph, **settings):
    """All pairs, or from every vertex at once, or from the first and the last."""
    if variant.on_cpu and device.kind == "cuda":
        pytest.skip("a solver on the CPU")
    every = np.arange(graph.vertices, dtype=np.int32)
    groups = every[[0, -1], None] if variant.problem == "sssp" and not variant.many_sources else every[None]
    for sources in groups:
        shape = len(sources), graph.vertices
        try:
            plan = plan_of(variant, device, graph, sources[0] if variant.problem == "sssp" else None, **settings)
        except NoClustersError as error:
            pytest.skip(str(error))
        if variant.many_sources:
            found = [device.upload(np.full(shape, 77, np.int32)) for _ in range(2)]
            solve_rows(plan, sources, *found)
            answer = [np.empty(shape, np.int32) for _ in range(2)]
            for array, copy in zip(found, answer, strict=True):
                device.download(array, copy)
        else:
            solution = plan.solve()
            answer = [solution.distances.reshape(shape), solution.predecessors.reshape(shape)]
        np.testing.assert_array_equal(answer[0], distances(graph)[sources])
        assert_trees(graph, sources, answer[1])


# In small tiles, all pairs of more than a hundred vertices take long: these two have what is hard about the others.
LARGE = ("a hub of 162 arcs", "a hub below zero")


@each(SOLVERS)
def test_solvers_in_small_blocks_and_tiles(variant, device):
    for name, hard in drawn(GRAPHS).items():
        if variant.problem == "apsp" and hard.vertices > 100 and name not in LARGE:
            continue
        if hard.weight_min >= 0 or variant.negative_arcs:
            with named(name), checked(device):
                assert_solves(variant, device, hard, **variant.smallest)


@each([variant for variant in SOLVERS if not variant.on_cpu])
def test_solvers_as_they_are(variant, device):
    name = "heavy and sparse" if variant.problem == "apsp" else "a core of 131, each arc the shortest way"
    assert_solves(variant, device, GRAPHS[name])


@each(variants("closure"))
def test_closures(variant, device):
    for name, hard in GRAPHS.items():
        with named(name), checked(device):
            solution = plan_of(variant, device, hard, None, **variant.smallest).solve()
            np.testing.assert_array_equal(solution.reachable(), lengths(hard) < NO_PATH)


def test_certificates_of_closures(closure_judge):
    for name, hard in GRAPHS.items():
        right = (lengths(hard) < NO_PATH).astype(np.uint8)
        with named(name):
            assert closure_judge(hard, right).reached == right.sum()
            for pair in np.random.default_rng(5).integers(0, len(right), (4, 2)):
                wrong = right.copy()
                wrong[tuple(pair)] ^= 1
                with pytest.raises(CertificateError):
                    closure_judge(hard, wrong)


def test_certificates(judge):
    for name, hard in drawn(GRAPHS).items():
        with named(name):
            assert_judged_right(judge, hard)


def assert_judged_right(judge, graph):
    """Of each source: the right answer, and what differs from it in one place."""
    numbers = np.random.default_rng(7)
    vertices = np.arange(graph.vertices)
    for source in {0, graph.vertices // 2, graph.vertices - 1}:
        right, trees = distances(graph)[source], tree(graph, source)

        def refused(found, predecessors, source=source):
            with pytest.raises(CertificateError):
                judge(graph, source, found, predecessors)

        if ((lengths(graph)[source] > LARGEST) & (lengths(graph)[source] < NO_PATH)).any():
            refused(right, None)
            refused(right, trees)
            continue
        reached = int((right != UNREACHABLE).sum())
        assert judge(graph, source, right, None).reached == judge(graph, source, right, trees).reached == reached
        for vertex in numbers.choice(graph.vertices, 3):
            length = int(right[vertex])
            for value in {length - 1, min(length + 1, UNREACHABLE), int(UNREACHABLE), 0} - {length}:
                wrong = np.where(vertices == vertex, value, right).astype(np.int32)
                refused(wrong, None)
                refused(wrong, trees)
            other = numbers.integers(graph.vertices)
            if right[other] + lightest_arcs(graph)[other, vertex] != right[vertex]:
                refused(right, np.where(vertices == vertex, other, trees).astype(np.int32))
        closing = closing_arcs(graph, source, trees)
        for vertex, tail in (*closing[:1], *closing[-1:]):
            refused(right, np.where(vertices == vertex, tail, trees).astype(np.int32))


def test_statistics(device):
    for name in HARD:
        every, found = np.arange(GRAPHS[name].vertices), distances(GRAPHS[name])
        # A row more at a time, the nearest sources first: bins widen on the way.
        order = every[np.argsort(np.where(found == UNREACHABLE, -1, found).max(axis=1), kind="stable")]
        with named(name), checked(device):
            collector = RowCollector(device, len(every), len(every), 5)
            for first in range(len(order)):
                collector.take(first, order[first : first + 1], found[order[first : first + 1]])
            assert_rows(collector.result(), found[order], order, 5)


def test_a_sum_of_a_row_beyond_32_bits(device):
    """A hundred times the greatest distance from vertex 0."""
    star = graph(101, *[(0, vertex, LARGEST) for vertex in range(1, 101)])
    found = warpath.prepare(star, device).statistics()
    assert (found.mean_distance, found.diameter) == (LARGEST, LARGEST)


def test_the_library(device):
    for name, hard in drawn(GRAPHS).items():
        solver, every = warpath.prepare(hard, device), np.arange(hard.vertices)
        asked = [partial(solver.sssp, every), solver.apsp]
        with named(name), checked(device):
            if not fits(hard):
                for ask in [*asked, partial(solver.sssp, every, certify=False), solver.statistics]:
                    with pytest.raises(GraphError):
                        ask()
                continue
            for ask in asked:
                paths = ask()
                np.testing.assert_array_equal(paths.distances, distances(hard))
                assert_trees(hard, every, paths.predecessors)
                assert paths.certificate.verdict == "exact"


@pytest.mark.parametrize("output", ["host", "device"])
@pytest.mark.parametrize("spread_bytes", [1, 1000, chunks.SPREAD_BYTES])
def test_closures_in_the_library(device, output, spread_bytes, monkeypatch):
    monkeypatch.setattr(chunks, "SPREAD_BYTES", spread_bytes)
    hard = GRAPHS["components of every size"]
    for variant in ("bitset", "components"):
        found = warpath.closure(hard, variant=variant, device=device, output=output)
        np.testing.assert_array_equal(on_host(found.reachable), lengths(hard) < NO_PATH)


@each(SOLVERS)
def test_each_solver_by_its_name_in_the_library(variant, device):
    asked = {"algorithm": variant.algorithm, "variant": variant.name}
    for name in ("about a half, many ties", "components of every size", "arcs in parallel, and loops"):
        graph = GRAPHS[name]
        solver = warpath.prepare(graph, device)
        sources = np.array([0, graph.vertices - 1, 1, 1]) if variant.problem == "sssp" else np.arange(graph.vertices)
        with named(name), checked(device):
            try:
                paths = solver.sssp(sources, **asked) if variant.problem == "sssp" else solver.apsp(**asked)
            except NoClustersError as error:
                pytest.skip(str(error))
            np.testing.assert_array_equal(paths.distances, distances(graph)[sources])
            assert_trees(graph, sources, paths.predecessors)
