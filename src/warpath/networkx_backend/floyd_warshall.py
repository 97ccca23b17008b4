"""NetworkX's Floyd-Warshall functions, under NetworkX's names and signatures; ``options`` as in ``info``.

With a negative cycle NetworkX answers numbers that mean nothing; here it falls back to that.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

from ..distances import UNREACHABLE
from .converted import ConvertedGraph
from .trees import trees


def floyd_warshall(G: ConvertedGraph, weight: Any = "weight", **options: Any) -> Any:
    return floyd_warshall_predecessor_and_distance(G, weight=weight, **options)[1]


def floyd_warshall_predecessor_and_distance(G: ConvertedGraph, weight: Any = "weight", **options: Any) -> Any:
    lengths = {}
    before: dict = {}
    # Here, and only here, NetworkX gives an edge without a weight 1.0, not 1.
    floats = weight is None or G.weights is None or G.weights.missing
    for node, of_node in _trees(G, weight, **options):
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
    for row, (_, of_node) in enumerate(_trees(G, weight, **options)):
        reached = of_node.distances != UNREACHABLE
        matrix[row, reached] = of_node.distances[reached] / scale
    return matrix[np.ix_(vertices, vertices)]


def _trees(G: ConvertedGraph, weight: Any, **options: Any) -> Iterator[tuple[Any, Any]]:
    try:
        yield from trees(G, weight is not None, **options)
    except nx.NetworkXUnbounded:
        raise NotImplementedError("Floyd-Warshall has no answer for a graph with a negative cycle") from None
