"""The shape of a graph: cheap facts that tell which algorithm suits it."""

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from math import log
from typing import TypeVar

import numba
import numpy as np

from ..graphs.csr import Graph

Fact = TypeVar("Fact")

# A breadth-first search for the depth looks at so many arcs at most, and starts elsewhere where it finds few vertices.
_ARCS_OF_A_SEARCH = 16_384
_SEARCHES, _VERTICES_MIN = 8, 256
# A graph is deep where a search takes so many times as many levels as in a random graph of the same mean degree.
_DEEP = 2.3
# A vertex is heavy if it has so many times the mean degree, and so many arcs more. Of so many arcs at even distances,
# each vertex that matters has one.
_HEAVY_TIMES, _HEAVY_ARCS, _ARCS_SAMPLED = 16, 64, 2**10


@dataclass(frozen=True)
class Shape:
    """What the rules ask about a graph.

    ``depth`` is the number of levels of a breadth-first search over a part of the graph, over that in a random graph of
    the same mean degree: about 1 where vertices have neighbours anywhere, 3 and more on roads, grids and chains.
    ``skewed`` tells whether a few vertices have a large share of the arcs.
    """

    vertices: int
    arcs: int
    weight_min: int
    weight_max: int
    depth: float
    skewed: bool

    @property
    def degree(self) -> float:
        """The mean number of arcs of a vertex."""
        return self.arcs / max(1, self.vertices)

    @property
    def density(self) -> float:
        """Arcs as a share of all pairs of different vertices; parallel arcs and loops count, too."""
        return self.arcs / max(1, self.vertices * (self.vertices - 1))

    @property
    def negative(self) -> bool:
        return self.weight_min < 0

    @property
    def deep(self) -> bool:
        """Whether shortest paths have many arcs for a graph of this size."""
        return self.depth >= _DEEP


def once_a_graph(find: Callable[[Graph], Fact]) -> Callable[[Graph], Fact]:
    """``find``, called once for each graph as long as that is kept."""
    known: dict[int, tuple[weakref.ref, Fact]] = {}

    @wraps(find)
    def found(graph: Graph) -> Fact:
        key = id(graph)
        if key not in known:
            fact = find(graph)
            known[key] = weakref.ref(graph, lambda _: known.pop(key, None)), fact
        return known[key][1]

    return found


@once_a_graph
def shape_of(graph: Graph) -> Shape:
    """The shape of ``graph``, from small parts of its arrays."""
    if not graph.arcs:
        return Shape(graph.vertices, 0, 0, 0, 0.0, False)
    degree = graph.arcs / graph.vertices
    sampled = np.linspace(0, graph.arcs - 1, _ARCS_SAMPLED).astype(np.int32)  # a search in int32 copies nothing
    tails = np.searchsorted(graph.indptr, sampled, side="right") - 1
    degree_max = int((graph.indptr[tails + 1] - graph.indptr[tails]).max())
    skewed = degree_max > _HEAVY_TIMES * degree + _HEAVY_ARCS
    return Shape(graph.vertices, graph.arcs, graph.weight_min, graph.weight_max, _depth(graph), skewed)


def _depth(graph: Graph) -> float:
    depth, degree = 0.0, max(2.0, graph.arcs / graph.vertices)
    # Where most vertices are sinks, a place at random is a bad start; so the next sender from there.
    for share in np.linspace(0.5, 0.95, _SEARCHES):
        first_arc = min(graph.indptr[int(share * graph.vertices)], np.int32(graph.arcs - 1))
        start = int(np.searchsorted(graph.indptr, first_arc, side="right")) - 1
        visited = np.zeros(graph.vertices // 8 + 1, np.uint8)
        levels, found = _levels(graph.indptr, graph.indices, start, _ARCS_OF_A_SEARCH, visited)
        depth = max(depth, levels / max(1.0, log(found) / log(degree)))
        if found >= min(_VERTICES_MIN, graph.vertices // 2):
            break
    return depth


@numba.njit(cache=True)
def _levels(indptr: np.ndarray, indices: np.ndarray, start: int, arcs_max: int, visited: np.ndarray) -> tuple[int, int]:
    """How many levels after the first, and how many vertices a breadth-first search from ``start`` finds.

    It looks at ``arcs_max`` arcs. A level that a few arcs more would have finished counts, so that a heavy vertex
    cannot hide it. ``visited`` has a bit for each vertex, all 0.
    """
    queue = np.empty(min(len(indptr) - 1, arcs_max + 1), np.int32)
    queue[0] = start
    visited[start >> 3] |= 1 << (start & 7)
    begin, end, levels = 0, 1, 0
    while True:
        after = end
        for place in range(begin, end):
            for arc in range(indptr[queue[place]], indptr[queue[place] + 1]):
                arcs_max -= 1
                if arcs_max < 0:
                    return levels + 1, after
                head = indices[arc]
                if not visited[head >> 3] >> (head & 7) & 1:
                    visited[head >> 3] |= 1 << (head & 7)
                    queue[after] = head
                    after += 1
        if after == end:
            return levels, after
        levels += 1
        begin, end = end, after
