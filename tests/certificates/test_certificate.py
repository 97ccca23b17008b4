"""Certificates accept exactly the exact answers: compared with a slow judge on right, corrupted and made-up ones.

Both certificates are tested: the host's, and the device's in every order of threads and in both its ways.
"""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from judges import JUDGES, opened_judge
from scipy.sparse import csr_array
from scipy.sparse.csgraph import bellman_ford
from tiny_graphs import graph as graph_of
from tiny_graphs import named

import warpath
from warpath.distances import NO_PREDECESSOR, UNREACHABLE
from warpath.errors import CertificateError, GraphError, UsageError
from warpath.graphs.csr import Graph, from_arcs


@pytest.fixture(scope="module", params=JUDGES)
def certify(request):
    """``certify(graph, source, distances, predecessors)`` of each certificate; the source is None for all pairs."""
    return opened_judge(request.param)


def int32(*values) -> np.ndarray:
    return np.array(values, dtype=np.int32)


def lightest_arcs(graph: Graph) -> dict[tuple[int, int], int]:
    lightest = {}
    for tail, head, weight in zip(graph.tails().tolist(), graph.indices.tolist(), graph.weights.tolist(), strict=True):
        lightest[tail, head] = min(weight, lightest.get((tail, head), weight))
    return lightest


def right_answer(graph: Graph) -> tuple[np.ndarray, np.ndarray]:
    """Distances and predecessors of all pairs by scipy, in warpath's int32."""
    lightest = lightest_arcs(graph)
    tails, heads = np.array(list(lightest), dtype=np.int32).reshape(-1, 2).T
    indptr = np.searchsorted(np.sort(tails), np.arange(graph.vertices + 1)).astype(np.int32)
    order = np.argsort(tails, kind="stable")
    weights = np.array(list(lightest.values()), dtype=float)
    # Built directly: a conversion from coordinates would drop the arcs of weight 0.
    matrix = csr_array((weights[order], heads[order], indptr), shape=(graph.vertices, graph.vertices))
    distances, predecessors = bellman_ford(matrix, return_predecessors=True)
    distances = np.where(np.isinf(distances), float(UNREACHABLE), distances).astype(np.int32)
    return distances, np.where(predecessors < 0, NO_PREDECESSOR, predecessors).astype(np.int32)


def is_exact(graph: Graph, source: int, right: np.ndarray, distances: np.ndarray, predecessors: np.ndarray) -> bool:
    """The slow judge: the distances are the right ones, and walking back costs exactly the distance."""
    if (distances != right).any():
        return False
    lightest = lightest_arcs(graph)
    for vertex in range(graph.vertices):
        if vertex == source or distances[vertex] == UNREACHABLE:
            if predecessors[vertex] != NO_PREDECESSOR:
                return False
            continue
        at, cost = vertex, 0
        for _ in range(graph.vertices):
            arc = (int(predecessors[at]), at)
            if arc not in lightest:
                return False
            at, cost = arc[0], cost + lightest[arc]
            if at == source:
                break
        if at != source or cost != distances[vertex]:
            return False
    return True


def accepted(certify, graph: Graph, source: int | None, distances: np.ndarray, predecessors: np.ndarray | None) -> bool:
    try:
        certificate = certify(graph, source, distances, predecessors)
    except CertificateError:
        return False
    assert certificate.reached == np.count_nonzero(distances != UNREACHABLE)
    return True


@st.composite
def graphs(draw, vertices_max: int = 6) -> Graph:
    """Loops, parallel arcs, weights of 0, and negative arcs without negative cycles (heights are taken off and on)."""
    vertices = draw(st.integers(1, vertices_max))
    vertex = st.integers(0, vertices - 1)
    heights = draw(st.lists(st.integers(-3, 3), min_size=vertices, max_size=vertices))
    arcs = draw(st.lists(st.tuples(vertex, vertex, st.integers(0, 3)), max_size=3 * vertices))
    return graph_of(vertices, *((tail, head, w + heights[tail] - heights[head]) for tail, head, w in arcs))


@given(graphs(vertices_max=9))
def test_right_answers_are_accepted(certify, graph):
    distances, predecessors = right_answer(graph)
    certificate = certify(graph, None, distances, predecessors)
    assert certificate.sources == graph.vertices
    assert certificate.arcs_checked == graph.vertices * graph.arcs
    assert certify(graph, None, distances, None) == certificate
    for source in range(graph.vertices):
        assert certify(graph, source, distances[source], predecessors[source]).arcs_checked == graph.arcs
        assert accepted(certify, graph, source, distances[source], None)


@given(graphs(), st.data())
def test_one_wrong_distance_is_refused(certify, graph, data):
    distances, predecessors = right_answer(graph)
    source = data.draw(st.integers(0, graph.vertices - 1))
    vertex = data.draw(st.integers(0, graph.vertices - 1))
    values = st.integers(-9, 9) | st.sampled_from([int(UNREACHABLE), int(UNREACHABLE) - 1, -(2**31)])
    distances[source, vertex] = data.draw(values.filter(lambda value: value != distances[source, vertex]))
    for trees in (predecessors, None):
        assert not accepted(certify, graph, source, distances[source], trees if trees is None else trees[source])
        with pytest.raises(CertificateError, match=f"^source {source}[: ]"):
            certify(graph, None, distances, trees)


