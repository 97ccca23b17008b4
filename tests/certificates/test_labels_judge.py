"""The certificate of distances that are joined from labels: it raises if anything is wrong."""

from dataclasses import replace

import numpy as np
import pytest
from every_device import SIMULATED_DEVICES, opened
from examples import fewer
from hypothesis import given, strategies
from scipy.sparse.csgraph import dijkstra
from tiny_graphs import TINY, named, random_graphs

import warpath
from warpath.certificates.labels import LabelJudge
from warpath.distances import UNREACHABLE
from warpath.errors import CertificateError, GraphError
from warpath.graphs.csr import Graph
from warpath.solvers.many_sources.sweep.sweep import SweepPlan
from warpath_study.datasets.road import road


def heavier(graph):
    """``graph`` with weights above 0, that differ by direction."""
    return Graph(graph.indptr, graph.indices, graph.weights + 1 + np.arange(graph.arcs, dtype=np.int32) % 3)


def solved(graph, order="forward"):
    """Labels, all pairs, and their distances."""
    plan = SweepPlan(opened(order, seed=1), graph, 0, predecessors=False)
    floats = dijkstra(graph.to_scipy())
    exact = np.where(np.isinf(floats), UNREACHABLE, floats).astype(np.int32).ravel()
    return plan, plan.labels_of_all(), [ends.ravel() for ends in np.indices(floats.shape)], exact


