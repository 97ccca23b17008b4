"""Transitive closure, naive: a thread a pair, a launch a vertex."""

from pathlib import Path

from warpath.device import Device
from warpath.graphs.csr import Graph
from warpath.solvers.grids import CellGrid
from warpath.solvers.registry import Variant

from ._reachability import CellPlan

KERNEL = Path(__file__).with_suffix(".cu")
CELL_GRID = CellGrid()


class NaivePlan(CellPlan):
    """An iteration is one intermediate vertex."""

    def __init__(self, device: Device, graph: Graph, source: None = None, cell_grid: CellGrid = CELL_GRID):
        super().__init__(device, graph, KERNEL, ("join",))
        self.iterations = graph.vertices
        self.grid, self.block = cell_grid.over(graph.vertices, graph.vertices), cell_grid.block

    def iterate(self, first: int, last: int) -> None:
        for k in range(first, last):
            self.launch("join", k, self.grid, self.block)


VARIANT = Variant(
    problem="closure",
    origin="katz_kider",
    summary="a thread a pair, a launch a vertex",
    plan=NaivePlan,
    kernels=(KERNEL,),
    smallest={"cell_grid": CellGrid((8, 4), y_max=3)},
)
