"""Contraction hierarchy, sweep: many sources at once, one lane for each, or a few one after another."""

from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from ....device.contract import Launch
from ....device.resident import Resident
from ....distances import Columns, Labels
from ....errors import UsageError
from ...costs import Facts
from ...float_sums import guided_rows as _guided_rows
from ...float_sums.guided_rows import GuidedByWhole, WholeWeights
from ...shared.grids import blocks_over
from ...solver import Rows, RowSolver
from ...trees.predecessors import PULL_KERNEL, RowTrees
from ...variant import Variant
from ..costs import SOURCES_ALONE_MAX
from . import _weights
from . import closed as _closed
from ._elimination import Elimination
from ._order import has_small_separators
from ._schedule import Schedule, Tier
from .closed import ClosedTiers

KERNEL = Path(__file__).with_suffix(".cu")
KERNEL_OF_TOP, KERNEL_OF_TABLE, KERNEL_OF_PAIRS = (
    Path(__file__).with_name(name) for name in ("top.cu", "table.cu", "pairs.cu")
)
LANES, LEAP = 32, 16
BLOCK_OF_TOP = (1024,)
WARPS_OF_CELLS = 4
BLOCK_OF_ROWS, VERTICES_OF_ROWS = (32, 8), 128
# How many distances of a source a warp keeps. There are more if the top does not fit into a block otherwise.
SLOTS_MAX = 48
# Tiers are made until this number of vertices is left to the top.
TOP_MAX = 2500
# A block of the top takes the first of these numbers of sources that fits and leaves no multiprocessor idle.
SOURCES_OF_TOP = (8, 4, 2, 1)
BLOCKS_OF_TOP_MIN = 100
BLOCK_OF_TABLE, TILE_OF_TABLE = (16, 16), 64
BLOCK_OF_PAIRS = (128,)
# Labels of all vertices are kept if they take at most this part of the free memory. Otherwise there are so many bytes
# of labels at a time, of the ends of some pairs.
LABELS_PART_MAX, LABELS_BYTES_AT_ONCE = 1 / 4, 2**30
WORD_BYTES = 4
BYTES_A_SLOT, BYTES_AN_ITEM = WORD_BYTES * LANES, 4 * WORD_BYTES  # as many as a pair of arcs
# The largest number of distances in the work array. More sources are solved in several launches.
WORK_DISTANCES_MAX = 2**29


