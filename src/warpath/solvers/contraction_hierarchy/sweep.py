"""Contraction hierarchy, sweep: many sources at once, one lane for each."""

from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from ...device import Device
from ...errors import UsageError
from ...graphs.csr import Graph
from .. import predecessors
from ..grids import blocks_over
from ..predecessors import OfRows
from ..registry import Variant
from ..source_rows import SourceRowsPlan
from ._elimination import Elimination, Schedule

KERNEL = Path(__file__).with_suffix(".cu")
KERNEL_OF_TOP = Path(__file__).with_name("top.cu")
LANES, LEAP = 32, 16
BLOCK_OF_TOP = (1024,)
WARPS_OF_CELLS = 4
BLOCK_OF_ROWS, VERTICES_OF_ROWS = (32, 8), 128
# The largest subtree that one warp sweeps. It is larger if the top does not fit into a block otherwise.
CELL_VERTICES = 256
# A block of the top takes the first of these numbers of sources that fits and leaves no multiprocessor idle.
SOURCES_OF_TOP = (8, 4, 2, 1)
BLOCKS_OF_TOP_MIN = 100
WORD_BYTES = 4
# The largest number of distances in the work array. More sources are solved in several launches.
WORK_DISTANCES_MAX = 2**28


class SweepPlan(SourceRowsPlan):
    """Four launches for as many sources as fit into the work array. The host does not wait for them."""

    def __init__(
        self,
        device: Device,
        graph: Graph,
        source: int = 0,
        predecessors: bool = True,
        cell_vertices: int = CELL_VERTICES,
        block_of_top: tuple[int] = BLOCK_OF_TOP,
        sources_at_once: int | None = None,
    ):
        super().__init__(device, graph, source, predecessors)
        self.block_of_top = block_of_top
        began = perf_counter()
        elimination = Elimination.of(graph)
        schedule = Schedule.of(elimination, cell_vertices)
        self.height = elimination.height
        while self.top_bytes(schedule, 1) > device.shared_memory_bytes and len(schedule.stretch_starts) > 1:
            cell_vertices *= 2
            schedule = Schedule.of(elimination, cell_vertices)
        self.preparation_s = perf_counter() - began
        if max(self.climb_bytes, self.top_bytes(schedule, 1)) > device.shared_memory_bytes:
            raise UsageError(
                f"the elimination tree of this graph has a path of {self.height:,} vertices, too many for the shared "
                "memory of a block; use near_far"
            )
        self.upload_graph(elimination, schedule)
        self.of_rows = OfRows(device, graph) if predecessors else None
        self.kernels = {name: device.kernel(KERNEL, name) for name in ("climb", "cells", "rows")}
        self.tops = {
            sources: device.kernel(KERNEL_OF_TOP, "top", {"SOURCES": sources})
            for sources in SOURCES_OF_TOP
            if self.top_bytes(schedule, sources) <= device.shared_memory_bytes
        }
        most = sources_at_once or max(1, WORK_DISTANCES_MAX // graph.vertices)
        self.sources_at_once = LANES * blocks_over(most, LANES)
        self.work: Any = None
        self.climbed: Any = None

    @property
    def climb_bytes(self) -> int:
        """Shared memory of a source that climbs: a distance and two ends of arcs for each ancestor."""
        return 3 * WORD_BYTES * self.height

    def top_bytes(self, schedule: Schedule, sources: int) -> int:
        """Shared memory of a block of the top for ``sources`` sources."""
        return WORD_BYTES * (sources * (len(schedule.tops) + self.height) + len(schedule.level_starts))

    def upload_graph(self, elimination: Elimination, schedule: Schedule) -> None:
        upload = self.device.upload
        vertices = self.graph.vertices
        nodes = np.zeros((vertices + 1, 4), np.int32)
        nodes[:, 0] = elimination.starts
        for column, array in enumerate((elimination.size, elimination.depth, elimination.parent), start=1):
            nodes[:vertices, column] = array
        self.nodes = upload(nodes)
        self.leaps = upload(_ancestors(elimination.parent, LEAP))
        self.positions = upload(elimination.position)
        self.arcs_up = upload(_packed(elimination.depth[elimination.heads], elimination.up))
        self.arcs_down = upload(_packed(elimination.heads, elimination.down))
        self.schedule = schedule
        self.level_starts = upload(schedule.level_starts)
        self.top_nodes, self.top_arcs = (upload(array) for array in _top(elimination, schedule))
        self.stretch_bounds = (upload(schedule.stretch_starts), upload(schedule.stretch_ends))

    def solve_rows(self, sources: np.ndarray, distances: Any, predecessors: Any | None) -> None:
        of_sources = self.device.upload(np.ascontiguousarray(sources, np.int32))
        at_once = min(self.sources_at_once, LANES * blocks_over(len(sources), LANES))
        if self.work is None or self.work.shape[1] < at_once:
            self.work = self.climbed = None
            self.work = self.device.empty((self.graph.vertices, at_once), np.uint32)
            self.climbed = self.device.empty((at_once, self.height), np.int32)
        for first in range(0, len(sources), at_once):
            chunk = slice(first, first + at_once)
            self._sweep(of_sources[chunk], distances[chunk])
        if predecessors is not None:
            assert self.of_rows is not None
            self.of_rows.find(of_sources, distances, predecessors)

    def _sweep(self, sources: Any, distances: Any) -> None:
        """Enqueue the solve of sources that the work array has columns for."""
        count, groups = len(sources), blocks_over(len(sources), LANES)
        stride = np.int32(self.work.shape[1])
        of_sources = (self.positions, sources)
        into = (np.int32(self.height), self.climbed, stride, self.work)
        kernels = self.kernels
        arguments: tuple = (np.int32(self.height), self.nodes, self.leaps, self.arcs_up, *of_sources, self.climbed)
        kernels["climb"]((count,), (LANES,), arguments, shared_mem=self.climb_bytes)
        levels, stretches = len(self.schedule.level_starts) - 1, len(self.schedule.stretch_starts)
        if levels:
            at_once = self.sources_of_top(count)
            arguments = (np.int32(levels), self.level_starts, self.top_nodes, self.top_arcs, *of_sources)
            self.tops[at_once](
                (blocks_over(count, at_once),),
                self.block_of_top,
                (*arguments, np.int32(count), *into),
                shared_mem=self.top_bytes(self.schedule, at_once),
            )
        if stretches:
            warps = min(WARPS_OF_CELLS, groups)
            arguments = (*self.stretch_bounds, self.nodes, self.arcs_down, *of_sources)
            kernels["cells"](
                (stretches, blocks_over(groups, warps)),
                (LANES * warps,),
                (*arguments, np.int32(count), np.int32(groups), *into),
            )
        arguments = (np.int32(self.graph.vertices), self.positions, np.int32(count), stride, self.work, distances)
        kernels["rows"]((blocks_over(self.graph.vertices, VERTICES_OF_ROWS), groups), BLOCK_OF_ROWS, arguments)
        self.counters["launches"] += 4

    def sources_of_top(self, count: int) -> int:
        """The number of sources of a block of the top, for ``count`` sources in all."""
        for sources in self.tops:
            if blocks_over(count, sources) >= BLOCKS_OF_TOP_MIN:
                return sources
        return 1


def _top(elimination: Elimination, schedule: Schedule) -> tuple[np.ndarray, np.ndarray]:
    """The vertices of the top, int32 of shape (t, 4), as the kernel takes them, and their arcs by number in it."""
    tops = schedule.tops
    number = np.zeros(len(elimination.parent), np.int64)
    number[tops] = np.arange(len(tops))
    begins, counts = elimination.starts[tops].astype(np.int64), np.diff(elimination.starts)[tops].astype(np.int64)
    lasts = np.cumsum(counts)
    nodes = np.stack([lasts - counts, lasts, tops, elimination.size[tops]], axis=1).astype(np.int32)
    arcs = np.repeat(begins - (lasts - counts), counts) + np.arange(counts.sum())
    return np.ascontiguousarray(nodes), _packed(number[elimination.heads[arcs]], elimination.down[arcs])


def _ancestors(parent: np.ndarray, levels: int) -> np.ndarray:
    """The ancestor of each vertex ``levels`` levels up, a power of two; -1 if there is none."""
    ancestors = parent
    while levels > 1:
        ancestors = np.where(ancestors >= 0, ancestors[ancestors], -1).astype(np.int32)
        levels //= 2
    return ancestors


def _packed(heads: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Each arc as uint64, the head in the upper half."""
    return (heads.astype(np.uint64) << np.uint64(32)) | weights.astype(np.uint64)


VARIANT = Variant(
    problem="sssp",
    summary="up the elimination tree from each source, then down to all vertices, a lane for each of many sources",
    plan=SweepPlan,
    kernels=(KERNEL, KERNEL_OF_TOP, predecessors.KERNEL),
    negative_arcs=False,
    smallest={"cell_vertices": 3, "block_of_top": (32,), "sources_at_once": 32},
    optional_predecessors=True,
    many_sources=True,
)
