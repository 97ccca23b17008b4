"""NetworkX's functions for weights of any sign, under NetworkX's names and signatures; ``options`` as in ``info``."""

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

from .converted import ConvertedGraph
from .trees import refuse_any_negative_cycle, tree, trees


def bellman_ford_path(G: ConvertedGraph, source: Any, target: Any, weight: Any = "weight", **options: Any) -> Any:
    return single_source_bellman_ford(G, source, target=target, weight=weight, **options)[1]


def bellman_ford_path_length(
    G: ConvertedGraph, source: Any, target: Any, weight: Any = "weight", **options: Any
) -> Any:
    _refuse_missing(G, source, f"Node {source} not found in graph" if source == target else f"Source {source} not in G")
    if source == target:
        return 0
    found = tree(G, source, weight is not None, **options).to(target)
    if found is None:
        raise nx.NetworkXNoPath(f"node {target} not reachable from {source}")
    return found[0]


def single_source_bellman_ford(
    G: ConvertedGraph, source: Any, target: Any = None, weight: Any = "weight", **options: Any
) -> Any:
    unknown = f"Node {source} is not found in the graph" if source == target else f"Source {source} not in G"
    _refuse_missing(G, source, unknown)
    if source == target:
        return 0, [source]
    found = tree(G, source, weight is not None, **options)
    if target is None:
        return found.lengths(), found.paths()
    length_and_path = found.to(target)
    if length_and_path is None:
        raise nx.NetworkXNoPath(f"Target {target} cannot be reached from given sources")
    return length_and_path


def single_source_bellman_ford_path(G: ConvertedGraph, source: Any, weight: Any = "weight", **options: Any) -> Any:
    _refuse_missing(G, source, f"Source {source} not in G")
    return tree(G, source, weight is not None, **options).paths()


def single_source_bellman_ford_path_length(
    G: ConvertedGraph, source: Any, weight: Any = "weight", **options: Any
) -> Any:
    _refuse_missing(G, source, f"Source {source} not in G")
    return tree(G, source, weight is not None, **options).lengths()


def bellman_ford_predecessor_and_distance(
    G: ConvertedGraph, source: Any, target: Any = None, weight: Any = "weight", heuristic: bool = False, **options: Any
) -> Any:
    _refuse_missing(G, source, f"Node {source} is not found in the graph")
    _refuse_negative_loops(G)
    if len(G) == 1:
        return {source: []}, {source: 0}
    found = tree(G, source, weight is not None, **options)
    return found.all_predecessors(), found.lengths()


def goldberg_radzik(G: ConvertedGraph, source: Any, weight: Any = "weight", **options: Any) -> Any:
    _refuse_missing(G, source, f"Node {source} is not found in the graph")
    _refuse_negative_loops(G)
    found = tree(G, source, weight is not None, **options)
    before = {node: path[-2] if len(path) > 1 else None for node, path in found.paths().items()}
    return before, found.lengths()


def all_pairs_bellman_ford_path_length(
    G: ConvertedGraph, weight: Any = "weight", **options: Any
) -> Iterator[tuple[Any, Any]]:
    for node, of_node in trees(G, weight is not None, **options):
        yield node, of_node.lengths()


def all_pairs_bellman_ford_path(G: ConvertedGraph, weight: Any = "weight", **options: Any) -> Iterator[tuple[Any, Any]]:
    for node, of_node in trees(G, weight is not None, **options):
        yield node, of_node.paths()


def johnson(G: ConvertedGraph, weight: Any = "weight", **options: Any) -> Any:
    if len(G) and weight is not None:
        refuse_any_negative_cycle(G)
    return {node: of_node.paths() for node, of_node in trees(G, weight is not None, **options)}


def _refuse_missing(G: ConvertedGraph, node: Any, message: str) -> None:
    if node not in G:
        raise nx.NodeNotFound(message)


def _refuse_negative_loops(G: ConvertedGraph) -> None:
    """NetworkX refuses a negative loop wherever it is, reached or not."""
    if G.weights is not None and np.any(G.weights.whole[G.tails == G.heads] < 0):
        raise nx.NetworkXUnbounded("Negative cycle detected.")
