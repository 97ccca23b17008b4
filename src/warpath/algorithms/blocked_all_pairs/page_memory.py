"""How large the pages of a matrix in host memory can be, for the device memory that they may take."""

from ...device import Device
from ...errors import OutOfMemoryError, UsageError
from .page_grid import PageGrid
from .pages import PageKernels

MEBIBYTE = 2**20
SLOTS = 3  # a page comes, a page is computed on, a page goes
ARRAYS_PER_SLOT = 3  # lengths, intermediate vertices, and the lengths of the page above or below in the primary row
OPERANDS = 2  # lengths of the primary page, and of pages in its column
CELL_BYTES = 4


def device_bytes(grid: PageGrid) -> int:
    """What the pages of ``grid`` take of a device's memory: a page's two arrays if it is the only one."""
    arrays = SLOTS * ARRAYS_PER_SLOT + OPERANDS if grid.pages > 1 else 2
    return arrays * grid.side * grid.side * CELL_BYTES


def choose_grid(device: Device, vertices: int, pages: PageKernels, page_side: int, limit_bytes: int) -> PageGrid:
    """Pages as asked for, or else as large as the memory allows and as equal as they get; 0 stands for "not given".

    Raises UsageError where what was given leaves no room for the pages that a pass needs, OutOfMemoryError where the
    device has none.
    """
    free_bytes = device.memory_bytes()[0] * 15 // 16  # the rest is for what allocation loses
    allowed_bytes = min(free_bytes, limit_bytes or free_bytes)
    if page_side:
        grid = PageGrid(vertices, pages.side_of(min(page_side, vertices)))
    else:
        grid = _largest_pages(vertices, pages, allowed_bytes)
    needed_bytes = device_bytes(grid)
    # In the end whole columns have to fit into a slot.
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
    """The whole matrix as one page, or the fewest pages that fit; of one unit where not even these do."""
    whole = PageGrid(vertices, pages.side_of(vertices))
    if device_bytes(whole) <= allowed_bytes:
        return whole
    side = pages.unit
    while device_bytes(PageGrid(2 * whole.side, side + pages.unit)) <= allowed_bytes:
        side += pages.unit
    return PageGrid(vertices, pages.side_of(-(-vertices // PageGrid(vertices, side).pages)))
