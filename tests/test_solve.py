"""The library as its user meets it: graphs from anywhere in, arrays out, refusals as one sentence."""

import numpy as np
import pytest
import scipy.sparse
from scipy.sparse.csgraph import dijkstra
from tiny_graphs import TINY, graph

import warpath
from warpath.algorithms.limits import negative_cycle
from warpath.errors import GraphError, NegativeCycleError, UsageError
from warpath.graphs.adjacency_matrix import from_matrix, to_scipy


def test_distances_and_predecessors_of_one_source():
    road = warpath.from_arcs(4, [0, 1, 0], [1, 2, 2], [4, 5, 20])
    distances, predecessors = warpath.sssp(road, 0, device="host", return_predecessors=True)
    assert distances.tolist() == [0, 4, 9, warpath.UNREACHABLE]
    assert predecessors.tolist() == [-1, 0, 1, -1]
    assert warpath.path_to(predecessors, 2) == [0, 1, 2]


def test_all_pairs_are_the_rows_of_single_sources():
    circle = TINY["zero weights in a circle"]
    together = warpath.apsp(circle, device="host")
    for source in range(circle.vertices):
        np.testing.assert_array_equal(together[source], warpath.sssp(circle, source, device="host"))


def test_a_scipy_matrix_gives_what_csgraph_gives():
    matrix = scipy.sparse.random_array((60, 60), density=0.05, rng=3, data_sampler=lambda size: np.ceil(size * [7.0]))
    expected = dijkstra(matrix.tocsr(), indices=5)
    distances = warpath.sssp(matrix, 5, device="host")
    np.testing.assert_array_equal(np.where(distances == warpath.UNREACHABLE, np.inf, distances), expected)


def test_a_dense_array_has_no_arc_where_it_is_zero_or_infinite():
    small = from_matrix(np.array([[0, 2.0, np.inf], [0, 0, 3], [np.nan, 0, 0]]))
    assert (small.sources().tolist(), small.indices.tolist(), small.weights.tolist()) == ([0, 1], [1, 2], [2, 3])


def test_scipy_gets_the_lightest_of_parallel_arcs_and_keeps_zeros():
    sparse = to_scipy(graph(3, (0, 1, 9), (0, 1, 4), (1, 2, 0)))
    assert sparse.nnz == 2
    assert sparse[0, 1] == 4


@pytest.mark.parametrize(
    ("matrix", "sentence"),
    [
        (np.array([[0, 1.5], [0, 0]]), r"entry \(0, 1\) is 1.5; weights must be whole numbers"),
        (np.array([[0, 2.0**40], [0, 0]]), r"entry \(0, 1\) is"),
        (np.ones((2, 3)), "square matrix; this one is 2 x 3"),
        (np.ones(3), "two dimensions; this one has 1"),
    ],
)
def test_matrices_that_are_no_graphs(matrix, sentence):
    with pytest.raises(GraphError, match=sentence):
        warpath.apsp(matrix, device="host")


@pytest.mark.parametrize("source", [-1, 4])
def test_source_out_of_range(source):
    with pytest.raises(UsageError, match=rf"source {source} is not a vertex; vertices are 0..3"):
        warpath.sssp(TINY["no arcs"], source, device="host")


def test_unknown_names_list_the_known_ones():
    with pytest.raises(UsageError, match="unknown algorithm 'bellmanford'; there are bellman_ford, "):
        warpath.sssp(TINY["ties"], 0, algorithm="bellmanford")
    with pytest.raises(UsageError, match=r"bellman_ford has no variant 'strided'; it has cpu, .*naive, stride, "):
        warpath.sssp(TINY["ties"], 0, variant="strided")
    with pytest.raises(UsageError, match="unknown device 'gpu'; choose auto, cuda"):
        warpath.sssp(TINY["ties"], 0, device="gpu")
    with pytest.raises(UsageError, match="tiled solves apsp, not sssp"):
        warpath.sssp(TINY["ties"], 0, algorithm="floyd_warshall", variant="tiled")


def test_negative_arcs_where_the_algorithm_takes_none():
    with pytest.raises(GraphError, match="arc 1 -> 2 has weight -4; dijkstra naive needs weights of at least 0"):
        warpath.apsp(graph(3, (0, 1, 2), (1, 2, -4)), algorithm="dijkstra", variant="naive", device="host")


def test_a_negative_cycle_is_named_if_it_can_be_reached():
    circle = graph(5, (0, 1, 1), (1, 2, 2), (2, 3, -5), (3, 1, 2), (4, 0, 1))
    with pytest.raises(NegativeCycleError, match=r"cycle (1 -> 2 -> 3 -> 1|2 -> 3 -> 1 -> 2|3 -> 1 -> 2 -> 3) has neg"):
        warpath.sssp(circle, 0, device="host")
    with pytest.raises(NegativeCycleError):
        warpath.apsp(circle, device="host")
    beyond_reach = graph(4, (0, 1, 1), (2, 3, -2), (3, 2, 1))
    assert warpath.sssp(beyond_reach, 0, device="host").tolist()[:2] == [0, 1]
    assert negative_cycle(beyond_reach, 0) == []
    assert sorted(negative_cycle(beyond_reach, None)) == [2, 3]
    with pytest.raises(NegativeCycleError, match="cycle 0 -> 0 "):
        warpath.sssp(graph(1, (0, 0, -1)), 0, device="host")


def test_sums_that_leave_32_bits_are_told_not_wrapped():
    far = graph(3, (0, 1, 2**31 - 3), (1, 2, 2))
    for variant in ("cpu", "naive", "stride", "stride_flag"):
        with pytest.raises(GraphError, match="distance of vertex 2 does not fit 32 bits"):
            warpath.sssp(far, 0, variant=variant, device="host")
    for algorithm, variant in [("floyd_warshall", "tiled_shared"), ("floyd_warshall", "cpu"), ("dijkstra", "naive")]:
        with pytest.raises(GraphError, match="distance of vertex 2 does not fit 32 bits"):
            warpath.apsp(far, algorithm=algorithm, variant=variant, device="host")
    with pytest.raises(GraphError, match="sums along a path could leave 32 bits"):
        warpath.sssp(graph(3, (0, 1, -(2**31 - 3)), (1, 2, -9)), 0, device="host")


def test_names_are_listed_and_unknown_ones_refused():
    assert {"sssp", "apsp", "Graph", "read"} <= set(dir(warpath))
    with pytest.raises(AttributeError, match="no attribute 'shortest'"):
        _ = warpath.shortest
