"""Transitive closure, naive: a thread a pair, a launch a vertex; and the matrix that the other closures share."""

from pathlib import Path
from typing import Any

import numpy as np

from warpath.device import Device, Launch
from warpath.graphs.csr import Graph
from warpath.solvers.solver import Closure

from ...shared.grids import CellGrid
from ...shared.plan import Plan, PlanVariant

KERNEL = Path(__file__).with_suffix(".cu")
CELL_GRID = CellGrid()


def fill_starting_cells(graph: Graph, cells: np.ndarray) -> None:
    """Paths of at most one arc, shape (n, n): 1 for an arc and on the diagonal, 0 elsewhere."""
    cells.fill(0)
    cells[graph.tails(), graph.indices] = 1
    np.fill_diagonal(cells, 1)


class CellPlan(Plan[Graph]):
    """A matrix of shape (n, n), int32 as published, with 1 for a path; in pinned memory on the host.

    A subclass defines the iteration. The timed region includes copying the matrix both ways.
    """

    def __init__(self, device: Device, graph: Graph, kernel_file: Path, names: tuple[str, ...], **macros: int):
        super().__init__(device, graph)
        self.kernels = {name: device.kernel(kernel_file, name, macros) for name in names}
        self.host_cells = device.pinned((graph.vertices, graph.vertices), np.int32)

    def reset(self) -> None:
        fill_starting_cells(self.graph, self.host_cells)

    def upload(self) -> None:
        self.cells = self.device.upload(self.host_cells)

    def bind(self, name: str, grid: tuple[int, ...], block: tuple[int, ...], **step: Any) -> Launch:
        """A launch of a kernel over the matrix; ``step`` is an intermediate vertex or block."""
        return self.kernels[name].bind(grid, block, vertices=np.int32(self.graph.vertices), **step, cells=self.cells)

    def download(self) -> Closure:
        self.device.download(self.cells, self.host_cells)
        return Closure(self.host_cells)

    def on_device(self) -> Closure:
        return Closure(self.cells)

    def release(self) -> None:
        self.cells = None


class NaivePlan(CellPlan):
    """An iteration is one intermediate vertex."""

    def __init__(self, device: Device, graph: Graph, source: None = None, cell_grid: CellGrid = CELL_GRID):
        super().__init__(device, graph, KERNEL, ("join",))
        self.iterations = graph.vertices
        self.grid, self.block = cell_grid.over(graph.vertices, graph.vertices), cell_grid.block

    def iterate(self, first: int, last: int) -> None:
        join = self.bind("join", self.grid, self.block, k=np.int32(first))
        for k in range(first, last):
            join.set(k=np.int32(k))
            join()
        self.counters["launches"] += last - first


VARIANT = PlanVariant(
    origin="katz_kider",
    plan=NaivePlan,
    kernels=(KERNEL,),
    smallest={"cell_grid": CellGrid((8, 4), y_max=3)},
)
