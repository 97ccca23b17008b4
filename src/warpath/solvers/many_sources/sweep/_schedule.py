"""When an elimination's vertices are solved: tiers of subtrees that blocks take whole, and above them levels."""

from dataclasses import dataclass

import numba
import numpy as np

from ....distances import UNREACHABLE
from ._elimination import Elimination


@dataclass(frozen=True)
class Tier:
    """Stretches of whole subtrees, without the vertices of the tiers below; all but ``arcs`` are int32.

    A stretch has slots: first its borders, which are the ancestors outside to which its arcs lead, then its own
    vertices, each after its ancestors. ``stretches``, shape (s, 6), has the first and last + 1 of its ``items``, its
    ``borders``, which are vertices, and its vertices with all their descendants. ``items``, shape (m + 1, 4), has the
    number of the first pair of arcs, the vertex, its size and depth. ``arcs``, uint64 of shape (a, 2), has slots in the
    upper half and weights in the lower. An odd number of arcs, or none, is filled up with arcs from slot 0 that shorten
    nothing. The uppermost bit is set in the last pair of an item. ``slots``, ``items_max`` and ``pairs_max`` are the
    largest numbers of a stretch.
    """

    stretches: np.ndarray
    borders: np.ndarray
    items: np.ndarray
    arcs: np.ndarray
    slots: int
    items_max: int
    pairs_max: int

    @classmethod
    def of(cls, elimination: Elimination, left: np.ndarray, slots_max: int) -> "Tier":
        """The vertices of ``left``, bool of shape (n,), in subtrees that fit ``slots_max`` slots."""
        size, parent, starts = elimination.size, elimination.parent, elimination.starts
        vertices = len(parent)
        before = np.append(0, np.cumsum(left))
        # The arcs of a root lead to all borders of its subtree.
        slots = before[np.arange(vertices) + size] - before[:-1] + np.diff(starts)
        fits = left & (slots <= slots_max)
        roots = np.flatnonzero(fits & ((parent < 0) | ~fits[parent]))
        lows = np.flatnonzero(fits).astype(np.int32)
        item_before = np.append(0, np.cumsum(fits))
        ends_of_items = item_before[roots + size[roots]]
        root_firsts, borders, border_ends = _stretches(roots, ends_of_items, starts, elimination.heads, slots_max)
        root_lasts = np.append(root_firsts[1:], len(roots))[: len(root_firsts)] - 1
        ends = ends_of_items[root_lasts]
        bounds = [np.append(0, ends)[:-1], ends, np.append(0, border_ends)[:-1], border_ends]
        bounds += [roots[root_firsts], roots[root_lasts] + size[roots[root_lasts]]]
        stretches = np.stack(bounds, axis=1).astype(np.int32)
        pairs = np.maximum(1, (np.diff(starts)[lows] + 1) // 2)
        items = np.zeros((len(lows) + 1, 4), np.int32)
        items[1:, 0] = np.cumsum(pairs)
        for column, array in enumerate((lows, size[lows], elimination.depth[lows]), start=1):
            items[:-1, column] = array
        of_arcs = starts, elimination.heads, elimination.down
        arcs = _arcs_of_slots(stretches, borders, lows, items[:, 0], *of_arcs, vertices)
        counts = stretches[:, 1] - stretches[:, 0]
        widths = counts + stretches[:, 3] - stretches[:, 2]
        pairs = items[stretches[:, 1], 0] - items[stretches[:, 0], 0]
        largest = (int(numbers.max(initial=0)) for numbers in (widths, counts, pairs))
        return cls(stretches, borders, items, arcs, *largest)

    @property
    def vertices(self) -> np.ndarray:
        return self.items[:-1, 1]


@numba.njit(cache=True)
def _stretches(
    roots: np.ndarray, ends_of_items: np.ndarray, starts: np.ndarray, heads: np.ndarray, slots_max: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Join consecutive subtrees while their slots fit: the first root of each stretch, all borders, and their ends."""
    firsts = np.empty(len(roots), np.int64)
    border_ends = np.empty(len(roots), np.int64)
    room = np.int64(0)
    for root in roots:
        room += starts[root + 1] - starts[root]
    borders = np.empty(room, np.int32)
    seen_by = np.full(len(starts), -1, np.int32)
    count, first_border, last_border, first_item = 0, 0, 0, 0
    for i in range(len(roots)):
        new = 0
        for arc in range(starts[roots[i]], starts[roots[i] + 1]):
            new += seen_by[heads[arc]] != count - 1
        if count == 0 or ends_of_items[i] - first_item + last_border - first_border + new > slots_max:
            firsts[count] = i
            first_border = last_border
            first_item = ends_of_items[i - 1] if i > 0 else 0
            count += 1
        for arc in range(starts[roots[i]], starts[roots[i] + 1]):
            if seen_by[heads[arc]] != count - 1:
                seen_by[heads[arc]] = count - 1
                borders[last_border] = heads[arc]
                last_border += 1
        border_ends[count - 1] = last_border
    return firsts[:count].copy(), borders[:last_border].copy(), border_ends[:count].copy()


@numba.njit(cache=True)
def _arcs_of_slots(
    stretches: np.ndarray,
    borders: np.ndarray,
    lows: np.ndarray,
    first_pairs: np.ndarray,
    starts: np.ndarray,
    heads: np.ndarray,
    weights: np.ndarray,
    vertices: int,
) -> np.ndarray:
    """The arcs of a tier in pairs, uint64 of shape (a, 2)."""
    arcs = np.empty((first_pairs[-1], 2), np.uint64)
    slot = np.zeros(vertices, np.uint64)
    for first_item, last_item, first_border, last_border in stretches[:, :4]:
        for i in range(first_border, last_border):
            slot[borders[i]] = i - first_border
        for i in range(first_item, last_item):
            slot[lows[i]] = last_border - first_border + i - first_item
            begin, end = starts[lows[i]], starts[lows[i] + 1]
            for arc in range(begin, end):
                number = arc - begin
                packed = slot[heads[arc]] << np.uint64(32) | np.uint64(weights[arc])
                arcs[first_pairs[i] + number // 2, number % 2] = packed
            last = first_pairs[i + 1] - 1
            if begin == end:
                arcs[last, 0] = np.uint64(UNREACHABLE)
            if begin == end or (end - begin) % 2:
                arcs[last, 1] = np.uint64(UNREACHABLE)
            arcs[last, 0] |= np.uint64(1 << 63)
    return arcs


@dataclass(frozen=True)
class Schedule:
    """The vertices of the top by level, int32, and the tiers below it, the lowest first.

    ``tops[level_starts[l]:level_starts[l + 1]]`` are the vertices of the top of depth l.
    """

    level_starts: np.ndarray
    tops: np.ndarray
    tiers: list[Tier]

    @classmethod
    def of(cls, elimination: Elimination, slots_max: int, top_max: int) -> "Schedule":
        """As many tiers, at least one, as leave at most ``top_max`` vertices to the top, if they can."""
        left = np.ones(len(elimination.parent), bool)
        tiers: list[Tier] = []
        while not tiers or (tiers[-1].slots and left.sum() > top_max):
            tiers.append(Tier.of(elimination, left, slots_max))
            left[tiers[-1].vertices] = False
        tops = np.flatnonzero(left)
        tops = tops[np.argsort(elimination.depth[tops], kind="stable")].astype(np.int32)
        level_starts = np.append(0, np.cumsum(np.bincount(elimination.depth[tops]))).astype(np.int32)
        return cls(level_starts, tops, [tier for tier in tiers if tier.slots])


def tiers_of_all(elimination: Elimination, slots_max: int) -> list[Tier]:
    """Tiers of all vertices, the lowest first. Each takes at least three quarters of the vertices that are left.

    Stretches have ``slots_max`` slots, or twice as many as in the tier below where that is too few for this.
    """
    left = np.ones(len(elimination.parent), bool)
    tiers: list[Tier] = []
    while left.any():
        tier = Tier.of(elimination, left, slots_max)
        if len(tier.vertices) < 3 / 4 * left.sum():
            slots_max *= 2
        else:
            tiers.append(tier)
            left[tier.vertices] = False
    return tiers
