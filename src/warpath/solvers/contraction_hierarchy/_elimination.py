"""The graph after all its vertices were eliminated: the order, the tree, and the arcs with their weights.

Eliminating a vertex joins its remaining neighbours with each other, so the arcs become a chordal graph. Each is as
heavy as the lightest path through vertices that were eliminated before both of its ends.

Source: J. Dibbelt, B. Strasser and D. Wagner, "Customizable Contraction Hierarchies", 2016.
"""

from dataclasses import dataclass

import numba
import numpy as np

from ...distances import UNREACHABLE
from ...errors import UsageError
from ...graphs.csr import Graph
from ._order import elimination_order, neighbours

# A graph with good separators has a few times as many arcs as vertices after the elimination. Beyond this it has none.
ARCS_A_VERTEX_MAX = 24
ARCS_ALWAYS_ALLOWED = 2_000_000
# Pairs of arcs of one vertex, each looked at once for the weights: New York has 9.4 million, and a second does 500.
PAIRS_MAX = 3_000_000_000


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


@numba.njit(cache=True)
def _renumbered(arc_starts: np.ndarray, heads: np.ndarray, moved: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The arcs by new number. Heads stay in order of the elimination: the parent first, a root last."""
    vertices = len(moved)
    new_starts = np.zeros(vertices + 1, np.int32)
    for low in range(vertices):
        new_starts[moved[low] + 1] = arc_starts[low + 1] - arc_starts[low]
    for vertex in range(vertices):
        new_starts[vertex + 1] += new_starts[vertex]
    new_heads = np.empty(len(heads), np.int32)
    for low in range(vertices):
        begin = new_starts[moved[low]]
        for place in range(arc_starts[low], arc_starts[low + 1]):
            new_heads[begin + place - arc_starts[low]] = moved[heads[place]]
    return new_starts, new_heads


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
