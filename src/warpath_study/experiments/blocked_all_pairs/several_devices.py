"""Blocked all pairs, several_devices: the GPUs of a machine share the pages, and fetch lengths from each other."""

from functools import partial
from typing import Any

import numpy as np

from warpath.device import Device, Event
from warpath.graphs.csr import Graph
from warpath.solvers.variant import Parameter

from ...published.shared.grids import CellGrid, blocks_over
from ...published.shared.matrices import CELL_GRID, RESOLVE, PinnedMatrices, grow_trees, launch_resolve
from ...published.shared.plan import PlanVariant, Solution
from ...published.shared.predecessors import trees_needed
from ..tiles import DEFAULT_SHAPE, TileShape
from ._pages import KERNEL, Page, PageGrid, PageKernels

PAGES_PER_DEVICE = 4  # in a row of the grid, so that every pass has about as many pages for each device
FULL_SIDE = 2048  # smaller pages do not keep all multiprocessors of a GPU busy

PARAMETERS = {
    "devices": Parameter("GPUs to share the pages among", 1, 1, 64),
    "page_side": Parameter("rows of a page (default: four pages a device in a row; one page on one device)", 0, 1),
}


class Share:
    """One device with its pages, a stream for all its work, and buffers for pages of other devices.

    ``own`` maps a page to its lengths and intermediate vertices. ``row``, ``column`` and ``primary`` are buffers for
    the lengths of the primary row, the primary column and the primary page, if these belong to other devices.
    """

    own: dict[Page, tuple[Any, Any]]
    row: Any
    column: Any
    primary: Any

    def __init__(self, device: Device, graph: Graph, shape: TileShape, cell_grid: CellGrid):
        self.device = device
        self.stream = device.stream()
        self.pages = PageKernels(device, graph, shape, cell_grid, self.stream)
        self.resolve = device.kernel(RESOLVE, "resolve")

    def allocate(self, own: list[Page], grid: PageGrid) -> None:
        """Allocate the pages ``own`` and, if there are others, buffers for fetched pages."""
        square, empty = (grid.side, grid.side), partial(self.device.empty, dtype=np.int32)
        self.own = {page: (empty(square), empty(square)) for page in own}
        self.row = self.column = self.primary = None
        if grid.pages > 1:
            self.row, self.column = (empty((grid.pages, *square)) for _ in range(2))
            self.primary = empty(square)

    def drop(self) -> None:
        self.own = {}
        self.row = self.column = self.primary = None
        self.device.release()

    def fetch(self, source: Any, target: Any) -> None:
        """Enqueue copying an array from or to this device."""
        self.device.copy(source, target, self.stream)

    def wait(self, events: list[Event]) -> None:
        for event in events:
            self.stream.wait(event)