@given(graphs(), st.data())
def test_changed_predecessors_are_accepted_exactly_where_they_are_another_tree(certify, graph, data):
    distances, predecessors = right_answer(graph)
    source = data.draw(st.integers(0, graph.vertices - 1))
    for _ in range(data.draw(st.integers(1, 3))):
        vertex = data.draw(st.integers(0, graph.vertices - 1))
        predecessors[source, vertex] = data.draw(st.integers(-2, graph.vertices))
    wanted = is_exact(graph, source, distances[source], distances[source], predecessors[source])
    assert accepted(certify, graph, source, distances[source], predecessors[source]) == wanted
    assert accepted(certify, graph, None, distances, predecessors) == wanted


@given(graphs(vertices_max=3), st.data())
@example(graph_of(2, (0, 1, 0), (1, 0, 0)), None)
def test_made_up_answers_are_judged_right(certify, graph, data):
    right, _ = right_answer(graph)
    values = st.integers(-4, 4) | st.just(int(UNREACHABLE))
    for source in range(graph.vertices):
        many = {"min_size": graph.vertices, "max_size": graph.vertices}
        distances, predecessors = right[source], int32(*[-1] * graph.vertices)
        if data is not None:
            distances = int32(*data.draw(st.lists(values, **many)))
            predecessors = int32(*data.draw(st.lists(st.integers(-1, graph.vertices - 1), **many)))
        wanted = is_exact(graph, source, right[source], distances, predecessors)
        assert accepted(certify, graph, source, distances, predecessors) == wanted
        assert accepted(certify, graph, source, distances, None) == (distances == right[source]).all()


def test_parallel_arcs_of_which_a_later_one_is_tight(certify):
    graph = graph_of(2, (0, 1, 7), (0, 1, 2), (0, 1, 5))
    assert accepted(certify, graph, 0, int32(0, 2), int32(-1, 0))
    assert not accepted(certify, graph, 0, int32(0, 5), int32(-1, 0))


LINE = graph_of(4, (0, 1, 2), (1, 2, 3), (0, 2, 9))
CIRCLE = graph_of(4, (0, 1, 1), (1, 2, 0), (2, 1, 0), (2, 2, 0))
ZEROS = graph_of(4, (0, 1, 0), (1, 0, 0), (1, 2, 0), (2, 3, 0), (3, 2, 0))


WRONG = {  # and what the sentence names
    "distance 1 to itself": (LINE, int32(1, 3, 6, UNREACHABLE), int32(-1, 0, 1, -1)),
    "give 5, but vertex 2 has distance 9": (LINE, int32(0, 2, 9, UNREACHABLE), int32(-1, 0, 0, -1)),
    "give 9, but vertex 2 ": (LINE, int32(0, 2, UNREACHABLE, UNREACHABLE), int32(-1, 0, -1, -1)),
    "predecessor 1 to vertex 2 .* 4": (LINE, int32(0, 2, 4, UNREACHABLE), int32(-1, 0, 1, -1)),
    "predecessor 9 to vertex 2": (LINE, int32(0, 2, 5, UNREACHABLE), int32(-1, 0, 9, -1)),
    "predecessor -1 to vertex 2": (LINE, int32(0, 2, 5, UNREACHABLE), int32(-1, 0, -1, -1)),
    "vertex 0 .* predecessor 0": (LINE, int32(0, 2, 5, UNREACHABLE), int32(0, 0, 1, -1)),
    "vertex 3 .* predecessor 2": (LINE, int32(0, 2, 5, UNREACHABLE), int32(-1, 0, 1, 2)),
    "predecessor 2 to vertex 3": (LINE, int32(0, 2, 5, 5), int32(-1, 0, 1, 2)),
    "vertex [12] form a cycle": (CIRCLE, int32(0, 1, 1, UNREACHABLE), int32(-1, 2, 1, -1)),
    "vertex 2 form a cycle": (CIRCLE, int32(0, 1, 1, UNREACHABLE), int32(-1, 0, 2, -1)),
    "vertex [23] form a cycle": (ZEROS, int32(0, 0, 0, 0), int32(-1, 0, 3, 2)),
    "vertex 0 .* predecessor 1": (ZEROS, int32(0, 0, 0, 0), int32(1, 0, 1, 2)),
    "distances have shape": (LINE, int32(0, 2, 5), int32(-1, 0, 1)),
    "predecessors have .* int64": (LINE, int32(0, 2, 5, UNREACHABLE), np.array([-1, 0, 1, -1])),
}


def test_the_sentence_names_the_witness(certify):
    for sentence, (graph, *answer) in WRONG.items():
        with named(sentence), pytest.raises(CertificateError, match=sentence):
            certify(graph, 0, *answer)


