"""Dijkstra, cpu: serial, one source after the other, a binary heap over dense rows of weights."""

import heapq

import numba
import numpy as np

from warpath.device import Device
from warpath.distances import NO_PREDECESSOR, UNREACHABLE
from warpath.graphs.csr import Graph

from ....source_order import spread_out
from ...shared.matrices import HostMatrices, fill_costs
from ...shared.plan import PlanVariant


class SerialPlan(HostMatrices):
    """An iteration is one source; a search from a vertex without arcs ends at once."""

    by_source = True

    def __init__(self, device: Device, graph: Graph, source: None = None):
        super().__init__(device, graph)
        self.order = spread_out(graph.vertices)
        self.costs = np.empty_like(self.distances)
        fill_costs(graph, self.costs)

    def reset(self) -> None:
        """Nothing to do: a solve writes its starting values itself."""

    def upload(self) -> None:
        self.distances.fill(UNREACHABLE)
        np.fill_diagonal(self.distances, 0)
        self.predecessors.fill(NO_PREDECESSOR)

    def iterate(self, first: int, last: int) -> None:
        search_from_each(self.order[first:last], self.costs, self.distances, self.predecessors)


@numba.njit(cache=True)
def search_from_each(sources: np.ndarray, costs: np.ndarray, distances: np.ndarray, predecessors: np.ndarray) -> None:
    for source in sources:
        search(source, costs, distances[source], predecessors[source])


@numba.njit(cache=True)
def search(source: int, costs: np.ndarray, distances: np.ndarray, predecessors: np.ndarray) -> None:
    heap = [np.int64(source)]  # entries are distance * 2^32 + vertex: one integer comparison orders them
    while len(heap) > 0:
        entry = heapq.heappop(heap)
        reached = entry >> 32
        tail = entry & 0xFFFFFFFF
        if reached > distances[tail]:
            continue  # a shorter path was found after this entry was pushed
        for head in range(costs.shape[0]):
            cost = costs[tail, head]
            if cost != UNREACHABLE and reached + cost < distances[head]:
                distances[head] = reached + cost
                predecessors[head] = tail
                heapq.heappush(heap, ((reached + cost) << 32) | head)


VARIANT = PlanVariant(
    origin="bodra",
    plan=SerialPlan,
    on_cpu=True,
    compiled=(search_from_each,),
    negative_arcs=False,
)
