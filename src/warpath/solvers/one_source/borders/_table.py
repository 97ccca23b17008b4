"""Tables of the distances through each part, and through each region, from border to border."""

from time import perf_counter
from typing import Any

import numpy as np

from ....device.resident import Resident
from ....distances import unreachable
from ...shared.grids import blocks_over
from ._inboxes import Inboxes
from ._layout import KERNEL, Layout, PartsLayout, RegionsLayout
from ._parts import parts_of
from ._regions import KERNEL as REGIONS_KERNEL

_FILLERS = 4096  # blocks that fill the table, if there are rows for them
# A row need not wait if it is beyond the least one by at most this multiple of the median of the table. In a model of
# generated roads, rows are then taken twice on average instead of ten times, and a solve takes 1.3 times as many steps.
_STEP, _CELLS_SAMPLED = 4, 2**16


class BorderTable:
    """Parts on a device, and a table for each part. Its rows are entered vertices, its columns outside neighbours.

    A cell is the length of the shortest path from the row's vertex to the column's with all inner vertices in the part.
    Regions have such tables, too. ``arcs`` are the arguments of kernels for the arcs of all parts, and
    ``part_tables`` those for the tables of parts, if there are regions. ``cells`` are those for an exchange.
    """

    def __init__(self, resident: Resident, layout: Layout):
        device, parts = resident.device, layout.parts
        self.parts, self.layout = parts, layout
        of_parts, inboxes = layout.of_parts, parts.inboxes
        fill = device.kernel(KERNEL, "fill_table", {**of_parts.macros, "FILL_ROWS": of_parts.rows_at_once})
        of_regions = layout.of_regions
        if of_regions:
            fill_regions = device.kernel(
                REGIONS_KERNEL, "fill_regions", {**of_regions.macros, "FILL_ROWS": of_regions.rows_at_once}
            )
        began = perf_counter()
        weights, overflow_weights = parts.placed_weights(resident)
        self.arcs = {
            "all": np.int32(resident.graph.vertices),
            "first": parts.first,
            "outside_first": inboxes.outside_first,
            "heads": parts.heads,
            "weights": weights,
            "overflow_first": parts.overflow_first,
            "overflow_tails": parts.overflow_tails,
            "overflow_heads": parts.overflow_heads,
            "overflow_weights": overflow_weights,
        }
        self.inner = {"inner_first": None, "inner": None}
        if not resident.graph.has_floats:
            self.inner = {
                "inner_first": device.upload(of_parts.inner_first),
                "inner": device.empty((max(1, int(of_parts.inner_first[-1])),), layout.dtype),
            }
        self.cells = self._filled(fill, inboxes, of_parts, {**self.arcs, **self.inner})
        if of_regions:
            regions = of_regions.regions
            self.part_tables = {
                "part_first": regions.first,
                "part_inboxes": inboxes.first,
                "part_outside": inboxes.outside_first,
                "part_rows": inboxes.row_first,
                "part_tables": self.cells,
                "heads": regions.heads,
                "region_outside": regions.inboxes.outside_first,
                "step": self.step_of(inboxes, self.cells),
            }
            self.cells = self._filled(
                fill_regions, regions.inboxes, of_regions, {**self.part_tables, "entered": regions.entered}
            )
        device.synchronize()
        self.preparation_s = parts.preparation_s + perf_counter() - began

    def step_of(self, inboxes: Inboxes, cells: Any) -> Any:
        """How far a row of the tables ``cells`` may be beyond the least one and need not wait."""
        xp, dtype = inboxes.device.xp, self.layout.dtype
        sample = xp.sort(cells[: inboxes.cells : max(1, inboxes.cells // _CELLS_SAMPLED)])
        found = int((sample < unreachable(dtype)).sum())
        median = float(sample[found // 2]) if found else 0.0
        largest = float(np.finfo(dtype).max) if dtype.kind == "f" else float(unreachable(dtype))
        return dtype.type(min(_STEP * median, largest))

    def _filled(self, fill: Any, inboxes: Inboxes, layout: PartsLayout | RegionsLayout, arguments: Any) -> Any:
        """The tables of parts or of regions."""
        cells = inboxes.device.empty((max(1, inboxes.cells),), self.layout.dtype)
        rows = blocks_over(int(inboxes.entered.max()), layout.rows_at_once)
        fill(
            (inboxes.count, max(1, min(rows, _FILLERS // inboxes.count))),  # blocks of a part
            layout.block,
            shared_mem=layout.rows_at_once * layout.shared_bytes,
            **arguments,
            inboxes=inboxes.first,
            row_first=inboxes.row_first,
            table=cells,
        )
        return cells


def table_of(resident: Resident, vertices_a_part: int) -> BorderTable:
    """The table of a graph in parts of at most ``vertices_a_part`` vertices, made once.

    Raises UsageError if parts are too large or have too many arcs between them. May raise OutOfMemoryError.
    """
    dtype = resident.graph.weights.dtype

    def make() -> BorderTable:
        layout = resident.of_arcs(
            ("layout", vertices_a_part, dtype), lambda: Layout(parts_of(resident, vertices_a_part), dtype)
        )
        return BorderTable(resident, layout)

    return resident.of_weights(("border table", vertices_a_part), make)
