"""How blocks share out parts, regions and the exchange between them: what does not depend on the weights."""

from pathlib import Path

import numpy as np

from ....errors import UsageError
from ...shared.grids import blocks_over
from ...shared.lengths import macros_of, words_of
from ._inboxes import Inboxes
from ._parts import Parts
from ._regions import Regions, regions_of

KERNEL = Path(__file__).with_name("borders.cu")
THREADS_MAX = 1024
VERTICES_PER_THREAD_MAX = 4
# A slice of a part's table, as in borders.cu, which a warp handles.
_SLICE = np.dtype([(name, np.int32) for name in ("inbox", "rows", "outside", "columns", "cell", "width", "relaxed")])
_ROWS = 128
_SLICES = (1, 32), (0, 32), (0, 128), (0, 512)
"""Whether rows are in shared memory, and columns of a slice, until all slices fit. Wider ones take less memory."""
_OUTBOX_BYTES = 4
_BLOCKS_MAX = 256  # as in agreement.cuh
_WARPS_MAX = 30  # besides the two warps that detect the end
_ROWS_AT_ONCE = 4  # rows that a block settles at once to fill a table, if its threads have registers for them
# Two such blocks run on a multiprocessor at the same time, also where they settle two rows at once.
_THREADS_OF_REGION, _ROWS_OF_REGION_AT_ONCE = 512, 2
_STATIC_SHARED_BYTES = 1024  # at least as much as a kernel has


