"""The certificate, compiled by Numba: one source's row, and many in parallel over the sources.

It decides whether a row is right. If not, ``certificate`` looks at that row again and says what is wrong.
"""

import numba
import numpy as np

from ..distances import NO_PREDECESSOR, UNREACHABLE


@numba.njit(parallel=True, cache=True)
def certify_rows(indptr, indices, weights, sources, distances, predecessors):
    """Whether each of k answers, shape (k, n), is exact, and how many vertices its source reaches; both shape (k,)."""
    exact = np.zeros(len(sources), np.bool_)
    reached = np.zeros(len(sources), np.int64)
    for row in numba.prange(len(sources)):
        exact[row], reached[row] = certify_row(
            indptr, indices, weights, sources[row], distances[row], predecessors[row]
        )
    return exact, reached


@numba.njit(cache=True)
def certify_row(indptr, indices, weights, source, distances, predecessors):
    """Whether one source's answer, shape (n,), is exact, and how many vertices it reaches."""
    vertices = len(distances)
    if distances[source] != 0:
        return False, 0
    has_tight_arc = np.zeros(vertices, np.bool_)
    for tail in range(vertices):
        at_tail = np.int64(distances[tail])
        if at_tail == UNREACHABLE:
            continue
        for arc in range(indptr[tail], indptr[tail + 1]):
            head = indices[arc]
            total = at_tail + weights[arc]
            if total < distances[head] or distances[head] == UNREACHABLE:
                return False, 0
            if total == distances[head] and predecessors[head] == tail:
                has_tight_arc[head] = True
    reached = 0
    descending = True
    for vertex in range(vertices):
        predecessor = predecessors[vertex]
        if distances[vertex] == UNREACHABLE or vertex == source:
            if predecessor != NO_PREDECESSOR:
                return False, 0
        elif not has_tight_arc[vertex]:
            return False, 0
        elif distances[predecessor] >= distances[vertex]:
            descending = False
        if distances[vertex] != UNREACHABLE:
            reached += 1
    return descending or _chains_end(predecessors), reached


@numba.njit(cache=True)
def _chains_end(predecessors):
    """Whether all chains of predecessors end. Visits each vertex once."""
    walk_over = np.full(len(predecessors), -1, np.int32)
    for start in range(len(predecessors)):
        vertex = start
        while vertex != NO_PREDECESSOR and walk_over[vertex] < 0:
            walk_over[vertex] = start
            vertex = predecessors[vertex]
        if vertex != NO_PREDECESSOR and walk_over[vertex] == start:
            return False
    return True
