"""The exchange between parts: which block has which, the launch, and what it left behind."""

from pathlib import Path
from typing import Any

import numpy as np

from ...device import Device, Launch
from ...distances import UNREACHABLE
from ._border_table import BorderTable

KERNEL = Path(__file__).with_name("borders.cu")
_COLUMNS = 32  # of a slice of a part's table: what a warp sees to
_BLOCKS_MAX = 256  # as in agreement.cuh
_WARPS_MAX = 30  # beside the two that see to the end
_STATIC_SHARED_BYTES = 1024  # at least as much as the kernel has
_PATIENCE = 1 << 16
"""For so many questions, some tens of milliseconds, a quiet block waits for messages. Blocks that run one after another
wait for one: the others run only after it has left."""


class Exchange:
    """Distances travel from border to border, through ``reached``, shape (n,), by new number, until none falls.

    ``reached`` is UNREACHABLE everywhere before a solve, and again after the parts have been finished.
    """

    def __init__(self, device: Device, table: BorderTable, questions_max: int):
        self.device, cut = device, table.parts
        slices = -(-table.widths // _COLUMNS) * (cut.entered > 0)  # of each part
        slices_before = np.append(0, np.cumsum(slices))
        part = np.repeat(np.arange(cut.count), slices)
        column = _COLUMNS * (np.arange(len(part)) - slices_before[part])
        relaxed_first = np.append(0, np.cumsum(slices * cut.entered))
        split, kernel, block, shared_bytes = self._split(table, slices_before, relaxed_first)
        blocks = len(split) - 1
        waits = blocks <= device.resident_blocks(kernel, block, shared_bytes)

        def filled(count: int) -> Any:
            return device.upload(np.full(max(1, count), UNREACHABLE, np.int32))

        def uploaded(array: np.ndarray) -> Any:
            return device.upload(array.astype(np.int32))

        self.reached, self.relaxed_with = filled(cut.graph.vertices), filled(relaxed_first[-1])
        self.relaxed_first = uploaded(relaxed_first)
        of_slices = tuple(map(uploaded, (slices_before[split], part, column)))
        of_parts = (table.first, table.entered, table.outside_first, table.outside, table.row_first, table.cells)
        published, finished = device.upload(np.zeros(blocks, np.uint64)), device.upload(np.zeros(1, np.int32))
        limits = (np.int32(_PATIENCE if waits else 1), np.int32(questions_max))
        of_blocks = (self.relaxed_first, self.reached, self.relaxed_with, published, finished)
        self.arguments = (np.int32(0), *limits, *of_slices, *of_parts, *of_blocks)
        self.kernel, self.shape = kernel, ((blocks,), block, shared_bytes)
        self.number = np.int32(0)
        self.clean = True

    def _split(self, table: BorderTable, slices_before: np.ndarray, relaxed_first: np.ndarray) -> tuple[Any, ...]:
        """The first part of each block, and one more; the kernel, its block, and its shared memory in bytes.

        The rows of the table lie in shared memory where they fit.
        """
        cut, device = table.parts, self.device
        work = np.append(0, np.cumsum(cut.entered * table.widths + 1))
        for rows_in_shared in (1, 0):
            kernel = device.kernel(KERNEL, "exchange", {**table.macros, "ROWS_IN_SHARED": rows_in_shared})
            together = device.resident_blocks(kernel, (32 * (_WARPS_MAX + 2),))
            blocks = min(cut.count, _BLOCKS_MAX, together if together > 1 else _BLOCKS_MAX)
            split = np.searchsorted(work, np.arange(blocks + 1) * work[-1] // blocks)
            split[0], split[-1] = 0, cut.count
            slices = np.diff(slices_before[split])
            words = np.diff(relaxed_first[split]) + _COLUMNS * slices
            if rows_in_shared:
                words += np.diff(table.cells_first[split])
            warps = min(_WARPS_MAX, max(1, int(slices.max())))
            block, shared_bytes = (32 * (warps + 2),), 4 * int(words.max())
            fits = shared_bytes + _STATIC_SHARED_BYTES <= device.shared_memory_bytes
            if fits and device.resident_blocks(kernel, block, shared_bytes) >= min(blocks, together):
                break
        return split, kernel, block, shared_bytes

    def bind(self, state: Any) -> Launch:
        """The launch, which sets words of ``state``. Its first argument has to become ``next_number()`` each time."""
        grid, block, shared_bytes = self.shape
        return self.kernel.bind(grid, block, (*self.arguments, state), shared_bytes)

    def next_number(self) -> np.int32:
        """Launches are numbered, so that what an earlier one left behind cannot be taken for news."""
        self.number = np.int32(self.number + 1)
        return self.number

    def begin(self) -> None:
        """Make ready for a solve, also after one that was broken off."""
        if not self.clean:
            for array in (self.reached, self.relaxed_with):
                array.fill(UNREACHABLE)
        self.clean = False  # until the parts have been finished
