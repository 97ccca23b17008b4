"""Blocked all pairs, out_of_core: pages of a matrix in host memory, copied to the device and back while it computes."""

from typing import Any

import numpy as np

from warpath.device import Device, Event, Stream
from warpath.graphs.csr import Graph
from warpath.solvers.variant import Parameter

from ...published.shared.grids import CellGrid
from ...published.shared.matrices import CELL_GRID, RESOLVE, PinnedMatrices, grow_trees, launch_resolve
from ...published.shared.plan import PlanVariant, Solution
from ...published.shared.predecessors import trees_needed
from ..tiles import DEFAULT_SHAPE, TileShape
from ._pages import (
    ARRAYS_PER_SLOT,
    KERNEL,
    MEBIBYTE,
    OPERANDS,
    SLOTS,
    Page,
    PageKernels,
    choose_grid,
    device_bytes,
)

PARAMETERS = {
    "page_side": Parameter("rows of a page (default: as many as the memory holds)", 0, 1),
    "device_memory_limit_mib": Parameter("mebibytes of device memory to use (default: all)", 0, 1, 2**40),
}


class Buffer:
    """Memory on the device for a page, and the events after which it may be overwritten."""

    def __init__(self, memory: Any) -> None:
        self.memory = memory
        self.free: list[Event] = []


