"""Dijkstra, heap: on the CPU, with a heap of four children to a node in which distances decrease."""

from time import perf_counter
from typing import Any, cast

import numba
import numpy as np

from ...distances import NO_PREDECESSOR, unreachable
from ..cpu_rows import CpuRowsPlan
from ..registry import Variant

_WAITING_MAX = 16
"""If more vertices wait, a GPU takes less time for those that it reaches in a step."""
_ARCS_OF_STEP = 32
"""So many arcs take about as long as a vertex that leaves the heap."""


@numba.njit(cache=True, nogil=True)
def search_while_narrow(
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray,
    zero: float,
    source: int,
    distances: np.ndarray,
    predecessors: np.ndarray,
    steps: int,
    waiting_max: int,
) -> bool:
    """Solve from ``source``. ``distances`` and ``predecessors``, shape (n,), have the values of unreached vertices.

    ``zero`` has the type of sums. ``waiting[:size]`` are the vertices of the heap, ``keys`` their distances, and
    ``places`` where vertices are in it, or -1 before they are reached. After each ``steps``, returns false if more than
    ``waiting_max`` vertices wait. A step is a vertex that leaves the heap, or ``_ARCS_OF_STEP`` arcs.
    """
    work = 0
    waiting = np.empty(len(distances), np.int32)
    keys = np.empty(len(distances), distances.dtype)
    places = np.full(len(distances), -1, np.int32)
    distances[source] = 0
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
        work += _ARCS_OF_STEP + indptr[tail + 1] - indptr[tail]
        if work >= steps * _ARCS_OF_STEP:
            if size > waiting_max:
                return False
            work = 0
        for arc in range(indptr[tail], indptr[tail + 1]):
            head = indices[arc]
            total = at + weights[arc]
            if not total < distances[head]:
                continue
            distances[head] = total
            predecessors[head] = tail
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
    return True


def search(
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray,
    zero: float,
    source: int,
    distances: np.ndarray,
    predecessors: np.ndarray,
) -> None:
    """Solve as ``search_while_narrow`` does, without a limit."""
    count = len(indptr)
    search_while_narrow(indptr, indices, weights, zero, source, distances, predecessors, count, count)


def is_loaded(dtype: np.dtype) -> bool:
    """Whether a search has loaded its machine code for weights of this type."""
    return any(cast(Any, types[2]).dtype.name == dtype.name for types in search_while_narrow.overloads)


class HeapPlan(CpuRowsPlan):
    """A plan that searches from each source on its own."""

    search = staticmethod(search)
    _begun: tuple[int, np.ndarray, np.ndarray] | None = None  # a source, and the answer

    def begin_solve(self, source: int, steps: int) -> tuple[bool, float]:
        """Solve, but stop after so many steps if more than a few vertices wait then, and forget what was reached."""
        began, graph = perf_counter(), self.graph
        distances = np.full(graph.vertices, unreachable(graph.weights.dtype))
        tree = np.full(graph.vertices, NO_PREDECESSOR)
        arrays = graph.indptr, graph.indices, graph.weights
        ended = search_while_narrow(*arrays, self.zero, source, distances, tree, steps, _WAITING_MAX)
        self._begun = (source, distances, tree) if ended else None
        self.begun_s = perf_counter() - began
        return ended, 0.0

    def solve_rows(self, sources: np.ndarray, distances: Any, predecessors: Any | None) -> None:
        begun, self._begun = self._begun, None
        if begun and sources.tolist() == [begun[0]]:
            distances[0] = begun[1]
            if predecessors is not None:
                predecessors[0] = begun[2]
        else:
            self.begun_s = 0.0
            super().solve_rows(sources, distances, predecessors)


VARIANT = Variant(
    problem="sssp",
    summary="on the CPU, a heap in which distances decrease; a core for each of several sources",
    plan=HeapPlan,
    on_cpu=True,
    compiled=(search_while_narrow,),
    negative_arcs=False,
    floats=True,
    same_cost=False,
    optional_predecessors=True,
    many_sources=True,
)
