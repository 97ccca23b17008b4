"""Graphs from adjacency matrices, scipy's sparse or NumPy's dense, and back, as scipy.sparse.csgraph reads them."""

from typing import Any

import numpy as np
import scipy.sparse

from ..errors import GraphError
from .csr import Graph, from_arcs
from .weights import checked_scale, given_weights, whole_weights


def from_matrix(matrix: Any, scale: int | None = None) -> Graph:
    """The graph of a square matrix, entry (u, v) being the weight of the arc u -> v.

    In a scipy sparse array or matrix every stored entry is an arc, zeros included; entries of one place are parallel
    arcs. In a dense array every entry but 0, infinity, NaN and what is masked is an arc, as in ``csgraph_from_dense``.
    Truth values are arcs of weight 1. Weights are multiplied by ``scale`` and must then be whole.

    Raises GraphError if the matrix is not square or a weight does not fit, UsageError for a faulty scale.
    """
    scale = checked_scale(scale)
    if not scipy.sparse.issparse(matrix):
        try:
            matrix = np.ma.asanyarray(matrix)
        except ValueError:
            raise GraphError("a graph needs a matrix; rows of this one differ in length") from None
    if matrix.ndim != 2:
        raise GraphError(f"a graph needs a matrix of two dimensions; this one has {matrix.ndim}")
    if matrix.shape[0] != matrix.shape[1]:
        raise GraphError(f"a graph needs a square matrix; this one is {matrix.shape[0]} x {matrix.shape[1]}")
    if matrix.dtype.kind not in "biuf":
        raise GraphError(f"a matrix of {matrix.dtype} gives no weights; a weight is a real number")
    tails, heads, entries = _entries(matrix) if scipy.sparse.issparse(matrix) else _dense_entries(matrix)
    weights = whole_weights(entries, scale, lambda arc: f"entry ({tails[arc]}, {heads[arc]})")
    return from_arcs(matrix.shape[0], tails, heads, weights, {"origin": "matrix", "weights": given_weights(scale)})


def _entries(matrix: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, columns and values of all stored entries; GraphError if they are inconsistent."""
    check_sparse(matrix)
    try:
        entries = matrix.tocoo()
    except (ValueError, IndexError, TypeError, OverflowError) as error:
        raise GraphError(f"the sparse matrix is inconsistent ({error})") from None
    if not len(entries.row) == len(entries.col) == len(entries.data):
        raise GraphError("the sparse matrix is inconsistent (rows, columns and values differ in number)")
    return entries.row, entries.col, entries.data


def check_sparse(matrix: Any) -> None:
    """Raise GraphError if scipy's compiled loops would leave the arrays of a sparse ``matrix``, in whatever form.

    They follow its pointers unchecked. ``check_format`` of scipy 1.16 looks at the pointers only if there are entries.
    """
    try:
        if matrix.format in ("csr", "csc", "bsr"):
            pointers = np.asarray(matrix.indptr)
            if pointers.ndim != 1 or (np.diff(pointers) < 0).any():
                raise ValueError("index pointers decrease")
            matrix.check_format(full_check=True)
        elif matrix.format == "lil":
            if not matrix.shape[:1] == matrix.rows.shape == matrix.data.shape:
                raise ValueError("there are more or fewer lists than rows")
            if any(len(columns) != len(values) for columns, values in zip(matrix.rows, matrix.data, strict=True)):
                raise ValueError("columns and values of a row differ in number")
    except (ValueError, IndexError, TypeError, OverflowError) as error:
        raise GraphError(f"the sparse matrix is inconsistent ({error})") from None


def _dense_entries(matrix: np.ma.MaskedArray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    values = np.ma.getdata(matrix, subok=False)
    tails, heads = np.nonzero(np.isfinite(values) & (values != 0) & ~np.asarray(np.ma.getmaskarray(matrix)))
    return tails, heads, values[tails, heads]


def to_scipy(graph: Graph) -> scipy.sparse.csr_array:
    """The graph as scipy's CSR array of float64 weights, with the lightest of parallel arcs and zero weights stored.

    Weights are those of the arrays, not divided by the graph's scale. This is the input of
    scipy.sparse.csgraph, which takes stored zeros as arcs.
    """
    keys = graph.sources().astype(np.int64) * graph.vertices + graph.indices
    order = np.lexsort((graph.weights, keys))
    lightest = order[np.unique(keys[order], return_index=True)[1]]
    shape = (graph.vertices, graph.vertices)
    entries = (graph.weights[lightest].astype(np.float64), (keys[lightest] // graph.vertices, graph.indices[lightest]))
    return scipy.sparse.csr_array(scipy.sparse.coo_array(entries, shape=shape))
