"""Partition, borders: from border to border by a table of distances, then each part by itself.

``BorderTable`` is made once a graph. In a solve, ``Exchange`` brings distances from border to border, and then every
part is finished by itself.
"""

from dataclasses import dataclass
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
from ._parts import KERNEL as PARTS_KERNEL
from ._parts import Parts, parts_of
from ._sums import KERNEL as SUMS_KERNEL
from ._sums import PathSums

KERNEL = Path(__file__).with_name("borders.cu")
THREADS_MAX = 1024
VERTICES_PER_THREAD_MAX = 4
_CELLS_MAX = 2**30
# A larger table makes a solve slow, unless it has at most _CELLS_SMALL cells.
_CELLS_OF_A_VERTEX, _CELLS_SMALL = 100, 2**20
_COLUMNS = 32  # of a slice of a part's table, which a warp handles
_BLOCKS_MAX = 256  # as in agreement.cuh
_WARPS_MAX = 30  # besides the two warps that detect the end
_FILLERS = 4096  # blocks that fill the table, if there are rows for them
_ROWS_AT_ONCE = 4  # rows that such a block settles at once, if its threads have registers for them
_STATIC_SHARED_BYTES = 1024  # at least as much as the kernel has
_PATIENCE = 1 << 16
"""The number of questions, some tens of milliseconds, for which a quiet block waits for messages. Blocks that run one
after another wait for one question, because other blocks run only after a block has left."""
# Small parts settle sooner. Of a large graph, fewer and larger parts make the exchange shorter.
_VERTICES_A_PART_SMALL, _VERTICES_A_PART, _VERTICES_A_PART_LARGE = 384, THREADS_MAX, 3 * THREADS_MAX
_SMALL, _LARGE = 600_000, 8_000_000
QUESTIONS_MAX = 1 << 20
"""A block gives up after this number of questions, about a second on a GPU."""
_LEFT, _GAVE_UP = 0, 1  # words of the state, as in agreement.cuh
_ROADS_ARCS_OF_VERTEX = 32
_ROADS_DEGREE_MAX, _TREES_DEGREE_MAX, _DEGREE_A_LEVEL = 128, 2**14, 0.5


