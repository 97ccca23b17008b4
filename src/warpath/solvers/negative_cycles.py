"""The compiled loop behind ``preconditions.negative_cycle``."""

import numba
import numpy as np


@numba.njit(cache=True)
def bellman_ford_until_cycle(
    indptr: np.ndarray, indices: np.ndarray, weights: np.ndarray, source: int
) -> tuple[int, np.ndarray]:
    """A vertex that steps back along predecessors lead onto a negative cycle, or -1, and the predecessors.

    ``source`` -1 starts from every vertex. ``weights`` have the type of their sums.
    """
    vertices = len(indptr) - 1
    distances = np.zeros(vertices, weights.dtype)
    met = np.full(vertices, source < 0)
    if source >= 0:
        met[source] = True
    predecessors = np.full(vertices, -1, np.int64)
    for _ in range(vertices):
        improved = -1
        for tail in range(vertices):
            if not met[tail]:
                continue
            for arc in range(indptr[tail], indptr[tail + 1]):
                head = indices[arc]
                if not met[head] or distances[tail] + weights[arc] < distances[head]:
                    met[head] = True
                    distances[head] = distances[tail] + weights[arc]
                    predecessors[head] = tail
                    improved = head
        if improved < 0:
            return _without_path(indptr, indices, weights, distances, met, predecessors), predecessors
    return improved, predecessors


@numba.njit(cache=True)
def _without_path(
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray,
    distances: np.ndarray,
    met: np.ndarray,
    predecessors: np.ndarray,
) -> int:
    """A vertex whose final distance no path has, or -1.

    The rounded sum of a cycle may fall a few times and then stay. Its distances are those of walks around it.
    """
    hung = met & (predecessors < 0)
    stack = list(np.flatnonzero(hung))
    while stack:
        tail = stack.pop()
        for arc in range(indptr[tail], indptr[tail + 1]):
            head = indices[arc]
            if not hung[head] and distances[tail] + weights[arc] == distances[head]:
                hung[head] = True
                stack.append(head)
    for vertex in range(len(hung)):
        if met[vertex] and not hung[vertex]:
            return vertex
    return -1