class Sweep(RowSolver):
    """A few launches for as many sources as fit into the work array, or two for a table or for pairs.

    A few sources are solved one after another, by a launch for each tier. The host does not wait. If the graph has
    floats, whole weights are swept, and then the distances are made exact.
    """

    def __init__(
        self,
        resident: Resident,
        predecessors: bool = True,
        slots_max: int = SLOTS_MAX,
        top_max: int = TOP_MAX,
        block_of_top: tuple[int] = BLOCK_OF_TOP,
        sources_at_once: int | None = None,
        list_size: int = _guided_rows.LIST_SIZE,
        closed_slots_max: int = _closed.SLOTS_MAX,
    ):
        super().__init__()
        self.device, self.graph = device, graph = resident.device, resident.graph
        self.block_of_top = block_of_top
        began = perf_counter()
        whole = WholeWeights(graph) if graph.has_floats else None
        elimination = Elimination.of(device, whole.graph if whole else graph)
        self.height = elimination.height
        schedule = Schedule.of(elimination, slots_max, top_max)
        most = device.shared_memory_bytes
        while self.top_bytes(schedule, 1) > most and self.cell_bytes(schedule, 1) <= most:
            slots_max *= 2
            schedule = Schedule.of(elimination, slots_max, top_max)
        self.preparation_s = perf_counter() - began
        if max(self.climb_bytes, self.top_bytes(schedule, 1), self.cell_bytes(schedule, 1)) > most:
            raise UsageError(
                f"the elimination tree of this graph is {self.height:,} vertices high, too many for the shared memory "
                "of a block; use near_far"
            )
        self.upload_graph(elimination, schedule)
        self.guided = GuidedByWhole(resident, whole, self.positions, list_size) if whole else None
        self.of_rows = RowTrees(resident) if predecessors else None
        self.kernels = {name: device.kernel(KERNEL, name) for name in ("climb", "cells", "rows")}
        self.join = device.kernel(KERNEL_OF_TABLE, "join")
        self.tops = {
            sources: device.kernel(KERNEL_OF_TOP, "top", {"SOURCES": sources})
            for sources in SOURCES_OF_TOP
            if self.top_bytes(schedule, sources) <= device.shared_memory_bytes
        }
        most = sources_at_once or max(1, WORK_DISTANCES_MAX // graph.vertices)
        self.sources_at_once = LANES * blocks_over(most, LANES)
        self.work: Any = None
        self.climbed: Any = None
        self.labels: Labels | None = None
        self.elimination, self.closed_slots_max = elimination, closed_slots_max
        self.alone: ClosedTiers | None = None

    @property
    def climb_bytes(self) -> int:
        """Shared memory of a source that climbs: a distance and two ends of arcs for each ancestor."""
        return 3 * WORD_BYTES * self.height

    def top_bytes(self, schedule: Schedule, sources: int) -> int:
        """Shared memory of a block of the top for ``sources`` sources."""
        return WORD_BYTES * (sources * len(schedule.tops) + len(schedule.level_starts))

    def cell_bytes(self, schedule: Schedule, warps: int) -> int:
        """Shared memory of a block of the cells, in the tier that needs most."""
        return max((_bytes_of(tier, warps) for tier in schedule.tiers), default=0)

    def upload_graph(self, elimination: Elimination, schedule: Schedule) -> None:
        upload = self.device.upload
        vertices = self.graph.vertices
        nodes = np.zeros((vertices + 1, 4), np.int32)
        nodes[:, 0] = elimination.starts
        for column, array in enumerate((elimination.size, elimination.depth, elimination.parent), start=1):
            nodes[:vertices, column] = array
        self.nodes = upload(nodes)
        self.parents = elimination.parent
        self.leaps = upload(_ancestors(elimination.parent, LEAP))
        self.host_positions = elimination.position
        self.positions = upload(self.host_positions)
        self.vertices_at = upload(np.argsort(elimination.position).astype(np.int32))
        depths = elimination.depth[elimination.heads]
        self.is_symmetric = np.array_equal(elimination.up, elimination.down)
        self.arcs_out, self.arcs_in = (
            upload(_packed(depths, weights)) for weights in (elimination.up, elimination.down)
        )
        self.schedule = schedule
        self.top = {name: upload(array) for name, array in _top(elimination, schedule).items()}
        self.tiers = [
            (
                tier,
                {
                    "stretches": upload(tier.stretches),
                    "borders": upload(tier.borders),
                    "all_items": upload(tier.items),
                    "all_pairs": upload(tier.arcs),
                },
            )
            for tier in reversed(schedule.tiers)
        ]

    def solve(self, sources: np.ndarray, into: Rows) -> None:
        distances, predecessors = into.distances, into.predecessors
        if len(sources) <= SOURCES_ALONE_MAX and not self.guided:
            self._solve_alone(sources, distances)
        else:
            self._solve_together(sources, distances)
        if predecessors is not None:
            assert self.of_rows is not None
            self.of_rows.find(self._uploaded(sources), distances, predecessors)

    def _solve_alone(self, sources: np.ndarray, distances: Any) -> None:
        if self.alone is None:
            climbed = self.device.empty((1, self.height), np.int32)
            self.alone = ClosedTiers(self.device, self.elimination, self.vertices_at, climbed, self.closed_slots_max)
            self.climb_alone = self._climb(self.vertices_at[:1], 1, climbed, None)
        for row, position in enumerate(self.host_positions[sources].tolist()):
            self.climb_alone(vertices=self.vertices_at[position : position + 1])
            self.alone.descend(position, distances[row])
        self.counters["launches"] += len(sources) * (1 + len(self.alone.launches))

    def _solve_together(self, sources: np.ndarray, distances: Any) -> None:
        of_sources = self._uploaded(sources)
        for first in range(0, len(sources), self.sources_at_once):
            chunk = slice(first, first + self.sources_at_once)
            self._sweep(of_sources[chunk])
            if self.guided:
                self.guided.make(of_sources[chunk], self.work, distances[chunk])
                self.counters["launches"] += 1
            else:
                self._transpose(distances[chunk])

    def _uploaded(self, sources: np.ndarray) -> Any:
        return self.device.upload(np.ascontiguousarray(sources, np.int32))

    def solve_columns(self, sources: np.ndarray) -> Columns:
        self._sweep(self._uploaded(sources))
        return Columns(self.work, self.host_positions, self.vertices_at, len(sources))

    def _sweep(self, sources: Any) -> None:
        """Enqueue the solve of ``sources`` into columns of the work array."""
        count, groups = len(sources), blocks_over(len(sources), LANES)
        if self.work is None or len(self.work) < groups:
            self.work = self.climbed = None
            self.work = self.device.empty((groups, self.graph.vertices, LANES), np.int32)
            self.climbed = self.device.empty((LANES * groups, self.height), np.int32)
        of_both = {
            "positions": self.positions,
            "sources": sources,
            "count": np.int32(count),
            "height": np.int32(self.height),
            "climbed": self.climbed,
            "vertices": np.int32(self.graph.vertices),
            "work": self.work,
        }
        self._climb(sources, count, self.climbed, None)()
        levels = len(self.schedule.level_starts) - 1
        if levels:
            at_once = self.sources_of_top(count)
            self.tops[at_once](
                (blocks_over(count, at_once),),
                self.block_of_top,
                shared_mem=self.top_bytes(self.schedule, at_once),
                levels=np.int32(levels),
                tops=np.int32(len(self.schedule.tops)),
                **self.top,
                **of_both,
            )
        for tier, arrays in self.tiers:
            warps = min(WARPS_OF_CELLS, groups)
            while warps > 1 and _bytes_of(tier, warps) > self.device.shared_memory_bytes:
                warps -= 1
            self.kernels["cells"](
                (len(tier.stretches), blocks_over(groups, warps)),
                (LANES * warps,),
                shared_mem=_bytes_of(tier, warps),
                **arrays,
                slots=np.int32(tier.slots),
                pairs_max=np.int32(tier.pairs_max),
                items_max=np.int32(tier.items_max + 1),
                groups=np.int32(groups),
                **of_both,
            )
        self.counters["launches"] += 2 + len(self.tiers)

    def _transpose(self, distances: Any) -> None:
        """Enqueue writing the rows of ``distances`` from the columns of the work array."""
        grid = blocks_over(self.graph.vertices, VERTICES_OF_ROWS), blocks_over(len(distances), LANES)
        self.kernels["rows"](
            grid,
            BLOCK_OF_ROWS,
            vertices=np.int32(self.graph.vertices),
            positions=self.positions,
            count=np.int32(len(distances)),
            work=self.work,
            distances=distances,
        )
        self.counters["launches"] += 1

    def solve_table(self, sources: np.ndarray, targets: np.ndarray, distances: Any) -> None:
        vertices = self.device.upload(np.concatenate((sources, targets), dtype=np.int32))
        climbed, chains = (self.device.empty((len(vertices), self.height), np.int32) for _ in range(2))
        self._climb(vertices, len(sources), climbed, chains)()
        grid = (blocks_over(len(sources), TILE_OF_TABLE), blocks_over(len(targets), TILE_OF_TABLE))
        self.join(
            grid,
            BLOCK_OF_TABLE,
            height=np.int32(self.height),
            sources=np.int32(len(sources)),
            targets=np.int32(len(targets)),
            climbed=climbed,
            chains=chains,
            distances=distances,
        )
        self.counters["launches"] += 2

    def solve_pairs(self, sources: np.ndarray, targets: np.ndarray, distances: Any) -> None:
        sources, targets = sources.astype(np.int32), targets.astype(np.int32)
        labels = self.labels_of_all() if 2 * len(sources) >= self.graph.vertices else self.labels
        if labels is not None:
            ends = self.device.upload(sources), self.device.upload(targets)
            self._join_pairs(ends, ends, (labels.to_ancestors, labels.from_ancestors), distances)
            return
        at_once = max(1, LABELS_BYTES_AT_ONCE // (2 * WORD_BYTES * self.height))
        rows = self.device.upload(np.arange(min(at_once, len(sources)), dtype=np.int32))
        for first in range(0, len(sources), at_once):
            part = slice(first, first + at_once)
            ends = self.device.upload(sources[part]), self.device.upload(targets[part])
            self._join_pairs(ends, (rows, rows), self._labels_of(sources[part], targets[part]), distances[part])

    def labels_of_all(self) -> Labels | None:
        vertices = self.graph.vertices
        needed = (1 if self.is_symmetric else 2) * WORD_BYTES * vertices * self.height
        if self.labels is None and needed <= LABELS_PART_MAX * self.device.memory_bytes()[0]:
            every = np.arange(vertices, dtype=np.int32)
            arrays = self._labels_of(every, every, self.is_symmetric)
            self.labels = Labels(self.host_positions, self.parents, *arrays)
        return self.labels

    def _labels_of(self, sources: np.ndarray, targets: np.ndarray, are_same: bool = False) -> tuple[Any, Any]:
        """The labels of sources and of targets, shape (k, height) each, or one array for both if they are the same."""
        vertices = sources if are_same else np.concatenate((sources, targets))
        climbed = self.device.empty((len(vertices), self.height), np.int32)
        self._climb(self.device.upload(vertices), len(sources), climbed, None)()
        self.counters["launches"] += 1
        return (climbed, climbed) if are_same else (climbed[: len(sources)], climbed[len(sources) :])

    def _join_pairs(
        self, ends: tuple[Any, Any], rows: tuple[Any, Any], labels: tuple[Any, Any], distances: Any
    ) -> None:
        """Enqueue the distances of the pairs of ``ends``, whose labels are in these ``rows`` of ``labels``."""
        kernel = self.device.kernel(KERNEL_OF_PAIRS, "pairs")  # compiled when it is needed
        kernel(
            (blocks_over(len(distances), BLOCK_OF_PAIRS[0]),),
            BLOCK_OF_PAIRS,
            count=np.int32(len(distances)),
            height=np.int32(self.height),
            nodes=self.nodes,
            leaps=self.leaps,
            positions=self.positions,
            sources=ends[0],
            targets=ends[1],
            source_rows=rows[0],
            target_rows=rows[1],
            from_source=labels[0],
            to_target=labels[1],
            distances=distances,
        )
        self.counters["launches"] += 1

    def _climb(self, vertices: Any, sources: int, climbed: Any, chains: Any | None) -> Launch:
        """The climb of ``vertices``, of which the first ``sources`` are sources and the others targets."""
        return self.kernels["climb"].bind(
            (len(vertices),),
            (LANES,),
            shared_mem=self.climb_bytes,
            height=np.int32(self.height),
            nodes=self.nodes,
            leaps=self.leaps,
            arcs_out=self.arcs_out,
            arcs_in=self.arcs_in,
            positions=self.positions,
            vertices=vertices,
            sources=np.int32(sources),
            climbed=climbed,
            chains=chains,
        )

    def sources_of_top(self, count: int) -> int:
        """The number of sources of a block of the top, for ``count`` sources in all."""
        for sources in self.tops:
            if blocks_over(count, sources) >= BLOCKS_OF_TOP_MIN:
                return sources
        return 1


def _bytes_of(tier: Tier, warps: int) -> int:
    """Shared memory of a block of ``warps`` warps for a stretch."""
    return BYTES_AN_ITEM * (tier.pairs_max + tier.items_max + 1) + warps * tier.slots * BYTES_A_SLOT


def _top(elimination: Elimination, schedule: Schedule) -> dict[str, np.ndarray]:
    """Where levels of the top start, its vertices, int32 of shape (t, 4), the pieces of their rows, and their arcs."""
    tops = schedule.tops
    number = np.zeros(len(elimination.parent), np.int64)
    number[tops] = np.arange(len(tops))
    begins, counts = elimination.starts[tops].astype(np.int64), np.diff(elimination.starts)[tops].astype(np.int64)
    lasts = np.cumsum(counts)
    nodes = np.stack([tops, elimination.size[tops], elimination.depth[tops], np.zeros_like(tops)], axis=1)
    befores = lasts - counts
    arcs = np.repeat(begins - befores, counts) + np.arange(counts.sum())
    pieces_of = -(-counts // LANES)
    ends = np.concatenate([[0], np.cumsum(pieces_of)])
    owner = np.repeat(np.arange(len(tops)), pieces_of)
    firsts = befores[owner] + LANES * (np.arange(ends[-1]) - ends[owner])
    pieces = np.stack([firsts, np.minimum(firsts + LANES, lasts[owner]), owner, np.zeros_like(owner)], axis=1)
    starts = ends[schedule.level_starts]
    packed = _packed(number[elimination.heads[arcs]], elimination.down[arcs])
    return {
        "level_starts": starts.astype(np.int32),
        "nodes": nodes.astype(np.int32),
        "pieces": pieces.astype(np.int32),
        "arcs": packed,
    }


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


def fits(resident: Resident, facts: Facts) -> bool:
    """Whether the elimination takes seconds and not hours, as far as a breadth-first search shows."""
    return resident.fact("small separators", lambda: has_small_separators(resident.graph))


VARIANT = Variant(
    solver=Sweep,
    kernels=(
        KERNEL,
        KERNEL_OF_TOP,
        KERNEL_OF_TABLE,
        _closed.KERNEL,
        _weights.KERNEL,
        _guided_rows.KERNEL,
        PULL_KERNEL,
    ),
    only_for_trees=(_guided_rows.KERNEL, "list_size"),
    negative_arcs=False,
    floats=True,
    smallest={
        "slots_max": 3,
        "top_max": 5,
        "block_of_top": (32,),
        "sources_at_once": 32,
        "list_size": 2,
        "closed_slots_max": 3,
    },
    optional_predecessors=True,
    many_sources=True,
    tables=True,
    columns=True,
    fits=fits,
)
