"""Transitive closure, blocked: three passes over 32 x 32 blocks in shared memory, on grids without idle blocks."""

from pathlib import Path

import numpy as np

from warpath.device import Device
from warpath.graphs.csr import Graph

from ...shared.grids import blocks_over
from ...shared.plan import PlanVariant
from ..blocks import PARAMETERS, TILE
from .naive import CellPlan

KERNEL = Path(__file__).with_suffix(".cu")


class BlockedPlan(CellPlan):
    """An iteration is one primary block of the diagonal, in three passes."""

    def __init__(self, device: Device, graph: Graph, source: None = None, tile: int = TILE, block_side: int = 0):
        self.tile = block_side or tile
        super().__init__(device, graph, KERNEL, ("pass1", "pass2", "pass3"), TILE=self.tile)
        self.iterations = blocks_over(graph.vertices, self.tile)

    def iterate(self, first: int, last: int) -> None:
        others = self.iterations - 1
        grids = {"pass1": (1,), "pass2": (others, 2), "pass3": (others, others)} if others else {"pass1": (1,)}
        block = (self.tile, self.tile)
        passes = [self.bind(name, grid, block, primary=np.int32(first)) for name, grid in grids.items()]
        for primary in range(first, last):
            step = np.int32(primary)
            for launch in passes:
                launch.set(primary=step)
                launch()
        self.counters["launches"] += len(passes) * (last - first)


VARIANT = PlanVariant(
    origin="katz_kider",
    plan=BlockedPlan,
    kernels=(KERNEL,),
    smallest={"tile": 4},
    parameters=PARAMETERS,
)
