"""The matrix of all pairs in pages: the grid of pages, the size of a page, and the kernels for pages."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from warpath.device import Device, Launch, Stream
from warpath.device.contract import Dimensions
from warpath.errors import OutOfMemoryError, UsageError
from warpath.graphs.csr import Graph

from ...published.shared.grids import CellGrid, blocks_over
from ..tiles import WORD_BYTES, TileShape

Page = tuple[int, int]
"""A page's row and column in the grid of pages."""
KERNEL = Path(__file__).with_name("pages.cu")
MEBIBYTE = 2**20
SLOTS = 3  # for the pages that arrive, are computed on, and leave
ARRAYS_PER_SLOT = 3  # lengths, intermediate vertices, and lengths of the page in the same column and the primary row
OPERANDS = 2  # lengths of the primary page, or of pages in its column, two in turn
_NO_STEP = {"tile": np.int32(0), "first_vertex": np.int32(0)}  # a stage's arguments, until they are set


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
        """The number of rows, or columns, of page ``number`` inside the matrix."""
        return min(self.side, self.vertices - self.first(number))

    def others(self, number: int) -> list[int]:
        return [other for other in range(self.pages) if other != number]

    def cells(self, matrix: np.ndarray, page: Page) -> np.ndarray:
        (top, rows), (left, columns) = ((self.first(number), self.size(number)) for number in page)
        return matrix[top : top + rows, left : left + columns]

    def inside(self, array: Any, page: Page) -> Any:
        """The part of ``array``, a whole page on a device, inside the matrix."""
        return array[: self.size(page[0]), : self.size(page[1])]


