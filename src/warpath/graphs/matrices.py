"""Graphs from matrices and back: scipy's sparse ones and NumPy's arrays, as scipy.sparse.csgraph reads them."""

import numpy as np
import scipy.sparse

from ..errors import GraphError
from .csr import Graph, from_arcs


def from_matrix(matrix) -> Graph:
    """The graph of a square matrix, entry (u, v) being the weight of the arc u -> v.

    A scipy sparse array or matrix: every stored entry is an arc, stored zeros included, duplicates in COO being
    parallel arcs. A dense array: entries that are neither 0, infinite nor NaN are arcs, as in ``csgraph_from_dense``.
    Weights have to be whole numbers within int32; raises GraphError where they are not, or the matrix is not square.
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
            f"entry ({tails[first]}, {heads[first]}) is {weights[first]}; weights are whole numbers within 32 bits "
            "(scale them, then round)"
        )
    return whole.astype(np.int32)


def to_scipy(graph: Graph) -> scipy.sparse.csr_array:
    """The graph as scipy's CSR array of float64 weights, the lightest of parallel arcs, zero weights stored.

    This is the form in which scipy.sparse.csgraph solves it; note that csgraph takes stored zeros as arcs.
    """
    keys = graph.sources().astype(np.int64) * graph.vertices + graph.indices
    order = np.lexsort((graph.weights, keys))
    lightest = order[np.unique(keys[order], return_index=True)[1]]
    shape = (graph.vertices, graph.vertices)
    entries = (graph.weights[lightest].astype(np.float64), (keys[lightest] // graph.vertices, graph.indices[lightest]))
    return scipy.sparse.csr_array(scipy.sparse.coo_array(entries, shape=shape))
