"""Floyd-Warshall, cpu_branching: serial, the tutorial's loops with a branch; and what its CPU steps share."""

from collections.abc import Callable
from functools import partial

import numba
import numpy as np

from warpath.device import Device
from warpath.graphs.csr import Graph

from ...shared.matrices import HostMatrices, grow_trees
from ...shared.plan import PlanVariant


class StepPlan(HostMatrices):
    """An iteration is one intermediate vertex: a call of ``relax`` on distances as unsigned numbers.

    The loops find distances alone. Predecessors are grown from the final distances.
    """

    def __init__(self, device: Device, graph: Graph, source: None = None, *, relax: Callable[..., None]):
        super().__init__(device, graph)
        self.relax = relax

    def iterate(self, first: int, last: int) -> None:
        self.relax(first, last, self.distances.view(np.uint32))

    def finish(self) -> None:
        grow_trees(self.graph, self.distances, self.predecessors)


@numba.njit(cache=True)
def relax_branching(first: int, last: int, distances: np.ndarray) -> None:
    vertices = len(distances)
    for k in range(first, last):
        for i in range(vertices):
            for j in range(vertices):
                # Unsigned sums of two distances do not wrap, and one with UNREACHABLE in it is not below a distance.
                through_k = np.uint32(distances[i, k] + distances[k, j])
                if through_k < distances[i, j]:
                    distances[i, j] = through_k


VARIANT = PlanVariant(
    origin="floyd_warshall_tutorial",
    plan=partial(StepPlan, relax=relax_branching),
    on_cpu=True,
    compiled=(relax_branching, grow_trees),
    negative_arcs=False,
)
