"""Properties of graphs, found once."""

import weakref
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from ...graphs.csr import Graph

Property = TypeVar("Property")


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
