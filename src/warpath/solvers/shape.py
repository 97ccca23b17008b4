"""The shape of a graph: cheap properties by which the solver is chosen."""

import sys
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from math import log, log2
from typing import Any, TypeVar

import numpy as np

from ..graphs.csr import Graph
from ..locks import once

Property = TypeVar("Property")

# Limits of the breadth-first searches for the depth. A search that finds too few vertices is repeated elsewhere.
_SEARCH_ARCS_MAX = 16_384
# A short search suffices if it finds so small a depth. In a random graph, each access of a longer one leaves the cache.
_SHORT_SEARCH_ARCS_MAX, _SHALLOW_MAX = 2_048, 1.5
_SEARCHES_MAX, _SEARCH_VERTICES_MIN = 8, 256
# A graph is deep from this depth.
_DEEP_MIN = 2.3
# The degree of a heavy vertex is above this factor times the mean degree, plus this number of arcs.
_HEAVY_FACTOR, _HEAVY_ARCS = 16, 64
# Evenly spaced arcs whose tails are examined: they include each vertex with a large share of the arcs.
_ARCS_SAMPLED = 2**10


@dataclass(frozen=True)
class Shape:
    """The properties of a graph that the rules use.

    ``skewed`` is true if a few vertices have a large share of the arcs. ``depth_of`` is apart, since it takes longer.
    """

    vertices: int
    arcs: int
    weight_min: float
    weight_max: float
    skewed: bool

    @property
    def degree(self) -> float:
        """The mean outdegree."""
        return self.arcs / max(1, self.vertices)

    @property
    def density(self) -> float:
        """Arcs divided by pairs of different vertices. Parallel arcs and loops count as arcs."""
        return self.arcs / max(1, self.vertices * (self.vertices - 1))

    @property
    def negative(self) -> bool:
        return self.weight_min < 0


def cached_by_graph(function: Callable[[Graph], Property]) -> Callable[[Graph], Property]:
    """``function`` with a cache, which keeps a result as long as its graph exists."""
    return _cached_by(lambda graph: (graph,), function)


def cached_by_arcs(function: Callable[[Graph], Property]) -> Callable[[Graph], Property]:
    """As ``cached_by_graph``, for a property of the arcs, which graphs with other weights share."""
    return _cached_by(lambda graph: (graph.indptr, graph.indices), function)


def _cached_by(
    owners: Callable[[Graph], tuple[Any, ...]], function: Callable[[Graph], Property]
) -> Callable[[Graph], Property]:
    cache: dict[tuple[int, ...], tuple[list[weakref.ref], Property]] = {}

    @wraps(function)
    def cached(graph: Graph) -> Property:
        key = tuple(map(id, owners(graph)))
        if key not in cache:
            result = function(graph)
            cache[key] = [weakref.ref(owner, lambda _: cache.pop(key, None)) for owner in owners(graph)], result
        return cache[key][1]

    return cached


@cached_by_graph
def shape_of(graph: Graph) -> Shape:
    """The shape of ``graph``, from small parts of its arrays."""
    if not graph.arcs:
        return Shape(graph.vertices, 0, 0, 0, False)
    degree = graph.arcs / graph.vertices
    step = (graph.arcs - 1) / (_ARCS_SAMPLED - 1)
    sampled = (step * np.arange(_ARCS_SAMPLED)).astype(np.int32)  # a search in int32 copies nothing
    tails = np.searchsorted(graph.indptr, sampled, side="right") - 1
    degree_max = int((graph.indptr[tails + 1] - graph.indptr[tails]).max())
    skewed = degree_max > _HEAVY_FACTOR * degree + _HEAVY_ARCS
    return Shape(graph.vertices, graph.arcs, graph.weight_min, graph.weight_max, skewed)


def is_deep(graph: Graph) -> bool:
    """Whether shortest paths have many arcs for the size of the graph."""
    return depth_of(graph) >= _DEEP_MIN


def depth_of(graph: Graph) -> float:
    """The levels of a breadth-first search in a part of the graph, divided by those expected in a random graph.

    The random graph has the same mean degree. The depth is about 1 in random graphs, and 3 or more on roads, grids and
    chains.
    """
    return _searched(graph)[0]


def levels_of(graph: Graph) -> float:
    """About how many levels a breadth-first search of the whole graph has.

    A search in a part of the graph gives its dimension: a grid has four times as many vertices within twice as many
    levels, a long grid twice as many.
    """
    return _searched(graph)[1]


@cached_by_arcs
def _searched(graph: Graph) -> tuple[float, float]:
    """The depth and the number of levels, by searches in parts of the graph."""
    if not graph.arcs:
        return 0.0, 0.0
    depth, all_levels, degree = 0.0, 0.0, max(2.0, graph.arcs / graph.vertices)
    # To import Numba for this takes longer than all searches. Uncompiled, views are faster than arrays.
    is_loaded = "numba" in sys.modules
    search = _compiled_levels() if is_loaded else levels_from
    indptr, indices = (array if is_loaded else array.data for array in (graph.indptr, graph.indices))
    # Start from vertices with arcs, because many graphs consist mostly of sinks.
    for share in np.linspace(0.5, 0.95, _SEARCHES_MAX):
        first_arc = min(graph.indptr[int(share * graph.vertices)], np.int32(graph.arcs - 1))
        start = int(np.searchsorted(graph.indptr, first_arc, side="right")) - 1
        for arcs_max in (_SHORT_SEARCH_ARCS_MAX, _SEARCH_ARCS_MAX):
            visited = np.zeros(graph.vertices // 8 + 1, np.uint8)
            levels, count, nearer = search(indptr, indices, start, arcs_max, visited if is_loaded else visited.data)
            relative = levels / max(1.0, log(count) / log(degree))
            if nearer:
                levels *= (graph.vertices / count) ** (1 / max(1.0, log2(count / nearer)))
            found = max(depth, relative), max(all_levels, levels)
            if relative < _SHALLOW_MAX and count >= _SEARCH_VERTICES_MIN:
                return found
        depth, all_levels = found
        if count >= min(_SEARCH_VERTICES_MIN, graph.vertices // 2):
            break
    return depth, all_levels


@once
def _compiled_levels() -> Any:
    import numba

    return numba.njit(cache=True)(levels_from)


def levels_from(indptr: Any, indices: Any, start: int, arcs_max: int, visited: Any) -> tuple[int, int, int]:
    """A breadth-first search from ``start``: the number of levels without the first, and how many vertices it finds.

    The search ends after ``arcs_max`` arcs. The level that it cuts short counts, so that a heavy vertex does not hide
    it. The third number is that of the vertices in half of the levels, or 0 if the search was not cut short.
    ``visited`` has a bit for each vertex, all 0.
    """
    queue = np.empty(min(len(indptr) - 1, arcs_max + 1), np.int32)
    ends = np.empty(len(queue) + 1, np.int32)  # of the levels
    queue[0] = start
    visited[start >> 3] |= 1 << (start & 7)
    begin, end, levels = 0, 1, 0
    while True:
        ends[levels] = after = end
        for position in range(begin, end):
            for arc in range(indptr[queue[position]], indptr[queue[position] + 1]):
                arcs_max -= 1
                if arcs_max < 0:
                    return levels + 1, after, ends[(levels + 1) // 2]
                head = indices[arc]
                if not visited[head >> 3] >> (head & 7) & 1:
                    visited[head >> 3] |= 1 << (head & 7)
                    queue[after] = head
                    after += 1
        if after == end:
            return levels, after, 0
        levels += 1
        begin, end = end, after
