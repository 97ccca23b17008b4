"""What a distance array means, everywhere in warpath.

Distances are int32. ``UNREACHABLE`` (2**31 - 1) stands for "no path", the predecessor of a source or of an unreachable
vertex is ``NO_PREDECESSOR`` (-1), and a predecessor array always forms a tree rooted at its source.
"""

from collections.abc import Iterator

import numpy as np

UNREACHABLE = np.int32(2**31 - 1)
NO_PREDECESSOR = np.int32(-1)


def path_to(predecessors: np.ndarray, vertex: int) -> list[int]:
    """The vertices from the source to ``vertex``, both included, for one source's predecessors, shape (n,).

    A source, or an unreachable vertex, gives ``[vertex]``. Raises ValueError if the predecessors run in a circle.
    """
    path = list(walk_back(predecessors, vertex))
    path.reverse()
    return path


def walk_back(predecessors: np.ndarray, vertex: int) -> Iterator[int]:
    """Yield ``vertex``, its predecessor, and so on to the root."""
    steps_left = len(predecessors)
    while vertex != NO_PREDECESSOR:
        if steps_left == 0:
            raise ValueError(f"the predecessors form a cycle through vertex {vertex}")
        steps_left -= 1
        yield int(vertex)
        vertex = predecessors[vertex]
