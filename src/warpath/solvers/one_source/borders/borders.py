"""Partition, borders: from border to border by a table of distances, then each part by itself.

``BorderTable`` is made once a graph. In a solve, ``Exchange`` brings distances from border to border, and then every
part is finished by itself.
"""

from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from ....device import Device
from ....device.resident import Resident
from ....distances import unreachable
from ....errors import DeviceError, UsageError
from ....graphs.csr import Graph
from ...costs import Facts
from ...shared.grids import blocks_over
from ...shared.lengths import macros_of, words_of
from ...solver import OneSource
from ...trees.predecessors import PUSH_KERNEL, SourceTree
from ...variant import Variant
from ..near_far.queue import KERNEL as QUEUE_KERNEL
from ..near_far.queue import Lowering
from ._cut import KERNEL as CUT_KERNEL
from ._inboxes import Inboxes
from ._parts import KERNEL as PARTS_KERNEL
from ._parts import Parts, parts_of
from ._regions import KERNEL as REGIONS_KERNEL
from ._regions import Regions, regions_of
from ._sums import KERNEL as SUMS_KERNEL
from ._sums import PathSums

KERNEL = Path(__file__).with_name("borders.cu")
THREADS_MAX = 1024
VERTICES_PER_THREAD_MAX = 4
# A slice of a part's table, as in borders.cu, which a warp handles.
_SLICE = np.dtype([(name, np.int32) for name in ("inbox", "rows", "outside", "columns", "cell", "width", "relaxed")])
_ROWS = 128
_SLICES = (1, 32), (0, 32), (0, 128), (0, 512)
"""Whether rows are in shared memory, and columns of a slice, until all slices fit. Wider ones take less memory."""
_OUTBOX_BYTES = 4
_SPREAD_BYTES = 12  # of each row
_BLOCKS_MAX = 256  # as in agreement.cuh
_WARPS_MAX = 30  # besides the two warps that detect the end
_FILLERS = 4096  # blocks that fill the table, if there are rows for them
_ROWS_AT_ONCE = 4  # rows that such a block settles at once, if its threads have registers for them
# Two such blocks run on a multiprocessor at the same time, also where they settle two rows at once.
_THREADS_OF_REGION, _ROWS_OF_REGION_AT_ONCE = 512, 2
# A row need not wait if it is beyond the least one by at most this multiple of the median of the table. In a model of
# generated roads, rows are then taken twice on average instead of ten times, and a solve takes 1.3 times as many steps.
_STEP, _CELLS_SAMPLED = 4, 2**16
_STATIC_SHARED_BYTES = 1024  # at least as much as a kernel has
_PATIENCE = 1 << 16
"""The number of questions, some tens of milliseconds, for which a quiet block waits for messages. Blocks that run one
after another wait for one question, because other blocks run only after a block has left."""
# Small parts settle sooner. Fewer and larger parts make the exchange shorter, as regions do where parts are very many.
_VERTICES_A_PART, _VERTICES_A_PART_BETWEEN = 384, THREADS_MAX
_SMALL, _LARGE = 600_000, 4_000_000
QUESTIONS_MAX = 1 << 20
"""A block gives up after this number of questions, about a second on a GPU."""
_LEFT, _GAVE_UP = 0, 1  # words of the state, as in agreement.cuh
_ROADS_ARCS_OF_VERTEX = 32
_ROADS_DEGREE_MAX, _TREES_DEGREE_MAX, _DEGREE_A_LEVEL = 128, 2**14, 0.5


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


class Exchange:
    """Propagates distances between inboxes in ``reached``, until no distance falls.

    ``reached`` is unreachable everywhere before a solve, and again after it. Each launch has a new number and writes it
    into ``state`` and ``host_state``, which distinguishes its results from those of earlier launches.
    """

    def __init__(self, device: Device, table: BorderTable, questions_max: int, state: Any, host_state: Any):
        inboxes, layout = table.layout.inboxes, table.layout.exchange
        self.reached = inbox_distances(inboxes, table.layout.dtype)
        self.launch = layout.kernel.bind(
            (layout.blocks,),
            layout.block,
            shared_mem=layout.shared_bytes,
            launch=np.int32(0),
            first_launch=np.int32(0),
            patience=np.int32(_PATIENCE if layout.waits else 1),
            questions_max=np.int32(questions_max),
            **layout.of_slices,
            outside=inboxes.outside,
            table=table.cells,
            step=table.step_of(inboxes, table.cells),
            reached=self.reached,
            relaxed_with=device.empty((max(1, layout.relaxed_count),), table.layout.dtype),
            published=device.upload(np.zeros(layout.blocks, np.uint64)),
            finished=device.upload(np.zeros(1, np.int32)),
            state=state,
            host_state=host_state,
        )
        self.number = np.int32(0)


