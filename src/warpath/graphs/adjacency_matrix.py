"""Graphs from adjacency matrices, scipy's sparse or NumPy's dense, and back, as scipy.sparse.csgraph reads them."""

import numpy as np
import scipy.sparse

from ..errors import GraphError
from .csr import Graph, from_arcs


def from_matrix(matrix) -> Graph:
    """The graph of a square matrix, entry (u, v) being the weight of the arc u -> v.

    In a scipy sparse array or matrix every stored entry is an arc, zeros included; duplicates in COO are parallel arcs.
    In a dense array every entry but 0, infinity and NaN is an arc, as in ``csgraph_from_dense``. Raises GraphError if
    the matrix is not square or a weight is not a whole number within int32.
    """
    if scipy.sparse.issparse(matrix):
        entries = matrix.tocoo()
        tails, heads, weights = entries.row, entries.col, entries.data
    else:
        matrix = np.asarray(matrix)
        if matrix.ndim != 2:
            raise GraphError(f"a graph needs a matrix of two dimensions; this one has {matrix.ndim}")
        tails, heads = np.nonzero(np.isfinite(matrix) & (matrix != 0))
        weights = matrix[tails, heads]
    if matrix.shape[0] != matrix.shape[1]:
        raise GraphError(f"a graph needs a square matrix; this one is {matrix.shape[0]} x {matrix.shape[1]}")
    whole = _whole_numbers(tails, heads, weights)
    return from_arcs(matrix.shape[0], tails, heads, whole, {"origin": "matrix"})


def _whole_numbers(tails: np.ndarray, heads: np.ndarray, weights: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        whole = np.rint(weights) if weights.dtype.kind == "f" else weights
        bad = np.flatnonzero(~((whole == weights) & (np.abs(weights.astype(np.float64)) < 2**31)))
    if len(bad):
        first = bad[0]
        raise GraphError(
            f"entry ({tails[first]}, {heads[first]}) is {weights[first]}; weights must be whole numbers within 32 "
            "bits (scale and round them)"
        )
    return whole.astype(np.int32)


def to_scipy(graph: Graph) -> scipy.sparse.csr_array:
    """The graph as scipy's CSR array of float64 weights, with the lightest of parallel arcs and zero weights stored.

    This is the input of scipy.sparse.csgraph, which takes stored zeros as arcs.
    """
    keys = graph.sources().astype(np.int64) * graph.vertices + graph.indices
    order = np.lexsort((graph.weights, keys))
    lightest = order[np.unique(keys[order], return_index=True)[1]]
    shape = (graph.vertices, graph.vertices)
    entries = (graph.weights[lightest].astype(np.float64), (keys[lightest] // graph.vertices, graph.indices[lightest]))
    return scipy.sparse.csr_array(scipy.sparse.coo_array(entries, shape=shape))
