"""Blocked all pairs, blocked: three passes over 32 x 32 blocks in shared memory, on grids without idle blocks."""

from pathlib import Path

from ...device import Device
from ...graphs.csr import Graph
from ..registry import Variant
from .cells import CellPlan

KERNEL = Path(__file__).with_suffix(".cu")


class BlockedPlan(CellPlan):
    """An iteration is one primary block of the diagonal, in three passes."""

    tile = 32

    def __init__(self, device: Device, graph: Graph, source: None = None):
        super().__init__(device, graph, KERNEL, ("pass1", "pass2", "pass3"), TILE=self.tile)
        self.iterations = -(-graph.vertices // self.tile)

    def iterate(self, first: int, last: int) -> None:
        others = self.iterations - 1
        block = (self.tile, self.tile)
        for primary in range(first, last):
            self.launch("pass1", primary, (1,), block)
            if others:
                self.launch("pass2", primary, (others, 2), block)
                self.launch("pass3", primary, (others, others), block)


VARIANT = Variant(
    problem="apsp",
    paper="katz_kider",
    summary="three passes over 32 x 32 blocks in shared memory, on grids without idle blocks",
    plan=BlockedPlan,
    kernel=KERNEL,
)