def inbox_distances(inboxes: Inboxes, dtype: np.dtype) -> Any:
    """A distance for each of ``inboxes``, unreachable."""
    distances = inboxes.device.empty((max(1, int(inboxes.host_first[-1])),), dtype)
    distances.fill(unreachable(dtype))
    return distances


def fits(resident: Resident, facts: Facts) -> bool:
    """Whether the graph has the degrees of a road network or of a tree that is no star.

    If levels are many, a heavy vertex costs less than they do. If weights are floats, it costs as much in a tree,
    because a thread follows all its arcs (sums.cu).
    """
    graph = resident.graph
    degree_max = max(_ROADS_DEGREE_MAX, facts.levels * _DEGREE_A_LEVEL)
    if graph.arcs < 2 * graph.vertices and not graph.has_floats:  # a tree
        degree_max = max(degree_max, min(_TREES_DEGREE_MAX, graph.vertices // 16))
    return 0 < graph.arcs <= _ROADS_ARCS_OF_VERTEX * graph.vertices and int(np.diff(graph.indptr).max()) <= degree_max


def _vertices_a_part(graph: Graph) -> int:
    return _VERTICES_A_PART_BETWEEN if _SMALL < graph.vertices <= _LARGE else _VERTICES_A_PART


class RegionLaunches:
    """Enqueue leaving the source's region, and finishing all regions after an exchange between them.

    ``reached`` has the distances at inboxes of parts, and ``reached_regions`` those at inboxes of regions.
    """

    def __init__(self, table: BorderTable, layout: RegionsLayout, reached: Any, reached_regions: Any, state: Any):
        device, regions, inboxes = table.parts.device, layout.regions, layout.regions.inboxes
        leave, finish = (
            device.kernel(REGIONS_KERNEL, name, layout.macros) for name in ("leave_region", "finish_regions")
        )
        of_both = {
            **table.part_tables,
            "entered": regions.entered,
            "reached": reached,
            "reached_regions": reached_regions,
        }
        self.leave = leave.bind(
            (1,),
            layout.block,
            shared_mem=layout.shared_bytes,
            source_region=np.int32(0),
            outside=inboxes.outside,
            **of_both,
        )
        self.finish = finish.bind(
            (inboxes.count,),
            layout.block,
            shared_mem=layout.shared_bytes,
            launch=np.int32(0),
            inboxes=inboxes.first,
            state=state,
            **of_both,
        )


class Borders(OneSource):
    """A round is an exchange between all parts, and the finish of each part. A GPU needs one round, as a rule.

    The counters of a solve are ``rounds``, ``launches``, and ``host_reads`` (of the state, which the host waits for).
    ``vertices_a_part`` is the size of the largest part; by default it depends on the graph. Raises UsageError if parts
    have too many arcs between them, which is unlike a road network. If weights are floats, the finished parts are only
    ``nearly`` right: their paths are added from the source on, and the parts are finished again. Another solver lowers
    what is not yet right, and finds the predecessors.
    """

    def __init__(
        self,
        resident: Resident,
        predecessors: bool = True,
        vertices_a_part: int | None = None,
        questions_max: int = QUESTIONS_MAX,
    ):
        device, graph = resident.device, resident.graph
        super().__init__(device)
        # A round advances by at least one border on each shortest path. The last round finds no change.
        self.rounds_max = graph.vertices + 2
        self.table = table = table_of(resident, vertices_a_part or _vertices_a_part(graph))
        parts, layout = table.parts, table.layout
        self.preparation_s = table.preparation_s
        self._solve: tuple[int, np.int32, Any, Any] | None = None  # source, its new number, and rows
        self.ends_in_a_round = layout.exchange.waits  # as long as nothing else keeps the GPU busy
        state = device.upload(np.zeros(2, np.int32))
        self.host_state, for_kernels = device.mapped((2,), np.int32)
        self.exchange = exchange = Exchange(device, table, questions_max, state, for_kernels)
        dtype, of_parts = layout.dtype, layout.of_parts
        reached = inbox_distances(parts.inboxes, dtype) if layout.of_regions else exchange.reached  # of parts
        leave = device.kernel(KERNEL, "leave_source", of_parts.macros)
        inside = device.empty((parts.vertices_max,), dtype)
        self.leave_source = leave.bind(
            (1,),
            of_parts.block,
            shared_mem=of_parts.shared_bytes,
            source_part=np.int32(0),
            source=np.int32(0),
            **table.arcs,
            outside=parts.inboxes.outside,
            reached=reached,
            inside=inside,
        )
        of_finish = {
            "source": np.int32(0),
            "launch": np.int32(0),
            "inboxes": parts.inboxes.first,
            "reached": reached,
            "order": parts.order,
            "final_distances": None,
            "state": state,
        }
        if graph.has_floats:
            finish = device.kernel(KERNEL, "finish_parts", of_parts.macros)
            self.finish_parts = finish.bind(
                (parts.count,), of_parts.block, shared_mem=of_parts.shared_bytes, **table.arcs, **of_finish
            )
        else:
            finish = device.kernel(KERNEL, "spread_parts", of_parts.macros)
            shared = of_parts.entered_max * _SPREAD_BYTES
            self.finish_parts = finish.bind(
                (parts.count,),
                of_parts.block,
                shared_mem=shared,
                first=parts.first,
                inside=inside,
                **table.inner,
                **of_finish,
            )
        self.regions: RegionLaunches | None = None
        if layout.of_regions:
            self.regions = RegionLaunches(table, layout.of_regions, reached, exchange.reached, state)
        self.trees = SourceTree(resident) if predecessors and not graph.has_floats else None
        self.lowering: Lowering | None = None
        if graph.has_floats:
            self.nearly = device.empty((graph.vertices,), graph.weights.dtype)
            self.lowering = Lowering(resident, predecessors)
            self.sums = PathSums(resident, parts, self.nearly, reached)

    def solve_one(self, source: int, distances: Any, predecessors: Any) -> None:
        parts, lowering = self.table.parts, self.lowering
        position = np.int32(parts.host_position[source])
        part = np.int32(parts.host_first.searchsorted(position, side="right") - 1)
        into = self.nearly if lowering else distances
        self.leave_source(source_part=part, source=position)
        self.counters["launches"] += 1
        if self.regions:
            region = parts.region_first.searchsorted(part, side="right") - 1
            self.regions.leave(source_region=np.int32(region))
            self.counters["launches"] += 1
        self._solve = source, position, into, predecessors
        self._rounds_left = self.rounds_max
        self.exchange.launch.set(first_launch=np.int32(self.exchange.number + 1))
        self._begin_round()
        if lowering or not self.ends_in_a_round:
            self._end_rounds()
        if lowering:
            self.sums.launch(source)
            self.finish_parts(source=position, launch=self.exchange.number, final_distances=distances)
            self.counters["launches"] += len(self.sums.launches) + 1
            lowering.solve_one(source, distances, predecessors)
        else:
            self._find_trees()

    def check(self) -> bool:
        if self.lowering or not self.ends_in_a_round or self._has_ended():
            self._solve = None  # the rows are the caller's
            return not self.lowering or self.lowering.check()
        self._begin_round()
        self._end_rounds()
        self._find_trees()
        return False

    def _begin_round(self) -> None:
        """Enqueue bringing distances from border to border, and finishing each part."""
        assert self._solve
        _, position, into, _ = self._solve
        number = self.exchange.number = np.int32(self.exchange.number + 1)
        self.exchange.launch(launch=number)
        if self.regions:
            self.regions.finish(launch=number)
            self.counters["launches"] += 1
        self.finish_parts(source=position, launch=number, final_distances=into)
        self.counters.update(rounds=1, launches=2)
        self._rounds_left -= 1

    def _end_rounds(self) -> None:
        """Wait for the round, and for further ones, until nothing is left."""
        while True:
            self.device.synchronize()
            if self._has_ended():
                return
            self._begin_round()

    def _has_ended(self) -> bool:
        """Whether the last round, for which the host has waited, left nothing."""
        self.counters["host_reads"] += 1
        if self.host_state[_GAVE_UP] == self.exchange.number:
            raise DeviceError(
                f"partition gave up: the blocks on {self.device.name} did not agree on an end; try another algorithm"
            )
        if self.host_state[_LEFT] != self.exchange.number:
            return True
        if not self._rounds_left:
            raise DeviceError(f"partition gave up: work is left after {self.rounds_max:,} rounds on {self.device.name}")
        return False

    def _find_trees(self) -> None:
        assert self._solve
        source, _, distances, predecessors = self._solve
        if predecessors is not None:
            assert self.trees
            self.counters.update(self.trees.find(source, distances, predecessors))


VARIANT = Variant(
    solver=Borders,
    kernels=(
        KERNEL,
        REGIONS_KERNEL,
        PARTS_KERNEL,
        CUT_KERNEL,
        SUMS_KERNEL,
        QUEUE_KERNEL,
        PUSH_KERNEL,
    ),
    only_for_trees=(SUMS_KERNEL, QUEUE_KERNEL),
    negative_arcs=False,
    floats=True,
    smallest={"vertices_a_part": 12},
    same_cost=False,
    optional_predecessors=True,
    fits=fits,
)
