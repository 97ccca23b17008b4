"""NetworkX's functions on graphs without weights, under NetworkX's names and signatures; ``options`` as in ``info``."""

from collections.abc import Iterator
from math import ceil
from typing import Any

import networkx as nx

from .converted import ConvertedGraph
from .trees import Tree, tree, trees


def single_source_shortest_path_length(
    G: ConvertedGraph, source: Any, cutoff: float | None = None, **options: Any
) -> Any:
    return _from(G, source, f"Source {source} is not in G", **options).lengths(_whole(cutoff))


def single_target_shortest_path_length(
    G: ConvertedGraph, target: Any, cutoff: float | None = None, **options: Any
) -> Any:
    return _from(G, target, f"Target {target} is not in G", backwards=True, **options).lengths(_whole(cutoff))


def single_source_shortest_path(G: ConvertedGraph, source: Any, cutoff: float | None = None, **options: Any) -> Any:
    return _from(G, source, f"Source {source} not in G", **options).paths(_whole(cutoff))


def single_target_shortest_path(G: ConvertedGraph, target: Any, cutoff: float | None = None, **options: Any) -> Any:
    found = _from(G, target, f"Target {target} not in G", backwards=True, **options)
    return found.paths(_whole(cutoff), backwards=True)


def all_pairs_shortest_path_length(
    G: ConvertedGraph, cutoff: float | None = None, **options: Any
) -> Iterator[tuple[Any, Any]]:
    for node, of_node in trees(G, weighted=False, **options):
        yield node, of_node.lengths(_whole(cutoff))


def all_pairs_shortest_path(
    G: ConvertedGraph, cutoff: float | None = None, **options: Any
) -> Iterator[tuple[Any, Any]]:
    for node, of_node in trees(G, weighted=False, **options):
        yield node, of_node.paths(_whole(cutoff))


def bidirectional_shortest_path(G: ConvertedGraph, source: Any, target: Any, **options: Any) -> Any:
    if target not in G and source in G:
        raise nx.NodeNotFound(f"Target {target} is not in G")
    found = _from(G, source, f"Source {source} is not in G", **options).to(target)
    if found is None:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return found[1]


def has_path(G: ConvertedGraph, source: Any, target: Any, **options: Any) -> bool:
    try:
        bidirectional_shortest_path(G, source, target, **options)
    except nx.NetworkXNoPath:
        return False
    return True


def _from(G: ConvertedGraph, node: Any, missing: str, backwards: bool = False, **options: Any) -> Tree:
    """The paths from ``node``, or to it; NodeNotFound that says ``missing`` if it is no node."""
    if node not in G:
        raise nx.NodeNotFound(missing)
    return tree(G, node, weighted=False, backwards=backwards, **options)


def _whole(cutoff: float | None) -> float | None:
    """The level at which NetworkX's breadth-first search ends: it finishes one that it has begun."""
    return cutoff if cutoff is None or cutoff == float("inf") else ceil(cutoff)
