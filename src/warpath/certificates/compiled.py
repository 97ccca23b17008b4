"""The compiled loops behind ``certificate`` and ``closure``, which import them when needed: importing Numba is slow."""

import numba
import numpy as np

from ..distances import NO_PREDECESSOR


@numba.njit(cache=True, nogil=True)
def certify_row(
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray,
    zero: float,
    none: float,
    strict: bool,
    source: int,
    distances: np.ndarray,
    predecessors: np.ndarray | None,
) -> tuple[bool, int]:
    """Whether one source's answer, shape (n,), is exact, and how many vertices it reaches.

    If ``strict``, no arc leads from a reached vertex to an unreachable one, whatever the sum is.
    """
    if distances[source] != 0:
        return False, 0
    reached = 0
    has_tight_arc = np.zeros(len(distances), np.bool_)
    for tail in range(len(distances)):
        if distances[tail] == none:
            continue
        at_tail = zero + distances[tail]
        reached += 1
        for arc in range(indptr[tail], indptr[tail + 1]):
            head = indices[arc]
            total = at_tail + weights[arc]
            if total < distances[head] or (strict and distances[head] == none):
                return False, 0
            if predecessors is not None:  # noqa: SIM102 (Numba compiles no branch for None)
                if total == distances[head] and distances[head] != none and predecessors[head] == tail:
                    has_tight_arc[head] = True
    if predecessors is None:
        met = met_by_tight_arcs(indptr, indices, weights, zero, none, source, distances)
        return met.sum() == reached, reached
    descending = True
    for vertex in range(len(distances)):
        predecessor = predecessors[vertex]
        if distances[vertex] == none or vertex == source:
            if predecessor != NO_PREDECESSOR:
                return False, 0
        elif not has_tight_arc[vertex]:
            return False, 0
        elif predecessor != source and distances[predecessor] >= distances[vertex]:
            descending = False
    return descending or _chains_end(predecessors), reached


@numba.njit(cache=True)
def _chains_end(predecessors: np.ndarray) -> bool:
    """Whether all chains of predecessors end. Visits each vertex once."""
    visited_from = np.full(len(predecessors), -1, np.int32)
    for start in range(len(predecessors)):
        vertex = start
        while vertex != NO_PREDECESSOR and visited_from[vertex] < 0:
            visited_from[vertex] = start
            vertex = predecessors[vertex]
        if vertex != NO_PREDECESSOR and visited_from[vertex] == start:
            return False
    return True


@numba.njit(cache=True)
def met_by_tight_arcs(
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray,
    zero: float,
    none: float,
    source: int,
    distances: np.ndarray,
) -> np.ndarray:
    """Which vertices have a path of tight arcs from the source, shape (n,)."""
    met = np.zeros(len(distances), np.bool_)
    queue = np.empty(len(distances), np.int32)
    met[source] = True
    queue[0] = source
    end = 1
    begin = 0
    while begin < end:
        tail = queue[begin]
        begin += 1
        for arc in range(indptr[tail], indptr[tail + 1]):
            head = indices[arc]
            tight = zero + distances[tail] + weights[arc] == distances[head]
            if tight and not met[head] and distances[head] != none:
                met[head] = True
                queue[end] = head
                end += 1
    return met


@numba.njit(cache=True, nogil=True)
def search_row(indptr: np.ndarray, indices: np.ndarray, source: int, row: np.ndarray) -> tuple[int, int]:
    """The first wrong vertex of the row of ``source``, or -1, and the number of vertices reached."""
    starts = np.empty(1, np.int32)
    starts[0] = source
    met = search(indptr, indices, starts)
    for vertex in range(len(row)):
        if met[vertex] != (row[vertex] != 0):
            return vertex, met.sum()
    return -1, met.sum()


@numba.njit(cache=True)
def search(indptr: np.ndarray, indices: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Which vertices have a path from one of ``starts``, each there once; bool, shape (n,)."""
    met = np.zeros(len(indptr) - 1, np.bool_)
    queue = np.empty(len(met), np.int32)
    queue[: len(starts)] = starts
    met[starts] = True
    end = len(starts)
    begin = 0
    while begin < end:
        tail = queue[begin]
        begin += 1
        for head in indices[indptr[tail] : indptr[tail + 1]]:
            if not met[head]:
                met[head] = True
                queue[end] = head
                end += 1
    return met
