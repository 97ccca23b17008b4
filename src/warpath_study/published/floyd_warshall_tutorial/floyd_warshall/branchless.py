"""Floyd-Warshall, branchless: every pair is written in every step, by a grid of any size."""

from pathlib import Path

import numpy as np

from warpath.device import Device
from warpath.graphs.csr import Graph

from ...bodra.floyd_warshall._matrices import MatrixPlan
from ...shared import predecessors
from ...shared.plan import PlanVariant

KERNEL = Path(__file__).with_suffix(".cu")
# The work leaves both open. They fill a large GPU, and are far below the 46,000 rows of its largest graph.
GRID, BLOCK = (1024,), (256,)


class BranchlessPlan(MatrixPlan):
    """An iteration is one intermediate vertex. Distances alone are on the device until they are final.

    The work has no predecessors, which would double the memory that the published sizes take. They are grown from the
    final distances, in one more launch.
    """

    def __init__(
        self,
        device: Device,
        graph: Graph,
        source: None = None,
        grid: tuple[int, ...] = GRID,
        block: tuple[int, ...] = BLOCK,
        tree_block: tuple[int] = predecessors.BLOCK,
    ):
        super().__init__(device, graph, KERNEL, ("relax",))
        self.grid, self.block = grid, block
        self.trees = predecessors.OfRows(device, graph, tree_block)

    def upload(self) -> None:
        self.distances = self.device.upload(self.host_distances)

    def iterate(self, first: int, last: int) -> None:
        vertices = np.int32(self.graph.vertices)
        relax = self.kernels["relax"].bind(
            self.grid, self.block, vertices=vertices, k=np.int32(first), distances=self.distances
        )
        for k in range(first, last):
            self.launch(relax, k=np.int32(k))

    def finish(self) -> None:
        self.predecessors = self.device.empty(self.host_predecessors.shape, np.int32)
        self.grow(self.trees)


VARIANT = PlanVariant(
    origin="floyd_warshall_tutorial",
    plan=BranchlessPlan,
    kernels=(KERNEL, predecessors.KERNEL),
    smallest={"grid": (3,), "block": (32,), "tree_block": (32,)},
)
