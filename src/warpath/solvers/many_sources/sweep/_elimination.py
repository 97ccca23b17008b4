"""The elimination of all vertices of a graph: the tree, and the arcs with their weights.

The elimination of a vertex joins its remaining neighbours with each other, so the arcs become a chordal graph. The
weight of an arc is the length of the shortest path through vertices that were eliminated before both of its ends.

Source: J. Dibbelt, B. Strasser and D. Wagner, "Customizable Contraction Hierarchies", 2016.
"""

from dataclasses import dataclass

import numba
import numpy as np

from ....device import Device
from ....errors import UsageError
from ....graphs.csr import ARCS_MAX, Graph
from ._order import elimination_order, neighbours
from ._weights import weights_of

# After the elimination, a graph with small separators has a few arcs for each vertex. Others are refused.
ARCS_A_VERTEX_MAX = 64
ARCS_ALWAYS_ALLOWED = 2_000_000
# Pairs of arcs of one vertex, which the weights depend on. New York has 9.4 million; 500 million take a second.
PAIRS_MAX = 3_000_000_000


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
