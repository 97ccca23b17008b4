"""Graphs made by hand or by another library whose arrays contradict themselves, and sources that are no vertices."""

import decimal

import numpy as np
import pytest
import scipy.sparse

import warpath
import warpath.csgraph
from warpath.errors import GraphError, UsageError
from warpath.graphs.csr import Graph
from warpath.graphs.objects.adopted import as_graph

MATRIX = np.array([[0, 1, 2], [3, 0, 0], [0, 4, 0]])


def array(*values):
    return np.array(values, np.int32)


@pytest.mark.parametrize(
    "arrays",
    [
        ([0, 1, 2, 2], [1, 2], [4]),
        (array(0, 1, 2, 2), array(1, 2), array(4)),
        (array(0, 1, 2, 2), array(1, 3), array(4, 5)),
        (array(0, 1, 2, 2), array(1, -1), array(4, 5)),
        (array(0, 2**31 - 1, 2, 2), array(1, 2), array(4, 5)),
        (array(-1, 1, 2, 2), array(1, 2), array(4, 5)),
        (array(0, 1, 2, 3), array(1, 2), array(4, 5)),
    ],
)
def test_a_graph_made_by_hand_is_checked(arrays):
    with pytest.raises(GraphError):
        Graph(*arrays)


@pytest.mark.parametrize(
    "matrix",
    [
        MATRIX * 1j,
        MATRIX.astype("M8[s]"),
        MATRIX.astype("m8[s]"),
        (MATRIX > 0).astype(object),
        MATRIX.astype(str),
        scipy.sparse.csr_array(MATRIX * 1j),
    ],
    ids=["complex", "datetime", "timedelta", "objects", "text", "sparse complex"],
)
def test_a_matrix_of_what_is_no_weight(matrix):
    with pytest.raises(GraphError, match="; a weight is a real number"):
        as_graph(matrix)


def test_a_masked_entry_is_no_arc():
    graph = as_graph(np.ma.masked_equal(MATRIX, 3))
    assert (graph.arcs, graph.weights.tolist()) == (3, [1, 2, 4])


@pytest.mark.parametrize(
    ("form", "name", "values"),
    [
        ("csr", "indptr", [0, 2, 3, 900_000_000]),
        ("csr", "indptr", [0, 900_000_000, 3, 4]),
        ("csr", "indptr", [0, 3, 2, 4]),
        ("csr", "indptr", [-5, 2, 3, 4]),
        ("csr", "indptr", [0, 2, 4]),
        ("csr", "indices", [1, 2, 0, 900_000_000]),
        ("csr", "indices", [1, 2, 0, -1]),
        ("csr", "indices", [1, 2, 0]),
        ("csr", "data", [1, 2, 3]),
        ("csc", "indptr", [0, 1, 3, 900_000_000]),
        ("csc", "indices", [1, 900_000_000, 2, 0]),
        ("bsr", "indptr", [0, 2, 3, 900_000_000]),
        ("bsr", "indices", [1, 900_000_000, 0, 1]),
        ("coo", "coords", (np.array([0, 1]), np.array([1, 900_000_000]))),
        ("coo", "data", [1]),
    ],
)
def test_a_sparse_matrix_that_contradicts_itself(form, name, values):
    matrix = scipy.sparse.coo_array(MATRIX).asformat(form)
    setattr(matrix, name, values if name == "coords" else np.array(values, np.int32))
    with pytest.raises(GraphError):
        as_graph(matrix)


@pytest.mark.parametrize("form", ["csr", "csc", "bsr"])
@pytest.mark.parametrize("pointers", [[0, 100, 0], [0, -1, 0], [5, 5, 0]])
def test_pointers_that_lead_outside_a_matrix_without_entries(form, pointers):
    """scipy writes 100 numbers past the end of an empty array here."""
    matrix = scipy.sparse.coo_array((2, 2), dtype=np.int32).asformat(form)
    matrix.indptr = np.array(pointers, np.int32)
    for read in (as_graph, warpath.csgraph.dijkstra, warpath.csgraph.shortest_path):
        with pytest.raises(GraphError, match="inconsistent"):
            read(matrix)


def test_lists_that_do_not_fit_their_matrix():
    matrix = scipy.sparse.lil_array(MATRIX)
    matrix.data[0] = [1] * 5000
    with pytest.raises(GraphError, match="columns and values of a row differ"):
        as_graph(matrix)
    matrix = scipy.sparse.lil_array(MATRIX)
    matrix.rows = matrix.rows[:2]
    with pytest.raises(GraphError, match="more or fewer lists than rows"):
        as_graph(matrix)


@pytest.mark.parametrize("source", [0.9, 1.999, -0.5, "0", float("nan"), None, decimal.Decimal(1), -1, 3, True, 1 + 0j])
def test_a_source_that_is_no_vertex(source):
    with pytest.raises(UsageError) as refused:
        warpath.sssp(MATRIX, source, device="simulated")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("labels", [1.5, True, 2**63, -(2**63) - 1, np.array(1)])
def test_labels_that_are_none(labels):
    with pytest.raises(GraphError, match="labels"):
        Graph(array(0, 1, 1), array(1), array(4), {}, labels)
