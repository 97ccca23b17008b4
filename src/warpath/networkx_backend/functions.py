"""The functions of the backend, with the names, parameters and errors of NetworkX.

``weight`` is no parameter: ``G`` has the weights that the call asks for, or none. ``interface`` makes it.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from math import ceil
from typing import Any

import networkx as nx
import numpy as np

from .problem import Problem, Tree

Pairs = Iterator[tuple[Any, Any]]

# Dijkstra. ``interface`` declines negative weights, for which NetworkX has results and errors of its own.


def dijkstra_path(G: Problem, source: Any, target: Any) -> Any:
    return single_source_dijkstra(G, source, target)[1]


def dijkstra_path_length(G: Problem, source: Any, target: Any) -> Any:
    paths = G.tree(source, f"Node {source} not found in graph")
    return paths.path_to(target, f"Node {target} not reachable from {source}")[0]


def bidirectional_dijkstra(G: Problem, source: Any, target: Any) -> Any:
    G.check_has(source, f"Source {source} is not in G")
    G.check_has(target, f"Target {target} is not in G")
    return G.tree(source).path_to(target, f"No path between {source} and {target}.")


def single_source_dijkstra(G: Problem, source: Any, target: Any = None, cutoff: Any = None) -> Any:
    return multi_source_dijkstra(G, {source}, target, cutoff)


def single_source_dijkstra_path(G: Problem, source: Any, cutoff: Any = None) -> Any:
    return multi_source_dijkstra_path(G, {source}, cutoff)


def single_source_dijkstra_path_length(G: Problem, source: Any, cutoff: Any = None) -> Any:
    return multi_source_dijkstra_path_length(G, {source}, cutoff)


def multi_source_dijkstra(G: Problem, sources: Any, target: Any = None, cutoff: Any = None) -> Any:
    _check_sources(G, sources)
    if target in sources:
        return 0, [target]
    paths = G.tree_from_nearest(sources)
    if target is None:
        return paths.lengths(cutoff), paths.paths(cutoff)
    return paths.path_to(target, f"No path to {target}.", cutoff)


def multi_source_dijkstra_path(G: Problem, sources: Any, cutoff: Any = None) -> Any:
    _check_sources(G, sources)
    return G.tree_from_nearest(sources).paths(cutoff)


def multi_source_dijkstra_path_length(G: Problem, sources: Any, cutoff: Any = None) -> Any:
    _check_sources(G, sources)
    return G.tree_from_nearest(sources).lengths(cutoff)


def dijkstra_predecessor_and_distance(G: Problem, source: Any, cutoff: Any = None) -> Any:
    paths = G.tree(source, f"Node {source} is not found in the graph")
    return paths.all_predecessors(cutoff), paths.lengths(cutoff)


def all_pairs_dijkstra(G: Problem, cutoff: Any = None) -> Pairs:
    for node, paths in G.trees():
        yield node, (paths.lengths(cutoff), paths.paths(cutoff))


def all_pairs_dijkstra_path_length(G: Problem, cutoff: Any = None) -> Pairs:
    for node, paths in G.trees():
        yield node, paths.lengths(cutoff)


def all_pairs_dijkstra_path(G: Problem, cutoff: Any = None) -> Pairs:
    for node, paths in G.trees():
        yield node, paths.paths(cutoff)


# Weights of any sign.


def bellman_ford_path(G: Problem, source: Any, target: Any) -> Any:
    return single_source_bellman_ford(G, source, target)[1]


def bellman_ford_path_length(G: Problem, source: Any, target: Any) -> Any:
    G.check_has(source, f"Node {source} not found in graph" if source == target else f"Source {source} not in G")
    if source == target:
        return 0
    return G.tree(source).path_to(target, f"node {target} not reachable from {source}")[0]


def single_source_bellman_ford(G: Problem, source: Any, target: Any = None) -> Any:
    unknown = f"Node {source} is not found in the graph" if source == target else f"Source {source} not in G"
    G.check_has(source, unknown)
    if source == target:
        return 0, [source]
    paths = G.tree(source)
    if target is None:
        return paths.lengths(), paths.paths()
    return paths.path_to(target, f"Target {target} cannot be reached from given sources")


def single_source_bellman_ford_path(G: Problem, source: Any) -> Any:
    return G.tree(source, f"Source {source} not in G").paths()


def single_source_bellman_ford_path_length(G: Problem, source: Any) -> Any:
    return G.tree(source, f"Source {source} not in G").lengths()


def bellman_ford_predecessor_and_distance(G: Problem, source: Any, target: Any = None, heuristic: bool = False) -> Any:
    paths = _tree_without_negative_loop(G, source)
    if len(G.nodes) == 1:
        return {source: []}, {source: 0}
    return paths.all_predecessors(), paths.lengths()


def goldberg_radzik(G: Problem, source: Any) -> Any:
    paths = _tree_without_negative_loop(G, source)
    predecessors = {node: path[-2] if len(path) > 1 else None for node, path in paths.paths().items()}
    return predecessors, paths.lengths()


def all_pairs_bellman_ford_path_length(G: Problem) -> Pairs:
    return all_pairs_dijkstra_path_length(G)


def all_pairs_bellman_ford_path(G: Problem) -> Pairs:
    return all_pairs_dijkstra_path(G)


def johnson(G: Problem) -> Any:
    G.check_no_negative_cycle()
    return dict(all_pairs_dijkstra_path(G))


# Without weights.


def single_source_shortest_path_length(G: Problem, source: Any, cutoff: Any = None) -> Any:
    return G.tree(source, f"Source {source} is not in G").lengths(_level(cutoff))


def single_target_shortest_path_length(G: Problem, target: Any, cutoff: Any = None) -> Any:
    return G.reversed().tree(target, f"Target {target} is not in G").lengths(_level(cutoff))


def single_source_shortest_path(G: Problem, source: Any, cutoff: Any = None) -> Any:
    return G.tree(source, f"Source {source} not in G").paths(_level(cutoff))


def single_target_shortest_path(G: Problem, target: Any, cutoff: Any = None) -> Any:
    return _turned(G.reversed().tree(target, f"Target {target} not in G").paths(_level(cutoff)))


def all_pairs_shortest_path_length(G: Problem, cutoff: Any = None) -> Pairs:
    return all_pairs_dijkstra_path_length(G, _level(cutoff))


def all_pairs_shortest_path(G: Problem, cutoff: Any = None) -> Pairs:
    return all_pairs_dijkstra_path(G, _level(cutoff))


def bidirectional_shortest_path(G: Problem, source: Any, target: Any) -> Any:
    return bidirectional_dijkstra(G, source, target)[1]


def has_path(G: Problem, source: Any, target: Any) -> bool:
    try:
        shortest_path(G, source, target)
    except nx.NetworkXNoPath:
        return False
    return True


# Floyd-Warshall. With a negative cycle NetworkX computes meaningless numbers, so the backend leaves it to NetworkX.


def floyd_warshall(G: Problem) -> Any:
    return floyd_warshall_predecessor_and_distance(G)[1]


def floyd_warshall_predecessor_and_distance(G: Problem) -> Any:
    lengths: dict = {}
    predecessors: dict = {}
    # In these functions alone, NetworkX gives an edge without a weight 1.0 instead of 1.
    floats = G.weights is None or G.weights.missing
    for node, paths in _trees_without_negative_cycle(G):
        lengths[node] = defaultdict(lambda: float("inf"), dict.fromkeys(G.nodes, float("inf")))
        for other, length in paths.lengths().items():
            lengths[node][other] = float(length) if floats else length
        lengths[node][node] = 0
        pairs = [pair for pair in enumerate(paths.predecessors.tolist()) if pair[1] >= 0]
        if pairs:
            predecessors[node] = {G.nodes[vertex]: G.nodes[predecessor] for vertex, predecessor in pairs}
    for vertex in G.converted.tails[G.loops].tolist():  # NetworkX makes a node with a loop its own predecessor
        predecessors.setdefault(G.nodes[vertex], {})[G.nodes[vertex]] = G.nodes[vertex]
    return predecessors, lengths


def floyd_warshall_numpy(G: Problem, nodelist: Any = None) -> Any:
    order: Any = slice(None)
    if nodelist is not None:
        if not len(nodelist) == len(G.nodes) == len(set(nodelist)):
            raise nx.NetworkXError(
                "nodelist must contain every node in G with no repeats."
                "If you wanted a subgraph of G use G.subgraph(nodelist)"
            )
        unknown = set(nodelist) - G.index.keys()
        if unknown:
            raise nx.NetworkXError(f"Nodes {unknown} in nodelist is not in G")
        order = np.array([G.index[node] for node in nodelist], int)
    matrix = np.full((len(G.nodes), len(G.nodes)), np.inf)
    for row, (_, paths) in enumerate(_trees_without_negative_cycle(G.in_double())):  # NetworkX adds float64
        matrix[row, paths.reached] = paths.distances[paths.reached]
    return matrix[order][:, order]


# Of distances between all pairs, which nothing holds all at once. ``interface`` declines ``sp``, ``e``, ``usebounds``.


def eccentricity(G: Problem, v: Any = None, sp: Any = None) -> Any:
    nodes = nx.Graph()
    nodes.add_nodes_from(G.nodes)
    found = _eccentricities(G, list(nodes.nbunch_iter(v)))
    return found[v] if v in nodes else found


def diameter(G: Problem, e: Any = None, usebounds: bool = False) -> Any:
    return max(_eccentricities(G, G.nodes).values())


def radius(G: Problem, e: Any = None, usebounds: bool = False) -> Any:
    return min(_eccentricities(G, G.nodes).values())


def closeness_centrality(G: Problem, u: Any = None, wf_improved: bool = True) -> Any:
    if u is not None:
        missing = f"Source {u} is not in G" if G.weights is None else f"Node {u} not found in graph"
        G.check_has(u, missing)
    nodes, others = G.nodes if u is None else [u], len(G.nodes) - 1
    found = G.reversed().rows([G.index[node] for node in nodes])
    closeness = {}
    for node, reached, total in zip(nodes, found.reached.tolist(), found.sums.tolist(), strict=True):
        closeness[node] = (reached - 1) / total if total > 0 else 0.0
        if total > 0 and wf_improved:
            closeness[node] *= (reached - 1) / others
    return closeness if u is None else closeness[u]


def average_shortest_path_length(G: Problem, method: str | None = None) -> Any:
    if method not in (None, "unweighted", "dijkstra", "bellman-ford", "floyd-warshall", "floyd-warshall-numpy"):
        raise ValueError(f"method not supported: {method}")
    count = len(G.nodes)
    if count == 0:
        raise nx.NetworkXPointlessConcept("the null graph has no paths, thus there is no average shortest path length")
    if count == 1:
        return 0
    found = (replace(G, weights=None) if method == "unweighted" else G).rows(np.arange(count))
    if (found.reached < count).any():
        what = "strongly connected" if G.converted.directed else "connected"
        raise nx.NetworkXError(f"Graph is not {what}.")
    return sum(found.sums.tolist()) / (count * (count - 1))


# Functions that choose one of the others.


def shortest_path(G: Problem, source: Any = None, target: Any = None, method: str = "dijkstra") -> Any:
    _check_method(method)
    if source is None and target is None:
        return all_pairs_dijkstra_path(G)
    if source is None:
        return _turned(shortest_path(G.reversed(), target, method=method))
    if G.weights is None:
        if target is None:
            return single_source_shortest_path(G, source)
        return bidirectional_shortest_path(G, source, target)
    if method == "dijkstra":
        if target is None:
            return single_source_dijkstra_path(G, source)
        return bidirectional_dijkstra(G, source, target)[1]
    if target is None:
        return single_source_bellman_ford_path(G, source)
    return bellman_ford_path(G, source, target)


def shortest_path_length(G: Problem, source: Any = None, target: Any = None, method: str = "dijkstra") -> Any:
    _check_method(method)
    if source is None and target is None:
        return all_pairs_dijkstra_path_length(G)
    if source is None:
        return shortest_path_length(G.reversed(), target, method=method)
    if G.weights is None:
        if target is None:
            return single_source_shortest_path_length(G, source)
        return len(bidirectional_shortest_path(G, source, target)) - 1
    if method == "dijkstra":
        if target is None:
            return single_source_dijkstra_path_length(G, source)
        return dijkstra_path_length(G, source, target)
    if target is None:
        return single_source_bellman_ford_path_length(G, source)
    return bellman_ford_path_length(G, source, target)


def _eccentricities(G: Problem, nodes: Any) -> dict[Any, Any]:
    found = G.rows([G.index[node] for node in nodes])
    if (found.reached < len(G.nodes)).any():
        directed = "digraph is not strongly connected" if G.converted.directed else "graph is not connected"
        raise nx.NetworkXError(f"Found infinite path length because the {directed}")
    return dict(zip(nodes, (value or 0 for value in found.eccentricities.tolist()), strict=True))


def _check_method(method: str) -> None:
    if method not in ("dijkstra", "bellman-ford"):
        raise ValueError(f"method not supported: {method}")


def _check_sources(G: Problem, sources: Any) -> None:
    if not sources:
        raise ValueError("sources must not be empty")
    for source in sources:
        G.check_has(source, f"Node {source} not found in graph")


def _tree_without_negative_loop(G: Problem, source: Any) -> Tree:
    """The paths from ``source``. NetworkX raises NetworkXUnbounded for a negative loop even if no path leads there."""
    G.check_has(source, f"Node {source} is not found in the graph")
    if G.weights is not None and np.any(G.weights.values[G.loops] < 0):
        raise nx.NetworkXUnbounded("Negative cycle detected.")
    return G.tree(source)


def _trees_without_negative_cycle(G: Problem) -> Pairs:
    try:
        yield from G.trees()
    except nx.NetworkXUnbounded:
        raise NotImplementedError("Floyd-Warshall has no result for a graph with a negative cycle") from None


def _level(cutoff: Any) -> int | None:
    """The last level of NetworkX's breadth-first search, which goes on while ``cutoff > level``."""
    if cutoff is None or cutoff == float("inf"):
        return None
    return ceil(cutoff) if cutoff > 0 else 0


def _turned(paths: dict) -> dict:
    return {node: path[::-1] for node, path in paths.items()}
