"""A cut of a graph into parts of nearly equal size, with few arcs between them, made on the device (cut.cu)."""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numba
import numpy as np

from ....device import Device
from ....device.copies import downloaded
from ....device.resident import Resident
from ....system.cores import for_each
from ...shared.grids import blocks_over

KERNEL = Path(__file__).with_name("cut.cu")
BLOCK = 256
FULL = 0.94
"""The mean size of a part, as a share of the largest that is allowed. The rest is room for vertices to move."""
PARTS_A_REGION, PARTS_WITHOUT_REGIONS = 128, 8192
FULL_REGION = 0.98
COARSE_VERTICES_A_PART, COARSE_VERTICES_A_REGION = 5, 20  # of the level that is cut into parts, or into regions
_SIZE_SHARE = 1.5  # a coarse vertex may exceed the mean size of the level to be cut by this factor
_MATCHINGS = 2
_SHRINKS_MIN = 0.97  # to this share of its vertices, or coarsening ends
_ROUNDS = 12
_LOSS_PERCENT, _LOSS_PERCENT_FINEST = 75, 25  # of the arcs to its own part that a move may lose
_BUCKETS = 32  # as in cut.cu
_SUMS = 1024
_KEYS_MAX = 2**31 - 1
_SEARCHES = 2  # breadth first, each from the end of the one before
_PASSES = 2  # over a part that has been halved
_TOLERANCE = 100  # a half may be off by this fraction
_DEALT_APART = (5**0.5 - 1) / 2


@dataclass(frozen=True, eq=False)
class _Level:
    """A graph without directions, as in cut.cu. ``below`` is the number of each vertex in the next, coarser level."""

    vertices: int
    begin: Any
    end: Any
    heads: Any
    weights: Any = None
    sizes: Any = None
    below: Any = None

    @property
    def arguments(self) -> dict[str, Any]:
        return {
            "vertices": np.int32(self.vertices),
            "begin": self.begin,
            "end": self.end,
            "heads": self.heads,
            "arc_weights": self.weights,
            "sizes": self.sizes,
        }


