"""The graph after all its vertices were eliminated: the order, the tree, the arcs with their weights, and a schedule.

Vertices with two neighbours or fewer are eliminated first: the dead ends and the vertices along a road, nearly half of
New York. That joins at most two vertices each, and METIS takes half the time for the rest, which it orders by nested
dissection: the vertices that separate large parts come last.

Eliminating a vertex joins its remaining neighbours with each other, so the arcs become a chordal graph. Each is as
heavy as the lightest path through vertices that were eliminated before both of its ends.

Source: J. Dibbelt, B. Strasser and D. Wagner, "Customizable Contraction Hierarchies", 2016.
"""

from dataclasses import dataclass

import numba
import numpy as np
import pymetis

from ...distances import UNREACHABLE
from ...errors import UsageError
from ...graphs.csr import Graph

Vertex = int | np.integer
# Roads have some 400 vertices at a distance of so many arcs where sqrt(n) is 500; networks of people and machines have
# a tenth of all vertices there.
WIDTH_IN_ROOTS_MAX = 4
# A graph with good separators has a few times as many arcs as vertices after the elimination. Beyond this it has none.
ARCS_A_VERTEX_MAX = 24
ARCS_ALWAYS_ALLOWED = 2_000_000
# Pairs of arcs of one vertex, each looked at once for the weights: New York has 9.4 million, and a second does 500.
PAIRS_MAX = 3_000_000_000


def has_small_separators(graph: Graph) -> bool:
    """Whether breadth-first levels are narrow, so that few vertices cut the graph in two. Takes a pass over the arcs.

    A guess: a graph whose elimination makes too many arcs all the same is refused once METIS has ordered it.
    """
    vertices, levels = _largest_breadth(*neighbours(graph.indptr, graph.indices))
    return bool(vertices / levels <= WIDTH_IN_ROOTS_MAX * np.sqrt(vertices))


