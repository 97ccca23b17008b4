"""The kernels of pages.cu, launched for whole pages of the matrix."""

from pathlib import Path
from typing import Any

import numpy as np

from ...device import Device, Stream
from ...device.contract import Dimensions
from ...graphs.csr import Graph
from ..grids import CellGrid, blocks_over
from ..min_plus import TileShape

KERNEL = Path(__file__).with_name("pages.cu")


class PageKernels:
    """Passes over pages on one device. A page is two arrays of ``side`` x ``side``: lengths and intermediate vertices.

    ``rows``, ``columns`` and ``depth`` say how much of a page lies inside the matrix; ``first_vertex`` is the first
    vertex of the primary page. ``launches`` counts the launches.
    """

    def __init__(self, device: Device, graph: Graph, shape: TileShape, cell_grid: CellGrid):
        self.shape = shape
        self.cell_grid = cell_grid
        self.vertex_bits = shape.vertex_bits(graph)
        names = ("diagonal", "strips", "relax", "pad")
        self.kernels = {name: device.kernel(KERNEL, name, shape.macros(graph)) for name in names}
        self.unit = max(shape.output, shape.tile)  # a page's side is a multiple of it
        self.launches = 0

    def side_of(self, vertices: int) -> int:
        """The side of the smallest page that holds ``vertices`` rows."""
        return blocks_over(vertices, self.unit) * self.unit

    def stages(self, depth: int) -> int:
        """How many stages it takes to go through ``depth`` vertices."""
        return blocks_over(depth, self.shape.tile)

    def pad(self, lengths: Any, rows: int, columns: int, stream: Stream | None = None) -> None:
        """Make the cells outside the matrix UNREACHABLE."""
        side = len(lengths)
        if rows < side or columns < side:
            grid = self.cell_grid.over(side, side)
            self._launch("pad", grid, self.cell_grid.block, 0, stream, side, rows, columns, lengths)

    def close_stage(
        self, stage: int, lengths: Any, intermediates: Any, size: int, first_vertex: int, stream: Stream | None = None
    ) -> None:
        """One stage of pass 1 on the primary page, of which ``size`` rows and columns lie inside the matrix."""
        side, vertex, own = len(lengths), first_vertex + stage * self.shape.tile, (lengths, intermediates)
        self._launch("diagonal", (1,), self.shape.diagonal_block, 0, stream, side, stage, vertex, *own)
        others = self.stages(size) - 1
        if others:
            shared = self._slices_bytes(self.shape.tile)
            arguments = (side, stage, stage, 0, vertex, lengths, *own)
            self._launch("strips", (others, 2), self.shape.block, shared, stream, *arguments)
            self._relax_stages(stage, 1, lengths, lengths, own, size, size, vertex, stream)

    def close(
        self, lengths: Any, intermediates: Any, size: int, first_vertex: int, stream: Stream | None = None
    ) -> None:
        """Pass 1: all shortest paths within the primary page."""
        for stage in range(self.stages(size)):
            self.close_stage(stage, lengths, intermediates, size, first_vertex, stream)

    def close_row(
        self, closed: Any, page: tuple, depth: int, columns: int, first_vertex: int, stream: Stream | None = None
    ) -> None:
        """Pass 2 on a page in the primary page's row; ``closed`` are the primary page's lengths."""
        self._close_beside(0, closed, page, depth, columns, first_vertex, stream)

    def close_column(
        self, closed: Any, page: tuple, depth: int, rows: int, first_vertex: int, stream: Stream | None = None
    ) -> None:
        """Pass 2 on a page in the primary page's column."""
        self._close_beside(1, closed, page, depth, rows, first_vertex, stream)

    def _close_beside(
        self, kind: int, closed: Any, page: tuple, depth: int, extent: int, first_vertex: int, stream: Stream | None
    ) -> None:
        side, shared = len(closed), self._slices_bytes(self.shape.tile)
        tiles = self.stages(extent)
        nothing_skipped = tiles
        for stage in range(self.stages(depth)):
            vertex = first_vertex + stage * self.shape.tile
            arguments = (side, stage, nothing_skipped, kind, vertex, closed, *page)
            self._launch("strips", (tiles, 1), self.shape.block, shared, stream, *arguments)
            if kind == 0:
                self._relax_stages(stage, 1, closed, page[0], page, depth, extent, vertex, stream)
            else:
                self._relax_stages(stage, 1, page[0], closed, page, extent, depth, vertex, stream)

    def relax(
        self,
        to: Any,
        start: Any,
        page: tuple,
        depth: int,
        rows: int,
        columns: int,
        first_vertex: int,
        stream: Stream | None = None,
    ) -> None:
        """Pass 3 on any other page: ``to`` and ``start`` are the lengths of the pages in its row and its column."""
        stages = self.stages(depth)
        self._relax_stages(0, stages, to, start, page, rows, columns, first_vertex, stream)

    def _relax_stages(
        self,
        first: int,
        stages: int,
        to: Any,
        start: Any,
        page: tuple,
        rows: int,
        columns: int,
        vertex: int,
        stream: Stream | None,
    ) -> None:
        grid = (blocks_over(columns, self.shape.output), blocks_over(rows, self.shape.output))
        shared = self._slices_bytes(self.shape.output)
        self._launch("relax", grid, self.shape.block, shared, stream, len(to), first, stages, vertex, to, start, *page)

    def _launch(
        self, name: str, grid: Dimensions, block: Dimensions, shared_bytes: int, stream: Stream | None, *arguments: Any
    ) -> None:
        typed = [np.int32(argument) if isinstance(argument, int) else argument for argument in arguments]
        self.kernels[name](grid, block, typed, shared_mem=shared_bytes, stream=stream)
        self.launches += 1

    def _slices_bytes(self, width: int) -> int:
        return self.shape.slices_bytes(width, self.vertex_bits)
