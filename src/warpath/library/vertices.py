"""Sources and targets, as a caller gives them, into indices."""

from typing import Any

import numpy as np

from ..errors import UsageError
from ..graphs.csr import Graph
from .delivery import on_host


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