class SeveralDevicesPlan(PinnedMatrices):
    """Lengths and intermediate vertices stay on the devices; an iteration is one primary page.

    Page (i, j) is on device i + j, modulo the number of devices. So each row and column of pages is spread over all
    devices, which have about equal work in each pass. The device of the primary page closes it (pass 1), and the others
    fetch it. Each device closes its own pages in the primary row and column (pass 2), fetches those of other devices,
    and relaxes its other pages (pass 3). Devices fetch lengths only, because a relaxation reads no intermediate
    vertices of other cells. One process enqueues all work, and devices wait for each other by events.
    """

    def __init__(
        self,
        device: Device,
        graph: Graph,
        source: None = None,
        devices: int = 1,
        page_side: int = 0,
        shape: TileShape = DEFAULT_SHAPE,
        cell_grid: CellGrid = CELL_GRID,
    ):
        super().__init__(device, graph)
        self.shares = [Share(peer, graph, shape, cell_grid) for peer in device.peers(devices)]
        pages_in_a_row = PAGES_PER_DEVICE * devices if devices > 1 else 1
        page_side = page_side or max(blocks_over(graph.vertices, pages_in_a_row), FULL_SIDE)
        self.grid = PageGrid(graph.vertices, self.shares[0].pages.side_of(min(page_side, graph.vertices)))
        for share in self.shares:
            share.pages.grid = self.grid
        self.iterations = self.grid.pages

    def share_of(self, page: Page) -> Share:
        return self.shares[sum(page) % len(self.shares)]

    def upload(self) -> None:
        everything = [(row, column) for row in range(self.grid.pages) for column in range(self.grid.pages)]
        for share in self.shares:
            share.allocate([page for page in everything if self.share_of(page) is share], self.grid)
            share.pages.launches = 0
        for page in everything:  # in this order, all devices copy at the same time
            share = self.share_of(page)
            for array, matrix in zip(share.own[page], (self.host_lengths, self.host_intermediates), strict=True):
                share.fetch(self.grid.cells(matrix, page), self.grid.inside(array, page))
            lengths, _ = share.own[page]
            share.pages.pad(page, lengths)
        self.gathered: list[Event] = []
        self.counters["devices"] = len(self.shares)
        self.counters["page_side"] = self.grid.side
        self.counters["peer_bytes"] = 0

    def iterate(self, first: int, last: int) -> None:
        for primary in range(first, last):
            self._pass1(primary)
            closed = self._pass2(primary)
            self.gathered = [self._gather(share, primary, closed) for share in self.shares]
            for share in self.shares:
                self._pass3(share, primary)
        self.synchronize()

    def _pass1(self, primary: int) -> None:
        page = (primary, primary)
        owner = self.share_of(page)
        own = owner.own[page]
        owner.pages.close(primary, own)
        done = owner.stream.record()
        if self.grid.pages > 1:
            for share in self.shares:
                if share is not owner:
                    share.wait([done])
                    self._fetch(share, own[0], share.primary)

    def _pass2(self, primary: int) -> list[Event]:
        for share in self.shares:
            share.wait(self.gathered)  # until the others have fetched what this pass overwrites
        page = (primary, primary)
        # Page by page. Device by device, the second would get its first launch after all launches of the first.
        for other in self.grid.others(primary):
            for neighbour in ((primary, other), (other, primary)):
                share = self.share_of(neighbour)
                closed = share.own[page][0] if page in share.own else share.primary
                share.pages.close_neighbour(primary, closed, neighbour, share.own[neighbour])
        return [share.stream.record() for share in self.shares]

    def _gather(self, share: Share, primary: int, closed: list[Event]) -> Event:
        share.wait(closed)
        for other in self.grid.others(primary):
            for page, buffers in (((primary, other), share.row), ((other, primary), share.column)):
                if page not in share.own:
                    self._fetch(share, self.share_of(page).own[page][0], buffers[other])
        return share.stream.record()

    def _pass3(self, share: Share, primary: int) -> None:
        for (row, column), own in share.own.items():
            if primary in (row, column):
                continue
            to, start = share.own.get((row, primary)), share.own.get((primary, column))
            to, start = to[0] if to else share.column[row], start[0] if start else share.row[column]
            share.pages.relax(primary, to, start, (row, column), own)

    def _fetch(self, share: Share, source: Any, target: Any) -> None:
        share.fetch(source, target)
        self.counters["peer_bytes"] += source.nbytes

    def finish(self) -> None:
        """Turn intermediate vertices into predecessors and copy them to the host, column of pages by column."""
        self.synchronize()  # devices read each other's pages; without an iteration, these may not be there yet
        if not trees_needed(self.graph):
            for column in range(self.grid.pages):
                self._resolve(column)
        self.synchronize()
        self.counters["launches"] += sum(share.pages.launches for share in self.shares)

    def _resolve(self, column: int) -> None:
        """One device fetches all pages of the column, because recursion stays in a column of the matrix."""
        share = self.shares[column % len(self.shares)]
        vertices, side, columns = self.graph.vertices, self.grid.side, self.grid.size(column)
        if self.grid.pages == 1:
            _, span = share.own[0, 0]
        else:
            for row in range(self.grid.pages):
                page = (row, column)
                fetch = share.fetch if page in share.own else partial(self._fetch, share)
                fetch(self.share_of(page).own[page][1], share.column[row])
            span = share.column.reshape(-1, side)
        launch_resolve(share.resolve, share.pages.cell_grid, vertices, columns, side, span, share.stream)
        self.counters["launches"] += 1
        left = self.grid.first(column)
        share.fetch(span[:vertices, :columns], self.host_intermediates[:, left : left + columns])

    def download(self) -> Solution:
        for share in self.shares:
            for page, (lengths, _) in share.own.items():
                share.fetch(self.grid.inside(lengths, page), self.grid.cells(self.host_lengths, page))
        self.synchronize()
        return self.answer()

    def synchronize(self) -> None:
        for share in self.shares:
            share.stream.synchronize()

    def release(self) -> None:
        for share in self.shares:
            share.drop()


VARIANT = PlanVariant(
    plan=SeveralDevicesPlan,
    host_rows=True,
    kernels=(KERNEL, RESOLVE),
    compiled=(grow_trees,),
    smallest={"page_side": 8, "shape": TileShape(8, 2, 4), "cell_grid": CellGrid((8, 4), y_max=3)},
    parameters=PARAMETERS,
)