class PageKernels:
    """Passes over pages on one device, in one stream. A page has two arrays: lengths and intermediate vertices.

    Set ``grid`` before the first pass. ``launches`` counts the launches.
    """

    grid: PageGrid

    def __init__(
        self, device: Device, graph: Graph, shape: TileShape, cell_grid: CellGrid, stream: Stream | None = None
    ):
        self.shape, self.cell_grid, self.stream = shape, cell_grid, stream
        self.vertex_bits = shape.vertex_bits(graph)
        names = ("diagonal", "strips", "relax", "pad")
        self.kernels = {name: device.kernel(KERNEL, name, shape.macros(graph)) for name in names}
        self.unit = max(shape.output, shape.tile)  # the side of a page is a multiple
        self._strips_bytes, self._relax_bytes = (
            shape.slices_bytes(width, self.vertex_bits) for width in (shape.tile, shape.output)
        )
        self.launches = 0

    def side_of(self, vertices: int) -> int:
        """The side of the smallest page that holds ``vertices`` rows."""
        return blocks_over(vertices, self.unit) * self.unit

    def stages(self, number: int) -> int:
        """The number of stages for the vertices of page ``number`` of a row or column."""
        return blocks_over(self.grid.size(number), self.shape.tile)

    def pad(self, page: Page, lengths: Any) -> None:
        """Make the cells of ``page`` outside the matrix UNREACHABLE."""
        side, rows, columns = self.grid.side, self.grid.size(page[0]), self.grid.size(page[1])
        if rows < side or columns < side:
            blocks = self.cell_grid.over(side, side)
            sizes = {"rows": np.int32(rows), "columns": np.int32(columns)}
            self._bind("pad", blocks, self.cell_grid.block, 0, **sizes, lengths=lengths)()
            self.launches += 1

    def close(self, primary: int, own: tuple, stages: range | None = None) -> None:
        """Pass 1: all shortest paths within the primary page, or only ``stages`` of it."""
        count = self.stages(primary)
        diagonal = self._diagonal(own)
        if count > 1:
            strips = self._strips((count - 1, 2), 0, 0, own[0], own)
            relax = self._relax_stages(self._blocks((primary, primary)), 1, own[0], own[0], own)
        for stage in range(count) if stages is None else stages:
            step = self._step(primary, stage)
            self._launch(diagonal, **step)
            if count > 1:
                self._launch(strips, skipped=step["tile"], **step)
                self._launch(relax, **step)

    def close_neighbour(self, primary: int, closed: Any, page: Page, own: tuple) -> None:
        """Pass 2 on ``page``, in the primary page's row or column; ``closed`` are the primary page's lengths."""
        in_column = int(page[1] == primary)
        tiles = self.stages(page[1 - in_column])
        to, start = (own[0], closed) if in_column else (closed, own[0])
        no_tile = tiles
        strips = self._strips((tiles, 1), no_tile, in_column, closed, own)
        relax = self._relax_stages(self._blocks(page), 1, to, start, own)
        for stage in range(self.stages(primary)):
            step = self._step(primary, stage)
            self._launch(strips, **step)
            self._launch(relax, **step)

    def relax(self, primary: int, to: Any, start: Any, page: Page, own: tuple) -> None:
        """Pass 3 on any other page: ``to`` and ``start`` are the lengths of the pages in its row and its column."""
        relax = self._relax_stages(self._blocks(page), self.stages(primary), to, start, own)
        self._launch(relax, **self._step(primary, 0))

    def _blocks(self, page: Page) -> Dimensions:
        """The grid of a launch that relaxes ``page``."""
        return tuple(blocks_over(self.grid.size(number), self.shape.output) for number in page[::-1])

    def _diagonal(self, own: tuple) -> Launch:
        return self._bind("diagonal", (1,), self.shape.diagonal_block, 0, **_NO_STEP, **_of(own))

    def _strips(self, blocks: Dimensions, skipped: int, first_kind: int, closed: Any, own: tuple) -> Launch:
        return self._bind(
            "strips",
            blocks,
            self.shape.block,
            self._strips_bytes,
            **_NO_STEP,
            skipped=np.int32(skipped),
            first_kind=np.int32(first_kind),
            closed=closed,
            **_of(own),
        )

    def _relax_stages(self, blocks: Dimensions, stages: int, to: Any, start: Any, own: tuple) -> Launch:
        pages = {"to": to, "from": start}
        return self._bind(
            "relax",
            blocks,
            self.shape.block,
            self._relax_bytes,
            **_NO_STEP,
            stages=np.int32(stages),
            **pages,
            **_of(own),
        )

    def _step(self, primary: int, stage: int) -> dict[str, np.int32]:
        """The arguments of a stage."""
        return {
            "tile": np.int32(stage),
            "first_vertex": np.int32(self.grid.first(primary) + stage * self.shape.tile),
        }

    def _bind(self, name: str, blocks: Dimensions, block: Dimensions, shared_bytes: int, **arguments: Any) -> Launch:
        side = np.int32(self.grid.side)
        return self.kernels[name].bind(
            blocks, block, shared_mem=shared_bytes, stream=self.stream, side=side, **arguments
        )

    def _launch(self, launch: Launch, **arguments: Any) -> None:
        launch.set(**arguments)
        launch()
        self.launches += 1


def _of(own: tuple) -> dict[str, Any]:
    """The arguments of a page."""
    return dict(zip(("lengths", "intermediates"), own, strict=True))


def device_bytes(grid: PageGrid) -> int:
    """The memory on a device for the pages of ``grid``; a single page has two arrays."""
    arrays = SLOTS * ARRAYS_PER_SLOT + OPERANDS if grid.pages > 1 else 2
    return arrays * grid.side * grid.side * WORD_BYTES


def choose_grid(device: Device, vertices: int, pages: PageKernels, page_side: int, limit_bytes: int) -> PageGrid:
    """Pages of ``page_side``, or as few of about equal size as the memory allows. 0 means "not given".

    Raises UsageError if a given value leaves too little memory for a pass, and OutOfMemoryError if the device has too
    little.
    """
    free_bytes = device.memory_bytes()[0] * 15 // 16  # the rest is for the overhead of allocation
    allowed_bytes = min(free_bytes, limit_bytes or free_bytes)
    grid, count = PageGrid(vertices, pages.side_of(min(page_side or vertices, vertices))), 1
    while not page_side and device_bytes(grid) > allowed_bytes and grid.side > pages.unit:
        count += 1
        grid = PageGrid(vertices, pages.side_of(blocks_over(vertices, count)))
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
