"""How large the pages of a matrix in host memory can be within the device memory that they may take."""

from ...device import Device
from ...errors import OutOfMemoryError, UsageError
from ..grids import blocks_over
from ._page_grid import PageGrid
from ._pages import PageKernels

MEBIBYTE = 2**20
SLOTS = 3  # one page arrives, one is computed on, one leaves
ARRAYS_PER_SLOT = 3  # lengths, intermediate vertices, and lengths of the page in the same column and the primary row
OPERANDS = 2  # lengths of the primary page, or of pages in its column, two in turn
CELL_BYTES = 4


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
