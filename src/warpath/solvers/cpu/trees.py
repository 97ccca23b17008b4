"""The tree of shortest paths from final distances, on the CPU; trees/predecessors.py has its rules."""

import numba
import numpy as np

from ...distances import NO_PREDECESSOR


@numba.njit(cache=True, nogil=True)
def hang(
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray,
    zero: float,
    source: int,
    distances: np.ndarray,
    predecessors: np.ndarray,
    rises: bool,
) -> None:
    """Overwrite ``predecessors``, of which those of vertices that the source does not reach are NO_PREDECESSOR.

    With ``rises``, no weight is negative. ``zero`` has the type of sums.
    """
    vertices = len(distances)
    rounds = np.where(predecessors < 0, vertices, -1)  # in which vertices were hung; -1 before
    rounds[source] = 0
    predecessors[:] = NO_PREDECESSOR
    queue = np.empty(vertices, np.int32)
    queue[0], count = source, 1
    for tail in range(vertices if rises else 0):
        if rounds[tail] == vertices:
            continue
        at = zero + distances[tail]
        for arc in range(indptr[tail], indptr[tail + 1]):
            head = indices[arc]
            if rounds[head] < 0 and at < distances[head] and at + weights[arc] == distances[head]:
                predecessors[head], rounds[head] = tail, 0
                queue[count] = head
                count += 1
    first = 0
    while first < count:
        tail = queue[first]
        first += 1
        at, following = zero + distances[tail], rounds[tail] + 1
        for arc in range(indptr[tail], indptr[tail + 1]):
            head = indices[arc]
            is_new = rounds[head] < 0
            if (is_new or (rounds[head] == following and tail < predecessors[head])) and (
                at + weights[arc] == distances[head]
            ):
                predecessors[head] = tail
                if is_new:
                    rounds[head] = following
                    queue[count] = head
                    count += 1
