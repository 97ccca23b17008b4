"""Floyd-Warshall, cpu: serial, the triple loop.

The innermost loop has no branches. So the compiler vectorises it, and all iterations take the same time, which lets a
long run be estimated from its first ones. (If unreachable pairs were skipped, the first iterations on a sparse graph
would take almost no time.)
"""

import numba
import numpy as np

from warpath.distances import UNREACHABLE

from ...shared.matrices import HostMatrices
from ...shared.plan import PlanVariant


class SerialPlan(HostMatrices):
    """An iteration is one intermediate vertex."""

    def iterate(self, first: int, last: int) -> None:
        relax = relax_through_signed if self.graph.weight_min < 0 else relax_through
        relax(first, last, self.distances, self.predecessors)


@numba.njit(cache=True)
def relax_through(first: int, last: int, distances: np.ndarray, predecessors: np.ndarray) -> None:
    for k in range(first, last):
        # Row k does not change in step k. The compiler uses vector instructions only because the loop reads a copy,
        # which it does not write, and reads every cell before it chooses.
        from_k, predecessors_from_k = distances[k].copy(), predecessors[k].copy()
        for i in range(len(distances)):
            row, row_predecessors = distances[i], predecessors[i]
            to_k = np.uint32(row[k])
            for j in range(len(distances)):
                # Unsigned sums of two distances do not wrap, and one with UNREACHABLE in it is not below a distance.
                candidate, distance = np.uint32(to_k + np.uint32(from_k[j])), np.uint32(row[j])
                predecessor, predecessor_from_k = row_predecessors[j], predecessors_from_k[j]
                row_predecessors[j] = predecessor_from_k if candidate < distance else predecessor
                row[j] = np.int32(min(candidate, distance))


@numba.njit(cache=True)
def relax_through_signed(first: int, last: int, distances: np.ndarray, predecessors: np.ndarray) -> None:
    for k in range(first, last):
        from_k, predecessors_from_k = distances[k].copy(), predecessors[k].copy()
        for i in range(len(distances)):
            row, row_predecessors = distances[i], predecessors[i]
            to_k = np.int64(row[k])
            if to_k == UNREACHABLE:
                continue
            for j in range(len(distances)):
                candidate, distance = to_k + from_k[j], row[j]
                predecessor, predecessor_from_k = row_predecessors[j], predecessors_from_k[j]
                shorter = (from_k[j] != UNREACHABLE) & (candidate < distance)
                row[j] = np.int32(candidate) if shorter else distance
                row_predecessors[j] = predecessor_from_k if shorter else predecessor


VARIANT = PlanVariant(
    origin="bodra",
    plan=SerialPlan,
    on_cpu=True,
    compiled=(relax_through, relax_through_signed),
)
