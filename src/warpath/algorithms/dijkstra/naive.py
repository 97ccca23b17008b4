"""Dijkstra, naive: one thread a source, the next vertex by a linear scan."""

from pathlib import Path

import numpy as np

from ...device import Device
from ...graphs.csr import Graph
from .. import dense
from ..grids import blocks_over
from ..plan import Plan, Solution
from ..registry import Variant

KERNEL = Path(__file__).with_suffix(".cu")
BLOCK = (1024,)  # as published


class SearchPlan(Plan[Graph]):
    """An iteration is one round of all searches: each visits one vertex. All n - 1 are one launch, as published.

    The timed region includes copying the weight matrix to the device, as published.
    """

    def __init__(self, device: Device, graph: Graph, source: None = None, block: tuple[int] = BLOCK):
        super().__init__(device, graph)
        self.iterations = graph.vertices - 1
        self.block = block
        self.search = device.kernel(KERNEL, "search")
        shape = (graph.vertices, graph.vertices)
        self.host_costs = np.empty(shape, np.int32)
        self.host_distances = np.empty(shape, np.int32)
        self.host_predecessors = np.empty(shape, np.int32)
        self.host_visited = np.zeros(shape, np.uint8)
        dense.fill_costs(graph, self.host_costs)

    def reset(self) -> None:
        dense.fill_roots(self.host_distances, self.host_predecessors)

    def upload(self) -> None:
        self.costs = self.device.upload(self.host_costs)
        self.predecessors = self.device.upload(self.host_predecessors)
        self.distances = self.device.upload(self.host_distances)
        self.visited = self.device.upload(self.host_visited)

    def iterate(self, first: int, last: int) -> None:
        vertices = self.graph.vertices
        self.search(
            (blocks_over(vertices, self.block[0]),),
            self.block,
            (
                np.int32(vertices),
                np.int32(last - first),
                self.costs,
                self.visited,
                self.distances,
                self.predecessors,
            ),
        )
        self.device.synchronize()
        self.counters["launches"] += 1

    def download(self) -> Solution:
        self.device.download(self.distances, self.host_distances)
        self.device.download(self.predecessors, self.host_predecessors)
        return Solution(self.host_distances, self.host_predecessors)

    def release(self) -> None:
        self.costs = self.predecessors = self.distances = self.visited = None


VARIANT = Variant(
    problem="apsp",
    origin="bodra",
    summary="one thread a source, the next vertex by a linear scan",
    plan=SearchPlan,
    kernel=KERNEL,
    smallest={"block": (32,)},
    negative_arcs=False,
)
