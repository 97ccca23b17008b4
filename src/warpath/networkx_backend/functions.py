"""The functions of the backend, with the names, signatures and errors of NetworkX; ``info`` explains ``options``."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from math import ceil
from typing import Any

import networkx as nx
import numpy as np

from .converted import ConvertedGraph, Tree, check_no_negative_cycles, tree, tree_from_nearest, trees

Pairs = Iterator[tuple[Any, Any]]

# Dijkstra. ``can_run`` refuses negative weights, for which NetworkX has results and errors of its own.


def dijkstra_path(G: ConvertedGraph, source: Any, target: Any, weight: Any = "weight", **options: Any) -> Any:
    return single_source_dijkstra(G, source, target=target, weight=weight, **options)[1]


def dijkstra_path_length(G: ConvertedGraph, source: Any, target: Any, weight: Any = "weight", **options: Any) -> Any:
    return _tree(G, source, weight, f"Node {source} not found in graph", **options).path_to(
        target, f"Node {target} not reachable from {source}"
    )[0]


def bidirectional_dijkstra(G: ConvertedGraph, source: Any, target: Any, weight: Any = "weight", **options: Any) -> Any:
    for name, node in (("Source", source), ("Target", target)):
        _check_has_node(G, node, f"{name} {node} is not in G")
    return tree(G, source, weight is not None, **options).path_to(target, f"No path between {source} and {target}.")


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
    _check_sources(G, sources)
    if target in sources:
        return 0, [target]
    paths = _from_nearest(G, sources, weight, **options)
    if target is None:
        return paths.lengths(cutoff), paths.paths(cutoff)
    return paths.path_to(target, f"No path to {target}.", cutoff)


def multi_source_dijkstra_path(
    G: ConvertedGraph, sources: Any, cutoff: float | None = None, weight: Any = "weight", **options: Any
) -> Any:
    _check_sources(G, sources)
    return _from_nearest(G, sources, weight, **options).paths(cutoff)


def multi_source_dijkstra_path_length(
    G: ConvertedGraph, sources: Any, cutoff: float | None = None, weight: Any = "weight", **options: Any
) -> Any:
    _check_sources(G, sources)
    return _from_nearest(G, sources, weight, **options).lengths(cutoff)


def dijkstra_predecessor_and_distance(
    G: ConvertedGraph, source: Any, cutoff: float | None = None, weight: Any = "weight", **options: Any
) -> Any:
    paths = _tree(G, source, weight, f"Node {source} is not found in the graph", **options)
    return paths.all_predecessors(cutoff), paths.lengths(cutoff)


def all_pairs_dijkstra(G: ConvertedGraph, cutoff: float | None = None, weight: Any = "weight", **options: Any) -> Pairs:
    for node, paths in trees(G, weight is not None, **options):
        yield node, (paths.lengths(cutoff), paths.paths(cutoff))


def all_pairs_dijkstra_path_length(
    G: ConvertedGraph, cutoff: float | None = None, weight: Any = "weight", **options: Any
) -> Pairs:
    for node, paths in trees(G, weight is not None, **options):
        yield node, paths.lengths(cutoff)


def all_pairs_dijkstra_path(
    G: ConvertedGraph, cutoff: float | None = None, weight: Any = "weight", **options: Any
) -> Pairs:
    for node, paths in trees(G, weight is not None, **options):
        yield node, paths.paths(cutoff)


# Weights of any sign.


def bellman_ford_path(G: ConvertedGraph, source: Any, target: Any, weight: Any = "weight", **options: Any) -> Any:
    return single_source_bellman_ford(G, source, target=target, weight=weight, **options)[1]


def bellman_ford_path_length(
    G: ConvertedGraph, source: Any, target: Any, weight: Any = "weight", **options: Any
) -> Any:
    _check_has_node(G, source, f"Node {source} not found in graph" if source == target else f"Source {source} not in G")
    if source == target:
        return 0
    return tree(G, source, weight is not None, **options).path_to(target, f"node {target} not reachable from {source}")[
        0
    ]


def single_source_bellman_ford(
    G: ConvertedGraph, source: Any, target: Any = None, weight: Any = "weight", **options: Any
) -> Any:
    unknown = f"Node {source} is not found in the graph" if source == target else f"Source {source} not in G"
    _check_has_node(G, source, unknown)
    if source == target:
        return 0, [source]
    paths = tree(G, source, weight is not None, **options)
    if target is None:
        return paths.lengths(), paths.paths()
    return paths.path_to(target, f"Target {target} cannot be reached from given sources")


def single_source_bellman_ford_path(G: ConvertedGraph, source: Any, weight: Any = "weight", **options: Any) -> Any:
    return _tree(G, source, weight, f"Source {source} not in G", **options).paths()


def single_source_bellman_ford_path_length(
    G: ConvertedGraph, source: Any, weight: Any = "weight", **options: Any
) -> Any:
    return _tree(G, source, weight, f"Source {source} not in G", **options).lengths()


def bellman_ford_predecessor_and_distance(
    G: ConvertedGraph, source: Any, target: Any = None, weight: Any = "weight", heuristic: bool = False, **options: Any
) -> Any:
    _check_has_node(G, source, f"Node {source} is not found in the graph")
    _check_no_negative_loops(G)
    if len(G) == 1:
        return {source: []}, {source: 0}
    paths = tree(G, source, weight is not None, **options)
    return paths.all_predecessors(), paths.lengths()


def goldberg_radzik(G: ConvertedGraph, source: Any, weight: Any = "weight", **options: Any) -> Any:
    _check_has_node(G, source, f"Node {source} is not found in the graph")
    _check_no_negative_loops(G)
    paths = tree(G, source, weight is not None, **options)
    predecessors = {node: path[-2] if len(path) > 1 else None for node, path in paths.paths().items()}
    return predecessors, paths.lengths()


def all_pairs_bellman_ford_path_length(G: ConvertedGraph, weight: Any = "weight", **options: Any) -> Pairs:
    for node, paths in trees(G, weight is not None, **options):
        yield node, paths.lengths()


def all_pairs_bellman_ford_path(G: ConvertedGraph, weight: Any = "weight", **options: Any) -> Pairs:
    for node, paths in trees(G, weight is not None, **options):
        yield node, paths.paths()


def johnson(G: ConvertedGraph, weight: Any = "weight", **options: Any) -> Any:
    if len(G) and weight is not None:
        check_no_negative_cycles(G)
    return {node: paths.paths() for node, paths in trees(G, weight is not None, **options)}


# Without weights.


def single_source_shortest_path_length(
    G: ConvertedGraph, source: Any, cutoff: float | None = None, **options: Any
) -> Any:
    return _tree(G, source, None, f"Source {source} is not in G", **options).lengths(_level(cutoff))


def single_target_shortest_path_length(
    G: ConvertedGraph, target: Any, cutoff: float | None = None, **options: Any
) -> Any:
    return _tree(G, target, None, f"Target {target} is not in G", backwards=True, **options).lengths(_level(cutoff))


def single_source_shortest_path(G: ConvertedGraph, source: Any, cutoff: float | None = None, **options: Any) -> Any:
    return _tree(G, source, None, f"Source {source} not in G", **options).paths(_level(cutoff))


def single_target_shortest_path(G: ConvertedGraph, target: Any, cutoff: float | None = None, **options: Any) -> Any:
    paths = _tree(G, target, None, f"Target {target} not in G", backwards=True, **options)
    return paths.paths(_level(cutoff), backwards=True)


def all_pairs_shortest_path_length(G: ConvertedGraph, cutoff: float | None = None, **options: Any) -> Pairs:
    for node, paths in trees(G, weighted=False, **options):
        yield node, paths.lengths(_level(cutoff))


def all_pairs_shortest_path(G: ConvertedGraph, cutoff: float | None = None, **options: Any) -> Pairs:
    for node, paths in trees(G, weighted=False, **options):
        yield node, paths.paths(_level(cutoff))


def bidirectional_shortest_path(G: ConvertedGraph, source: Any, target: Any, **options: Any) -> Any:
    if target not in G and source in G:
        raise nx.NodeNotFound(f"Target {target} is not in G")
    return _tree(G, source, None, f"Source {source} is not in G", **options).path_to(
        target, f"No path between {source} and {target}."
    )[1]


def has_path(G: ConvertedGraph, source: Any, target: Any, **options: Any) -> bool:
    try:
        bidirectional_shortest_path(G, source, target, **options)
    except nx.NetworkXNoPath:
        return False
    return True


# Floyd-Warshall. With a negative cycle NetworkX computes meaningless numbers, so the backend leaves it to NetworkX.


def floyd_warshall(G: ConvertedGraph, weight: Any = "weight", **options: Any) -> Any:
    return floyd_warshall_predecessor_and_distance(G, weight=weight, **options)[1]


def floyd_warshall_predecessor_and_distance(G: ConvertedGraph, weight: Any = "weight", **options: Any) -> Any:
    lengths: dict = {}
    predecessors: dict = {}
    # In these functions alone, NetworkX gives an edge without a weight 1.0 instead of 1.
    floats = weight is None or G.weights is None or G.weights.missing
    for node, paths in _trees_without_negative_cycle(G, weight, **options):
        lengths[node] = defaultdict(lambda: float("inf"), dict.fromkeys(G.nodes, float("inf")))
        for other, length in paths.lengths().items():
            lengths[node][other] = float(length) if floats else length
        lengths[node][node] = 0
        pairs = [pair for pair in enumerate(paths.predecessors.tolist()) if pair[1] >= 0]
        if pairs:
            predecessors[node] = {G.nodes[vertex]: G.nodes[predecessor] for vertex, predecessor in pairs}
    for vertex in G.tails[G.tails == G.heads].tolist():  # NetworkX makes a node with a loop its own predecessor
        predecessors.setdefault(G.nodes[vertex], {})[G.nodes[vertex]] = G.nodes[vertex]
    return predecessors, lengths


def floyd_warshall_numpy(G: ConvertedGraph, nodelist: Any = None, weight: Any = "weight", **options: Any) -> Any:
    if nodelist is None:
        vertices = np.arange(len(G))
    else:
        if not len(nodelist) == len(G) == len(set(nodelist)):
            raise nx.NetworkXError(
                "nodelist must contain every node in G with no repeats."
                "If you wanted a subgraph of G use G.subgraph(nodelist)"
            )
        unknown = set(nodelist) - G.index.keys()
        if unknown:
            raise nx.NetworkXError(f"Nodes {unknown} in nodelist is not in G")
        vertices = np.array([G.index[node] for node in nodelist], int)
    matrix = np.full((len(G), len(G)), np.inf)
    if G.weights and G.weights.values.dtype == np.float32:  # NetworkX adds float64
        G = replace(G, weights=replace(G.weights, values=G.weights.values.astype(np.float64)), _graphs={})
    for row, (_, paths) in enumerate(_trees_without_negative_cycle(G, weight, **options)):
        matrix[row, paths.reached] = paths.distances[paths.reached]
    return matrix[np.ix_(vertices, vertices)]


# Functions that choose one of the others.


def shortest_path(
    G: ConvertedGraph,
    source: Any = None,
    target: Any = None,
    weight: Any = None,
    method: str = "dijkstra",
    **options: Any,
) -> Any:
    _check_method(method)
    if source is None and target is None:
        return all_pairs_dijkstra_path(G, weight=weight, **options)
    if source is None:
        return _paths_to(G, target, weight, **options).paths(backwards=True)
    if weight is None:
        if target is None:
            return single_source_shortest_path(G, source, **options)
        return bidirectional_shortest_path(G, source, target, **options)
    if method == "dijkstra":
        if target is None:
            return single_source_dijkstra_path(G, source, weight=weight, **options)
        return bidirectional_dijkstra(G, source, target, weight, **options)[1]
    if target is None:
        return single_source_bellman_ford_path(G, source, weight, **options)
    return bellman_ford_path(G, source, target, weight, **options)


def shortest_path_length(
    G: ConvertedGraph,
    source: Any = None,
    target: Any = None,
    weight: Any = None,
    method: str = "dijkstra",
    **options: Any,
) -> Any:
    _check_method(method)
    if source is None and target is None:
        return all_pairs_dijkstra_path_length(G, weight=weight, **options)
    if source is None:
        return _paths_to(G, target, weight, **options).lengths()
    if weight is None:
        if target is None:
            return single_source_shortest_path_length(G, source, **options)
        return len(bidirectional_shortest_path(G, source, target, **options)) - 1
    if method == "dijkstra":
        if target is None:
            return single_source_dijkstra_path_length(G, source, weight=weight, **options)
        return dijkstra_path_length(G, source, target, weight, **options)
    if target is None:
        return single_source_bellman_ford_path_length(G, source, weight, **options)
    return bellman_ford_path_length(G, source, target, weight, **options)


def _tree(G: ConvertedGraph, node: Any, weight: Any, missing: str, backwards: bool = False, **options: Any) -> Tree:
    """The paths from ``node``, or to it. Raises NodeNotFound with the message ``missing``."""
    _check_has_node(G, node, missing)
    return tree(G, node, weight is not None, backwards, **options)


def _check_has_node(G: ConvertedGraph, node: Any, message: str) -> None:
    if node not in G:
        raise nx.NodeNotFound(message)


def _check_no_negative_loops(G: ConvertedGraph) -> None:
    """Raise NetworkXUnbounded for a negative loop, even if the source does not reach it, as NetworkX does."""
    if G.weights is not None and np.any(G.weights.values[G.tails == G.heads] < 0):
        raise nx.NetworkXUnbounded("Negative cycle detected.")


def _check_sources(G: ConvertedGraph, sources: Any) -> None:
    if not sources:
        raise ValueError("sources must not be empty")
    for source in sources:
        _check_has_node(G, source, f"Node {source} not found in graph")


def _from_nearest(G: ConvertedGraph, sources: Any, weight: Any, **options: Any) -> Tree:
    first, *others = sources
    if others:
        return tree_from_nearest(G, [first, *others], weight is not None, **options)
    return tree(G, first, weight is not None, **options)


def _level(cutoff: float | None) -> float | None:
    """The last level of NetworkX's breadth-first search, which completes each level that it begins."""
    return cutoff if cutoff is None or cutoff == float("inf") else ceil(cutoff)


def _trees_without_negative_cycle(G: ConvertedGraph, weight: Any, **options: Any) -> Pairs:
    try:
        yield from trees(G, weight is not None, **options)
    except nx.NetworkXUnbounded:
        raise NotImplementedError("Floyd-Warshall has no result for a graph with a negative cycle") from None


def _check_method(method: str) -> None:
    if method not in ("dijkstra", "bellman-ford"):
        raise ValueError(f"method not supported: {method}")


def _paths_to(G: ConvertedGraph, target: Any, weight: Any, **options: Any) -> Tree:
    """The paths to ``target``. NetworkX finds them as paths from it in the reversed graph."""
    return _tree(G, target, weight, f"Node {target} not found in graph", backwards=True, **options)
