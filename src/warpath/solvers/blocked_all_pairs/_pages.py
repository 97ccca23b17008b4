"""The matrix of all pairs in pages: how it is cut, how large a page may be, and the kernels for whole pages."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...device import Device, Stream
from ...device.contract import Dimensions
from ...errors import OutOfMemoryError, UsageError
from ...graphs.csr import Graph
from ..grids import CellGrid, TileShape, blocks_over

Page = tuple[int, int]
"""A page's row and column in the grid of pages."""
KERNEL = Path(__file__).with_name("pages.cu")
MEBIBYTE = 2**20
SLOTS = 3  # one page arrives, one is computed on, one leaves
ARRAYS_PER_SLOT = 3  # lengths, intermediate vertices, and lengths of the page in the same column and the primary row
OPERANDS = 2  # lengths of the primary page, or of pages in its column, two in turn
CELL_BYTES = 4


@dataclass(frozen=True)
class PageGrid:
    """A matrix of ``vertices`` x ``vertices`` cells in pages of ``side`` x ``side``; the last pages may be smaller."""

    vertices: int
    side: int

    @property
    def pages(self) -> int:
        """The number of pages in a row, and in a column."""
        return blocks_over(self.vertices, self.side)

    def first(self, number: int) -> int:
        """The first vertex of the rows, or columns, of page ``number``."""
        return number * self.side

    def size(self, number: int) -> int:
        """How many rows, or columns, of page ``number`` lie inside the matrix."""
        return min(self.side, self.vertices - self.first(number))

    def others(self, number: int) -> list[int]:
        """All numbers but ``number``."""
        return [other for other in range(self.pages) if other != number]

    def cells(self, matrix: np.ndarray, page: Page) -> np.ndarray:
        """The view of ``page`` in the whole matrix."""
        (top, rows), (left, columns) = ((self.first(number), self.size(number)) for number in page)
        return matrix[top : top + rows, left : left + columns]

    def inside(self, array: Any, page: Page) -> Any:
        """The part of ``array``, a whole page on a device, that lies inside the matrix."""
        return array[: self.size(page[0]), : self.size(page[1])]


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


def device_bytes(grid: PageGrid) -> int:
    """How much of a device's memory the pages of ``grid`` take; a single page takes two arrays."""
    arrays = SLOTS * ARRAYS_PER_SLOT + OPERANDS if grid.pages > 1 else 2
    return arrays * grid.side * grid.side * CELL_BYTES


def choose_grid(device: Device, vertices: int, pages: PageKernels, page_side: int, limit_bytes: int) -> PageGrid:
    """Pages of the side asked for, or else as large as the memory allows, and about equal; 0 stands for "not given".

    Raises UsageError where what was given leaves too little room for the pages of a pass, OutOfMemoryError where the
    device has too little.
    """
    free_bytes = device.memory_bytes()[0] * 15 // 16  # the rest allows for what allocation wastes
    allowed_bytes = min(free_bytes, limit_bytes or free_bytes)
    if page_side:
        grid = PageGrid(vertices, pages.side_of(min(page_side, vertices)))
    else:
        grid = _largest_pages(vertices, pages, allowed_bytes)
    needed_bytes = device_bytes(grid)
    # Resolving predecessors at the end needs room for whole columns in a slot.
    column_fits = grid.pages == 1 or ARRAYS_PER_SLOT * grid.side * grid.side >= vertices
    if needed_bytes <= allowed_bytes and column_fits:
        return grid
    given = [f"page_side {page_side}"] if page_side else []
    given += [f"device_memory_limit_mib {limit_bytes // MEBIBYTE}"] if limit_bytes else []
    where = " with ".join(given) or device.name
    if needed_bytes <= allowed_bytes:
        raise UsageError(f"{where}: a column of {vertices:,} vertices does not fit into three pages; make pages larger")
    error = UsageError if given else OutOfMemoryError
    raise error(
        f"{where}: pages of {grid.side:,} x {grid.side:,} cells need {needed_bytes:,} bytes of device memory, and "
        f"{allowed_bytes:,} may be used; make pages smaller or allow more"
    )


def _largest_pages(vertices: int, pages: PageKernels, allowed_bytes: int) -> PageGrid:
    """The whole matrix as one page, or else the fewest pages that fit; pages of one unit if not even those fit."""
    whole = PageGrid(vertices, pages.side_of(vertices))
    if device_bytes(whole) <= allowed_bytes:
        return whole
    side = pages.unit
    while device_bytes(PageGrid(2 * whole.side, side + pages.unit)) <= allowed_bytes:
        side += pages.unit
    return PageGrid(vertices, pages.side_of(blocks_over(vertices, PageGrid(vertices, side).pages)))
