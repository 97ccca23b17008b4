"""``shortest_path`` and ``shortest_path_length`` as NetworkX has them: they choose among the other functions."""

from typing import Any

import networkx as nx

from . import bellman_ford, dijkstra, unweighted
from .converted import ConvertedGraph
from .trees import Tree, tree


def shortest_path(
    G: ConvertedGraph,
    source: Any = None,
    target: Any = None,
    weight: Any = None,
    method: str = "dijkstra",
    **options: Any,
) -> Any:
    family = _family(weight, method)
    weights = {} if weight is None else {"weight": weight}
    if source is None and target is None:
        return _PATHS_OF_ALL[family](G, **weights, **options)
    if source is None:
        return _to(G, target, weight, **options).paths(backwards=True)
    if target is None:
        return _PATHS_OF_ONE[family](G, source, **weights, **options)
    if family == "unweighted":
        return unweighted.bidirectional_shortest_path(G, source, target, **options)
    if family == "dijkstra":
        return dijkstra.bidirectional_dijkstra(G, source, target, weight, **options)[1]
    return bellman_ford.bellman_ford_path(G, source, target, weight, **options)


def shortest_path_length(
    G: ConvertedGraph,
    source: Any = None,
    target: Any = None,
    weight: Any = None,
    method: str = "dijkstra",
    **options: Any,
) -> Any:
    family = _family(weight, method)
    weights = {} if weight is None else {"weight": weight}
    if source is None and target is None:
        return _LENGTHS_OF_ALL[family](G, **weights, **options)
    if source is None:
        return _to(G, target, weight, **options).lengths()
    if target is None:
        return _LENGTHS_OF_ONE[family](G, source, **weights, **options)
    if family == "unweighted":
        return len(unweighted.bidirectional_shortest_path(G, source, target, **options)) - 1
    if family == "dijkstra":
        return dijkstra.dijkstra_path_length(G, source, target, weight, **options)
    return bellman_ford.bellman_ford_path_length(G, source, target, weight, **options)


_PATHS_OF_ALL = {
    "unweighted": unweighted.all_pairs_shortest_path,
    "dijkstra": dijkstra.all_pairs_dijkstra_path,
    "bellman-ford": bellman_ford.all_pairs_bellman_ford_path,
}
_LENGTHS_OF_ALL = {
    "unweighted": unweighted.all_pairs_shortest_path_length,
    "dijkstra": dijkstra.all_pairs_dijkstra_path_length,
    "bellman-ford": bellman_ford.all_pairs_bellman_ford_path_length,
}
_PATHS_OF_ONE = {
    "unweighted": unweighted.single_source_shortest_path,
    "dijkstra": dijkstra.single_source_dijkstra_path,
    "bellman-ford": bellman_ford.single_source_bellman_ford_path,
}
_LENGTHS_OF_ONE = {
    "unweighted": unweighted.single_source_shortest_path_length,
    "dijkstra": dijkstra.single_source_dijkstra_path_length,
    "bellman-ford": bellman_ford.single_source_bellman_ford_path_length,
}


def _family(weight: Any, method: str) -> str:
    if method not in ("dijkstra", "bellman-ford"):
        raise ValueError(f"method not supported: {method}")
    return "unweighted" if weight is None else method


def _to(G: ConvertedGraph, target: Any, weight: Any, **options: Any) -> Tree:
    """The paths to ``target``, which NetworkX finds as paths from it in the reversed graph."""
    if target not in G:
        raise nx.NodeNotFound(f"Node {target} not found in graph")
    return tree(G, target, weight is not None, backwards=True, **options)
