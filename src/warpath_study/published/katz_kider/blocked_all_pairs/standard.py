"""Blocked all pairs, standard: the baseline without blocks, a thread a pair, a launch a vertex."""

from pathlib import Path

import numpy as np

from warpath.device import Device
from warpath.graphs.csr import Graph

from ...shared.grids import CellGrid
from ...shared.matrices import CELL_GRID, RESOLVE, CellPlan, grow_trees
from ...shared.plan import PlanVariant

KERNEL = Path(__file__).with_suffix(".cu")


class StandardPlan(CellPlan):
    """An iteration is one intermediate vertex."""

    def __init__(self, device: Device, graph: Graph, source: None = None, cell_grid: CellGrid = CELL_GRID):
        super().__init__(device, graph, KERNEL, ("relax",), cell_grid)
        self.iterations = graph.vertices
        self.grid = cell_grid.over(graph.vertices, graph.vertices)

    def iterate(self, first: int, last: int) -> None:
        relax = self.bind("relax", self.grid, self.cell_grid.block, k=np.int32(first))
        for k in range(first, last):
            relax.set(k=np.int32(k))
            relax()
        self.counters["launches"] += last - first


VARIANT = PlanVariant(
    origin="katz_kider",
    plan=StandardPlan,
    kernels=(KERNEL, RESOLVE),
    compiled=(grow_trees,),
    smallest={"cell_grid": CellGrid((8, 4), y_max=3)},
)
