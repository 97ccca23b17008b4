"""The elimination of all vertices of a graph: the order, the tree, the arcs with their weights, and a schedule.

Vertices with at most two neighbours are eliminated first: dead ends and vertices along a road, nearly half of New York.
The rest is ordered by nested dissection: vertices that separate large parts are last. A graph that is longer than wide
is cut by its breadth-first levels, and METIS orders the pieces. Each takes a third to a half off the time of METIS.

The elimination of a vertex joins its remaining neighbours with each other, so the arcs become a chordal graph. The
weight of an arc is the length of the shortest path through vertices that were eliminated before both of its ends.

Source: J. Dibbelt, B. Strasser and D. Wagner, "Customizable Contraction Hierarchies", 2016.
"""

from dataclasses import dataclass
from itertools import pairwise

import numba
import numpy as np
import pymetis

from ....device import Device
from ....distances import UNREACHABLE
from ....errors import UsageError
from ....graphs.csr import ARCS_MAX, Graph
from ..costs import WIDTH_IN_ROOTS_MAX
from ._weights import weights_of

Vertex = int | np.integer
# A breadth-first level cuts a piece of more than so many vertices, if neither side has more than this share of them.
PIECE_MAX, SIDE_MAX = 1024, 0.55
# After the elimination, a graph with small separators has a few arcs for each vertex. Others are refused.
ARCS_A_VERTEX_MAX = 64
ARCS_ALWAYS_ALLOWED = 2_000_000
# Pairs of arcs of one vertex, which the weights depend on. New York has 9.4 million; 500 million take a second.
PAIRS_MAX = 3_000_000_000


def has_small_separators(graph: Graph) -> bool:
    """Whether breadth-first levels are small, so that few vertices separate the graph. Takes O(n + m).

    This is an estimate. ``Elimination.of`` refuses a graph whose elimination makes too many arcs.
    """
    vertices, levels = _largest_breadth(*neighbours(graph.indptr, graph.indices))
    return bool(vertices / levels <= WIDTH_IN_ROOTS_MAX * np.sqrt(vertices))


