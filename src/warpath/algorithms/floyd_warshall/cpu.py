"""Floyd-Warshall, cpu: serial, the triple loop."""

import numba
import numpy as np

from ...device import Device
from ...distances import UNREACHABLE
from ...graphs.csr import Graph
from .. import dense
from ..plan import Plan, Solution
from ..registry import Variant


class SerialPlan(Plan):
    """An iteration is one intermediate vertex."""

    def __init__(self, device: Device, graph: Graph, source: None = None):
        super().__init__(device, graph)
        self.iterations = graph.vertices
        self.distances = np.empty((graph.vertices, graph.vertices), np.int32)
        self.predecessors = np.empty((graph.vertices, graph.vertices), np.int32)

    def reset(self) -> None:
        dense.fill_starting_paths(self.graph, self.distances, self.predecessors)

    def upload(self) -> None:
        """Nothing: the matrices are where they are needed."""

    def iterate(self, first: int, last: int) -> None:
        relax_through(first, last, self.distances, self.predecessors)

    def download(self) -> Solution:
        return Solution(self.distances, self.predecessors)

    def release(self) -> None:
        pass


@numba.njit(cache=True)
def relax_through(first, last, distances, predecessors):
    vertices = distances.shape[0]
    for k in range(first, last):
        for i in range(vertices):
            to_k = np.int64(distances[i, k])
            if to_k == UNREACHABLE:
                continue
            for j in range(vertices):
                from_k = distances[k, j]
                if from_k != UNREACHABLE and to_k + from_k < distances[i, j]:
                    distances[i, j] = to_k + from_k
                    predecessors[i, j] = predecessors[k, j]


VARIANT = Variant(
    problem="apsp",
    paper="bodra",
    summary="serial, the triple loop",
    plan=SerialPlan,
    on_cpu=True,
)