def test_circle_far_from_the_source_among_many_vertices(certify):
    """A long chain of zero arcs whose end bites itself: found by walking back, not by comparing distances."""
    vertices = 1000
    chain = [(vertex, vertex + 1, 0) for vertex in range(vertices - 1)]
    graph = graph_of(vertices, *chain, (vertices - 1, vertices - 2, 0))
    distances = np.zeros(vertices, np.int32)
    predecessors = np.arange(-1, vertices - 1, dtype=np.int32)
    assert accepted(certify, graph, 0, distances, predecessors)
    predecessors[vertices - 2] = vertices - 1
    assert not accepted(certify, graph, 0, distances, predecessors)


def test_sums_past_32_bits(certify):
    graph = graph_of(3, (0, 1, 2**31 - 2), (1, 2, 1))
    distances, predecessors = int32(0, 2**31 - 2, UNREACHABLE), int32(-1, 0, -1)
    with pytest.raises(CertificateError, match="32 bits"):
        certify(graph, 0, distances, predecessors)
    assert accepted(certify, graph_of(3, (0, 1, 2**31 - 2)), 0, distances, predecessors)
    graph = graph_of(3, (0, 1, 2**31 - 2), (1, 2, 4))
    assert not accepted(certify, graph, 0, int32(0, 2**31 - 2, 2 - 2**31), int32(-1, 0, 1))
    graph = graph_of(3, (0, 1, 2**31 - 2), (1, 2, 4), (0, 2, 5))  # no path takes the sum
    for predecessors in (int32(-1, 0, 0), None):
        assert accepted(certify, graph, 0, int32(0, 2**31 - 2, 5), predecessors)


def test_unreached_tail_with_a_negative_arc_explains_nothing(certify):
    """UNREACHABLE plus a negative weight is a number too, but not a distance."""
    graph = graph_of(3, (1, 2, -7))
    assert not accepted(certify, graph, 0, int32(0, UNREACHABLE, UNREACHABLE - 7), int32(-1, -1, 1))


def test_all_pairs_names_the_first_wrong_source(certify):
    distances, predecessors = right_answer(LINE)
    distances[2, 2], distances[3, 0] = 5, 5
    with pytest.raises(CertificateError, match="source 2 has distance 5 to itself"):
        certify(LINE, None, distances, predecessors)
    with pytest.raises(CertificateError, match="shape"):
        certify(LINE, None, distances[:3], predecessors)


def test_without_predecessors_distances_that_only_support_each_other_are_refused(certify):
    """A circle of weight 0 behind an arc of weight 5, called nearer than it is; and one that nothing leads to."""
    behind = graph_of(3, (0, 1, 5), (1, 2, 0), (2, 1, 0))
    assert accepted(certify, behind, 0, int32(0, 5, 5), None)
    with pytest.raises(CertificateError, match="no path to vertex 1 has its distance 4"):
        certify(behind, 0, int32(0, 4, 4), None)
    alone = graph_of(3, (1, 2, -3), (2, 1, 3))
    with pytest.raises(CertificateError, match="no path to vertex 1 has its distance -2"):
        certify(alone, 0, int32(0, -2, -5), None)


def test_sentences_name_vertices_as_their_file_does(certify):
    graph = from_arcs(3, np.array([0, 1]), np.array([1, 2]), np.array([2, 3]), labels=np.array([20, 10, 77]))
    right = int32(0, 2, 5), int32(-1, 0, 1)
    certify(graph, 0, *right)
    for distances, predecessors, sentence in (
        (int32(1, 2, 5), right[1], "source 20 "),
        (int32(0, 2, 9), right[1], "vertex 10 .* 10 -> 77 .* vertex 77 "),
        (right[0], int32(-1, 0, 0), "predecessor 20 to vertex 77"),
        (right[0], int32(1, 0, 1), "vertex 20 .* predecessor 10"),
        (right[0], int32(-1, 0, 3), "predecessor 3 to vertex 77"),
        (int32(0, 2, 4), None, "vertex 77"),
    ):
        with pytest.raises(CertificateError, match=sentence):
            certify(graph, 0, distances, predecessors)
    for source in (-1, 4):
        with pytest.raises(UsageError, match=f"source {source} "):
            certify(graph_of(4), source, *np.zeros((2, 4), np.int32))


def test_a_distance_beyond_the_greatest_float_is_no_missing_path():
    for dtype, beyond in ((np.float32, 1e39), (np.float64, np.longdouble("1e400"))):
        graph = from_arcs(3, [0], [1], np.array([1], dtype))
        assert warpath.certify(graph, 0, np.array([0, 1, np.inf], type(beyond)), device="cpu").reached == 2
        with pytest.raises(CertificateError):
            warpath.certify(graph, 0, np.array([0, 1, beyond]), device="cpu")


def test_nested_lists_of_different_lengths_are_one_sentence():
    graph = from_arcs(3, [0], [1], [1])
    with pytest.raises(CertificateError, match="distances"):
        warpath.certify(graph, 0, [[0, 1], [2]], device="cpu")
    for arrays in (([[0], [1, 2]], [1, 2], [1, 2]), ([0, 1], [1, 2], [[1], [2, 3]])):
        with pytest.raises(GraphError):
            warpath.from_arcs(3, *arrays)
