"""Blocked all pairs, several_devices: pages shared out among the GPUs of a machine, which pass on what others need."""

from functools import partial

import numpy as np

from ...device import Device, Event
from ...graphs.csr import Graph
from .. import dense
from ..parameters import Parameter
from ..plan import Plan, Solution
from ..registry import Variant
from .cells import RESOLVE, launch_resolve
from .page_grid import Page, PageGrid
from .pages import KERNEL, PageKernels
from .paths import grow_trees, trees_needed

PAGES_PER_DEVICE = 4  # a row of the grid, so that each device has about as many pages to do in every pass
FULL_SIDE = 2048  # smaller pages do not keep all multiprocessors of a GPU busy

PARAMETERS = {
    "devices": Parameter("GPUs to share the pages among", 1, 1, 64),
    "page_side": Parameter("rows of a page (if not given: four pages a device in a row, or one)", 0, 1),
}


class Share:
    """One device with its pages, a stream for all its work, and room for the pages of others that it needs.

    ``own`` maps a page to its lengths and intermediate vertices. ``row`` and ``column`` hold the lengths of the primary
    row and column, ``primary`` those of the primary page, all as they come from others.
    """

    def __init__(self, device: Device, graph: Graph, shape: dict[str, int]):
        self.device = device
        self.pages = PageKernels(device, graph, **shape)
        self.resolve = device.kernel(RESOLVE, "resolve")
        self.stream = device.stream()

    def allocate(self, own: list[Page], grid: PageGrid) -> None:
        """Make room; where the whole matrix is one page, there are no others."""
        square = (grid.side, grid.side)
        self.own = {page: tuple(self.device.empty(square, np.int32) for _ in range(2)) for page in own}
        self.row = self.column = self.primary = None
        if grid.pages > 1:
            self.row, self.column = (self.device.empty((grid.pages, *square), np.int32) for _ in range(2))
            self.primary = self.device.empty(square, np.int32)

    def drop(self) -> None:
        """Let go of what ``allocate`` made."""
        self.own = {}
        self.row = self.column = self.primary = None
        self.device.release()

    def fetch(self, source, target) -> None:
        """Enqueue copying an array; one of the two is on this device, the other there, on another or on the host."""
        self.device.copy(source, target, self.stream)

    def wait(self, events: list[Event]) -> None:
        for event in events:
            self.stream.wait(event)


