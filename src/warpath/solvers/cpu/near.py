"""Dijkstra, near: on the CPU, searches that end at a limit, so that they take time and memory for what they reach."""

from heapq import heappop, heappush

import numba
import numpy as np


@numba.njit(cache=True, nogil=True)
def search(
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray,
    zero: float,
    none: float,
    limit: float,
    sources: np.ndarray,
    room: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Find the vertices within ``limit`` of each of ``sources``, int32 of shape (k,), until ``room`` are found.

    No weight is negative. ``zero`` and ``limit``, which is finite, have the type of sums, and ``none`` is the distance
    of unreached vertices. Returns the number of vertices for each of the first sources, at least one, the vertices,
    which increase for each source, and their distances.
    """
    reached = np.full(len(indptr) - 1, none)
    counts = np.zeros(len(sources), np.int64)
    vertices = np.empty(1024, np.int32)
    distances = np.empty(1024, weights.dtype)
    end = done = 0
    while done < len(sources) and (end < room or done == 0):
        begin, source = end, sources[done]
        waiting = [(zero, source)]
        if zero <= limit:
            reached[source] = 0
        else:
            waiting.pop()
        while len(waiting) > 0:
            at, tail = heappop(waiting)
            if at != reached[tail]:  # it has been nearer
                continue
            if end == len(vertices):
                vertices = np.append(vertices, np.empty(end, np.int32))
                distances = np.append(distances, np.empty(end, weights.dtype))
            vertices[end] = tail
            end += 1
            for arc in range(indptr[tail], indptr[tail + 1]):
                head = indices[arc]
                total = at + weights[arc]
                if total <= limit and total < reached[head]:
                    reached[head] = total
                    heappush(waiting, (total, head))
        vertices[begin:end].sort()
        for place in range(begin, end):
            vertex = vertices[place]
            distances[place] = reached[vertex]
            reached[vertex] = none
        counts[done] = end - begin
        done += 1
    return counts[:done], vertices[:end].copy(), distances[:end].copy()
