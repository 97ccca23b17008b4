"""The meaning of distance and predecessor arrays.

Distances have the type of the weights. ``UNREACHABLE`` (2**31 - 1) in int32, and infinity in float32 and float64, mean
that there is no path. Predecessors form a tree rooted at the source; the predecessor of the source and of an
unreachable vertex is ``NO_PREDECESSOR`` (-1).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

UNREACHABLE = np.int32(2**31 - 1)
NO_PREDECESSOR = np.int32(-1)


def unreachable(dtype: np.dtype) -> np.generic:
    """The distance of ``dtype``, int32, float32 or float64, that means that there is no path."""
    return UNREACHABLE if dtype == np.int32 else dtype.type(np.inf)


def distance_text(distance: Any, scale: int) -> str:
    """A distance in the original unit of the weights, such as "12" or "1.25"; floats with all their digits."""
    return str(distance) if scale == 1 else f"{distance / scale:.15g}"


@dataclass(frozen=True, eq=False)
class Columns:
    """Distances from k sources with a column for each, 32 columns side by side.

    ``cells[i // 32, positions[v], i % 32]`` is the distance of vertex v from source i. ``cells``, int32 of shape
    (g, n, 32) with room for k sources or more, is on the device. So is ``vertices``, int32 of shape (n,), the vertex at
    each position. ``positions`` is on the host.
    """

    cells: Any
    positions: np.ndarray
    vertices: Any
    sources: int

    def __len__(self) -> int:
        return self.sources


@dataclass(frozen=True, eq=False)
class Labels:
    """Distances between each vertex and its ancestors in a tree, within the subtree of the ancestor.

    ``positions``, int32 of shape (n,), numbers the vertices so that descendants follow their vertex. ``parents`` are
    positions, by position; -1 for a root. Both are on the host. ``to_ancestors`` and ``from_ancestors``, int32 of shape
    (n, height) on the device, have a row for each vertex, by the depth of the ancestor, a root first.
    """

    positions: np.ndarray
    parents: np.ndarray
    to_ancestors: Any
    from_ancestors: Any

    @property
    def height(self) -> int:
        return int(self.to_ancestors.shape[1])


def path_to(predecessors: np.ndarray, source: int, vertex: int) -> list[int]:
    """The vertices of a shortest path.

    Parameters
    ----------
    predecessors : int array of shape (n,)
        The predecessors for ``source``; -1, or -9999 as in SciPy, where there is none.
    source, vertex : int
        The ends of the path.

    Returns
    -------
    list of int
        From ``source`` to ``vertex``, both included; empty if there is no path.

    Raises
    ------
    ValueError
        The predecessors form a cycle.

    Examples
    --------
    >>> import numpy, warpath
    >>> warpath.path_to(numpy.array([-1, 0, 1]), 0, 2)
    [0, 1, 2]
    """
    path = list(walk_back(predecessors, vertex))
    return path[::-1] if path[-1] == source else []


def walk_back(predecessors: np.ndarray, vertex: int) -> Iterator[int]:
    """Yield ``vertex``, its predecessor, and so on to the root, whose predecessor is -1, or -9999 as in SciPy."""
    steps_left = len(predecessors)
    while vertex >= 0:
        if steps_left == 0:
            raise ValueError(f"the predecessors form a cycle through vertex {vertex}")
        steps_left -= 1
        yield int(vertex)
        vertex = predecessors[vertex]