class SeveralDevicesPlan(Plan):
    """Lengths and intermediate vertices on the devices from start to end; an iteration is one primary page.

    Page (i, j) lies on device i + j, modulo their number: so every row and every column of pages is spread over all
    devices, and each pass finds about as much work on each. The device of the primary page closes it (pass 1) and the
    others fetch it. Each closes its own pages in the primary row and column (pass 2), where they are. Then each fetches
    the closed ones of others, and relaxes all its other pages (pass 3). Only lengths travel: a cell that falls reads no
    other intermediate vertex. One process enqueues everything; devices wait for each other by events alone.
    """

    shape: dict[str, int] = {}  # noqa: RUF012 (tests replace it)

    def __init__(self, device: Device, graph: Graph, source: None = None, devices: int = 1, page_side: int = 0):
        super().__init__(device, graph)
        self.shares = [Share(peer, graph, self.shape) for peer in device.peers(devices)]
        pages_in_a_row = PAGES_PER_DEVICE * devices if devices > 1 else 1
        page_side = page_side or max(-(-graph.vertices // pages_in_a_row), FULL_SIDE)
        self.grid = PageGrid(graph.vertices, self.shares[0].pages.side_of(min(page_side, graph.vertices)))
        self.iterations = self.grid.pages
        self.host_lengths = device.pinned((graph.vertices, graph.vertices), np.int32)
        self.host_intermediates = device.pinned((graph.vertices, graph.vertices), np.int32)

    def share_of(self, page: Page) -> Share:
        """Where ``page`` lies."""
        return self.shares[sum(page) % len(self.shares)]

    def reset(self) -> None:
        dense.fill_starting_paths(self.graph, self.host_lengths, self.host_intermediates)

    def upload(self) -> None:
        everything = [(row, column) for row in range(self.grid.pages) for column in range(self.grid.pages)]
        for share in self.shares:
            share.allocate([page for page in everything if self.share_of(page) is share], self.grid)
            share.pages.launches = 0
        for page in everything:  # in turn, so that all devices have something to copy
            share = self.share_of(page)
            for array, matrix in zip(share.own[page], (self.host_lengths, self.host_intermediates), strict=True):
                share.fetch(self.grid.cells(matrix, page), self.grid.inside(array, page))
            lengths, _ = share.own[page]
            share.pages.pad(lengths, self.grid.size(page[0]), self.grid.size(page[1]), share.stream)
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
        owner.pages.close(*own, self.grid.size(primary), self.grid.first(primary), owner.stream)
        done = owner.stream.record()
        if self.grid.pages > 1:
            for share in self.shares:
                if share is not owner:
                    share.wait([done])
                    self._fetch(share, own[0], share.primary)

    def _pass2(self, primary: int) -> list[Event]:
        for share in self.shares:
            share.wait(self.gathered)  # others have fetched what lay here before
        page, depth, first_vertex = (primary, primary), self.grid.size(primary), self.grid.first(primary)
        # Device by device, all launches of one would wait in its queue before the next one got any.
        for other in self.grid.others(primary):
            for beside in ((primary, other), (other, primary)):
                share = self.share_of(beside)
                closed = share.own[page][0] if page in share.own else share.primary
                close = share.pages.close_row if beside[0] == primary else share.pages.close_column
                close(closed, share.own[beside], depth, self.grid.size(other), first_vertex, share.stream)
        return [share.stream.record() for share in self.shares]

    def _gather(self, share: Share, primary: int, closed: list[Event]) -> Event:
        share.wait(closed)
        for other in self.grid.others(primary):
            for page, room in (((primary, other), share.row), ((other, primary), share.column)):
                if page not in share.own:
                    self._fetch(share, self.share_of(page).own[page][0], room[other])
        return share.stream.record()

    def _pass3(self, share: Share, primary: int) -> None:
        depth, first_vertex = self.grid.size(primary), self.grid.first(primary)
        for (row, column), own in share.own.items():
            if primary in (row, column):
                continue
            to, start = share.own.get((row, primary)), share.own.get((primary, column))
            to, start = to[0] if to else share.column[row], start[0] if start else share.row[column]
            extents = self.grid.size(row), self.grid.size(column)
            share.pages.relax(to, start, own, depth, *extents, first_vertex, share.stream)

    def _fetch(self, share: Share, source, target) -> None:
        """Enqueue fetching an array from another device."""
        share.fetch(source, target)
        self.counters["peer_bytes"] += source.nbytes

    def finish(self) -> None:
        """Intermediate vertices into predecessors, which go to the host at once, a column of pages after the other."""
        if not trees_needed(self.graph):
            for column in range(self.grid.pages):
                self._resolve(column)
        self.synchronize()
        self.counters["launches"] += sum(share.pages.launches for share in self.shares)

    def _resolve(self, column: int) -> None:
        """Recursion stays within a column of the matrix, so one device gets all pages of the column."""
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
        launch_resolve(share.resolve, vertices, columns, side, span, share.stream)
        self.counters["launches"] += 1
        left = self.grid.first(column)
        share.fetch(span[:vertices, :columns], self.host_intermediates[:, left : left + columns])

    def download(self) -> Solution:
        for share in self.shares:
            for page, (lengths, _) in share.own.items():
                share.fetch(self.grid.inside(lengths, page), self.grid.cells(self.host_lengths, page))
        self.synchronize()
        if trees_needed(self.graph):
            grow_trees(self.graph, self.host_lengths, self.host_intermediates)
        return Solution(self.host_lengths, self.host_intermediates)

    def synchronize(self) -> None:
        """Wait for all devices."""
        for share in self.shares:
            share.stream.synchronize()

    def release(self) -> None:
        for share in self.shares:
            share.drop()


def plan(device: Device, graph: Graph, source: None = None, **settings: int) -> SeveralDevicesPlan:
    return SeveralDevicesPlan(device, graph, source, **settings)


VARIANT = Variant(
    problem="apsp",
    paper="katz_kider",
    summary="pages shared out among the GPUs of a machine, which pass on what others need",
    plan=plan,
    kernel=KERNEL,
    parameters=PARAMETERS,
)
