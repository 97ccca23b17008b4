"""NetworkX's functions, under NetworkX's names and signatures; ``options`` as in ``info``."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from math import ceil
from typing import Any, NamedTuple

import networkx as nx
import numpy as np

from ..distances import UNREACHABLE
from .converted import ConvertedGraph, Tree, check_no_negative_cycles, tree, tree_from_nearest, trees

Pairs = Iterator[tuple[Any, Any]]

# Dijkstra's: weights are at least 0, since with negative ones NetworkX has answers and errors of its own.


def dijkstra_path(G: ConvertedGraph, source: Any, target: Any, weight: Any = "weight", **options: Any) -> Any:
    return single_source_dijkstra(G, source, target=target, weight=weight, **options)[1]


def dijkstra_path_length(G: ConvertedGraph, source: Any, target: Any, weight: Any = "weight", **options: Any) -> Any:
    return _tree(G, source, weight, f"Node {source} not found in graph", **options).to(
        target, f"Node {target} not reachable from {source}"
    )[0]


def bidirectional_dijkstra(G: ConvertedGraph, source: Any, target: Any, weight: Any = "weight", **options: Any) -> Any:
    for name, node in (("Source", source), ("Target", target)):
        _check_has_node(G, node, f"{name} {node} is not in G")
    return tree(G, source, weight is not None, **options).to(target, f"No path between {source} and {target}.")


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
    found = _from_nearest(G, sources, weight, **options)
    if target is None:
        return found.lengths(cutoff), found.paths(cutoff)
    return found.to(target, f"No path to {target}.", cutoff)


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
    found = _tree(G, source, weight, f"Node {source} is not found in the graph", **options)
    return found.all_predecessors(cutoff), found.lengths(cutoff)


def all_pairs_dijkstra(G: ConvertedGraph, cutoff: float | None = None, weight: Any = "weight", **options: Any) -> Pairs:
    for node, of_node in trees(G, weight is not None, **options):
        yield node, (of_node.lengths(cutoff), of_node.paths(cutoff))


def all_pairs_dijkstra_path_length(
    G: ConvertedGraph, cutoff: float | None = None, weight: Any = "weight", **options: Any
) -> Pairs:
    for node, of_node in trees(G, weight is not None, **options):
        yield node, of_node.lengths(cutoff)


def all_pairs_dijkstra_path(
    G: ConvertedGraph, cutoff: float | None = None, weight: Any = "weight", **options: Any
) -> Pairs:
    for node, of_node in trees(G, weight is not None, **options):
        yield node, of_node.paths(cutoff)


# For weights of any sign.


def bellman_ford_path(G: ConvertedGraph, source: Any, target: Any, weight: Any = "weight", **options: Any) -> Any:
    return single_source_bellman_ford(G, source, target=target, weight=weight, **options)[1]


def bellman_ford_path_length(
    G: ConvertedGraph, source: Any, target: Any, weight: Any = "weight", **options: Any
) -> Any:
    _check_has_node(G, source, f"Node {source} not found in graph" if source == target else f"Source {source} not in G")
    if source == target:
        return 0
    return tree(G, source, weight is not None, **options).to(target, f"node {target} not reachable from {source}")[0]


def single_source_bellman_ford(
    G: ConvertedGraph, source: Any, target: Any = None, weight: Any = "weight", **options: Any
) -> Any:
    unknown = f"Node {source} is not found in the graph" if source == target else f"Source {source} not in G"
    _check_has_node(G, source, unknown)
    if source == target:
        return 0, [source]
    found = tree(G, source, weight is not None, **options)
    if target is None:
        return found.lengths(), found.paths()
    return found.to(target, f"Target {target} cannot be reached from given sources")


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
    found = tree(G, source, weight is not None, **options)
    return found.all_predecessors(), found.lengths()


def goldberg_radzik(G: ConvertedGraph, source: Any, weight: Any = "weight", **options: Any) -> Any:
    _check_has_node(G, source, f"Node {source} is not found in the graph")
    _check_no_negative_loops(G)
    found = tree(G, source, weight is not None, **options)
    before = {node: path[-2] if len(path) > 1 else None for node, path in found.paths().items()}
    return before, found.lengths()


def all_pairs_bellman_ford_path_length(G: ConvertedGraph, weight: Any = "weight", **options: Any) -> Pairs:
    for node, of_node in trees(G, weight is not None, **options):
        yield node, of_node.lengths()


def all_pairs_bellman_ford_path(G: ConvertedGraph, weight: Any = "weight", **options: Any) -> Pairs:
    for node, of_node in trees(G, weight is not None, **options):
        yield node, of_node.paths()


def johnson(G: ConvertedGraph, weight: Any = "weight", **options: Any) -> Any:
    if len(G) and weight is not None:
        check_no_negative_cycles(G)
    return {node: of_node.paths() for node, of_node in trees(G, weight is not None, **options)}


# Without weights.


def single_source_shortest_path_length(
    G: ConvertedGraph, source: Any, cutoff: float | None = None, **options: Any
) -> Any:
    return _tree(G, source, None, f"Source {source} is not in G", **options).lengths(_whole(cutoff))


def single_target_shortest_path_length(
    G: ConvertedGraph, target: Any, cutoff: float | None = None, **options: Any
) -> Any:
    return _tree(G, target, None, f"Target {target} is not in G", backwards=True, **options).lengths(_whole(cutoff))


def single_source_shortest_path(G: ConvertedGraph, source: Any, cutoff: float | None = None, **options: Any) -> Any:
    return _tree(G, source, None, f"Source {source} not in G", **options).paths(_whole(cutoff))


def single_target_shortest_path(G: ConvertedGraph, target: Any, cutoff: float | None = None, **options: Any) -> Any:
    found = _tree(G, target, None, f"Target {target} not in G", backwards=True, **options)
    return found.paths(_whole(cutoff), backwards=True)


def all_pairs_shortest_path_length(G: ConvertedGraph, cutoff: float | None = None, **options: Any) -> Pairs:
    for node, of_node in trees(G, weighted=False, **options):
        yield node, of_node.lengths(_whole(cutoff))


def all_pairs_shortest_path(G: ConvertedGraph, cutoff: float | None = None, **options: Any) -> Pairs:
    for node, of_node in trees(G, weighted=False, **options):
        yield node, of_node.paths(_whole(cutoff))


def bidirectional_shortest_path(G: ConvertedGraph, source: Any, target: Any, **options: Any) -> Any:
    if target not in G and source in G:
        raise nx.NodeNotFound(f"Target {target} is not in G")
    return _tree(G, source, None, f"Source {source} is not in G", **options).to(
        target, f"No path between {source} and {target}."
    )[1]


def has_path(G: ConvertedGraph, source: Any, target: Any, **options: Any) -> bool:
    try:
        bidirectional_shortest_path(G, source, target, **options)
    except nx.NetworkXNoPath:
        return False
    return True


# Floyd-Warshall. With a negative cycle NetworkX answers numbers that mean nothing; here it falls back to that.


def floyd_warshall(G: ConvertedGraph, weight: Any = "weight", **options: Any) -> Any:
    return floyd_warshall_predecessor_and_distance(G, weight=weight, **options)[1]


def floyd_warshall_predecessor_and_distance(G: ConvertedGraph, weight: Any = "weight", **options: Any) -> Any:
    lengths = {}
    before: dict = {}
    # Here, and only here, NetworkX gives an edge without a weight 1.0, not 1.
    floats = weight is None or G.weights is None or G.weights.missing
    for node, of_node in _trees_without_negative_cycle(G, weight, **options):
        lengths[node] = defaultdict(lambda: float("inf"), dict.fromkeys(G.nodes, float("inf")))
        found = of_node.lengths()
        lengths[node].update({other: float(found[other]) for other in found} if floats else found)
        lengths[node][node] = 0
        reached = np.flatnonzero(of_node.predecessors >= 0)
        if len(reached):
            predecessors = of_node.predecessors[reached].tolist()
            pairs = zip(reached.tolist(), predecessors, strict=True)
            before[node] = {G.nodes[vertex]: G.nodes[predecessor] for vertex, predecessor in pairs}
    for vertex in G.tails[G.tails == G.heads].tolist():  # to NetworkX a loop leads from a node to itself
        before.setdefault(G.nodes[vertex], {})[G.nodes[vertex]] = G.nodes[vertex]
    return before, lengths


def floyd_warshall_numpy(G: ConvertedGraph, nodelist: Any = None, weight: Any = "weight", **options: Any) -> Any:
    if nodelist is None:
        vertices = np.arange(len(G))
    else:
        if not len(nodelist) == len(G) == len(set(nodelist)):
            raise nx.NetworkXError(
                "nodelist must contain every node in G with no repeats."
                "If you wanted a subgraph of G use G.subgraph(nodelist)"
            )
        strange = set(nodelist) - G.index.keys()
        if strange:
            raise nx.NetworkXError(f"Nodes {strange} in nodelist is not in G")
        vertices = np.array([G.index[node] for node in nodelist], int)
    matrix = np.full((len(G), len(G)), np.inf)
    scale = 1 if weight is None or G.weights is None else G.weights.scale
    for row, (_, of_node) in enumerate(_trees_without_negative_cycle(G, weight, **options)):
        reached = of_node.distances != UNREACHABLE
        matrix[row, reached] = of_node.distances[reached] / scale
    return matrix[np.ix_(vertices, vertices)]


# What chooses among the others.


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
        return _FAMILIES[family].paths_of_all(G, **weights, **options)
    if source is None:
        return _to(G, target, weight, **options).paths(backwards=True)
    if target is None:
        return _FAMILIES[family].paths_of_one(G, source, **weights, **options)
    if family == "unweighted":
        return bidirectional_shortest_path(G, source, target, **options)
    if family == "dijkstra":
        return bidirectional_dijkstra(G, source, target, weight, **options)[1]
    return bellman_ford_path(G, source, target, weight, **options)


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
        return _FAMILIES[family].lengths_of_all(G, **weights, **options)
    if source is None:
        return _to(G, target, weight, **options).lengths()
    if target is None:
        return _FAMILIES[family].lengths_of_one(G, source, **weights, **options)
    if family == "unweighted":
        return len(bidirectional_shortest_path(G, source, target, **options)) - 1
    if family == "dijkstra":
        return dijkstra_path_length(G, source, target, weight, **options)
    return bellman_ford_path_length(G, source, target, weight, **options)


class _Family(NamedTuple):
    paths_of_all: Callable
    lengths_of_all: Callable
    paths_of_one: Callable
    lengths_of_one: Callable


_FAMILIES = {
    "unweighted": _Family(
        all_pairs_shortest_path,
        all_pairs_shortest_path_length,
        single_source_shortest_path,
        single_source_shortest_path_length,
    ),
    "dijkstra": _Family(
        all_pairs_dijkstra_path,
        all_pairs_dijkstra_path_length,
        single_source_dijkstra_path,
        single_source_dijkstra_path_length,
    ),
    "bellman-ford": _Family(
        all_pairs_bellman_ford_path,
        all_pairs_bellman_ford_path_length,
        single_source_bellman_ford_path,
        single_source_bellman_ford_path_length,
    ),
}


def _tree(G: ConvertedGraph, node: Any, weight: Any, missing: str, backwards: bool = False, **options: Any) -> Tree:
    """The paths from ``node``, or to it; NodeNotFound that says ``missing`` if it is no node."""
    _check_has_node(G, node, missing)
    return tree(G, node, weight is not None, backwards, **options)


def _check_has_node(G: ConvertedGraph, node: Any, message: str) -> None:
    if node not in G:
        raise nx.NodeNotFound(message)


def _check_no_negative_loops(G: ConvertedGraph) -> None:
    """NetworkX refuses a negative loop wherever it is, reached or not."""
    if G.weights is not None and np.any(G.weights.whole[G.tails == G.heads] < 0):
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


def _whole(cutoff: float | None) -> float | None:
    """The level at which NetworkX's breadth-first search ends: it finishes one that it has begun."""
    return cutoff if cutoff is None or cutoff == float("inf") else ceil(cutoff)


def _trees_without_negative_cycle(G: ConvertedGraph, weight: Any, **options: Any) -> Pairs:
    try:
        yield from trees(G, weight is not None, **options)
    except nx.NetworkXUnbounded:
        raise NotImplementedError("Floyd-Warshall has no answer for a graph with a negative cycle") from None


def _family(weight: Any, method: str) -> str:
    if method not in ("dijkstra", "bellman-ford"):
        raise ValueError(f"method not supported: {method}")
    return "unweighted" if weight is None else method


def _to(G: ConvertedGraph, target: Any, weight: Any, **options: Any) -> Tree:
    """The paths to ``target``, which NetworkX finds as paths from it in the reversed graph."""
    return _tree(G, target, weight, f"Node {target} not found in graph", backwards=True, **options)