def parts_of_vertices(resident: Resident, vertices_max: int) -> tuple[Any, np.ndarray]:
    """The part of each vertex, an int32 array of shape (n,) on the device; and the first part of each region.

    A part has at most ``vertices_max``. After the first parts of regions comes the number of parts.

    The numbers begin at 0; for some there may be no vertices. If there are at most PARTS_WITHOUT_REGIONS, they
    are one region, and neighbouring parts have numbers far apart. Else the about PARTS_A_REGION parts of a region lie
    together. The result is the same each time.
    """
    xp, vertices = resident.device.xp, resident.graph.vertices
    if vertices <= vertices_max:
        return xp.zeros(vertices, np.int32), np.array([0, 1])
    count = int(np.ceil(vertices / (FULL * vertices_max)))
    stages = [_Stage(count, COARSE_VERTICES_A_PART, vertices_max)]
    region_first = np.array([0, count])
    if count > PARTS_WITHOUT_REGIONS:
        regions = -(-count // PARTS_A_REGION)
        stages = [
            _Stage(regions, COARSE_VERTICES_A_REGION, int(vertices / (FULL_REGION * regions))),
            _Stage(regions * PARTS_A_REGION, COARSE_VERTICES_A_PART, vertices_max),
        ]
        region_first = PARTS_A_REGION * np.arange(regions + 1)
    part = _Cut(resident, stages).part
    sizes = xp.bincount(part, minlength=int(region_first[-1]))
    if int(sizes.max()) > vertices_max:
        part, first_pieces = _split(resident.device, part, sizes, vertices_max)
        region_first = first_pieces[region_first]
    return part, region_first


def _split(device: Device, part: Any, sizes: Any, vertices_max: int) -> tuple[Any, np.ndarray]:
    """``part`` with parts that are too large in pieces, and the first piece of each part, with an end.

    Parts without vertices have no pieces.
    """
    xp = device.xp
    order = xp.argsort(part.astype(np.int64) << 32 | xp.arange(len(part)))
    sorted_part = part[order].astype(np.int64)
    rank = xp.arange(len(part)) - (xp.cumsum(sizes) - sizes)[sorted_part]
    piece = sorted_part << 32 | rank // vertices_max
    begins = xp.zeros(len(part), np.int32)
    begins[1:] = piece[1:] != piece[:-1]
    split = xp.empty_like(part)
    split[order] = xp.cumsum(begins, dtype=np.int32)
    return split, np.append(0, np.cumsum(-(-downloaded(device, sizes) // vertices_max)))


@dataclass(frozen=True)
class _Stage:
    """A cut into ``count`` parts of at most about ``limit`` vertices, all pieces of the parts of the stage before.

    It is made on a level of at most about ``coarse_vertices_a_part`` times as many vertices.
    """

    count: int
    coarse_vertices_a_part: int
    limit: int


class _Cut:
    """``part`` is the cut of the graph after all ``stages``, the coarsest first."""

    def __init__(self, resident: Resident, stages: list[_Stage]):
        self.device, self.xp = resident.device, resident.device.xp
        self.vertices, self.count = resident.graph.vertices, 1
        levels, left = [_finest(resident)], []
        for stage in reversed(stages):
            wanted = stage.coarse_vertices_a_part * stage.count
            while levels[-1].vertices > wanted:
                finer = levels[-1]
                levels[-1], coarser = self._contracted(finer, wanted)
                if coarser.vertices > _SHRINKS_MIN * finer.vertices:
                    break
                levels.append(coarser)
            left.append((len(levels), stage))
        self.part = self.xp.zeros(levels[-1].vertices, np.int32)
        while levels:
            while left and left[-1][0] == len(levels):
                self._divide(levels[-1], left.pop()[1])
            level = levels.pop()
            self._improve(level, finest=not levels)
            if levels:
                self.part = self.part[levels[-1].below]

    def _divide(self, level: _Level, stage: _Stage) -> None:
        """Cut each part into pieces, on the host."""
        begin, end, heads, part = (
            downloaded(self.device, array) for array in (level.begin, level.end, level.heads, self.part)
        )
        weights, sizes = np.ones(len(heads), np.int32), np.ones(level.vertices, np.int32)
        if level.weights is not None:
            weights, sizes = downloaded(self.device, level.weights), downloaded(self.device, level.sizes)
        members = np.argsort(part, kind="stable").astype(np.int32)
        firsts = np.append(0, np.cumsum(np.bincount(part, minlength=self.count)))
        pieces = stage.count // self.count
        part *= pieces
        seen, buffer = np.full(level.vertices, -1, np.int32), np.empty(level.vertices, np.int32)

        def cut(number: int) -> None:
            of_part = slice(firsts[number], firsts[number + 1])
            first_cut(begin, end, heads, weights, sizes, part, members[of_part], seen, buffer[of_part], pieces)

        for_each(self.count, cut, len(heads) // self.count)
        if self.count == 1:
            part = dealt(pieces)[part]
        self.count, self.limit = stage.count, stage.limit
        filled = np.zeros((2, self.count), np.int32)
        filled[0] = np.bincount(part, weights=sizes, minlength=self.count)
        self.filled, self.rounds = self.device.upload(filled), self.device.upload(np.zeros(2, np.int32))
        self.coming, self.leaving = (self.device.empty((self.count * _BUCKETS,), np.int32) for _ in range(2))
        self.part = self.device.upload(part)

    def _launch(self, name: str, **arguments: Any) -> None:
        """Launch a kernel with a thread for each of its ``vertices``."""
        blocks = blocks_over(int(arguments["vertices"]), BLOCK)
        self.device.kernel(KERNEL, name)((blocks,), (BLOCK,), **arguments)

    def _contracted(self, level: _Level, wanted: int) -> tuple[_Level, _Level]:
        """``level``, which knows the level below, and that level, on the way to ``wanted`` vertices."""
        vertices, empty = level.vertices, partial(self.device.empty, dtype=np.int32)
        size_max = np.int32(max(2, _SIZE_SHARE * self.vertices / wanted))
        mate, wanted, keys = empty((vertices,)), empty((vertices,)), self.device.empty((vertices,), np.int64)
        mate.fill(-1)
        for round_ in range(_MATCHINGS):
            self._launch(
                "propose", **level.arguments, size_max=size_max, round=np.int32(round_), mate=mate, wanted=wanted
            )
            self._launch("agree", vertices=np.int32(vertices), wanted=wanted, mate=mate)
        self._launch("list_unmatched", **level.arguments, mate=mate, keys=keys)
        keys.sort()
        self._launch(
            "match_listed", vertices=np.int32(vertices), keys=keys, sizes=level.sizes, size_max=size_max, mate=mate
        )
        self._launch(
            "count_leaders", vertices=np.int32(vertices), begin=level.begin, end=level.end, mate=mate, leads=keys
        )
        led = self.xp.cumsum(keys)
        coarse_vertices, room = divmod(int(led[-1]), 1 << 32)
        below, begin, end = empty((vertices,)), empty((coarse_vertices,)), empty((coarse_vertices,))
        heads, weights, sizes = empty((max(1, room),)), empty((max(1, room),)), empty((coarse_vertices,))
        self._launch(
            "contract",
            **level.arguments,
            mate=mate,
            led=led,
            below=below,
            coarse_begin=begin,
            coarse_end=end,
            coarse_heads=heads,
            coarse_weights=weights,
            coarse_sizes=sizes,
        )
        return replace(level, below=below), _Level(coarse_vertices, begin, end, heads, weights, sizes)

    def _improve(self, level: _Level, finest: bool) -> None:
        empty = partial(self.device.empty, (level.vertices,), np.int32)
        chosen, gain, bucket = empty(), empty(), empty()
        bucket.fill(-1)
        size = self.vertices / level.vertices
        limit = self.limit + (size / 2 if size > 2 else 0)
        arc_weight = max(1, np.sqrt(size) / 4)
        loss = _LOSS_PERCENT_FINEST if finest else _LOSS_PERCENT
        arguments = {
            **level.arguments,
            "parts": np.int32(self.count),
            "limit": np.int32(limit),
            "rounds_a_level": np.int32(_ROUNDS),
            "arc_weight": np.int32(arc_weight),
            "loss_percent": np.int32(loss),
            "rounds": self.rounds,
            "part": self.part,
            "chosen": chosen,
            "gain": gain,
            "bucket": bucket,
            "filled": self.filled,
            "coming": self.coming,
            "leaving": self.leaving,
        }
        grid = (blocks_over(level.vertices, BLOCK),)
        names = ("choose", "judge", "hold", "move")
        kernels = (self.device.kernel(KERNEL, name) for name in names)
        self.device.enqueue([kernel.bind(grid, (BLOCK,), **arguments) for kernel in kernels] * _ROUNDS)


def _finest(resident: Resident) -> _Level:
    """The graph without directions: as it is, if each arc has one back, else with arcs in both directions."""
    device, xp, vertices, arcs = resident.device, resident.device.xp, resident.graph.vertices, resident.graph.arcs
    indptr, heads = resident.indptr, resident.indices
    grid = (blocks_over(vertices, BLOCK),)
    sums = xp.zeros(_SUMS, np.uint64)
    of_arcs = {"vertices": np.int32(vertices), "indptr": indptr, "heads": heads}
    device.kernel(KERNEL, "compare_directions")(grid, (BLOCK,), **of_arcs, width=np.int32(_SUMS), sums=sums)
    if int(sums.sum()) and 2 * arcs <= _KEYS_MAX:
        keys = device.empty((2 * arcs,), np.int64)
        device.kernel(KERNEL, "list_both_directions")(grid, (BLOCK,), **of_arcs, keys=keys)
        keys.sort()
        indptr = xp.searchsorted(keys, xp.arange(vertices + 1) << 32).astype(np.int32)
        heads = keys.astype(np.int32)  # the low half
    return _Level(vertices, indptr[:-1], indptr[1:], heads)


def dealt(count: int) -> np.ndarray:
    """A permutation of the numbers of parts, int32: consecutive ones come to be far apart, in all sections of it.

    The blocks of a kernel take consecutive parts, and a search from a source is busy in one region at a time.
    """
    step = next(step for step in range(max(1, int(_DEALT_APART * count)), count + 2) if np.gcd(step, count) == 1)
    return (np.arange(count, dtype=np.int64) * step % count).astype(np.int32)


@numba.njit(cache=True, nogil=True)
def _breadth_first(
    begin: np.ndarray, end: np.ndarray, heads: np.ndarray, part: np.ndarray, members: np.ndarray, start: int,
    seen: np.ndarray, stamp: int, order: np.ndarray,
) -> None:  # fmt: skip
    """Write ``members``, the vertices of one part, into ``order``, from ``start`` breadth first."""
    order[0], seen[start] = start, stamp
    done, found, searched = 0, 1, 0
    while found < len(members):
        if done == found:  # another component
            while seen[members[searched]] == stamp:
                searched += 1
            order[found], seen[members[searched]] = members[searched], stamp
            found += 1
        vertex = order[done]
        done += 1
        for arc in range(begin[vertex], end[vertex]):
            head = heads[arc]
            if part[head] == part[vertex] and seen[head] != stamp:
                seen[head] = stamp
                order[found] = head
                found += 1


@numba.njit(cache=True, nogil=True)
def first_cut(
    begin: np.ndarray, end: np.ndarray, heads: np.ndarray, weights: np.ndarray, sizes: np.ndarray, part: np.ndarray,
    members: np.ndarray, seen: np.ndarray, buffer: np.ndarray, pieces: int,
) -> None:  # fmt: skip
    """Cut a part into ``pieces``: its ``members`` are halved by breadth-first order, and each half again.

    After each cut, passes over its vertices move those with more arcs to the other half. The pieces are numbered from
    the number of the part on. Other threads may cut other parts. ``seen`` is -1 for all members.
    """
    if not len(members):
        return
    waiting = [(0, len(members), part[members[0]], pieces)]
    stamp = 0
    while len(waiting):
        first, last, lower, parts = waiting.pop()
        if parts == 1 or last - first <= 1:
            continue
        order = buffer[first:last]
        start = members[first]
        for _ in range(_SEARCHES):
            _breadth_first(begin, end, heads, part, members[first:last], start, seen, stamp, order)
            start = order[-1]
            stamp += 1
        upper = np.int32(lower + parts // 2)
        wanted = sizes[order].sum() * (parts // 2) // parts
        size = 0
        for vertex in order:
            if size + sizes[vertex] // 2 < wanted:
                size += sizes[vertex]
            else:
                part[vertex] = upper
        for _ in range(_PASSES):
            moved = False
            for vertex in order:
                own = part[vertex]
                inside, across = 0, 0
                for arc in range(begin[vertex], end[vertex]):
                    if part[heads[arc]] == own:
                        inside += weights[arc]
                    elif part[heads[arc]] == lower + upper - own:
                        across += weights[arc]
                becomes = size - sizes[vertex] if own == lower else size + sizes[vertex]
                off, was_off = abs(becomes - wanted), abs(size - wanted)
                if across and (
                    (across > inside and off <= max(wanted // _TOLERANCE, was_off))
                    or (across == inside and off < was_off)
                ):
                    part[vertex] = lower + upper - own
                    size = becomes
                    moved = True
            if not moved:
                break
        middle = first
        for vertex in order:
            if part[vertex] == lower:
                members[middle] = vertex
                middle += 1
        free = middle
        for vertex in order:
            if part[vertex] == upper:
                members[free] = vertex
                free += 1
        waiting.append((first, middle, lower, parts // 2))
        waiting.append((middle, last, upper, parts - parts // 2))
