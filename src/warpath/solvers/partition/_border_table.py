"""What lies between the borders of each part: a table of distances, made on the device once a graph."""

import weakref
from pathlib import Path
from time import perf_counter

import numpy as np

from ...device import Device
from ...errors import UsageError
from ...graphs.csr import Graph
from ..grids import blocks_over
from ._parts import Parts, parts_of

KERNEL = Path(__file__).with_name("borders.cu")
THREADS_MAX = 1024
VERTICES_PER_THREAD_MAX = 4
_CELLS_MAX = 2**30


class BorderTable:
    """Parts on a device, and the table: rows are vertices that are entered, columns the part's outside neighbours.

    A cell holds the length of the shortest path from the one to the other whose vertices between lie in the part. Row
    r of part p begins at ``cells_first[p] + r * widths[p]``. ``arcs`` are the arcs of all parts, as kernels take them
    that ``macros`` compile, in blocks of ``block`` threads with ``shared_bytes`` for the distances of a part.
    """

    def __init__(self, device: Device, parts: Parts):
        self.device, self.parts = device, parts
        self.widths = np.diff(parts.outside_first).astype(np.int64)
        cells = parts.entered * self.widths
        if cells.sum() > _CELLS_MAX:
            raise UsageError(
                f"in {parts.count:,} parts, this graph has {parts.cut_arcs:,} arcs between them, too many for a table "
                "of distances; partition is for road networks and their like, label_correcting takes any graph"
            )
        if parts.vertices_max > VERTICES_PER_THREAD_MAX * THREADS_MAX:
            raise UsageError(
                f"in {parts.count:,} parts, one has {parts.vertices_max:,} vertices, more than "
                f"{VERTICES_PER_THREAD_MAX * THREADS_MAX:,}; more parts are smaller"
            )
        vertices_per_thread = blocks_over(parts.vertices_max, THREADS_MAX)
        self.block = (32 * blocks_over(blocks_over(parts.vertices_max, vertices_per_thread), 32),)
        self.macros = {"VERTICES_PER_THREAD": vertices_per_thread}
        self.shared_bytes = 4 * int((np.diff(parts.first) + self.widths).max())
        fill = device.kernel(KERNEL, "fill_table", self.macros)
        began = perf_counter()
        self.first, self.entered, self.order = map(device.upload, (parts.first, parts.entered, parts.order))
        self.outside_first, self.outside = map(device.upload, (parts.outside_first, parts.outside))
        of_arcs = (parts.heads, parts.weights, parts.overflow_first, parts.overflow_tails, parts.overflow_heads)
        self.arcs = (
            np.int32(parts.graph.vertices),
            self.first,
            self.outside_first,
            *map(device.upload, (*of_arcs, parts.overflow_weights)),
        )
        self.cells_first = np.append(0, np.cumsum(cells)).astype(np.int32)
        self.row_first = device.upload(self.cells_first)
        self.cells = device.empty((max(1, int(self.cells_first[-1])),), np.int32)
        arguments = (*self.arcs, self.entered, self.row_first, self.cells)
        fill((parts.count,), self.block, arguments, self.shared_bytes)
        device.synchronize()
        self.preparation_s = parts.preparation_s + perf_counter() - began


# As copies of graphs: a table lasts as long as somebody keeps it, and keeps its device and its graph.
_kept: weakref.WeakValueDictionary[tuple[int, int, int], BorderTable] = weakref.WeakValueDictionary()


def table_on(device: Device, graph: Graph, count: int) -> BorderTable:
    """The table of ``graph`` in ``count`` parts on ``device``: the one in use, or a new one.

    Raises UsageError for a graph whose parts are too large, or joined by too many arcs. May raise OutOfMemoryError.
    """
    key = id(device), id(graph), count
    table = _kept.get(key)
    if table is None:
        table = _kept[key] = BorderTable(device, parts_of(graph, count))
    return table
