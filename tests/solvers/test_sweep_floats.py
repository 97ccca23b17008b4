"""Many sources on roads with float weights: the bits of SciPy, however good the guide of whole weights is."""

import numpy as np
import pytest
from every_device import EVERY_DEVICE, opened
from scipy.sparse.csgraph import dijkstra

import warpath
from warpath.device import open_device
from warpath.distances import NO_PREDECESSOR
from warpath.graphs.csr import Graph, from_arcs
from warpath.solvers.float_sums import exact_rows as _exact_rows
from warpath.solvers.many_sources.sweep import sweep
from warpath.solvers.many_sources.sweep.sweep import SweepPlan
from warpath_study.datasets.road import road

ROADS = road(400, 1040, seed=3)
NUMBERS = np.random.default_rng(1)
WEIGHTS = {
    "thirds": ROADS.weights / 3,
    "one third": np.full(ROADS.arcs, 1 / 3),
    "with zeros": NUMBERS.integers(0, 3, ROADS.arcs) / 10,
    "30 orders of magnitude": 10 ** NUMBERS.uniform(-15, 15, ROADS.arcs),
    "tiny": NUMBERS.uniform(0, 1e-40, ROADS.arcs),
    "sums beyond the largest float": NUMBERS.uniform(1e37, 1e38, ROADS.arcs),
    "one that is very long": np.where(np.arange(ROADS.arcs) == 7, 1e30, 0.7),
    "zero": np.zeros(ROADS.arcs),
}
SOURCES = NUMBERS.integers(0, ROADS.vertices, 40).astype(np.int32)


def with_weights(weights, dtype):
    return Graph(ROADS.indptr, ROADS.indices, np.asarray(weights, dtype))


def expected_of(graph, sources):
    """Distances by rounded sums from the source on, in the type of the weights."""
    rows = [warpath.sssp(graph, int(source), device="cpu").distances for source in sources]
    if graph.weights.dtype == np.float64 and graph.weights.all():
        np.testing.assert_array_equal(rows, dijkstra(graph.to_scipy(), indices=sources))
    return np.array(rows)


def check(plan, sources):
    graph, device = plan.graph, plan.device
    distances = device.upload(np.full((len(sources), graph.vertices), 77, graph.weights.dtype))
    found = device.upload(np.full(distances.shape, 77, np.int32)) if plan.of_rows else None
    plan.solve_rows(sources, distances, found)
    device.synchronize()
    rows = np.empty(distances.shape, distances.dtype)
    device.download(distances, rows)
    np.testing.assert_array_equal(rows, expected_of(graph, sources))
    if found is None:
        return
    trees = np.empty(found.shape, np.int32)
    device.download(found, trees)
    for source, distances_of_it, tree in zip(sources.tolist(), rows, trees, strict=True):
        assert warpath.certify(graph, source, distances_of_it, tree, device="cpu")
        assert tree[source] == NO_PREDECESSOR


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("name", EVERY_DEVICE)
def test_rows_are_exact(kind, dtype, name):
    check(SweepPlan(opened(name), with_weights(WEIGHTS[kind], dtype), predecessors=name != "forward"), SOURCES)


@pytest.mark.parametrize("list_size", [1, 3, 50])
@pytest.mark.parametrize("longest", [1, 2**10, 2**34])
@pytest.mark.parametrize("factor", [0, 10**6])
@pytest.mark.parametrize("name", EVERY_DEVICE)
def test_rows_are_exact_whatever_the_guide_and_the_lists(monkeypatch, list_size, longest, factor, name):
    monkeypatch.setattr(_exact_rows, "LONGEST_IN_UNITS", longest)
    monkeypatch.setattr(_exact_rows, "SLACK_FACTOR", factor)
    graph = with_weights(WEIGHTS["thirds"], np.float32)
    check(SweepPlan(opened(name), graph, predecessors=False, list_size=list_size), SOURCES[:6])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_whole_weights_guide_even_beside_a_small_component_with_more_arcs(dtype):
    leaves = 30
    star = ROADS.vertices + np.zeros(leaves, int), ROADS.vertices + 1 + np.arange(leaves)
    tails, heads = (np.concatenate([of_roads, *star]) for of_roads in (ROADS.tails(), ROADS.indices))
    tails[len(ROADS.tails()) + leaves :] = star[1]
    heads[len(ROADS.tails()) + leaves :] = star[0]
    weights = np.concatenate([ROADS.weights / 3, np.full(2 * leaves, 1e-6)]).astype(dtype)
    graph = from_arcs(ROADS.vertices + leaves + 1, tails, heads, weights)
    whole = _exact_rows.WholeWeights(graph)
    for source in SOURCES:
        exact, rough = (warpath.sssp(of, int(source), device="cpu").distances for of in (graph, whole.graph))
        of_roads = np.isfinite(exact)
        excess = exact[of_roads] / np.float64(whole.unit) - rough[of_roads]
        assert (excess <= whole.slack).mean() > 0.99
    check(SweepPlan(open_device("simulated"), graph), SOURCES[:4])


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("name", EVERY_DEVICE)
def test_rows_are_exact_if_the_guide_is_nonsense(monkeypatch, seed, name):
    numbers = np.random.default_rng(seed)
    graph = with_weights(numbers.uniform(0, 1, ROADS.arcs), np.float32)

    class Nonsense:
        def __init__(self, floats):
            self.graph = Graph(floats.indptr, floats.indices, numbers.integers(0, 100, floats.arcs).astype(np.int32))
            self.unit, self.slack = np.float32(10 ** numbers.uniform(-3.5, -1)), 0

    monkeypatch.setattr(sweep, "WholeWeights", Nonsense)
    plan = SweepPlan(opened(name), graph, predecessors=False)
    plan.exact_rows.blocks_max = 3  # so that blocks take several rows
    check(plan, SOURCES[:8])


def test_a_vertex_may_have_very_many_arcs():
    leaves = 3000
    hub = [0] * leaves, range(1, leaves + 1)
    graph = from_arcs(
        leaves + 1, [*hub[0], *hub[1]], [*hub[1], *hub[0]], NUMBERS.uniform(0, 1, 2 * leaves).astype(np.float32)
    )
    check(SweepPlan(open_device("simulated"), graph), np.array([0, 5, leaves], np.int32))


def test_what_is_not_reached_is_at_infinity():
    graph = from_arcs(6, [0, 1, 4, 2], [1, 2, 5, 2], np.array([0.1, 0.2, 0.3, 0.0]))
    check(SweepPlan(open_device("simulated"), graph), np.arange(6, dtype=np.int32))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_library_answers_every_question_by_it(dtype):
    graph = with_weights(WEIGHTS["thirds"], dtype)
    solver, expected = warpath.prepare(graph, "simulated"), expected_of(graph, SOURCES)
    paths = solver.sssp(SOURCES)
    assert paths.variant == "contraction_hierarchy.sweep" and paths.certificate
    np.testing.assert_array_equal(paths.distances, expected)
    targets = SOURCES[:4]
    for certify in (True, False):
        np.testing.assert_array_equal(solver.table(SOURCES, targets, certify=certify).distances, expected[:, targets])
        pairs = solver.pairs(SOURCES, SOURCES[::-1].copy(), certify=certify)
        np.testing.assert_array_equal(pairs.distances, expected[np.arange(40), SOURCES[::-1]])
    reached = np.where(np.isinf(expected), 0, expected)
    np.testing.assert_array_equal(solver.statistics(SOURCES).eccentricities, reached.max(axis=1))
    solver.update(graph.weights * 2)
    np.testing.assert_array_equal(solver.sssp(SOURCES).distances, 2 * expected)
