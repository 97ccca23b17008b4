"""Dijkstra, heap: on the CPU, with a heap of four children to a node in which distances decrease."""

import numba
import numpy as np

from . import CpuVariant
from .rows import CpuRows
from .trees import hang


@numba.njit(cache=True, nogil=True)
def search(
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray,
    zero: float,
    source: int,
    distances: np.ndarray,
    predecessors: np.ndarray,
) -> bool:
    """Solve from ``source``. ``distances`` and ``predecessors``, shape (n,), have the values of unreached vertices.

    A predecessor is the lowest that is nearer. Returns whether one is not nearer, since the vertex has no such arc.
    All tails that are nearer come first.

    ``zero`` has the type of sums. ``waiting[:size]`` are the vertices of the heap, ``keys`` their distances, and
    ``places`` where vertices are in it, or -1 before they are reached.
    """
    waiting = np.empty(len(distances), np.int32)
    keys = np.empty(len(distances), distances.dtype)
    places = np.full(len(distances), -1, np.int32)
    distances[source], level = 0, False
    waiting[0], keys[0], places[source], size = source, 0, 0, 1
    while size > 0:
        tail = waiting[0]
        at = zero + keys[0]
        size -= 1
        # The last vertex of the heap fills the place of the first, below the children that are nearer.
        vertex, key, place = waiting[size], keys[size], 0
        while True:
            least = 4 * place + 1
            if least >= size:
                break
            for child in range(least + 1, min(least + 4, size)):
                if keys[child] < keys[least]:
                    least = child
            if keys[least] >= key:
                break
            waiting[place], keys[place] = waiting[least], keys[least]
            places[waiting[place]] = place
            place = least
        waiting[place], keys[place] = vertex, key
        places[vertex] = place
        for arc in range(indptr[tail], indptr[tail + 1]):
            head = indices[arc]
            total = at + weights[arc]
            if not total < distances[head]:
                if total == distances[head] and tail < predecessors[head] and at < total:
                    predecessors[head] = tail
                continue
            distances[head] = total
            predecessors[head] = tail
            level |= total == at
            place = places[head]
            if place < 0:
                place = size
                size += 1
            while place > 0:
                parent = (place - 1) >> 2
                if keys[parent] <= total:
                    break
                waiting[place], keys[place] = waiting[parent], keys[parent]
                places[waiting[place]] = place
                place = parent
            waiting[place], keys[place] = head, total
            places[head] = place
    return level


class Heap(CpuRows):
    """A solver that searches from each source on its own."""

    search = compiled = staticmethod(search)


VARIANT = CpuVariant(solver=Heap, compiled=(search, hang), negative_arcs=False)
