"""Bellman-Ford, queue: on the CPU, a round takes the vertices whose distances fell in the last one."""

import numba
import numpy as np

from ..cpu_rows import CpuRowsPlan
from ..registry import Variant


@numba.njit(cache=True, nogil=True)
def search(
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray,
    zero: float,
    source: int,
    distances: np.ndarray,
    predecessors: np.ndarray,
) -> None:
    """As ``dijkstra.heap.search``, with weights of any sign. Ends after n rounds, even if a cycle is negative."""
    fallen = np.empty(len(distances), np.int32)
    falling = np.empty(len(distances), np.int32)
    is_falling = np.zeros(len(distances), np.bool_)
    distances[source] = 0
    fallen[0], count, rounds = source, 1, 0
    while count > 0 and rounds < len(distances):
        rounds += 1
        following = 0
        for position in range(count):
            tail = fallen[position]
            at = zero + distances[tail]
            for arc in range(indptr[tail], indptr[tail + 1]):
                head = indices[arc]
                total = at + weights[arc]
                if total < distances[head]:
                    distances[head] = total
                    predecessors[head] = tail
                    if not is_falling[head]:
                        is_falling[head] = True
                        falling[following] = head
                        following += 1
        is_falling[falling[:following]] = False
        fallen, falling, count = falling, fallen, following


class QueuePlan(CpuRowsPlan):
    """A plan that solves from each source on its own."""

    search = staticmethod(search)


VARIANT = Variant(
    problem="sssp",
    summary="on the CPU, rounds that relax the arcs of vertices that came nearer; a core for each of several sources",
    plan=QueuePlan,
    on_cpu=True,
    compiled=(search,),
    floats=True,
    same_cost=False,
    optional_predecessors=True,
    many_sources=True,
)
