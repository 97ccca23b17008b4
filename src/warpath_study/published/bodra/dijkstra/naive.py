"""Dijkstra, naive: one thread a source, the next vertex by a linear scan."""

from pathlib import Path

import numpy as np

from warpath.device import Device
from warpath.distances import NO_PREDECESSOR, UNREACHABLE
from warpath.graphs.csr import Graph

from ...shared.grids import blocks_over
from ...shared.matrices import fill_costs
from ...shared.plan import Plan, PlanVariant, Solution

KERNEL = Path(__file__).with_suffix(".cu")
BLOCK = (1024,)  # as published


class SearchPlan(Plan[Graph]):
    """On a GPU, the one iteration is the one launch of all searches, as published: a solve is always timed as a whole.

    On the simulated GPU, whose times mean nothing, an iteration is one round of all searches, in which each visits one
    vertex; so a long run can be given up for an estimate. The timed region includes copying the weight matrix to the
    device, as published.
    """

    def __init__(self, device: Device, graph: Graph, source: None = None, block: tuple[int] = BLOCK):
        super().__init__(device, graph)
        rounds = max(1, graph.vertices - 1)  # a launch sets the distances of the sources, so a single vertex needs one
        self.rounds_an_iteration, self.iterations = (rounds, 1) if device.kind == "cuda" else (1, rounds)
        self.block = block
        self.search = device.kernel(KERNEL, "search")
        shape = (graph.vertices, graph.vertices)
        self.host_costs = np.empty(shape, np.int32)
        self.host_distances = np.empty(shape, np.int32)
        self.host_predecessors = np.empty(shape, np.int32)
        self.host_visited = np.zeros(shape, np.bool_)
        fill_costs(graph, self.host_costs)

    def reset(self) -> None:
        self.host_distances.fill(UNREACHABLE)  # a search sets the distance of its source
        self.host_predecessors.fill(NO_PREDECESSOR)

    def upload(self) -> None:
        self.costs = self.device.upload(self.host_costs)
        self.predecessors = self.device.upload(self.host_predecessors)
        self.distances = self.device.upload(self.host_distances)
        self.visited = self.device.upload(self.host_visited)

    def iterate(self, first: int, last: int) -> None:
        vertices, rounds = self.graph.vertices, (last - first) * self.rounds_an_iteration
        self.search(
            (blocks_over(vertices, self.block[0]),),
            self.block,
            vertices=np.int32(vertices),
            rounds=np.int32(rounds),
            costs=self.costs,
            all_visited=self.visited,
            all_distances=self.distances,
            all_predecessors=self.predecessors,
        )
        self.device.synchronize()
        self.counters["launches"] += 1

    def download(self) -> Solution:
        self.device.download(self.distances, self.host_distances)
        self.device.download(self.predecessors, self.host_predecessors)
        return Solution(self.host_distances, self.host_predecessors)

    def release(self) -> None:
        self.costs = self.predecessors = self.distances = self.visited = None


VARIANT = PlanVariant(
    origin="bodra",
    plan=SearchPlan,
    kernels=(KERNEL,),
    smallest={"block": (32,)},
    negative_arcs=False,
)
