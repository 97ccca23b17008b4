"""Graphs from sparse and dense adjacency matrices, as in ``scipy.sparse.csgraph``."""

from typing import TYPE_CHECKING, Any, cast

import numpy as np
import scipy.sparse

from ...errors import GraphError
from ...system.arrays import on_host
from ..csr import Graph, from_arcs
from ..weights import checked_scale, given_weights, weights_of

if TYPE_CHECKING:
    from ...typing import MatrixLike


def from_matrix(matrix: "MatrixLike", scale: int | None = None) -> Graph:
    """Make a graph from a square matrix; entry (u, v) is the weight of the arc from u to v.

    Parameters
    ----------
    matrix : SciPy sparse array or matrix, or array-like of shape (n, n)
        Each stored entry of a sparse matrix is an arc, also a zero; duplicate entries are parallel arcs. Each entry
        of a dense array is an arc, except 0, infinity, NaN and masked entries, as in ``csgraph_from_dense``. If there
        are infinities or NaN, zeros off the diagonal are an error. So is minus infinity. True is an arc of weight 1.
    scale : int, optional
        Multiply the weights by this number. Each product must be whole.

    Returns
    -------
    Graph

    Raises
    ------
    GraphError
        The matrix is not square, or a weight is not finite, or is an integer of more than 32 bits.
    UsageError
        The scale is not valid.

    Examples
    --------
    >>> import warpath
    >>> warpath.from_matrix([[0, 2.5], [0, 0]], scale=10)
    <Graph: 2 vertices, 1 arcs, weights 25 to 25, scale 10, labels 0 to 1>
    """
    scale, array = checked_scale(scale), cast(Any, on_host(matrix))
    if not scipy.sparse.issparse(array):
        try:
            array = np.ma.asanyarray(array)
        except ValueError:
            raise GraphError("the rows of the matrix differ in length") from None
    if array.ndim != 2:
        raise GraphError(f"the matrix has {array.ndim} dimensions; it must have two")
    if array.shape[0] != array.shape[1]:
        raise GraphError(f"the matrix is {array.shape[0]} x {array.shape[1]}; it must be square")
    if array.dtype.kind not in "biuf":
        raise GraphError(f"the matrix has entries of type {array.dtype}; a weight is a real number")
    tails, heads, entries = _entries(array) if scipy.sparse.issparse(array) else _dense_entries(array)
    weights = weights_of(entries, scale, lambda arc: f"entry ({tails[arc]}, {heads[arc]})")
    return from_arcs(array.shape[0], tails, heads, weights, {"origin": "matrix", "weights": given_weights(scale)})


def _entries(matrix: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, columns and values of all stored entries."""
    check_sparse(matrix)
    try:
        entries = matrix.tocoo()
    except (ValueError, IndexError, TypeError, OverflowError) as error:
        raise GraphError(f"the sparse matrix is inconsistent ({error})") from None
    if not len(entries.row) == len(entries.col) == len(entries.data):
        raise GraphError("the sparse matrix is inconsistent (rows, columns and values differ in number)")
    return entries.row, entries.col, entries.data


def check_sparse(matrix: Any) -> None:
    """Raise GraphError if the arrays of a sparse ``matrix`` are inconsistent, unchecked by SciPy's loops."""
    try:
        if matrix.format in ("csr", "csc", "bsr"):
            pointers = np.asarray(matrix.indptr)  # SciPy 1.16 checks them only if there are entries
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
    present = ~np.asarray(np.ma.getmaskarray(matrix))
    missing = np.isnan(values) | (values == np.inf)
    zeros = np.argwhere((values == 0) & present & ~np.eye(len(values), dtype=bool))
    if len(zeros) and (missing & present).any():
        raise GraphError(
            f"entry ({zeros[0][0]}, {zeros[0][1]}) is 0 and others are infinite or NaN, and in a dense array each "
            "means no arc; write infinity for no arc, or give a sparse array, which may store zero weights"
        )
    tails, heads = np.nonzero(~missing & (values != 0) & present)
    return tails, heads, values[tails, heads]
