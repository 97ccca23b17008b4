"""NetworkX's Dijkstra functions, under NetworkX's names and signatures; ``options`` as in ``info``.

Weights are at least 0: with negative ones NetworkX's Dijkstra has answers and errors of its own.
"""

from collections.abc import Iterator
from typing import Any

import networkx as nx

from .converted import ConvertedGraph
from .trees import Tree, tree, tree_from_nearest, trees


def dijkstra_path(G: ConvertedGraph, source: Any, target: Any, weight: Any = "weight", **options: Any) -> Any:
    return single_source_dijkstra(G, source, target=target, weight=weight, **options)[1]


def dijkstra_path_length(G: ConvertedGraph, source: Any, target: Any, weight: Any = "weight", **options: Any) -> Any:
    if source not in G:
        raise nx.NodeNotFound(f"Node {source} not found in graph")
    found = tree(G, source, weight is not None, **options).to(target)
    if found is None:
        raise nx.NetworkXNoPath(f"Node {target} not reachable from {source}")
    return found[0]


def bidirectional_dijkstra(G: ConvertedGraph, source: Any, target: Any, weight: Any = "weight", **options: Any) -> Any:
    for name, node in (("Source", source), ("Target", target)):
        if node not in G:
            raise nx.NodeNotFound(f"{name} {node} is not in G")
    found = tree(G, source, weight is not None, **options).to(target)
    if found is None:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return found


def single_source_dijkstra(
    G: ConvertedGraph,
    source: Any,
    target: Any = None,
    cutoff: float | None = None,
    weight: Any = "weight",
    **options: Any,
) -> Any:
    return multi_source_dijkstra(G, {source}, target=target, cutoff=cutoff, weight=weight, **options)


def single_source_dijkstra_path(
    G: ConvertedGraph, source: Any, cutoff: float | None = None, weight: Any = "weight", **options: Any
) -> Any:
    return multi_source_dijkstra_path(G, {source}, cutoff=cutoff, weight=weight, **options)


def single_source_dijkstra_path_length(
    G: ConvertedGraph, source: Any, cutoff: float | None = None, weight: Any = "weight", **options: Any
) -> Any:
    return multi_source_dijkstra_path_length(G, {source}, cutoff=cutoff, weight=weight, **options)


def multi_source_dijkstra(
    G: ConvertedGraph,
    sources: Any,
    target: Any = None,
    cutoff: float | None = None,
    weight: Any = "weight",
    **options: Any,
) -> Any:
    _refuse_sources(G, sources)
    if target in sources:
        return 0, [target]
    found = _from_nearest(G, sources, weight, **options)
    if target is None:
        return found.lengths(cutoff), found.paths(cutoff)
    length_and_path = found.to(target, cutoff)
    if length_and_path is None:
        raise nx.NetworkXNoPath(f"No path to {target}.")
    return length_and_path


def multi_source_dijkstra_path(
    G: ConvertedGraph, sources: Any, cutoff: float | None = None, weight: Any = "weight", **options: Any
) -> Any:
    _refuse_sources(G, sources)
    return _from_nearest(G, sources, weight, **options).paths(cutoff)


def multi_source_dijkstra_path_length(
    G: ConvertedGraph, sources: Any, cutoff: float | None = None, weight: Any = "weight", **options: Any
) -> Any:
    _refuse_sources(G, sources)
    return _from_nearest(G, sources, weight, **options).lengths(cutoff)


def dijkstra_predecessor_and_distance(
    G: ConvertedGraph, source: Any, cutoff: float | None = None, weight: Any = "weight", **options: Any
) -> Any:
    if source not in G:
        raise nx.NodeNotFound(f"Node {source} is not found in the graph")
    found = tree(G, source, weight is not None, **options)
    return found.all_predecessors(cutoff), found.lengths(cutoff)


def all_pairs_dijkstra(
    G: ConvertedGraph, cutoff: float | None = None, weight: Any = "weight", **options: Any
) -> Iterator[tuple[Any, Any]]:
    for node, of_node in trees(G, weight is not None, **options):
        yield node, (of_node.lengths(cutoff), of_node.paths(cutoff))


def all_pairs_dijkstra_path_length(
    G: ConvertedGraph, cutoff: float | None = None, weight: Any = "weight", **options: Any
) -> Iterator[tuple[Any, Any]]:
    for node, of_node in trees(G, weight is not None, **options):
        yield node, of_node.lengths(cutoff)


def all_pairs_dijkstra_path(
    G: ConvertedGraph, cutoff: float | None = None, weight: Any = "weight", **options: Any
) -> Iterator[tuple[Any, Any]]:
    for node, of_node in trees(G, weight is not None, **options):
        yield node, of_node.paths(cutoff)


def _refuse_sources(G: ConvertedGraph, sources: Any) -> None:
    if not sources:
        raise ValueError("sources must not be empty")
    for source in sources:
        if source not in G:
            raise nx.NodeNotFound(f"Node {source} not found in graph")


def _from_nearest(G: ConvertedGraph, sources: Any, weight: Any, **options: Any) -> Tree:
    first, *others = sources
    if others:
        return tree_from_nearest(G, [first, *others], weight is not None, **options)
    return tree(G, first, weight is not None, **options)
