"""The certificate, compiled by Numba: one source's row, and many in parallel over the sources.

It decides whether a row is right. If not, ``certificate.refuse`` looks at that row again and says what is wrong.
"""

import numba
import numpy as np

from ..distances import NO_PREDECESSOR, UNREACHABLE
from ..locks import on_all_cores


@on_all_cores
@numba.njit(parallel=True, cache=True)
def certify_rows(
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray,
    sources: np.ndarray,
    distances: np.ndarray,
    predecessors: np.ndarray | None,
) -> tuple[np.ndarray, np.ndarray]:
    """Whether each of k answers, shape (k, n), is exact, and how many vertices its source reaches; both shape (k,)."""
    exact = np.zeros(len(sources), np.bool_)
    reached = np.zeros(len(sources), np.int64)
    for row in numba.prange(len(sources)):
        source = sources[row]
        if predecessors is None:
            exact[row], reached[row] = certify_distances(indptr, indices, weights, source, distances[row])
        else:
            exact[row], reached[row] = certify_row(indptr, indices, weights, source, distances[row], predecessors[row])
    return exact, reached


@numba.njit(cache=True)
def certify_row(
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray,
    source: int,
    distances: np.ndarray,
    predecessors: np.ndarray,
) -> tuple[bool, int]:
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
def _chains_end(predecessors: np.ndarray) -> bool:
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


@numba.njit(cache=True)
def certify_distances(
    indptr: np.ndarray, indices: np.ndarray, weights: np.ndarray, source: int, distances: np.ndarray
) -> tuple[bool, int]:
    """Whether one source's distances, shape (n,), are exact, and how many vertices it reaches."""
    if distances[source] != 0:
        return False, 0
    reached = 0
    for tail in range(len(distances)):
        at_tail = np.int64(distances[tail])
        if at_tail == UNREACHABLE:
            continue
        reached += 1
        for arc in range(indptr[tail], indptr[tail + 1]):
            head = indices[arc]
            if at_tail + weights[arc] < distances[head] or distances[head] == UNREACHABLE:
                return False, 0
    met = met_by_tight_arcs(indptr, indices, weights, source, distances)
    return met.sum() == reached, reached


@numba.njit(cache=True)
def met_by_tight_arcs(
    indptr: np.ndarray, indices: np.ndarray, weights: np.ndarray, source: int, distances: np.ndarray
) -> np.ndarray:
    """Which vertices a search from the source meets along tight arcs alone, shape (n,)."""
    met = np.zeros(len(distances), np.bool_)
    waiting = np.empty(len(distances), np.int32)
    met[source] = True
    waiting[0] = source
    count = 1
    at = 0
    while at < count:
        tail = waiting[at]
        at += 1
        for arc in range(indptr[tail], indptr[tail + 1]):
            head = indices[arc]
            tight = np.int64(distances[tail]) + weights[arc] == distances[head]
            if tight and not met[head] and distances[head] != UNREACHABLE:
                met[head] = True
                waiting[count] = head
                count += 1
    return met
