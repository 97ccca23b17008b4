"""The compiled loop behind ``preconditions.negative_cycle``."""

import numba
import numpy as np


@numba.njit(cache=True)
def bellman_ford_until_cycle(
    indptr: np.ndarray, indices: np.ndarray, weights: np.ndarray, source: int
) -> tuple[int, np.ndarray]:
    """A vertex that pass n still improved, or -1, and the predecessors. ``source`` -1 starts from every vertex."""
    vertices = len(indptr) - 1
    far = np.iinfo(np.int64).max
    distances = np.full(vertices, np.int64(0) if source < 0 else far)
    if source >= 0:
        distances[source] = 0
    predecessors = np.full(vertices, -1, np.int64)
    for _ in range(vertices):
        improved = -1
        for tail in range(vertices):
            if distances[tail] == far:
                continue
            for arc in range(indptr[tail], indptr[tail + 1]):
                head = indices[arc]
                if distances[tail] + weights[arc] < distances[head]:
                    distances[head] = distances[tail] + weights[arc]
                    predecessors[head] = tail
                    improved = head
        if improved < 0:
            return improved, predecessors
    return improved, predecessors