@dataclass(eq=False)
class Layout:
    """What a table and an exchange take from the arcs and the type of weights alone; made once, like ``Parts``.

    Row r of part p begins at ``cells_first[p] + r * widths[p]`` of the table. Kernels are compiled with ``macros`` and
    launched in blocks of ``block`` threads, with ``shared_bytes`` of shared memory for the distances of a part. A block
    of ``fill_table`` fills ``rows_at_once`` rows. ``exchange`` is launched in ``exchange_blocks`` blocks of
    ``exchange_block`` threads, with ``exchange_bytes`` of shared memory and the arguments ``of_slices``, which say what
    each block has.
    """

    parts: Parts
    dtype: np.dtype

    def __post_init__(self) -> None:
        device, parts = self.parts.device, self.parts
        self.widths = np.diff(parts.host_outside_first).astype(np.int64)
        cells = parts.host_entered * self.widths
        if cells.sum() > min(_CELLS_MAX, max(_CELLS_SMALL, _CELLS_OF_A_VERTEX * len(parts.order))):
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
        self.macros = {"VERTICES_PER_THREAD": vertices_per_thread, **macros_of(self.dtype)}
        entries_max = int((np.diff(parts.host_first) + self.widths).max())
        self.shared_bytes = self.dtype.itemsize * entries_max
        if self.shared_bytes > device.shared_memory_bytes:
            raise UsageError(
                f"in {parts.count:,} parts, one has {entries_max:,} vertices and neighbours, too many for "
                "the shared memory of a block; partition is for road networks and their like, label_correcting takes "
                "any graph"
            )
        registers = vertices_per_thread * words_of(self.dtype)
        self.rows_at_once = max(1, min(_ROWS_AT_ONCE // registers, device.shared_memory_bytes // self.shared_bytes))
        self.cells_first = np.append(0, np.cumsum(cells)).astype(np.int32)
        slices = -(-self.widths // _COLUMNS) * (parts.host_entered > 0)  # of each part
        slices_before = np.append(0, np.cumsum(slices))
        part = np.repeat(np.arange(parts.count), slices)
        column = _COLUMNS * (np.arange(len(part)) - slices_before[part])
        relaxed_first = np.append(0, np.cumsum(slices * parts.host_entered))
        split = self._split_exchange(device, slices_before, relaxed_first)
        self.relaxed_count, self.exchange_blocks = int(relaxed_first[-1]), len(split) - 1
        resident = device.resident_blocks(self.exchange, self.exchange_block, self.exchange_bytes)
        self.waits = self.exchange_blocks <= resident
        self.row_first = device.upload(self.cells_first)
        self.relaxed_first = device.upload(relaxed_first.astype(np.int32))
        self.of_slices = {
            "slices_first": device.upload(slices_before[split].astype(np.int32)),
            "slice_part": device.upload(part.astype(np.int32)),
            "slice_column": device.upload(column.astype(np.int32)),
        }

    def _split_exchange(self, device: Device, slices_before: np.ndarray, relaxed_first: np.ndarray) -> np.ndarray:
        """The first part of each block of the exchange, with an end. The rows of the table are in shared memory if they
        fit.
        """
        parts = self.parts
        work = np.append(0, np.cumsum(parts.host_entered * self.widths + 1))
        for rows_in_shared in (1, 0):
            self.exchange = device.kernel(KERNEL, "exchange", {**self.macros, "ROWS_IN_SHARED": rows_in_shared})
            resident = device.resident_blocks(self.exchange, (32 * (_WARPS_MAX + 2),))
            blocks = min(parts.count, _BLOCKS_MAX, resident if resident > 1 else _BLOCKS_MAX)
            split = np.searchsorted(work, np.arange(blocks + 1) * work[-1] // blocks)
            split[0], split[-1] = 0, parts.count
            slices = np.diff(slices_before[split])
            lengths = np.diff(relaxed_first[split]) + _COLUMNS * slices
            if rows_in_shared:
                lengths += np.diff(self.cells_first[split])
            warps = min(_WARPS_MAX, max(1, int(slices.max())))
            self.exchange_block, self.exchange_bytes = (32 * (warps + 2),), self.dtype.itemsize * int(lengths.max())
            fits = self.exchange_bytes + _STATIC_SHARED_BYTES <= device.shared_memory_bytes
            resident_so = device.resident_blocks(self.exchange, self.exchange_block, self.exchange_bytes)
            if fits and resident_so >= min(blocks, resident):
                break
        if not fits:
            raise UsageError(
                f"in {parts.count:,} parts, this graph has borders that need {self.exchange_bytes:,} bytes of shared "
                "memory in a block, too many; larger parts have fewer borders, and label_correcting takes any graph"
            )
        return split


class BorderTable:
    """Parts on a device, and a table for each part. Its rows are entered vertices, its columns outside neighbours.

    A cell is the length of the shortest path from the row's vertex to the column's with all inner vertices in the part.
    ``arcs`` are the arguments of kernels for the arcs of all parts.
    """

    def __init__(self, resident: Resident, layout: Layout):
        device, parts = resident.device, layout.parts
        self.parts, self.layout = parts, layout
        fill = device.kernel(KERNEL, "fill_table", {**layout.macros, "FILL_ROWS": layout.rows_at_once})
        began = perf_counter()
        weights, overflow_weights = parts.placed_weights(resident)
        self.arcs = {
            "all": np.int32(resident.graph.vertices),
            "first": parts.first,
            "outside_first": parts.outside_first,
            "heads": parts.heads,
            "weights": weights,
            "overflow_first": parts.overflow_first,
            "overflow_tails": parts.overflow_tails,
            "overflow_heads": parts.overflow_heads,
            "overflow_weights": overflow_weights,
        }
        self.cells = device.empty((max(1, int(layout.cells_first[-1])),), layout.dtype)
        rows = blocks_over(int(parts.host_entered.max()), layout.rows_at_once)
        fillers = max(1, min(rows, _FILLERS // parts.count))  # of a part
        fill(
            (parts.count, fillers),
            layout.block,
            shared_mem=layout.rows_at_once * layout.shared_bytes,
            **self.arcs,
            entered=parts.entered,
            row_first=layout.row_first,
            table=self.cells,
        )
        device.synchronize()
        self.preparation_s = parts.preparation_s + perf_counter() - began


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
    """Propagates distances between borders in ``reached``, shape (n,), by new number, until no distance falls.

    ``reached`` is unreachable everywhere before a solve, and again after the parts are finished. Each launch has a new
    number and writes it into ``state`` and ``host_state``, which distinguishes its results from those of earlier
    launches.
    """

    def __init__(self, device: Device, table: BorderTable, questions_max: int, state: Any, host_state: Any):
        parts, layout = table.parts, table.layout
        self.reached, self.relaxed_with = (
            device.empty((max(1, count),), layout.dtype) for count in (len(parts.order), layout.relaxed_count)
        )
        blocks = layout.exchange_blocks
        self.launch = layout.exchange.bind(
            (blocks,),
            layout.exchange_block,
            shared_mem=layout.exchange_bytes,
            launch=np.int32(0),
            patience=np.int32(_PATIENCE if layout.waits else 1),
            questions_max=np.int32(questions_max),
            **layout.of_slices,
            first=parts.first,
            entered=parts.entered,
            outside_first=parts.outside_first,
            outside=parts.outside,
            row_first=layout.row_first,
            table=table.cells,
            relaxed_first=layout.relaxed_first,
            reached=self.reached,
            relaxed_with=self.relaxed_with,
            published=device.upload(np.zeros(blocks, np.uint64)),
            finished=device.upload(np.zeros(1, np.int32)),
            state=state,
            host_state=host_state,
        )
        self.number = np.int32(0)
        for array in (self.reached, self.relaxed_with):
            array.fill(unreachable(layout.dtype))


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
    if graph.vertices <= _SMALL:
        return _VERTICES_A_PART_SMALL
    return _VERTICES_A_PART if graph.vertices <= _LARGE else _VERTICES_A_PART_LARGE


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
        self.ends_in_a_round = layout.waits  # as long as nothing else keeps the GPU busy
        state = device.upload(np.zeros(2, np.int32))
        self.host_state, for_kernels = device.mapped((2,), np.int32)
        self.exchange = exchange = Exchange(device, table, questions_max, state, for_kernels)
        leave, finish = (device.kernel(KERNEL, name, layout.macros) for name in ("leave_source", "finish_parts"))
        self.leave_source = leave.bind(
            (1,),
            layout.block,
            shared_mem=layout.shared_bytes,
            source_part=np.int32(0),
            source=np.int32(0),
            **table.arcs,
            outside=parts.outside,
            reached=exchange.reached,
        )
        self.finish_parts = finish.bind(
            (parts.count,),
            layout.block,
            shared_mem=layout.shared_bytes,
            source=np.int32(0),
            launch=np.int32(0),
            **table.arcs,
            entered=parts.entered,
            relaxed_first=layout.relaxed_first,
            reached=exchange.reached,
            relaxed_with=exchange.relaxed_with,
            order=parts.order,
            final_distances=None,
            predecessors=None,
            state=state,
        )
        self.trees = SourceTree(resident) if predecessors and not graph.has_floats else None
        self.lowering: Lowering | None = None
        if graph.has_floats:
            self.nearly = device.empty((graph.vertices,), graph.weights.dtype)
            self.lowering = Lowering(resident, predecessors)
            self.sums = PathSums(resident, parts, self.nearly, exchange.reached)

    def solve_one(self, source: int, distances: Any, predecessors: Any) -> None:
        parts, lowering = self.table.parts, self.lowering
        position = np.int32(parts.host_position[source])
        part = np.int32(parts.host_first.searchsorted(position, side="right") - 1)
        into = self.nearly if lowering else distances
        self.leave_source(source_part=part, source=position)
        self.counters["launches"] += 1
        self._solve = source, position, into, predecessors
        self._rounds_left = self.rounds_max
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
