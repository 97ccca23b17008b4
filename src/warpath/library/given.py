"""What callers give: vertices, and distances and predecessors that others computed, in the form that is used here."""

from typing import Any

import numpy as np

from ..distances import NO_PREDECESSOR, UNREACHABLE
from ..errors import CertificateError, UsageError
from ..graphs.csr import Graph

_ROUNDED_MAX = 1e-6  # in units of a scaled weight
_NONE_OF_SCIPY = -9999


def on_host(array: Any) -> Any:
    """``array`` itself, or its copy on the host where it is CuPy's."""
    return array.get() if hasattr(array, "__cuda_array_interface__") else array


def one_index(graph: Graph, vertex: Any, what: str) -> int | None:
    """The index ``vertex``, or None where it is a sequence of several. ``what`` is what a message calls it: "source".

    Raises UsageError for anything but a whole number of the range: 1.7, "1" and True are none.
    """
    vertex = on_host(vertex)
    if isinstance(vertex, np.ndarray) and vertex.ndim == 0:
        vertex = vertex[()]
    if isinstance(vertex, (int, np.integer)) and not isinstance(vertex, bool):
        if not 0 <= vertex < graph.vertices:
            raise UsageError(f"{what} {vertex} is not a vertex; vertices are 0..{graph.vertices - 1}")
        return int(vertex)
    if hasattr(vertex, "__iter__") and not isinstance(vertex, (str, bytes)):
        return None
    raise UsageError(f"{what} {vertex!r} is not a vertex; vertices are whole numbers, 0..{graph.vertices - 1}")


def indices(graph: Graph, vertices: Any, what: str) -> np.ndarray:
    """The indices of several vertices, shape (k,), int64, in the given order; UsageError as for ``one_index``."""
    if isinstance(vertices, (str, bytes)) or not hasattr(vertices, "__iter__"):
        raise UsageError(f"{what}s are a sequence of vertices, not {vertices!r}")
    vertices = on_host(vertices)
    if isinstance(vertices, np.ndarray) and vertices.ndim == 1 and vertices.dtype.kind in "iu":
        wrong = np.flatnonzero((vertices < 0) | (vertices >= graph.vertices))
        if len(wrong):
            raise UsageError(f"{what} {vertices[wrong[0]]} is not a vertex; vertices are 0..{graph.vertices - 1}")
        return vertices.astype(np.int64)
    found = [one_index(graph, vertex, what) for vertex in vertices]
    if None in found:
        raise UsageError(f"{what}s have to be one flat sequence of vertices")
    return np.array(found, np.int64)


def whole_distances(distances: Any, scale: int = 1) -> Any:
    """``distances`` as int32: integers, or floats in units that ``scale`` undoes; UNREACHABLE and ``inf`` mean no path.

    int32 arrays stay as they are. Raises CertificateError for a number that no distance can be: beyond 32 bits, or not
    whole. Floats that had to be scaled are whole if they are within a millionth of it.
    """
    if _is_ready(distances):
        return distances
    given = np.asarray(on_host(distances))
    if given.dtype == np.int32:
        return given
    if given.dtype.kind not in "iuf":
        raise CertificateError(f"distances are {given.dtype} numbers; give integers, or floats with inf")
    missing = given == UNREACHABLE
    whole, near = given, np.True_
    if given.dtype.kind == "f":
        missing |= np.isposinf(given)
        with np.errstate(invalid="ignore", over="ignore"):
            scaled = given * np.float64(scale)
            whole = np.rint(scaled)
            # Sums of whole numbers are whole in floats as well; those of others are rounded.
            near = np.abs(scaled - whole) <= (0 if scale == 1 else _ROUNDED_MAX)
    wrong = np.argwhere(~missing & ~(near & (whole > -UNREACHABLE) & (whole < UNREACHABLE)))
    if len(wrong):
        scaled_by = f" after scaling by {scale}" if scale != 1 else ""
        raise CertificateError(
            f"distance {_at(given, wrong[0])} cannot be one: distances are whole numbers of 32 bits{scaled_by}"
        )
    return np.where(missing, UNREACHABLE, whole).astype(np.int32)


def whole_predecessors(predecessors: Any) -> Any:
    """``predecessors`` as int32 with -1 for none; scipy's -9999 means none, too.

    Raises CertificateError for a number beyond 32 bits. Whether others are vertices is for the certificate to say.
    """
    narrow = predecessors
    if not _is_ready(predecessors):
        given = np.asarray(on_host(predecessors))
        if given.dtype.kind not in "iu":
            raise CertificateError(f"predecessors are {given.dtype} numbers; give integers")
        limits = np.iinfo(np.int32)
        wrong = np.argwhere((given < limits.min) | (given > limits.max))
        if len(wrong):
            raise CertificateError(f"predecessor {_at(given, wrong[0])} is no vertex; where there is none, give -1")
        narrow = given.astype(np.int32, copy=False)
    of_scipy = narrow == _NONE_OF_SCIPY
    if of_scipy.any():
        narrow = narrow.copy()
        narrow[of_scipy] = NO_PREDECESSOR
    return narrow


def _at(array: np.ndarray, place: np.ndarray) -> str:
    """The number at a place, and the place: "7 at (0, 2)"."""
    index = tuple(place.tolist())
    return f"{array[index]} at {index[0] if len(index) == 1 else index}"


def _is_ready(array: Any) -> bool:
    """Whether ``array`` is a device's, of the type that certificates take."""
    return hasattr(array, "__cuda_array_interface__") and array.dtype == np.int32