@pytest.mark.parametrize("order", SIMULATED_DEVICES)
def test_right_distances_are_certified_and_wrong_ones_are_not(order):
    for name, tiny in TINY.items():
        if name == "largest distance":
            continue
        with named(name):
            graph = heavier(tiny)
            plan, labels, pairs, exact = solved(graph, order)
            judge = LabelJudge(plan.device, graph, labels)
            judge.certify(*pairs, exact)
            for pair in range(0, len(exact), 1 + len(exact) // 3):
                for wrong in (exact[pair] - 1, 3, 0, -1, UNREACHABLE):
                    tampered = exact.copy()
                    tampered[pair] = wrong
                    if wrong != exact[pair]:
                        with pytest.raises(CertificateError, match="the distance from vertex"):
                            judge.certify(*pairs, tampered)


@fewer
@given(tiny=random_graphs(vertices_max=40), data=strategies.data())
def test_a_wrong_label_is_found(tiny, data):
    graph = heavier(tiny)
    plan, labels, pairs, exact = solved(graph, "shuffle")
    LabelJudge(plan.device, graph, labels).certify(*pairs, exact)
    name = data.draw(strategies.sampled_from(["to_ancestors", "from_ancestors"]))
    tampered = getattr(labels, name).copy()
    # Labels that are all too large or too small by as much fit one another, but not the ancestor.
    rows = data.draw(strategies.lists(strategies.integers(0, graph.vertices - 1), min_size=1, unique=True))
    column = data.draw(strategies.integers(0, labels.height - 1))
    tampered[rows, column] = data.draw(strategies.sampled_from([0, 1, 5, -1, UNREACHABLE]))
    try:
        LabelJudge(plan.device, graph, replace(labels, **{name: tampered}))
    except CertificateError:
        return
    of_vertices = np.empty(graph.vertices, np.int64)
    depths = [0 if above < 0 else None for above in labels.parents]
    for position, above in enumerate(labels.parents):
        depths[position] = 0 if above < 0 else depths[above] + 1
    of_vertices[:] = np.array(depths)[labels.positions]
    read = np.arange(labels.height) <= of_vertices[:, None]  # others are of no ancestor
    np.testing.assert_array_equal(np.where(read, tampered, 0), np.where(read, getattr(labels, name), 0))


@fewer
@given(tiny=random_graphs(vertices_max=12), data=strategies.data())
def test_with_any_tree_distances_are_right_or_refused(tiny, data):
    graph = heavier(tiny)
    plan, labels, pairs, exact = solved(graph)
    vertices = graph.vertices
    parents = [data.draw(strategies.integers(-1, position - 1)) for position in range(vertices)]
    positions = np.array(data.draw(strategies.permutations(range(vertices))), np.int32)
    kept = data.draw(strategies.sampled_from([{}, {"positions": positions}, {"parents": np.array(parents, np.int32)}]))
    try:
        LabelJudge(plan.device, graph, replace(labels, **kept)).certify(*pairs, exact)
    except CertificateError:
        return
    with pytest.raises(CertificateError):
        LabelJudge(plan.device, graph, replace(labels, **kept)).certify(*pairs, exact - 1)


@pytest.mark.parametrize("weights", [[5, 0, 0], [5, 1, -1], [5.0, 1.0, 1.0]])
def test_labels_of_graphs_that_they_prove_nothing_of_are_refused(weights):
    plan, labels, _, _ = solved(warpath.from_arcs(3, [0, 1, 2], [1, 2, 1], [5, 1, 1]))
    with pytest.raises(GraphError):
        LabelJudge(plan.device, warpath.from_arcs(3, [0, 1, 2], [1, 2, 1], weights), labels)


def test_labels_of_a_lower_height_than_the_tree_are_refused():
    line = warpath.from_arcs(2, [0, 1], [1, 0], [4, 5])
    plan, labels, pairs, exact = solved(line)
    chain = replace(labels, positions=np.arange(2, dtype=np.int32), parents=np.array([-1, 0], np.int32))
    heights = {1: ([0, 5, 0], [0, 4, 0]), 2: ([0, -1, 5, 0], [0, -1, 4, 0])}
    for height, rows in heights.items():  # with a height of 1, the 0 of vertex 1 lies behind the last row
        arrays = [np.array(numbers, np.int32)[: 2 * height].reshape(2, height) for numbers in rows]
        low = replace(chain, to_ancestors=arrays[0], from_ancestors=arrays[1])
        if height == 2:
            LabelJudge(plan.device, line, low).certify(*pairs, exact)
        else:
            with pytest.raises(CertificateError):
                LabelJudge(plan.device, line, low)


@pytest.mark.parametrize(
    "parents", [[0, 0, 1], [1, 2, -1], [-1, 0], [-1, 5, 1], [-2, 0, 1], [-1, 0, 1, 2]], ids=lambda parents: str(parents)
)
def test_what_is_no_tree_of_the_vertices(parents):
    line = warpath.from_arcs(3, [0, 1], [1, 2], [4, 5])
    plan, labels, _, _ = solved(line)
    with pytest.raises(CertificateError, match="not about a tree"):
        LabelJudge(plan.device, line, replace(labels, parents=np.array(parents, np.int32)))


def test_arcs_between_branches_are_refused():
    cross = warpath.from_arcs(3, [0, 1, 0], [1, 2, 2], [4, 5, 6])
    plan, labels, _, _ = solved(cross)
    with pytest.raises(CertificateError, match="two branches"):
        LabelJudge(plan.device, cross, replace(labels, parents=np.array([-1, 0, 0], np.int32)))


def test_a_solver_that_is_wrong_is_told(monkeypatch):
    roads = road(300, 780, seed=2)
    pairs = np.random.default_rng(1).integers(0, 300, (2, 400))
    solver = warpath.prepare(roads, "simulated")
    certificate = solver.pairs(*pairs).certificate
    assert certificate.sources == len(np.unique(pairs[0])) and certificate.reached == 400
    solve = SweepPlan.solve_pairs

    def wrong(plan, sources, targets, distances):
        solve(plan, sources, targets, distances)
        distances[7] -= 1

    monkeypatch.setattr(SweepPlan, "solve_pairs", wrong)
    source, target = pairs[:, 7]
    with pytest.raises(CertificateError, match=f"from vertex {source} to vertex {target} is wrong"):
        solver.pairs(*pairs)


def test_without_memory_for_labels_and_for_a_few_sources_rows_are_certified(monkeypatch):
    roads = road(300, 780, seed=2)
    few, many = np.random.default_rng(1).integers(0, 300, (2, 4)), np.random.default_rng(2).integers(0, 300, (2, 400))
    solver = warpath.prepare(roads, "simulated")
    assert solver.pairs(*few).certificate.arcs_checked == len(set(few[0])) * roads.arcs
    of_labels = solver.pairs(*many).certificate.arcs_checked
    assert of_labels != len(set(many[0])) * roads.arcs
    assert solver.pairs(*few).certificate.arcs_checked == of_labels  # of labels that have been certified
    monkeypatch.setattr("warpath.solvers.many_sources.sweep.sweep.LABELS_PART_MAX", 0)
    solver.update(roads.weights)
    found = solver.pairs(*many)
    assert found.certificate.arcs_checked == len(set(many[0])) * roads.arcs
    np.testing.assert_array_equal(found.floats(), dijkstra(roads.to_scipy())[many[0], many[1]])
