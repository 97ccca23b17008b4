"""Solves, and the answer from one source, or from the nearest of several, as dictionaries over nodes."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import networkx as nx
import numpy as np

from .. import errors
from ..csgraph.forest import nearest_source, roots_and_depths
from ..distances import UNREACHABLE, walk_back
from ..graphs.csr import Graph
from ..library.shortest_paths import apsp, sssp
from ..solvers.limits import refuse_negative_cycle
from .converted import ConvertedGraph, Weights, lengths

# All pairs are solved at once up to this many vertices; beyond, source by source, in blocks of so many cells.
_AT_ONCE_VERTICES_MAX = 4096
_BLOCK_CELLS = 1 << 24


@dataclass(eq=False)
class Tree:
    """Shortest paths: distances and predecessors of shape (n,), int32, as ``warpath.sssp`` gives them."""

    converted: ConvertedGraph
    weights: Weights | None
    distances: np.ndarray
    predecessors: np.ndarray

    @cached_property
    def _depths(self) -> np.ndarray:
        return roots_and_depths(self.predecessors)[1]

    def _within(self, cutoff: float | None) -> np.ndarray:
        """Which vertices a path of at most ``cutoff`` reaches: a mask of shape (n,)."""
        reached = self.distances != UNREACHABLE
        if cutoff is not None:
            reached &= self.distances / (1 if self.weights is None else self.weights.scale) <= cutoff
        return reached

    def order(self, cutoff: float | None = None) -> np.ndarray:
        """The source, whatever the cutoff, and the vertices within ``cutoff``: each after its predecessor, by distance
        if no weight is negative.
        """
        reached = self._within(cutoff) | (self._within(None) & (self._depths == 0))
        negative = self.weights is not None and self.weights.whole.min(initial=0) < 0
        keys = (self._depths,) if negative else (self._depths, self.distances)
        order = np.lexsort(keys)
        return order[reached[order]]

    def lengths(self, cutoff: float | None = None) -> dict[Hashable, Any]:
        """The length of a path to each node within ``cutoff``."""
        order, nodes = self.order(cutoff), self.converted.nodes
        values = lengths(self.distances[order], self.weights)
        return {
            nodes[vertex]: value if depth else 0
            for vertex, value, depth in zip(order.tolist(), values, self._depths[order].tolist(), strict=True)
        }

    def paths(self, cutoff: float | None = None, backwards: bool = False) -> dict[Hashable, list[Hashable]]:
        """A path to each node within ``cutoff``, both ends included; ``backwards`` from the node to the source."""
        order, nodes = self.order(cutoff), self.converted.nodes
        found: dict[Hashable, list[Hashable]] = {}
        for vertex, predecessor in zip(order.tolist(), self.predecessors[order].tolist(), strict=True):
            node = nodes[vertex]
            if predecessor < 0:
                found[node] = [node]
            elif backwards:
                found[node] = [node, *found[nodes[predecessor]]]
            else:
                found[node] = [*found[nodes[predecessor]], node]
        return found

    def to(self, node: Hashable, missing: str, cutoff: float | None = None) -> tuple[Any, list[Hashable]]:
        """The length of a path to ``node`` and the path; NetworkXNoPath that says ``missing`` if none is within
        ``cutoff``.
        """
        vertex = self.converted.index.get(node)
        if vertex is None or self.distances[vertex] == UNREACHABLE:
            raise nx.NetworkXNoPath(missing)
        path = list(walk_back(self.predecessors, vertex))[::-1]
        length = lengths(self.distances[vertex : vertex + 1], self.weights)[0] if len(path) > 1 else 0
        if cutoff is not None and length > cutoff and len(path) > 1:
            raise nx.NetworkXNoPath(missing)
        return length, [self.converted.nodes[step] for step in path]

    def all_predecessors(self, cutoff: float | None = None) -> dict[Hashable, list[Hashable]]:
        """For each node within ``cutoff`` the nodes before it on any shortest path, in the order of ``order``."""
        order, nodes = self.order(cutoff), self.converted.nodes
        ranks = np.full(len(nodes), len(nodes))
        ranks[order] = np.arange(len(order))
        graph = self.converted.graph(self.weights is not None)
        tails, heads = graph.sources(), graph.indices
        sums = self.distances[tails].astype(np.int64) + graph.weights
        tight = (ranks[tails] < len(nodes)) & self._within(cutoff)[heads] & (sums == self.distances[heads])
        pairs = np.unique(np.stack([ranks[heads[tight]], ranks[tails[tight]]]), axis=1)
        found: dict[Hashable, list[Hashable]] = {nodes[vertex]: [] for vertex in order.tolist()}
        for head, tail in zip(*order[pairs].tolist(), strict=True):
            found[nodes[head]].append(nodes[tail])
        return found


def tree(converted: ConvertedGraph, source: Hashable, weighted: bool, backwards: bool = False, **options: Any) -> Tree:
    """The paths from ``source``; against the arcs if ``backwards``."""
    graph = converted.graph(weighted, backwards and converted.directed)
    paths = solved(sssp, graph, converted.index[source], **options)
    return Tree(converted, converted.weights if weighted else None, paths.distances, paths.predecessors)


def tree_from_nearest(converted: ConvertedGraph, sources: list[Hashable], weighted: bool, **options: Any) -> Tree:
    """The paths from the nearest of several sources."""
    vertices = np.array([converted.index[source] for source in sources])
    nearest = solved(nearest_source, converted.graph(weighted), vertices, **options)
    return Tree(converted, converted.weights if weighted else None, nearest.distances, nearest.predecessors)


def trees(converted: ConvertedGraph, weighted: bool, **options: Any) -> Iterator[tuple[Hashable, Tree]]:
    """Each node and the paths from it."""
    count = len(converted)
    if not count:
        return
    graph, weights = converted.graph(weighted), converted.weights if weighted else None
    block = count if count <= _AT_ONCE_VERTICES_MAX else max(1, _BLOCK_CELLS // count)
    for first in range(0, count, block):
        sources = np.arange(first, min(first + block, count))
        if len(sources) == count:
            paths = solved(apsp, graph, **options)
        else:
            paths = solved(sssp, graph, sources, **options)
        for row, source in enumerate(sources.tolist()):
            yield converted.nodes[source], Tree(converted, weights, paths.distances[row], paths.predecessors[row])


def solved(function: Any, graph: Graph, *arguments: Any, device: str | None = None, certify: bool = True) -> Any:
    """What ``function`` answers for ``graph``; ``device`` None is the configured one.

    Raises NetworkXUnbounded for a negative cycle, and NotImplementedError, at which NetworkX falls back, for distances
    beyond 31 bits and answers beyond the memory.
    """
    chosen = nx.config.backends.warpath.device if device is None else device
    try:
        return function(graph, *arguments, device=chosen, certify=certify)
    except errors.NegativeCycleError:
        raise nx.NetworkXUnbounded("Negative cycle detected.") from None
    except (errors.GraphError, errors.OutOfMemoryError) as error:
        raise NotImplementedError(str(error)) from None


def refuse_any_negative_cycle(converted: ConvertedGraph) -> None:
    """Raise NetworkXUnbounded if the graph has a negative cycle anywhere."""
    try:
        refuse_negative_cycle(converted.graph(weighted=True), None)
    except errors.NegativeCycleError:
        raise nx.NetworkXUnbounded("Negative cycle detected.") from None
