"""The shape of a graph: cheap properties by which the solver is chosen."""

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar

import numpy as np

from ..graphs.csr import Graph

Property = TypeVar("Property")

# The degree of a heavy vertex is above this factor times the mean degree, plus this number of arcs.
_HEAVY_FACTOR, _HEAVY_ARCS = 16, 64
# Evenly spaced arcs whose tails are examined: they include each vertex with a large share of the arcs.
_ARCS_SAMPLED = 2**8


@dataclass(frozen=True)
class Shape:
    """The properties of a graph that the rules use.

    ``skewed`` is true if a few vertices have a large share of the arcs.
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


def cached_by_graph(function: Callable[..., Property]) -> Callable[..., Property]:
    """``function`` of a graph with a cache, which keeps a result as long as the graph exists.

    Further arguments of ``function`` do not change the result.
    """
    return _cached_by(lambda graph: (graph,), function)


def cached_by_arcs(function: Callable[..., Property]) -> Callable[..., Property]:
    """As ``cached_by_graph``, for a property of the arcs, which graphs with other weights share."""
    return _cached_by(lambda graph: (graph.indptr, graph.indices), function)


def _cached_by(
    owners: Callable[[Graph], tuple[Any, ...]], function: Callable[..., Property]
) -> Callable[..., Property]:
    cache: dict[tuple[int, ...], tuple[list[weakref.ref], Property]] = {}

    @wraps(function)
    def cached(graph: Graph, *others: Any) -> Property:
        key = tuple(map(id, owners(graph)))
        if key not in cache:
            result = function(graph, *others)
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
