"""Floyd-Warshall, lookahead: a min-plus product near the chip's limit, and what the next stage waits for goes first."""

import numpy as np

from ...device import Device
from ...device.copies import copy_on, download_in_pieces
from ...graphs.csr import Graph
from .. import shortest_arcs
from ..plan import Plan, Solution
from ..registry import Variant
from ..shortest_arcs import TREE_BLOCK, Trees
from ._stages import KERNEL, ProductShape, Stages, shape_for


class LookaheadPlan(Plan[Graph]):
    """Distances of shape (n, n) on the device, in a padded matrix while they are computed; predecessors at the end.

    An iteration is one stage. Predecessors are found from the final distances, along the arcs that are shortest paths.
    """

    cell_bits = 32

    def __init__(
        self,
        device: Device,
        graph: Graph,
        source: None = None,
        predecessors: bool = True,
        shape: ProductShape | None = None,
        tree_block: tuple[int] = TREE_BLOCK,
    ):
        super().__init__(device, graph)
        self.copy = copy_on(device, graph)
        self.shape = shape or shape_for(device, graph.vertices, self.cell_bits)
        self.stages = Stages(device, graph.vertices, self.shape, self.cell_bits, graph.weight_min < 0)
        self.iterations = self.stages.stages
        self.trees = Trees(device, self.copy, tree_block) if predecessors else None
        self.host_distances = np.empty((graph.vertices, graph.vertices), np.int32)
        self.host_predecessors = np.empty_like(self.host_distances)

    def upload(self) -> None:
        self.distances, self.predecessors = self.device.empty(self.host_distances.shape, np.int32), None
        self.stages.fill(self.copy.arrays, self.distances)
        self.stages.enter(self.distances)

    def iterate(self, first: int, last: int) -> None:
        self.stages.run(first, last)

    def finish(self) -> None:
        self.stages.leave(self.distances)
        self.counters["launches"] += self.stages.launches
        self._find_predecessors()

    def _find_predecessors(self) -> None:
        if self.trees:
            self.predecessors = self.device.empty(self.host_distances.shape, np.int32)
            self.counters.update(self.trees.find(self.distances, self.predecessors))

    def on_device(self) -> Solution:
        return Solution(self.distances, self.predecessors)

    def download(self) -> Solution:
        download_in_pieces(self.device, self.distances, self.host_distances)
        if self.trees:
            download_in_pieces(self.device, self.predecessors, self.host_predecessors)
        return Solution(self.host_distances, self.host_predecessors if self.trees else None)

    def release(self) -> None:
        self.distances = self.predecessors = None
        self.stages.release()


VARIANT = Variant(
    problem="apsp",
    origin="warpath",
    summary="a min-plus product near the chip's limit, the next stage's primary row and column first",
    plan=LookaheadPlan,
    kernels=(KERNEL, shortest_arcs.KERNEL),
    optional_predecessors=True,
    smallest={"shape": ProductShape(8, 4, 4, 3, 4, 1, 2), "tree_block": (32,)},
)
