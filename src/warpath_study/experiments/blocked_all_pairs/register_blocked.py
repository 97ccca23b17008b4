"""Blocked all pairs, register_blocked: the three passes with output tiles in registers."""

import numpy as np

from warpath.device import Device
from warpath.graphs.csr import Graph

from ...published.shared.grids import CellGrid
from ...published.shared.matrices import CELL_GRID, RESOLVE, CellPlan, grow_trees
from ...published.shared.plan import PlanVariant
from ..tiles import DEFAULT_SHAPE, TileShape
from ._pages import KERNEL, PageGrid, PageKernels


class RegisterBlockedPlan(CellPlan):
    """The whole matrix as one page; an iteration is one stage of closing it."""

    def __init__(
        self,
        device: Device,
        graph: Graph,
        source: None = None,
        shape: TileShape = DEFAULT_SHAPE,
        cell_grid: CellGrid = CELL_GRID,
    ):
        super().__init__(device, graph, KERNEL, (), cell_grid)
        self.pages = PageKernels(device, graph, shape, cell_grid)
        self.side = self.pages.side_of(graph.vertices)
        self.pages.grid = PageGrid(graph.vertices, self.side)
        self.iterations = self.pages.stages(0)

    def upload(self) -> None:
        vertices = self.graph.vertices
        self.lengths = self.device.empty((self.side, self.side), np.int32)
        self.device.copy(self.host_lengths, self.lengths[:vertices, :vertices])
        self.intermediates = self.device.empty((self.side, self.side), np.int32)
        self.device.copy(self.host_intermediates, self.intermediates[:vertices, :vertices])
        self.pages.launches = 0
        self.pages.pad((0, 0), self.lengths)

    def iterate(self, first: int, last: int) -> None:
        self.pages.close(0, (self.lengths, self.intermediates), range(first, last))

    def finish(self) -> None:
        super().finish()
        self.counters["launches"] += self.pages.launches


VARIANT = PlanVariant(
    plan=RegisterBlockedPlan,
    kernels=(KERNEL, RESOLVE),
    compiled=(grow_trees,),
    # Eight cells, as by default: a thread has more than one group of four.
    smallest={"shape": TileShape(8, 2, 8), "cell_grid": CellGrid((8, 4), y_max=3)},
)
