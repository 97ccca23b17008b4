"""The shape of a graph: cheap facts that tell which algorithm suits it."""

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TypeVar

import numba
import numpy as np

from ..graphs.csr import Graph

Fact = TypeVar("Fact")

# Breadth-first searches for the depth start at so many vertices and look at so many arcs each at most.
_SEARCHES = 3
_ARCS_OF_A_SEARCH = 50_000
# So many levels within so few arcs: each level adds few vertices, as on roads and grids.
_LEVELS_DEEP = 48


@dataclass(frozen=True)
class Shape:
    """What the rules ask about a graph.

    ``levels`` is the most levels of a breadth-first search from one of a few vertices. A search ends early where it
    gets long, and then there are more levels than that: ``levels`` is a lower bound of the depth from that vertex.
    """

    vertices: int
    arcs: int
    weight_min: int
    weight_max: int
    levels: int

    @property
    def density(self) -> float:
        """Arcs as a share of all pairs of different vertices; parallel arcs and loops count, too."""
        return self.arcs / max(1, self.vertices * (self.vertices - 1))

    @property
    def negative(self) -> bool:
        return self.weight_min < 0

    @property
    def deep(self) -> bool:
        """Whether shortest paths are long: many arcs one after another, as on roads and grids."""
        return self.levels >= _LEVELS_DEEP


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
    """The shape of ``graph``: a few passes over its arrays."""
    levels = 0
    if graph.arcs:
        # Where most vertices are sinks, a place at random is a bad start; so the next sender from there.
        places = np.linspace(0, graph.vertices - 1, _SEARCHES + 2).astype(np.int64)[1:-1]
        first_arcs = np.minimum(graph.indptr[places], graph.arcs - 1)
        starts = np.searchsorted(graph.indptr, first_arcs, side="right") - 1
        levels = max(_levels(graph.indptr, graph.indices, start, _ARCS_OF_A_SEARCH) for start in starts)
    return Shape(graph.vertices, graph.arcs, graph.weight_min, graph.weight_max, int(levels))


@numba.njit(cache=True)
def _levels(indptr: np.ndarray, indices: np.ndarray, start: int, arcs_max: int) -> int:
    """How many levels after the first a breadth-first search from ``start`` finds within ``arcs_max`` arcs.

    A level that a few arcs more would have finished counts, so that a heavy vertex cannot hide it.
    """
    found = np.zeros(len(indptr) - 1, np.bool_)
    queue = np.empty(min(len(indptr) - 1, arcs_max + 1), np.int32)
    queue[0] = start
    found[start] = True
    begin, end, levels = 0, 1, 0
    while True:
        after = end
        for place in range(begin, end):
            for arc in range(indptr[queue[place]], indptr[queue[place] + 1]):
                arcs_max -= 1
                if arcs_max < 0:
                    return levels + 1
                head = indices[arc]
                if not found[head]:
                    found[head] = True
                    queue[after] = head
                    after += 1
        if after == end:
            return levels
        levels += 1
        begin, end = end, after
