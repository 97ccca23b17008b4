"""The tables "What differs" of docs/library.md, a test for each row, in their order."""

import warnings

import networkx as nx
import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.csgraph
from hypothesis import given
from hypothesis import strategies as st
from test_networkx_backend import call, networkx_s

import warpath.csgraph
from warpath.errors import GraphError
from warpath.networkx_backend.interface import backend

UNEQUAL_SUMS = np.array([[0, 0.1, 0, 0.7], [0, 0, 0.2, 0], [0, 0, 0, 0.3], [0, 0, 0, 0]])  # 0.1 + 0.2 + 0.3


def of_both(name, matrix, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = getattr(scipy.sparse.csgraph, name)(matrix, **options)
    return getattr(warpath.csgraph, name)(matrix, device="simulated", **options), expected


def test_scipy_of_several_shortest_paths_one_is_returned():
    matrix = np.array([[0, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0]])
    (distances, predecessors), (expected, _) = of_both("dijkstra", matrix, indices=0, return_predecessors=True)
    np.testing.assert_array_equal(distances, expected)
    assert predecessors[3] in (1, 2)


def test_scipy_floats_are_added_from_the_source_on():
    of_dijkstra, expected = of_both("dijkstra", UNEQUAL_SUMS)
    np.testing.assert_array_equal(of_dijkstra, expected)
    assert expected[0, 3] == 0.1 + 0.2 + 0.3 != 0.1 + (0.2 + 0.3)
    for name in ("floyd_warshall", "johnson"):
        ours, scipys = of_both(name, UNEQUAL_SUMS)
        np.testing.assert_array_equal(ours, expected)
        np.testing.assert_allclose(scipys, expected)


def test_scipy_dijkstra_with_negative_weights_is_exact():
    matrix = np.array([[0, 2, 3, 0], [0, 0, 0, 1], [0, -2, 0, 0], [0, 0, 0, 0]], float)
    with pytest.warns(UserWarning, match="negative weights"):
        scipy.sparse.csgraph.dijkstra(matrix, indices=0)
    ours, _ = of_both("dijkstra", matrix, indices=0)
    np.testing.assert_array_equal(ours, scipy.sparse.csgraph.bellman_ford(matrix, indices=0))
    with pytest.raises(scipy.sparse.csgraph.NegativeCycleError):
        warpath.csgraph.dijkstra(np.array([[0, 1], [-2, 0]]), indices=0, device="simulated")


def test_scipy_an_arc_of_minus_infinity_is_an_error():
    matrix = scipy.sparse.csr_array((np.array([-np.inf]), ([0], [1])), shape=(2, 2))
    assert scipy.sparse.csgraph.bellman_ford(matrix, indices=0)[1] == -np.inf
    with pytest.raises(GraphError, match="-inf"):
        warpath.csgraph.bellman_ford(matrix, indices=0, device="simulated")


@pytest.mark.parametrize("kind", [scipy.sparse.coo_array, scipy.sparse.dia_array])
def test_scipy_floyd_warshall_takes_every_sparse_format(kind):
    with pytest.raises(ValueError, match="format"):
        scipy.sparse.csgraph.floyd_warshall(kind(UNEQUAL_SUMS))
    np.testing.assert_array_equal(
        warpath.csgraph.floyd_warshall(kind(UNEQUAL_SUMS), device="simulated"), of_both("dijkstra", UNEQUAL_SUMS)[1]
    )


def test_networkx_of_several_shortest_paths_one_is_returned():
    graph = nx.DiGraph([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])
    assert call("dijkstra_path", graph, "a", "d") in (["a", "b", "d"], ["a", "c", "d"])
    ours, _ = call("dijkstra_predecessor_and_distance", graph, "a")
    theirs, _ = networkx_s("dijkstra_predecessor_and_distance", graph, "a")
    assert sorted(ours["d"]) == sorted(theirs["d"]) == ["b", "c"]


@given(negative=st.booleans(), weights=st.lists(st.integers(0, 3), min_size=6, max_size=6))
def test_networkx_nodes_at_one_distance_are_in_another_order(negative, weights):
    ends = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (0, 4)]
    graph = nx.DiGraph([(*pair, {"weight": weight}) for pair, weight in zip(ends, weights, strict=True)])
    if negative:
        graph.add_edge(0, 5, weight=-1)
    name = "single_source_bellman_ford_path_length" if negative else "single_source_dijkstra_path_length"
    ours, theirs = call(name, graph, 0), networkx_s(name, graph, 0)
    assert ours == theirs
    assert next(iter(ours)) == 0
    if not negative:
        assert list(ours.values()) == sorted(ours.values())


def test_networkx_lengths_are_int_or_float():
    for value, kind in ((np.int64(2), int), (np.float32(0.5), float), (np.float64(0.5), float)):
        graph = nx.DiGraph([("a", "b", {"weight": value})])
        theirs = networkx_s("dijkstra_path_length", graph, "a", "b")
        ours = call("dijkstra_path_length", graph, "a", "b")
        assert ours == theirs
        assert type(ours) is kind is not type(theirs)
    graph = nx.DiGraph([("a", "b", {"weight": 2}), ("b", "c", {"weight": 0.5})])
    assert type(networkx_s("dijkstra_path_length", graph, "a", "b")) is int
    assert type(call("dijkstra_path_length", graph, "a", "b")) is float


def test_networkx_floats_are_added_from_the_source_on():
    graph = nx.from_numpy_array(UNEQUAL_SUMS, create_using=nx.DiGraph)
    expected = networkx_s("dijkstra_path_length", graph, 0, 3)
    assert call("bidirectional_dijkstra", graph, 0, 3)[0] == expected
    assert networkx_s("bidirectional_dijkstra", graph, 0, 3)[0] == pytest.approx(expected)
    for name in ("floyd_warshall", "floyd_warshall_numpy"):
        assert call(name, graph)[0][3] == expected
        assert networkx_s(name, graph)[0][3] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("name", "weight"),
    [
        ("single_source_dijkstra", -1),
        ("floyd_warshall", -1),
        ("single_source_dijkstra", float("inf")),
        ("single_source_dijkstra", None),
        ("single_source_dijkstra", 2**53),
    ],
)
def test_networkx_what_warpath_does_not_answer_has_a_reason(name, weight):
    graph = nx.Graph([("a", "b", {"weight": weight})])
    arguments = () if name == "floyd_warshall" else ("a",)
    converted = backend.convert_from_nx(graph, edge_attrs={"weight": 1})
    with pytest.raises(NotImplementedError, match=r"."):
        getattr(backend, name)(converted, *arguments, device="simulated")
