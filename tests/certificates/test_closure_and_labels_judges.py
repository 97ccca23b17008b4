"""Certificates of closures and of labels, on the host and on devices: right ones accepted, others refused."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from every_device import SIMULATED_DEVICES, opened
from examples import fewer
from hypothesis import given, strategies
from judges import CLOSURE_JUDGES, opened_closure_judge
from planned import planned
from scipy.sparse.csgraph import dijkstra
from tiny_graphs import NEGATIVE, TINY, named, random_graphs
from tiny_graphs import graph as graph_of

import warpath
from warpath.certificates import closure as closures
from warpath.certificates.judges import ClosureRows, Verdict
from warpath.certificates.labels import LabelJudge
from warpath.certificates.on_device import DeviceCertifier
from warpath.distances import UNREACHABLE
from warpath.errors import CertificateError, GraphError
from warpath.graphs.csr import Graph, from_arcs
from warpath.solvers.many_sources.sweep.sweep import Sweep
from warpath_study.datasets.road import road

# Of four vertices: the part of each, the parts numbered in the order in which they begin.
PARTITIONS = [
    parts for parts in product(range(4), repeat=4) if list(dict.fromkeys(parts)) == list(range(max(parts) + 1))
]


@pytest.fixture(scope="module", params=CLOSURE_JUDGES)
def certify(request):
    """``certify(graph, cells)`` of each certificate."""
    return opened_closure_judge(request.param)


def closure_of(graph: Graph) -> np.ndarray:
    """Which pairs are connected, shape (n, n), bool."""
    return np.isfinite(dijkstra(abs(graph.to_scipy()), unweighted=True))


def bits_of(cells: np.ndarray) -> np.ndarray:
    """Cells as rows of bits, uint64."""
    words = -(-cells.shape[1] // 64)
    padded = np.zeros((len(cells), 64 * words), bool)
    padded[:, : cells.shape[1]] = cells
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64)


def forms_of(cells: np.ndarray) -> list[np.ndarray]:
    """The cells in each form that a variant may give them."""
    return [cells, cells.astype(np.uint8), 3 * cells.astype(np.int32), cells.astype(np.int64), bits_of(cells)]


def accepted(certify, graph: Graph, cells: np.ndarray) -> bool:
    try:
        return certify(graph, cells).reached == np.count_nonzero(closure_of(graph))
    except CertificateError:
        return False


def test_right_closures_are_accepted(certify):
    for name, graph in {**TINY, **NEGATIVE}.items():
        for cells in forms_of(closure_of(graph)):
            with named(f"{name}, {cells.dtype}"):
                certificate = certify(graph, cells)
                assert certificate.reached == np.count_nonzero(closure_of(graph))
                assert (certificate.vertices, certificate.sources) == (graph.vertices, graph.vertices)
                assert certificate.arcs_checked == graph.vertices * graph.arcs


@fewer
@given(graph=random_graphs(vertices_max=5, arcs_per_vertex=2))
def test_every_single_wrong_pair_is_refused(certify, graph):
    right = closure_of(graph)
    for pair in np.ndindex(*right.shape):
        cells = right.copy()
        cells[pair] ^= True
        with pytest.raises(CertificateError, match=f"vertex {pair[1]} .* vertex {pair[0]}"):
            certify(graph, cells)
        assert not accepted(certify, graph, bits_of(cells))


@given(graph=random_graphs(vertices_max=150, arcs_per_vertex=2), data=strategies.data())
def test_the_closure_of_another_graph_is_accepted_only_if_it_is_the_same(certify, graph, data):
    """It supports itself: each row has what the rows of its neighbours have, circles included."""
    vertex = strategies.integers(0, graph.vertices - 1)
    tails, heads = graph.tails(), graph.indices
    if data.draw(strategies.booleans()) or not graph.arcs:
        tails, heads = np.append(tails, data.draw(vertex)), np.append(heads, data.draw(vertex))
    else:
        without = data.draw(strategies.integers(0, graph.arcs - 1))
        tails, heads = np.delete(tails, without), np.delete(heads, without)
    right = closure_of(graph)
    other = closure_of(from_arcs(graph.vertices, tails, heads, np.ones(len(tails), np.int32)))
    assert accepted(certify, graph, other.astype(np.int32)) == (other == right).all()
    assert accepted(certify, graph, bits_of(other)) == (other == right).all()


def test_a_circle_that_supports_itself_is_refused(certify):
    """Vertices 1 and 2 each say that the other reaches 3, and so does 0, which reaches them."""
    graph = graph_of(4, (0, 1, 1), (1, 2, 1), (2, 1, 1))
    cells = closure_of(graph)
    cells[:3, 3] = True
    with pytest.raises(CertificateError, match="vertex 3"):
        certify(graph, cells)


def test_an_empty_row_is_refused(certify):
    graph = graph_of(2)
    for diagonal in ((0, 1), (1, 0)):
        with pytest.raises(CertificateError):
            certify(graph, np.diag(np.array(diagonal, np.int32)))


def test_bits_past_the_last_vertex_count_for_nothing(certify):
    graph = TINY["scattered path of 97"]
    cells = bits_of(closure_of(graph))
    cells[:, 1] |= np.uint64(1 << 63)
    assert certify(graph, cells).reached == 97 * 98 // 2


def test_sentences_name_vertices_as_their_file_does(certify):
    graph = from_arcs(2, np.array([0]), np.array([1]), np.array([1]), labels=np.array([15412, 17515]))
    with pytest.raises(CertificateError, match=r"17515 .* 15412"):
        certify(graph, np.eye(2, dtype=np.int32))


def test_another_shape_is_refused(certify):
    for cells in (np.eye(2, dtype=np.uint8), np.ones((3, 2), np.uint64), np.ones(3, np.int32)):
        with pytest.raises(CertificateError, match="shape"):
            certify(graph_of(3), cells)


@pytest.mark.parametrize("order", SIMULATED_DEVICES)
def test_a_few_columns_at_a_time_come_to_the_same_verdict(order):
    device, graph = opened(order), TINY["scattered path of 97"]
    rows = bits_of(closure_of(graph))
    for right in (True, False):
        rows[5, 1] ^= np.uint64(0 if right else 1)
        closure = ClosureRows(device, graph, reach_bytes_max=1)
        fault, reached = closure.certify(Verdict(device), rows)
        assert fault != right and (reached == 97 * 98 // 2) == right


def test_cells_are_packed_as_they_are():
    device = opened("shuffle")
    for vertices, kind in product((1, 63, 64, 65, 97), (bool, np.uint8, np.int32, np.int64)):
        cells = np.random.default_rng(vertices).integers(0, 2, (vertices, vertices)) * 7
        rows = device.empty((vertices, -(-vertices // 64)), np.uint64)
        ClosureRows(device, graph_of(vertices)).pack(cells.astype(kind), rows)
        np.testing.assert_array_equal(rows, bits_of(cells))


def test_host_arrays_are_packed_a_few_rows_at_a_time(monkeypatch):
    graph = TINY["scattered path of 97"]
    judge = DeviceCertifier(opened("forward"), graph, streamed_bytes_max=1000)
    monkeypatch.setattr(judge, "_is_on_host", lambda array: True)
    assert judge.certify_closure(closure_of(graph).astype(np.int32)).reached == 97 * 98 // 2


def test_calls_leave_nothing_behind():
    graph = TINY["unreachable part"]
    judge, right = DeviceCertifier(opened("forward"), graph), closure_of(graph)
    for _ in range(2):
        assert judge.certify_closure(right).reached == right.sum()
        with pytest.raises(CertificateError):
            judge.certify_closure(~right)


@given(graph=random_graphs(vertices_max=30, arcs_per_vertex=2))
def test_arcs_between_components_lead_to_a_smaller_number(graph):
    found = closures.certified_components(graph)
    both_ways = closure_of(graph) & closure_of(graph).T
    same = found.of_vertices[:, None] == found.of_vertices
    np.testing.assert_array_equal(same, both_ways)
    assert set(found.of_vertices) == set(range(found.count))
    assert (found.of_vertices[graph.tails()] >= found.of_vertices[graph.indices]).all()
    assert (found.tails > found.of_vertices[found.heads]).all()


@pytest.mark.parametrize("arcs", [[(0, 1), (1, 2), (2, 1), (2, 3)], [(1, 0), (2, 1), (1, 2), (3, 2)]])
def test_wrong_components_are_noticed(monkeypatch, arcs):
    """Merged, split, and both; the right ones are {0}, {1, 2} and {3}."""
    graph = graph_of(4, *[(*arc, 1) for arc in arcs])
    assert closures.certified_components(graph).count == 3
    for wrong in PARTITIONS:
        if wrong != (0, 1, 1, 2):
            answer = max(wrong) + 1, np.array(wrong, np.int32)
            monkeypatch.setattr("scipy.sparse.csgraph.connected_components", lambda *_, answer=answer, **__: answer)
            with named(str(wrong)), pytest.raises(AssertionError):
                closures.certified_components(graph)


# Labels


def heavier(graph):
    """``graph`` with weights above 0, that differ by direction."""
    return Graph(graph.indptr, graph.indices, graph.weights + 1 + np.arange(graph.arcs, dtype=np.int32) % 3)


def solved(graph, order="forward"):
    """Labels, all pairs, and their distances."""
    plan = planned(Sweep, opened(order, seed=1), graph, 0, predecessors=False)
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
                        with pytest.raises(CertificateError):
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
    depths = np.zeros(graph.vertices, np.int64)
    for position, above in enumerate(labels.parents):
        depths[position] = 0 if above < 0 else depths[above] + 1
    read = np.arange(labels.height) <= depths[labels.positions][:, None]  # others are of no ancestor
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


def test_labels_of_graphs_that_they_prove_nothing_of_are_refused():
    plan, labels, _, _ = solved(warpath.from_arcs(3, [0, 1, 2], [1, 2, 1], [5, 1, 1]))
    for weights in ([5, 0, 0], [5, 1, -1], [5.0, 1.0, 1.0]):
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


def test_what_is_no_tree_of_the_vertices():
    line = warpath.from_arcs(3, [0, 1], [1, 2], [4, 5])
    plan, labels, _, _ = solved(line)
    for parents in ([0, 0, 1], [1, 2, -1], [-1, 0], [-1, 5, 1], [-2, 0, 1], [-1, 0, 1, 2]):
        with named(str(parents)), pytest.raises(CertificateError, match="tree"):
            LabelJudge(plan.device, line, replace(labels, parents=np.array(parents, np.int32)))


def test_arcs_between_branches_are_refused():
    cross = warpath.from_arcs(3, [0, 1, 0], [1, 2, 2], [4, 5, 6])
    plan, labels, _, _ = solved(cross)
    with pytest.raises(CertificateError, match="branches"):
        LabelJudge(plan.device, cross, replace(labels, parents=np.array([-1, 0, 0], np.int32)))


def test_a_solver_that_is_wrong_is_told(monkeypatch):
    roads = road(300, 780, seed=2)
    pairs = np.random.default_rng(1).integers(0, 300, (2, 400))
    solver = warpath.prepare(roads, "simulated")
    certificate = solver.pairs(*pairs).certificate
    assert certificate.sources == len(np.unique(pairs[0])) and certificate.reached == 400
    solve = Sweep.solve_pairs

    def wrong(plan, sources, targets, distances):
        solve(plan, sources, targets, distances)
        distances[7] -= 1

    monkeypatch.setattr(Sweep, "solve_pairs", wrong)
    source, target = pairs[:, 7]
    with pytest.raises(CertificateError, match=f"{source} to vertex {target} "):
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
