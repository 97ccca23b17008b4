"""Bellman-Ford, cpu: serial, n - 1 passes over all arcs, each arc relaxed in place."""

import numba
import numpy as np

from warpath.device import Device
from warpath.distances import NO_PREDECESSOR, UNREACHABLE
from warpath.graphs.csr import Graph

from ...shared.plan import Plan, PlanVariant, Solution


class SerialPlan(Plan[Graph]):
    """An iteration is one pass over the arcs."""

    def __init__(self, device: Device, graph: Graph, source: int):
        super().__init__(device, graph)
        self.iterations = graph.vertices - 1
        self.source = source

    def upload(self) -> None:
        self.distances = np.full(self.graph.vertices, UNREACHABLE, np.int32)
        self.distances[self.source] = 0
        self.predecessors = np.full(self.graph.vertices, NO_PREDECESSOR, np.int32)

    def iterate(self, first: int, last: int) -> None:
        graph = self.graph
        relax_all(graph.indptr, graph.indices, graph.weights, self.distances, self.predecessors, last - first)

    def download(self) -> Solution:
        return Solution(self.distances, self.predecessors)

    def settled(self) -> bool:
        return not improvable(self.graph, self.distances)


def improvable(graph: Graph, distances: np.ndarray) -> bool:
    """Whether some arc would still lower a distance, shape (n,)."""
    at_tail = np.repeat(distances, np.diff(graph.indptr)).astype(np.int64)
    lower = at_tail + graph.weights < distances[graph.indices]
    return bool((lower & (at_tail != UNREACHABLE)).any())


@numba.njit(cache=True)
def relax_all(
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray,
    distances: np.ndarray,
    predecessors: np.ndarray,
    passes: int,
) -> None:
    for _ in range(passes):
        for tail in range(len(indptr) - 1):
            reached = np.int64(distances[tail])  # 64 bits: the sum below may pass UNREACHABLE
            if reached == UNREACHABLE:
                continue
            for arc in range(indptr[tail], indptr[tail + 1]):
                head = indices[arc]
                candidate = reached + weights[arc]
                if candidate < distances[head]:
                    distances[head] = candidate
                    predecessors[head] = tail


VARIANT = PlanVariant(
    origin="bodra",
    plan=SerialPlan,
    on_cpu=True,
    compiled=(relax_all,),
)
