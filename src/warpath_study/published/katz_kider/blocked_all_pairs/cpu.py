"""Blocked all pairs, cpu: serial, the triple loop without blocks; and what all variants on the CPU share."""

import numba
import numpy as np

from warpath.device import Device
from warpath.graphs.csr import Graph

from ...shared.matrices import HostMatrices, grow_trees, resolve
from ...shared.plan import PlanVariant
from ...shared.predecessors import trees_needed

Index = int | np.unsignedinteger


class HostPlan(HostMatrices):
    """``predecessors`` holds intermediate vertices until ``finish``.

    Distances are read as unsigned numbers, so negative weights are not allowed.
    """

    def __init__(self, device: Device, graph: Graph, source: None = None):
        super().__init__(device, graph)
        self.cells = self.distances.view(np.uint32), self.predecessors

    def finish(self) -> None:
        if trees_needed(self.graph):
            grow_trees(self.graph, self.distances, self.predecessors)
        else:
            resolve(self.predecessors)


class SerialPlan(HostPlan):
    """An iteration is one intermediate vertex."""

    def iterate(self, first: int, last: int) -> None:
        whole = (0, self.graph.vertices)
        relax_vertex_by_vertex(*whole, *whole, first, last, *self.cells)


@numba.njit(cache=True)
def relax_vertex_by_vertex(
    top: Index,
    bottom: Index,
    low: Index,
    high: Index,
    start: Index,
    stop: Index,
    lengths: np.ndarray,
    intermediates: np.ndarray,
) -> None:
    """Relax rows top..bottom-1 and columns low..high-1 through the vertices start..stop-1; lengths are uint32.

    Unreachable lengths are not tested for, so that every vertex takes the same time: a sum with one of them fits 32
    unsigned bits and is never below a length.
    """
    for k in range(start, stop):
        # A copy: the compiler then sees that the loop reads nothing that it writes, and uses vector instructions.
        from_k = lengths[k, low:high].copy()
        for i in range(top, bottom):
            row, owed = lengths[i, low:high], intermediates[i, low:high]
            to_k = lengths[i, k]
            for j in range(len(row)):
                candidate = np.uint32(to_k + from_k[j])
                length = row[j]
                owed[j] = np.int32(k) if candidate < length else owed[j]
                row[j] = min(candidate, length)


VARIANT = PlanVariant(
    origin="katz_kider",
    plan=SerialPlan,
    on_cpu=True,
    compiled=(relax_vertex_by_vertex, grow_trees, resolve),
    negative_arcs=False,
)
