"""The arrays of a graph: how large they may be, and what is refused."""

import numpy as np
import numpy.typing as npt

from ..errors import GraphError

ARCS_MAX = 2**31 - 1
VERTICES_MAX = 2**31 - 2
# UNREACHABLE is not a weight: in a dense matrix it means "no arc".
WEIGHT_LIMIT = 2**31 - 2


def read_only(name: str, array: np.ndarray) -> np.ndarray:
    """``array`` as it cannot be written through; GraphError if it is not one-dimensional int32."""
    if not isinstance(array, np.ndarray):
        raise GraphError(f"{name} is a {type(array).__name__}; it must be a NumPy array of int32")
    if array.ndim != 1 or array.dtype != np.int32:
        raise GraphError(f"{name} is {array.ndim}-dimensional {array.dtype}; it must be one-dimensional int32")
    if not array.flags.writeable and array.flags.c_contiguous:
        return array
    view = np.ascontiguousarray(array).view()
    view.flags.writeable = False
    return view


def count_of_vertices(given: object) -> int:
    """``given`` as an int; GraphError if it is no whole number of at least 1."""
    if not isinstance(given, int | np.integer) or isinstance(given, bool):
        raise GraphError(f"the number of vertices is {given!r}; it must be a whole number")
    if given < 1:
        raise GraphError("the graph has no vertices; a shortest path needs at least one")
    return int(given)


def integers(name: str, given: npt.ArrayLike) -> np.ndarray:
    """``given`` as an array of one dimension; GraphError if it does not hold integers."""
    values = np.asarray(given)
    if values.ndim != 1:
        raise GraphError(f"{name} has {values.ndim} dimensions; it must have one")
    if len(values) and values.dtype.kind not in "iu":
        raise GraphError(f"{name} are {values.dtype} numbers; they must be integers")
    return values if len(values) else values.astype(np.int32)


def check_ends(name: str, ends: np.ndarray, vertices: int) -> None:
    """Raise GraphError that names the first of ``ends`` outside 0..vertices-1."""
    if len(ends) and not 0 <= ends.min() <= ends.max() < vertices:
        arc = int(np.flatnonzero((ends < 0) | (ends >= vertices))[0])
        raise GraphError(f"{name}[{arc}] is {ends[arc]}, which is not a vertex; vertices are 0..{vertices - 1}")


def check_weights(weights: np.ndarray) -> None:
    """Raise GraphError that names the first weight beyond WEIGHT_LIMIT."""
    if len(weights) and not -WEIGHT_LIMIT <= weights.min() <= weights.max() <= WEIGHT_LIMIT:
        arc = int(np.flatnonzero((weights < -WEIGHT_LIMIT) | (weights > WEIGHT_LIMIT))[0])
        raise GraphError(f"weights[{arc}] is {weights[arc]}; weights are at most {WEIGHT_LIMIT} in absolute value")


def check_rows(indptr: np.ndarray, indices: np.ndarray, weights: np.ndarray) -> None:
    """Raise GraphError if one-dimensional arrays of int32 are not compressed sparse rows: a pass over the arcs."""
    vertices, arcs = len(indptr) - 1, len(indices)
    if vertices < 1:
        raise GraphError("the graph has no vertices; a shortest path needs at least one")
    if len(weights) != arcs:
        raise GraphError(f"there are {arcs} indices but {len(weights)} weights")
    if indptr[0] != 0 or indptr[-1] != arcs or np.any(indptr[1:] < indptr[:-1]):
        raise GraphError(f"indptr does not increase from 0 to the number of arcs, {arcs}")
    check_ends("indices", indices, vertices)
    check_weights(weights)