class OutOfCorePlan(PinnedMatrices):
    """Lengths and intermediate vertices in pinned memory; an iteration is one primary page, in three passes over pages.

    Three streams copy pages to the device, compute on them, and copy them back. A page is fetched into a free slot
    after its last copy back has ended. Copies run while kernels compute on other pages, without a pause between passes.
    After each ``iterate`` the whole matrices are in host memory. The timed region contains the allocation on the device
    and all copies. ``finish`` turns intermediate vertices into predecessors, a span of columns at a time.
    """

    def __init__(
        self,
        device: Device,
        graph: Graph,
        source: None = None,
        page_side: int = 0,
        device_memory_limit_mib: int = 0,
        shape: TileShape = DEFAULT_SHAPE,
        cell_grid: CellGrid = CELL_GRID,
    ):
        super().__init__(device, graph)
        self.coming, self.computing, self.going = (device.stream() for _ in range(3))
        self.pages = PageKernels(device, graph, shape, cell_grid, self.computing)
        self.resolve = device.kernel(RESOLVE, "resolve")
        self.grid = choose_grid(device, graph.vertices, self.pages, page_side, device_memory_limit_mib * MEBIBYTE)
        self.pages.grid = self.grid
        self.iterations = self.grid.pages

    def upload(self) -> None:
        side, several = self.grid.side, self.grid.pages > 1
        slots, arrays, operands = (SLOTS, ARRAYS_PER_SLOT, OPERANDS) if several else (1, 1, 1)
        self.slots = [Buffer(self.device.empty((arrays, side, side), np.int32)) for _ in range(slots)]
        self.operands = [Buffer(self.device.empty((side, side), np.int32)) for _ in range(operands)]
        self.written: dict[Page, Event] = {}
        self.turn = 0
        self.pages.launches = 0
        self.counters["page_side"] = side
        self.counters["device_bytes"] = device_bytes(self.grid)
        self.counters["copied_bytes"] = 0

    def iterate(self, first: int, last: int) -> None:
        for primary in range(first, last):
            closed = self._pass1(primary)
            self._pass2(primary, closed)
            self._pass3(primary)
        self.synchronize()

    def _pass1(self, primary: int) -> Buffer:
        """Close the primary page. Its lengths stay in the returned buffer."""
        page = (primary, primary)
        closed, slot = self.operands[0], self._next_slot()
        self._bring(self.host_lengths, page, closed.memory, closed)
        intermediates = slot.memory[0]
        self._bring(self.host_intermediates, page, intermediates, slot)
        self._compute_after_arrival()
        self.pages.pad(page, closed.memory)
        self.pages.close(primary, (closed.memory, intermediates))
        self._return(page, closed.memory, intermediates)
        slot.free = closed.free = [self.written[page]]
        return closed

    def _pass2(self, primary: int, closed: Buffer) -> None:
        for other in self.grid.others(primary):
            for page in ((primary, other), (other, primary)):
                slot = self._next_slot()
                self._bring_page(page, slot)
                self.pages.close_neighbour(primary, closed.memory, page, self._own(slot))
                self._return_page(page, slot)
        closed.free = [*closed.free, self.computing.record()]

    def _pass3(self, primary: int) -> None:
        others = self.grid.others(primary)
        for number, row in enumerate(others):
            to = self.operands[number % OPERANDS]
            self._bring(self.host_lengths, (row, primary), to.memory, to)
            for position, column in enumerate(others):
                slot = self._next_slot()
                self._bring(self.host_lengths, (primary, column), slot.memory[2], slot)
                self._bring_page((row, column), slot)
                if position == 0:
                    self.pages.pad((row, primary), to.memory)
                self.pages.pad((primary, column), slot.memory[2])
                self.pages.relax(primary, to.memory, slot.memory[2], (row, column), self._own(slot))
                self._return_page((row, column), slot)
            to.free = [self.computing.record()]

    def _own(self, slot: Buffer) -> tuple[Any, Any]:
        """Lengths and intermediate vertices of the page in ``slot``."""
        return slot.memory[0], slot.memory[1]

    def _next_slot(self) -> Buffer:
        slot = self.slots[self.turn % len(self.slots)]
        self.turn += 1
        return slot

    def _bring_page(self, page: Page, slot: Buffer) -> None:
        """Lengths and intermediate vertices of ``page`` into ``slot``, ready to compute on."""
        self._bring(self.host_lengths, page, slot.memory[0], slot)
        self._bring(self.host_intermediates, page, slot.memory[1])
        self._compute_after_arrival()
        self.pages.pad(page, slot.memory[0])

    def _bring(self, matrix: np.ndarray, page: Page, array: Any, place: Buffer | None = None) -> None:
        """Enqueue copying a page to the device, once ``place`` is free and the page's last copy back has ended."""
        for event in [*(place.free if place else []), *([self.written[page]] if page in self.written else [])]:
            self.coming.wait(event)
        self._copy(self.grid.cells(matrix, page), self.grid.inside(array, page), self.coming)

    def _compute_after_arrival(self) -> None:
        self.computing.wait(self.coming.record())

    def _return_page(self, page: Page, slot: Buffer) -> None:
        self._return(page, *self._own(slot))
        slot.free = [self.written[page]]

    def _return(self, page: Page, lengths: Any, intermediates: Any) -> None:
        """Enqueue copying a page back, after the kernels that work on it."""
        self.going.wait(self.computing.record())
        for array, matrix in ((lengths, self.host_lengths), (intermediates, self.host_intermediates)):
            self._copy(self.grid.inside(array, page), self.grid.cells(matrix, page), self.going)
        self.written[page] = self.going.record()

    def _copy(self, source: Any, target: Any, stream: Stream) -> None:
        self.device.copy(source, target, stream)
        self.counters["copied_bytes"] += source.nbytes

    def finish(self) -> None:
        if not trees_needed(self.graph):
            self._resolve()
        self.synchronize()
        self.counters["launches"] += self.pages.launches

    def _resolve(self) -> None:
        """Turn intermediate vertices into predecessors, in whole columns, because recursion stays within a column."""
        vertices = self.graph.vertices
        cells = int(np.prod(self.slots[0].memory.shape))
        width = min(vertices, cells // vertices)
        width = width // 32 * 32 or width
        for left in range(0, vertices, width):
            columns = min(width, vertices - left)
            slot = self._next_slot()
            span = slot.memory.reshape(-1)[: vertices * columns].reshape(vertices, columns)
            for event in slot.free:
                self.coming.wait(event)
            self._copy(self.host_intermediates[:, left : left + columns], span, self.coming)
            self._compute_after_arrival()
            launch_resolve(self.resolve, self.pages.cell_grid, vertices, columns, columns, span, self.computing)
            self.counters["launches"] += 1
            self.going.wait(self.computing.record())
            self._copy(span, self.host_intermediates[:, left : left + columns], self.going)
            slot.free = [self.going.record()]

    def download(self) -> Solution:
        return self.answer()

    def synchronize(self) -> None:
        """Wait until all pages are in host memory."""
        for stream in (self.coming, self.computing, self.going):
            stream.synchronize()

    def release(self) -> None:
        self.slots, self.operands = [], []


VARIANT = PlanVariant(
    plan=OutOfCorePlan,
    host_rows=True,
    kernels=(KERNEL, RESOLVE),
    compiled=(grow_trees,),
    smallest={"page_side": 8, "shape": TileShape(8, 2, 4), "cell_grid": CellGrid((8, 4), y_max=3)},
    parameters=PARAMETERS,
)