class PartsLayout:
    """How kernels settle parts, which they hold in shared memory; made once, like ``Parts``.

    Kernels are compiled with ``macros`` and launched in blocks of ``block`` threads, with ``shared_bytes`` of shared
    memory for the distances of a part. A block of ``fill_table`` fills ``rows_at_once`` rows.
    """

    def __init__(self, parts: Parts, dtype: np.dtype):
        device, inboxes = parts.device, parts.inboxes
        if parts.vertices_max > VERTICES_PER_THREAD_MAX * THREADS_MAX:
            raise UsageError(
                f"in {parts.count:,} parts, one has {parts.vertices_max:,} vertices, more than "
                f"{VERTICES_PER_THREAD_MAX * THREADS_MAX:,}; more parts are smaller"
            )
        vertices_per_thread = blocks_over(parts.vertices_max, THREADS_MAX)
        self.block = (32 * blocks_over(blocks_over(parts.vertices_max, vertices_per_thread), 32),)
        self.macros = {"VERTICES_PER_THREAD": vertices_per_thread, **macros_of(dtype)}
        entries_max = int((np.diff(parts.host_first) + inboxes.widths).max())
        self.shared_bytes = dtype.itemsize * entries_max
        if self.shared_bytes > device.shared_memory_bytes:
            raise UsageError(
                f"in {parts.count:,} parts, one has {entries_max:,} vertices and neighbours, too many for "
                "the shared memory of a block; partition is for road networks and their like, label_correcting takes "
                "any graph"
            )
        self.inner_first = np.append(0, np.cumsum(inboxes.entered * np.diff(parts.host_first).astype(np.int64)))
        self.entered_max = int(inboxes.entered.max())
        registers = vertices_per_thread * words_of(dtype)
        self.rows_at_once = max(1, min(_ROWS_AT_ONCE // registers, device.shared_memory_bytes // self.shared_bytes))


class RegionsLayout:
    """How kernels settle ``regions``; see ``PartsLayout``."""

    def __init__(self, regions: Regions, dtype: np.dtype):
        self.regions = regions
        shared_memory_bytes = regions.inboxes.device.shared_memory_bytes - _STATIC_SHARED_BYTES
        self.macros = macros_of(dtype)
        self.block = (_THREADS_OF_REGION,)
        self.shared_bytes = dtype.itemsize * max(1, regions.entries_max + regions.inboxes_max)
        if self.shared_bytes > shared_memory_bytes:
            raise UsageError(
                f"in {regions.inboxes.count:,} regions, this graph has borders that need {self.shared_bytes:,} bytes "
                "of shared memory in a block, too many; label_correcting takes any graph"
            )
        self.rows_at_once = max(1, min(_ROWS_OF_REGION_AT_ONCE, shared_memory_bytes // self.shared_bytes))


class ExchangeLayout:
    """What each block of an exchange between ``inboxes`` has; made once.

    ``kernel`` is launched in ``blocks`` blocks of ``block`` threads, with ``shared_bytes`` of shared memory and the
    arguments ``of_slices``. If it ``waits``, all blocks run at the same time. ``relaxed_count`` counts the rows of all
    slices. If the rows of a block's parts fit into shared memory, a block has whole parts. Else slices are dealt, so
    that a part that is busy keeps many blocks busy.
    """

    def __init__(self, inboxes: Inboxes, dtype: np.dtype):
        device, itemsize = inboxes.device, dtype.itemsize
        for rows_in_shared, columns in _SLICES:
            slices, part = _slices_of(inboxes, columns)
            macros = {**macros_of(dtype), "ROWS_IN_SHARED": rows_in_shared, "COLUMNS_OF_SLICE": columns}
            self.kernel = device.kernel(KERNEL, "exchange", macros)
            resident = device.resident_blocks(self.kernel, (32 * (_WARPS_MAX + 2),))
            blocks = min(
                inboxes.count if rows_in_shared else len(part), _BLOCKS_MAX, resident if resident > 1 else _BLOCKS_MAX
            )
            if rows_in_shared:
                work = np.append(0, np.cumsum(inboxes.entered * inboxes.widths + 1))
                split = np.searchsorted(work, np.arange(blocks + 1) * work[-1] // blocks)
                split[0], split[-1] = 0, inboxes.count
                first = np.searchsorted(part, split)
            else:
                block = np.arange(len(part)) % blocks
                slices = slices[np.append(np.argsort(block, kind="stable"), len(part))]
                first = np.append(0, np.cumsum(np.bincount(block, minlength=blocks)))
            slices["relaxed"] = np.cumsum(slices["rows"]) - slices["rows"]
            counts = np.diff(first)
            lengths = np.diff(slices["relaxed"][first]) + columns * counts
            if rows_in_shared:
                lengths += np.diff(slices["cell"][first])
            self.block = (32 * (min(_WARPS_MAX, max(1, int(counts.max()))) + 2),)
            of_slice = _SLICE.itemsize + _OUTBOX_BYTES * columns
            self.shared_bytes = int((itemsize * lengths + of_slice * counts).max())
            fits = self.shared_bytes + _STATIC_SHARED_BYTES <= device.shared_memory_bytes
            resident_so = device.resident_blocks(self.kernel, self.block, self.shared_bytes)
            if fits and resident_so >= min(blocks, resident):
                break
        if not fits:
            raise UsageError(
                f"in {inboxes.count:,} parts or regions, this graph has borders that need {self.shared_bytes:,} bytes "
                "of shared memory in a block, too many; larger parts have fewer borders, and label_correcting takes "
                "any graph"
            )
        self.blocks, self.waits, self.relaxed_count = blocks, blocks <= resident_so, int(slices["relaxed"][-1])
        self.of_slices = {
            "slices_first": device.upload(first.astype(np.int32)),
            "slice_words": device.upload(slices.view(np.int32)),
        }


def _slices_of(inboxes: Inboxes, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """The tables in slices of at most ``columns`` columns, with an end, and the part of each slice."""
    across, down = -(-inboxes.widths // columns), -(-inboxes.entered // _ROWS)
    counts = across * down
    part = np.repeat(np.arange(inboxes.count), counts)
    in_part = np.arange(len(part)) - (np.cumsum(counts) - counts)[part]
    row, column = _ROWS * (in_part // across[part]), columns * (in_part % across[part])
    slices = np.zeros(len(part) + 1, _SLICE)
    of_parts = slices[:-1]
    of_parts["inbox"] = inboxes.host_first[part] + row
    of_parts["rows"] = np.minimum(_ROWS, inboxes.entered[part] - row)
    of_parts["outside"] = inboxes.host_outside_first[part] + column
    of_parts["columns"] = np.minimum(columns, inboxes.widths[part] - column)
    of_parts["cell"] = inboxes.cells_first[part] + row * inboxes.widths[part] + column
    of_parts["width"] = inboxes.widths[part]
    slices["cell"][-1] = inboxes.cells
    return slices, part


class Layout:
    """What tables and an exchange take from the arcs and the type of weights alone; made once, like ``Parts``.

    If parts are many, they have regions, and the exchange is between these; else it is between parts.
    """

    def __init__(self, parts: Parts, dtype: np.dtype):
        self.parts, self.dtype, self.of_parts = parts, dtype, PartsLayout(parts, dtype)
        regions = regions_of(parts)
        self.of_regions = RegionsLayout(regions, dtype) if regions else None
        self.inboxes = regions.inboxes if regions else parts.inboxes
        self.exchange = ExchangeLayout(self.inboxes, dtype)