def elimination_order(starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """When each vertex is eliminated, int32 of shape (n,), from the neighbours of each as CSR."""
    ends, degrees = ends.copy(), np.diff(starts)
    rank = np.full(len(degrees), -1, np.int32)
    ranked = _take_roads_out(starts, ends, degrees, rank)
    rest = np.flatnonzero(rank < 0)
    starts_of_rest = np.append(0, np.cumsum(degrees[rest]))
    if starts_of_rest[-1] == 0:
        rank[rest] = ranked + np.arange(len(rest))
        return rank
    number = np.cumsum(rank < 0) - 1
    places = np.repeat(starts[rest] - starts_of_rest[:-1], degrees[rest]) + np.arange(starts_of_rest[-1])
    adjacency = pymetis.CSRAdjacency(starts_of_rest.astype(np.int32), number[ends[places]].astype(np.int32))
    rank[rest] = ranked + np.asarray(pymetis.nested_dissection(adjacency)[1], np.int32)
    return rank


@numba.njit(cache=True)
def neighbours(indptr: np.ndarray, indices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The neighbours of each vertex, whichever way the arc goes, each once, without the vertex itself; as CSR."""
    vertices = len(indptr) - 1
    counts = np.zeros(vertices + 1, np.int64)
    for tail in range(vertices):
        for arc in range(indptr[tail], indptr[tail + 1]):
            counts[tail + 1] += 1
            counts[indices[arc] + 1] += 1
    places = np.cumsum(counts)
    ends = np.empty(places[-1], np.int32)
    filled = places[:-1].copy()
    for tail in range(vertices):
        for arc in range(indptr[tail], indptr[tail + 1]):
            head = indices[arc]
            ends[filled[tail]] = head
            filled[tail] += 1
            ends[filled[head]] = tail
            filled[head] += 1
    starts = np.zeros(vertices + 1, np.int32)
    last_seen_at = np.full(vertices, -1, np.int32)
    kept = 0
    for vertex in range(vertices):
        last_seen_at[vertex] = vertex
        for place in range(places[vertex], places[vertex + 1]):
            end = ends[place]
            if last_seen_at[end] != vertex:
                last_seen_at[end] = vertex
                ends[kept] = end
                kept += 1
        starts[vertex + 1] = kept
    return starts, ends[:kept].copy()


@numba.njit(cache=True)
def _take_roads_out(starts: np.ndarray, ends: np.ndarray, degrees: np.ndarray, rank: np.ndarray) -> int:
    """Eliminate vertices of at most two neighbours while there are any, and give the number of those.

    Writes their ``rank``, and keeps ``ends`` and ``degrees`` those of the rest: the neighbours of v are
    ``ends[starts[v]:starts[v] + degrees[v]]``.
    """
    vertices = len(degrees)
    ranked = 0
    waiting = np.empty(3 * vertices, np.int32)  # once each at first, and twice for each that is eliminated
    count = 0
    for vertex in range(vertices - 1, -1, -1):
        if degrees[vertex] <= 2:
            waiting[count] = vertex
            count += 1
    while count > 0:
        count -= 1
        vertex = waiting[count]
        if rank[vertex] >= 0:
            continue
        rank[vertex] = ranked
        ranked += 1
        first = starts[vertex]
        if degrees[vertex] == 1:
            _forget(starts, ends, degrees, ends[first], vertex)
        elif degrees[vertex] == 2:
            one, other = ends[first], ends[first + 1]
            if _place_of_neighbour(starts, ends, degrees, one, other) >= 0:
                _forget(starts, ends, degrees, one, vertex)
                _forget(starts, ends, degrees, other, vertex)
            else:
                ends[_place_of_neighbour(starts, ends, degrees, one, vertex)] = other
                ends[_place_of_neighbour(starts, ends, degrees, other, vertex)] = one
        for place in range(first, first + degrees[vertex]):
            if degrees[ends[place]] <= 2:
                waiting[count] = ends[place]
                count += 1
    return ranked


@numba.njit(cache=True)
def _place_of_neighbour(
    starts: np.ndarray, ends: np.ndarray, degrees: np.ndarray, vertex: Vertex, neighbour: Vertex
) -> int:
    """Where ``neighbour`` stands among the neighbours of ``vertex``; -1 if it is none."""
    for place in range(starts[vertex], starts[vertex] + degrees[vertex]):
        if ends[place] == neighbour:
            return place
    return -1


@numba.njit(cache=True)
def _forget(starts: np.ndarray, ends: np.ndarray, degrees: np.ndarray, vertex: Vertex, neighbour: Vertex) -> None:
    last = starts[vertex] + degrees[vertex] - 1
    ends[_place_of_neighbour(starts, ends, degrees, vertex, neighbour)] = ends[last]
    degrees[vertex] -= 1


@numba.njit(cache=True)
def _largest_breadth(starts: np.ndarray, ends: np.ndarray) -> tuple[int, int]:
    """How many vertices the largest component has, and how many levels a breadth-first search of it."""
    vertices = len(starts) - 1
    seen = np.zeros(vertices, np.bool_)
    queue = np.empty(vertices, np.int32)
    most, levels_of_most = 0, 1
    for root in range(vertices):
        if seen[root]:
            continue
        seen[root] = True
        queue[0] = root
        first, last, levels = 0, 1, 0
        while first < last:
            levels += 1
            end_of_level = last
            while first < end_of_level:
                vertex = queue[first]
                first += 1
                for place in range(starts[vertex], starts[vertex + 1]):
                    end = ends[place]
                    if not seen[end]:
                        seen[end] = True
                        queue[last] = end
                        last += 1
        if last > most:
            most, levels_of_most = last, levels
    return most, levels_of_most


@dataclass(frozen=True)
class Elimination:
    """Vertices have new numbers, those eliminated later first, so that the descendants of v are v + 1 up to its size.

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
        """How many vertices the longest way from a root down has."""
        return int(self.depth.max()) + 1

    @classmethod
    def of(cls, graph: Graph) -> "Elimination":
        """Eliminate the vertices of ``graph``. Raises UsageError where that makes too many arcs."""
        starts, ends = neighbours(graph.indptr, graph.indices)
        rank = elimination_order(starts, ends)
        allowed = max(ARCS_ALWAYS_ALLOWED, ARCS_A_VERTEX_MAX * graph.vertices)
        arc_starts, heads, parent = _filled(starts, ends, np.argsort(rank), rank, allowed)
        arcs_of = arc_starts[1:].astype(np.int64) - arc_starts[:-1]
        if len(parent) == 0 or (arcs_of * (arcs_of - 1) // 2).sum() > PAIRS_MAX:
            raise UsageError(
                "eliminating the vertices of this graph makes too many arcs, as it has no small separators; take "
                "near_far, which needs none"
            )
        moved, parent, depth, size = _from_the_roots(parent)
        arc_starts, heads = _renumbered(arc_starts, _sorted_each(arc_starts, heads), moved)
        position = moved[rank]
        up, down = _customized(arc_starts, heads, graph.indptr, graph.indices, graph.weights, position)
        return cls(position, parent, depth, size, arc_starts, heads, up, down)


@numba.njit(cache=True)
def _filled(
    starts: np.ndarray, ends: np.ndarray, order: np.ndarray, rank: np.ndarray, allowed: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The arcs of each rank to higher ranks after the elimination, in any order, and the parent of each rank.

    A vertex gets the higher neighbours of those whose lowest higher neighbour it is. No parents at all where there are
    more arcs than ``allowed``.
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
        for place in range(starts[order[low]], starts[order[low] + 1]):
            high = rank[ends[place]]
            if high > low and seen_by[high] != low:
                seen_by[high] = low
                heads[count] = high
                count += 1
        child = first_child[low]
        while child >= 0:
            for place in range(arc_starts[child], arc_starts[child + 1]):
                high = heads[place]
                if seen_by[high] != low:
                    seen_by[high] = low
                    heads[count] = high
                    count += 1
            child = next_child[child]
        if count > allowed:
            return arc_starts, heads[:0].copy(), parent[:0].copy()
        if count > begin:
            lowest = heads[begin]
            for place in range(begin + 1, count):
                lowest = min(lowest, heads[place])
            parent[low] = lowest
            next_child[low] = first_child[parent[low]]
            first_child[parent[low]] = low
        arc_starts[low + 1] = count
    return arc_starts, heads[:count].copy(), parent


def _sorted_each(arc_starts: np.ndarray, heads: np.ndarray) -> np.ndarray:
    """``heads`` with those of each rank in ascending order."""
    of_arcs = np.repeat(np.arange(len(arc_starts) - 1), arc_starts[1:] - arc_starts[:-1]) << 32
    of_arcs |= heads
    of_arcs.sort()
    return (of_arcs & 0xFFFFFFFF).astype(np.int32)


@numba.njit(cache=True)
def _from_the_roots(parent: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """New numbers in which a vertex stands right before its descendants; parent, depth and size by new number."""
    vertices = len(parent)
    size = np.ones(vertices, np.int32)
    for low in range(vertices):
        if parent[low] >= 0:
            size[parent[low]] += size[low]
    moved = np.empty(vertices, np.int32)
    free = np.zeros(vertices, np.int32)  # where the next child of a vertex goes
    free_of_roots = 0
    of_parent = np.full(vertices, -1, np.int32)
    depth = np.zeros(vertices, np.int32)
    sizes = np.empty(vertices, np.int32)
    for low in range(vertices - 1, -1, -1):
        high = parent[low]
        if high < 0:
            moved[low] = free_of_roots
            free_of_roots += size[low]
        else:
            moved[low] = free[high]
            free[high] += size[low]
            of_parent[moved[low]] = moved[high]
            depth[moved[low]] = depth[moved[high]] + 1
        free[low] = moved[low] + 1
        sizes[moved[low]] = size[low]
    return moved, of_parent, depth, sizes


def _renumbered(arc_starts: np.ndarray, heads: np.ndarray, moved: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The arcs by new number. Heads stay in order of the elimination: the parent first, a root last."""
    lows = np.argsort(moved)
    counts = np.diff(arc_starts)[lows]
    starts = np.append(0, np.cumsum(counts)).astype(np.int32)
    places = np.repeat(arc_starts[lows] - starts[:-1], counts) + np.arange(len(heads))
    return starts, moved[heads[places]]


@numba.njit(cache=True)
def _customized(
    starts: np.ndarray,
    heads: np.ndarray,
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray,
    position: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """The weights of the arcs: those of the graph, lowered by the paths through each vertex, the deepest first."""
    up = np.full(len(heads), UNREACHABLE, np.int32)
    down = np.full(len(heads), UNREACHABLE, np.int32)
    for tail in range(len(indptr) - 1):
        for arc in range(indptr[tail], indptr[tail + 1]):
            low, high = position[tail], position[indices[arc]]
            if low == high:
                continue
            rising = low > high
            if not rising:
                low, high = high, low
            place = _place_of(heads, starts[low], starts[low + 1], high)
            if rising:
                up[place] = min(up[place], weights[arc])
            else:
                down[place] = min(down[place], weights[arc])
    for low in range(len(starts) - 2, -1, -1):
        for first in range(starts[low], starts[low + 1]):
            middle = heads[first]  # joined with every further head
            place = starts[middle]
            for second in range(first + 1, starts[low + 1]):
                while heads[place] != heads[second]:
                    place += 1
                through = np.int64(down[first]) + np.int64(up[second])
                if through < up[place]:
                    up[place] = through
                through = np.int64(down[second]) + np.int64(up[first])
                if through < down[place]:
                    down[place] = through
    return up, down


@numba.njit(cache=True)
def _place_of(heads: np.ndarray, begin: int, end: int, head: int) -> int:
    """Where ``head`` stands among ``heads[begin:end]``, which fall."""
    while end - begin > 1:
        middle = (begin + end) // 2
        if heads[middle] >= head:
            begin = middle
        else:
            end = middle
    return begin


@dataclass(frozen=True)
class Schedule:
    """The vertices of the top by level, and stretches of whole subtrees of the rest; all int32.

    ``tops[level_starts[l]:level_starts[l + 1]]`` are the vertices of the top of depth l. Stretch s are the vertices
    ``stretch_starts[s]`` to ``stretch_ends[s] - 1``.
    """

    level_starts: np.ndarray
    tops: np.ndarray
    stretch_starts: np.ndarray
    stretch_ends: np.ndarray

    @classmethod
    def of(cls, elimination: Elimination, cell_vertices: int) -> "Schedule":
        """The top has the vertices with more than ``cell_vertices`` in their subtree, a stretch has no more of them."""
        size, parent = elimination.size, elimination.parent
        small = size <= cell_vertices
        tops = np.flatnonzero(~small)
        tops = tops[np.argsort(elimination.depth[tops], kind="stable")]
        level_starts = np.append(0, np.cumsum(np.bincount(elimination.depth[tops])))
        # The largest subtrees that are small; neighbours among them join.
        begins = np.flatnonzero(small & ((parent < 0) | ~small[parent]))
        ends = begins + size[begins]
        leads = np.zeros(len(begins), bool)
        stretch_start = 0
        for i, (begin, end) in enumerate(zip(begins.tolist(), ends.tolist(), strict=True)):
            leads[i] = i == 0 or begin != ends[i - 1] or end - stretch_start > cell_vertices
            if leads[i]:
                stretch_start = begin
        lasts = np.append(leads[1:], True)[: len(begins)]
        arrays = (level_starts, tops, begins[leads], ends[lasts])
        return cls(*(array.astype(np.int32) for array in arrays))
