"""Plans of all pairs in two matrices on one device: copying them to it and back, and predecessors at the end.

Published ports use them, so what they do in the timed region stays as it is.
"""

from pathlib import Path
from typing import Any

import numpy as np

from ..device import Device, Kernel, Stream
from ..graphs.csr import Graph
from . import dense
from .cell_paths import grow_trees
from .grids import CellGrid
from .plan import Plan, Solution
from .tight_arcs import trees_needed

RESOLVE = Path(__file__).with_name("resolve.cu")
CELL_GRID = CellGrid()


class CellPlan(Plan[Graph]):
    """Lengths and intermediate vertices, shape (n, n), int32: in pinned memory before and after, on the device between.

    A subclass says what an iteration is. ``finish`` turns intermediate vertices into predecessors, within the timed
    region; where tight arcs can form a cycle, ``download`` grows trees from the lengths on the host instead.
    """

    def __init__(
        self,
        device: Device,
        graph: Graph,
        kernel_file: Path,
        names: tuple[str, ...],
        cell_grid: CellGrid = CELL_GRID,
        **macros: int,
    ):
        super().__init__(device, graph)
        self.cell_grid = cell_grid
        macros["NEGATIVE_WEIGHTS"] = int(graph.weight_min < 0)
        self.kernels = {name: device.kernel(kernel_file, name, macros) for name in names}
        self.resolve = device.kernel(RESOLVE, "resolve")
        self.host_lengths = device.pinned((graph.vertices, graph.vertices), np.int32)
        self.host_intermediates = device.pinned((graph.vertices, graph.vertices), np.int32)

    def reset(self) -> None:
        dense.fill_starting_paths(self.graph, self.host_lengths, self.host_intermediates)

    def upload(self) -> None:
        self.lengths = self.device.upload(self.host_lengths)
        self.intermediates = self.device.upload(self.host_intermediates)

    def launch(self, name: str, step: int, grid: tuple[int, ...], block: tuple[int, ...]) -> None:
        """Enqueue one kernel over the matrices, for one intermediate vertex or block."""
        arguments = (np.int32(self.graph.vertices), np.int32(step), self.lengths, self.intermediates)
        self.kernels[name](grid, block, arguments)
        self.counters["launches"] += 1

    def finish(self) -> None:
        if not trees_needed(self.graph):
            vertices, stride = self.graph.vertices, self.intermediates.shape[1]
            launch_resolve(self.resolve, self.cell_grid, vertices, vertices, stride, self.intermediates)
            self.counters["launches"] += 1

    def download(self) -> Solution:
        vertices = self.graph.vertices  # the device's matrices may be larger
        self.device.copy(self.lengths[:vertices, :vertices], self.host_lengths)
        self.device.copy(self.intermediates[:vertices, :vertices], self.host_intermediates)
        self.device.synchronize()
        if trees_needed(self.graph):
            grow_trees(self.graph, self.host_lengths, self.host_intermediates)
        return Solution(self.host_lengths, self.host_intermediates)

    def release(self) -> None:
        self.lengths = self.intermediates = None


def launch_resolve(
    kernel: Kernel,
    cell_grid: CellGrid,
    rows: int,
    columns: int,
    stride: int,
    intermediates: Any,
    stream: Stream | None = None,
) -> None:
    """Turn the first ``columns`` columns of intermediate vertices, all ``rows`` of them, into predecessors."""
    arguments = (np.int32(rows), np.int32(columns), np.int32(stride), intermediates)
    kernel(cell_grid.over(rows, columns), cell_grid.block, arguments, stream=stream)
