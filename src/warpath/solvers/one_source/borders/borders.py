"""Partition, borders: from border to border by a table of distances, then each part by itself.

``BorderTable`` is made once a graph. In a solve, ``Exchange`` brings distances from border to border, and then every
part is finished by itself.
"""

from typing import Any

import numpy as np

from ....device import Device
from ....device.resident import Resident
from ....distances import unreachable
from ....errors import DeviceError
from ....graphs.csr import Graph
from ...costs import Facts
from ...solver import OneSource
from ...trees.predecessors import PUSH_KERNEL, SourceTree
from ...variant import Variant
from ..near_far.queue import KERNEL as QUEUE_KERNEL
from ..near_far.queue import Lowering
from ._cut import KERNEL as CUT_KERNEL
from ._inboxes import Inboxes
from ._layout import KERNEL, THREADS_MAX, RegionsLayout
from ._parts import KERNEL as PARTS_KERNEL
from ._regions import KERNEL as REGIONS_KERNEL
from ._sums import KERNEL as SUMS_KERNEL
from ._sums import PathSums
from ._table import BorderTable, table_of

_SPREAD_BYTES = 12  # of each row
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