def elimination_order(starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """The rank of each vertex in the elimination, int32 of shape (n,), from the neighbours as CSR."""
    ends, degrees = ends.copy(), np.diff(starts)
    rank = np.full(len(degrees), -1, np.int32)
    ranked = _eliminate_roads(starts, ends, degrees, rank)
    piece = _separate_by_levels(starts, ends, degrees, rank)
    rest = np.flatnonzero(rank < 0)
    rest = rest[np.argsort(piece[rest], kind="stable")]
    number = np.full(len(rank), -1, np.int32)
    number[rest] = np.arange(len(rest))
    starts_of_rest, ends_of_rest = _within(rest, number, starts, ends, degrees)
    for first, last in pairwise(np.append(0, np.cumsum(np.bincount(piece[rest])))):
        of_piece = starts_of_rest[first : last + 1] - starts_of_rest[first]
        order = np.arange(last - first)
        if of_piece[-1]:
            ends_of_piece = ends_of_rest[starts_of_rest[first] : starts_of_rest[last]] - np.int32(first)
            order = np.asarray(pymetis.nested_dissection(pymetis.CSRAdjacency(of_piece, ends_of_piece))[1])
        rank[rest[first:last]] = ranked + first + order
    return rank


@numba.njit(cache=True)
def neighbours(indptr: np.ndarray, indices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different neighbours of each vertex along arcs in both directions, without itself, as CSR."""
    vertices = len(indptr) - 1
    counts = np.zeros(vertices + 1, np.int64)
    for tail in range(vertices):
        for arc in range(indptr[tail], indptr[tail + 1]):
            counts[tail + 1] += 1
            counts[indices[arc] + 1] += 1
    slots = np.cumsum(counts)
    ends = np.empty(slots[-1], np.int32)
    filled = slots[:-1].copy()
    for tail in range(vertices):
        for arc in range(indptr[tail], indptr[tail + 1]):
            head = indices[arc]
            ends[filled[tail]] = head
            filled[tail] += 1
            ends[filled[head]] = tail
            filled[head] += 1
    starts = np.zeros(vertices + 1, np.int32)
    last_seen_at = np.full(vertices, -1, np.int32)
    count = 0
    for vertex in range(vertices):
        last_seen_at[vertex] = vertex
        for slot in range(slots[vertex], slots[vertex + 1]):
            end = ends[slot]
            if last_seen_at[end] != vertex:
                last_seen_at[end] = vertex
                ends[count] = end
                count += 1
        starts[vertex + 1] = count
    return starts, ends[:count].copy()


@numba.njit(cache=True)
def _eliminate_roads(starts: np.ndarray, ends: np.ndarray, degrees: np.ndarray, rank: np.ndarray) -> int:
    """Eliminate vertices with at most two neighbours until there are none, and return their number.

    No two neighbours are eliminated in the same round, so that the tree of a long path is low.

    Writes their ``rank``, and updates ``ends`` and ``degrees`` for the rest: the neighbours of v are
    ``ends[starts[v]:starts[v] + degrees[v]]``.
    """
    vertices = len(degrees)
    ranked, number = 0, 0
    waiting = np.flatnonzero(degrees <= 2).astype(np.int32)
    waits_for = np.full(vertices, -1, np.int32)  # the last round that a vertex waits for
    while len(waiting) > 0:
        following = np.empty(2 * len(waiting), np.int32)  # itself, or its neighbours
        count = 0
        for vertex in waiting:
            if rank[vertex] >= 0:
                continue
            if waits_for[vertex] == number:
                following[count] = vertex
                count += 1
                continue
            rank[vertex] = ranked
            ranked += 1
            first = starts[vertex]
            if degrees[vertex] == 1:
                _remove_neighbour(starts, ends, degrees, ends[first], vertex)
            elif degrees[vertex] == 2:
                one, other = ends[first], ends[first + 1]
                if _find_neighbour(starts, ends, degrees, one, other) >= 0:
                    _remove_neighbour(starts, ends, degrees, one, vertex)
                    _remove_neighbour(starts, ends, degrees, other, vertex)
                else:
                    ends[_find_neighbour(starts, ends, degrees, one, vertex)] = other
                    ends[_find_neighbour(starts, ends, degrees, other, vertex)] = one
            for slot in range(first, first + degrees[vertex]):
                waits_for[ends[slot]] = number
                if degrees[ends[slot]] <= 2:
                    following[count] = ends[slot]
                    count += 1
        waiting = following[:count].copy()
        number += 1
    return ranked


@numba.njit(cache=True)
def _separate_by_levels(starts: np.ndarray, ends: np.ndarray, degrees: np.ndarray, rank: np.ndarray) -> np.ndarray:
    """Cut what is longer than wide by breadth-first levels, and return the number of each vertex's piece.

    A level in the middle separates what is before it from what is after it. The larger a piece, the higher is the
    ``rank`` of the level that cuts it. Vertices that have a rank before are not there.
    """
    vertices = len(degrees)
    high = vertices
    piece = np.zeros(vertices, np.int32)
    pieces = 0
    searches = 0
    found_by = np.full(vertices, -1, np.int32)
    queue = np.empty(vertices, np.int32)
    bounds = np.empty(vertices + 1, np.int32)
    is_done = rank >= 0
    for root in range(vertices):
        if is_done[root]:
            continue
        begin = root
        for _ in range(2):  # from an end of the component, as the first search shows
            found, levels = _breadth_first(starts, ends, degrees, begin, searches, found_by, queue, bounds)
            searches += 1
            begin = queue[found - 1]
        for i in range(found):
            is_done[queue[i]] = True
        waiting = [(0, levels)]  # pieces, as the first level and the one after the last
        while waiting:
            first, last = waiting.pop()
            count = bounds[last] - bounds[first]
            cut = -1
            for level in range(first + 1, last - 1):
                before, after = bounds[level] - bounds[first], bounds[last] - bounds[level + 1]
                is_middle = max(before, after) <= SIDE_MAX * count
                if is_middle and (cut < 0 or count - before - after < bounds[cut + 1] - bounds[cut]):
                    cut = level
            if count <= PIECE_MAX or cut < 0 or (bounds[cut + 1] - bounds[cut]) ** 2 > count:
                for i in range(bounds[first], bounds[last]):
                    piece[queue[i]] = pieces
                pieces += 1
                continue
            for i in range(bounds[cut], bounds[cut + 1]):
                high -= 1
                rank[queue[i]] = high
            waiting.append((first, cut))
            waiting.append((cut + 1, last))
    return piece


@numba.njit(cache=True)
def _breadth_first(
    starts: np.ndarray,
    ends: np.ndarray,
    degrees: np.ndarray,
    root: Vertex,
    number: int,
    found_by: np.ndarray,
    queue: np.ndarray,
    bounds: np.ndarray,
) -> tuple[int, int]:
    """Search from ``root``, and return the numbers of vertices and of levels.

    Vertices of level l are ``queue[bounds[l]:bounds[l + 1]]``. Those that search ``number`` has found have it in
    ``found_by``.
    """
    found_by[root] = number
    queue[0] = root
    bounds[0] = 0
    first, last, levels = 0, 1, 0
    while first < last:
        levels += 1
        bounds[levels] = last
        while first < bounds[levels]:
            vertex = queue[first]
            first += 1
            for slot in range(starts[vertex], starts[vertex] + degrees[vertex]):
                end = ends[slot]
                if found_by[end] != number:
                    found_by[end] = number
                    queue[last] = end
                    last += 1
    return last, levels


@numba.njit(cache=True)
def _within(
    vertices: np.ndarray, number: np.ndarray, starts: np.ndarray, ends: np.ndarray, degrees: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The neighbours of each of ``vertices`` that have a ``number``, by these numbers, as CSR."""
    starts_within = np.zeros(len(vertices) + 1, np.int32)
    ends_within = np.empty(degrees[vertices].sum(), np.int32)
    count = 0
    for i in range(len(vertices)):
        first = starts[vertices[i]]
        for end in ends[first : first + degrees[vertices[i]]]:
            if number[end] >= 0:
                ends_within[count] = number[end]
                count += 1
        starts_within[i + 1] = count
    return starts_within, ends_within[:count]


@numba.njit(cache=True)
def _find_neighbour(
    starts: np.ndarray, ends: np.ndarray, degrees: np.ndarray, vertex: Vertex, neighbour: Vertex
) -> int:
    """The index in ``ends`` of ``neighbour`` as a neighbour of ``vertex``; -1 if it is none."""
    for slot in range(starts[vertex], starts[vertex] + degrees[vertex]):
        if ends[slot] == neighbour:
            return slot
    return -1


@numba.njit(cache=True)
def _remove_neighbour(
    starts: np.ndarray, ends: np.ndarray, degrees: np.ndarray, vertex: Vertex, neighbour: Vertex
) -> None:
    last = starts[vertex] + degrees[vertex] - 1
    ends[_find_neighbour(starts, ends, degrees, vertex, neighbour)] = ends[last]
    degrees[vertex] -= 1


@numba.njit(cache=True)
def _largest_breadth(starts: np.ndarray, ends: np.ndarray) -> tuple[int, int]:
    """The numbers of vertices and of breadth-first levels of the largest component."""
    vertices = len(starts) - 1
    degrees = starts[1:] - starts[:-1]
    found_by = np.full(vertices, -1, np.int32)
    queue = np.empty(vertices, np.int32)
    bounds = np.empty(vertices + 1, np.int32)
    most, levels_of_most = 0, 1
    for root in range(vertices):
        if found_by[root] < 0:
            found, levels = _breadth_first(starts, ends, degrees, root, root, found_by, queue, bounds)
            if found > most:
                most, levels_of_most = found, levels
    return most, levels_of_most


@dataclass(frozen=True)
class Elimination:
    """The result of an elimination. Vertices have new numbers: the descendants of v are v + 1 to v + size[v] - 1.

    ``position``, shape (n,), is the new number of each vertex. ``parent`` (-1 for a root), ``depth`` (0 for a root) and
    ``size`` (of the subtree, itself included) have shape (n,) and are by new number. The arcs of v lead to ancestors:
    ``heads[starts[v]:starts[v + 1]]``, the parent first; ``up`` is the weight from v to the ancestor, ``down`` that
    from the ancestor to v, UNREACHABLE where there is no path. All are int32.
    """

    position: np.ndarray
    parent: np.ndarray
    depth: np.ndarray
    size: np.ndarray
    starts: np.ndarray
    heads: np.ndarray
    up: np.ndarray
    down: np.ndarray

    @property
    def height(self) -> int:
        """The number of vertices of the longest path from a root down."""
        return int(self.depth.max()) + 1

    @classmethod
    def of(cls, device: Device, graph: Graph) -> "Elimination":
        """Eliminate the vertices of ``graph``. Raises UsageError if this makes too many arcs."""
        starts, ends = neighbours(graph.indptr, graph.indices)
        rank = elimination_order(starts, ends)
        allowed = min(ARCS_MAX, max(ARCS_ALWAYS_ALLOWED, ARCS_A_VERTEX_MAX * graph.vertices))
        arc_starts, heads, parent = _filled(starts, ends, np.argsort(rank), rank, allowed)
        arcs_of = arc_starts[1:].astype(np.int64) - arc_starts[:-1]
        if len(parent) == 0 or (arcs_of * (arcs_of - 1) // 2).sum() > PAIRS_MAX:
            raise UsageError(
                "eliminating the vertices of this graph makes too many arcs, as it has no small separators; use "
                "near_far"
            )
        renumbering, parent, depth, size = _from_the_roots(parent)
        arc_starts, heads = _renumbered(arc_starts, _sorted_each(arc_starts, heads), renumbering)
        position = renumbering[rank]
        up, down = weights_of(device, graph, position, parent, arc_starts, heads)
        return cls(position, parent, depth, size, arc_starts, heads, up, down)


@numba.njit(cache=True)
def _filled(
    starts: np.ndarray, ends: np.ndarray, order: np.ndarray, rank: np.ndarray, allowed: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The arcs of each rank to higher ranks after the elimination, in any order, and the parent of each rank.

    A vertex inherits the higher neighbours of its children. If there are more than ``allowed`` arcs, the result has no
    parents.
    """
    vertices = len(order)
    parent = np.full(vertices, -1, np.int32)
    first_child = np.full(vertices, -1, np.int32)
    next_child = np.full(vertices, -1, np.int32)
    arc_starts = np.zeros(vertices + 1, np.int32)
    heads = np.empty(2 * len(ends) + 16, np.int32)
    seen_by = np.full(vertices, -1, np.int32)
    count = 0
    for low in range(vertices):
        begin = count
        room = starts[order[low] + 1] - starts[order[low]]
        child = first_child[low]
        while child >= 0:
            room += arc_starts[child + 1] - arc_starts[child]
            child = next_child[child]
        if count + room > len(heads):
            longer = np.empty(2 * (count + room), np.int32)
            longer[:count] = heads[:count]
            heads = longer
        seen_by[low] = low
        for slot in range(starts[order[low]], starts[order[low] + 1]):
            high = rank[ends[slot]]
            if high > low and seen_by[high] != low:
                seen_by[high] = low
                heads[count] = high
                count += 1
        child = first_child[low]
        while child >= 0:
            for slot in range(arc_starts[child], arc_starts[child + 1]):
                high = heads[slot]
                if seen_by[high] != low:
                    seen_by[high] = low
                    heads[count] = high
                    count += 1
            child = next_child[child]
        if count > allowed:
            return arc_starts, heads[:0].copy(), parent[:0].copy()
        if count > begin:
            lowest = heads[begin]
            for slot in range(begin + 1, count):
                lowest = min(lowest, heads[slot])
            parent[low] = lowest
            next_child[low] = first_child[parent[low]]
            first_child[parent[low]] = low
        arc_starts[low + 1] = count
    return arc_starts, heads[:count].copy(), parent


@numba.njit(cache=True)
def _sorted_each(arc_starts: np.ndarray, heads: np.ndarray) -> np.ndarray:
    """``heads``, with the heads of each rank in ascending order, as those of arcs that have been turned are."""
    return _turned(*_turned(arc_starts, heads))[1]


@numba.njit(cache=True)
def _turned(starts: np.ndarray, heads: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The arcs from their heads to their tails, as CSR."""
    vertices = len(starts) - 1
    turned_starts = np.zeros(vertices + 1, starts.dtype)
    for head in heads:
        turned_starts[head + 1] += 1
    for vertex in range(vertices):
        turned_starts[vertex + 1] += turned_starts[vertex]
    free, tails = turned_starts[:-1].copy(), np.empty_like(heads)
    for tail in range(vertices):
        for arc in range(starts[tail], starts[tail + 1]):
            tails[free[heads[arc]]] = tail
            free[heads[arc]] += 1
    return turned_starts, tails


@numba.njit(cache=True)
def _from_the_roots(parent: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """New numbers in which descendants follow their vertex; parent, depth and size by new number."""
    vertices = len(parent)
    size = np.ones(vertices, np.int32)
    for low in range(vertices):
        if parent[low] >= 0:
            size[parent[low]] += size[low]
    renumbering = np.empty(vertices, np.int32)
    free = np.zeros(vertices, np.int32)  # the number of the next child
    free_of_roots = 0
    of_parent = np.full(vertices, -1, np.int32)
    depth = np.zeros(vertices, np.int32)
    sizes = np.empty(vertices, np.int32)
    for low in range(vertices - 1, -1, -1):
        high = parent[low]
        if high < 0:
            renumbering[low] = free_of_roots
            free_of_roots += size[low]
        else:
            renumbering[low] = free[high]
            free[high] += size[low]
            of_parent[renumbering[low]] = renumbering[high]
            depth[renumbering[low]] = depth[renumbering[high]] + 1
        free[low] = renumbering[low] + 1
        sizes[renumbering[low]] = size[low]
    return renumbering, of_parent, depth, sizes


@numba.njit(cache=True)
def _renumbered(arc_starts: np.ndarray, heads: np.ndarray, renumbering: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The arcs by new number. Heads stay in the order of the elimination: the parent first."""
    vertices = len(renumbering)
    lows = np.empty(vertices, np.int32)
    for low in range(vertices):
        lows[renumbering[low]] = low
    starts = np.zeros(vertices + 1, np.int32)
    renumbered = np.empty(len(heads), np.int32)
    for number in range(vertices):
        begin, end = arc_starts[lows[number]], arc_starts[lows[number] + 1]
        starts[number + 1] = starts[number] + end - begin
        for arc in range(begin, end):
            renumbered[starts[number] + arc - begin] = renumbering[heads[arc]]
    return starts, renumbered


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
