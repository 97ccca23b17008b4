"""What a call asks for: solves on a converted graph, and converts paths to dictionaries over nodes."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import networkx as nx
import numpy as np

from .. import errors
from ..distances import NO_PREDECESSOR, unreachable, walk_back
from ..graphs.csr import Graph
from ..library.shortest_paths import apsp, nearest, prepare, sssp
from ..solvers.checks.preconditions import check_no_negative_cycle
from ..statistics.statistics import Statistics
from .converted import EXACT_MAX, ConvertedGraph, Weights

# Up to this many vertices, all pairs are one solve. Larger graphs are solved in blocks of at most _BLOCK_CELLS cells.
_AT_ONCE_VERTICES_MAX = 4096
_BLOCK_CELLS = 1 << 24


@dataclass(frozen=True)
class Problem:
    """A graph with the weights that a call asks for: those of the conversion, or None, with which each edge counts 1.

    The conversion may come from another call, and hold weights that this one does not ask for.
    """

    converted: ConvertedGraph
    weights: Weights | None
    device: Any
    certify: bool
    backwards: bool = False

    @property
    def nodes(self) -> list[Hashable]:
        return self.converted.nodes

    @property
    def index(self) -> dict[Hashable, int]:
        return self.converted.index

    @property
    def loops(self) -> np.ndarray:
        """Which arcs lead from a vertex to itself: a mask of shape (m,)."""
        return self.converted.tails == self.converted.heads

    def check_has(self, node: Any, message: str) -> None:
        """Raise NodeNotFound with the message if the graph has no such node."""
        if node not in self.converted:
            raise nx.NodeNotFound(message)

    def check_no_negative_cycle(self) -> None:
        """Raise NetworkXUnbounded if the graph has a negative cycle anywhere."""
        if self.nodes:
            self._solved(lambda graph, **options: check_no_negative_cycle(graph, None))

    def reversed(self) -> "Problem":
        """The problem with all arcs turned round."""
        return replace(self, backwards=self.converted.directed and not self.backwards)

    def in_double(self) -> "Problem":
        """The problem with float64 for float32."""
        if self.weights is None or self.weights.values.dtype != np.float32:
            return self
        return replace(self, weights=replace(self.weights, values=self.weights.values.astype(np.float64)))

    def tree(self, source: Any, missing: str = "") -> "Tree":
        """The paths from ``source``. Raises NodeNotFound with the message ``missing``."""
        self.check_has(source, missing)
        paths = self._solved(sssp, self.index[source])
        return Tree(self, paths.distances, paths.predecessors)

    def tree_from_nearest(self, sources: Any) -> "Tree":
        """The paths to each vertex from the nearest of ``sources``."""
        vertices = [self.index[source] for source in sources]
        if len(vertices) == 1:
            return self.tree(*sources)
        found = self._solved(nearest, np.array(vertices))
        return Tree(self, found.distances, found.predecessors)

    def trees(self) -> Iterator[tuple[Hashable, "Tree"]]:
        """Each node, and the paths from it."""
        count = len(self.nodes)
        if not count:
            return
        block = count if count <= _AT_ONCE_VERTICES_MAX else max(1, _BLOCK_CELLS // count)
        for first in range(0, count, block):
            sources = np.arange(first, min(first + block, count))
            paths = self._solved(apsp) if len(sources) == count else self._solved(sssp, sources)
            for row, source in enumerate(sources.tolist()):
                yield self.nodes[source], Tree(self, paths.distances[row], paths.predecessors[row])

    def rows(self, vertices: Any) -> "Rows":
        """What is to be said about the distances from each of these vertices."""
        if not len(vertices):
            return Rows(np.zeros(0), np.zeros(0, int), np.zeros(0))
        found = self._solved(_statistics, np.asarray(vertices)).rows
        dtype = np.int64 if self.weights is None or self.weights.whole else np.float64
        return Rows(found.eccentricities.astype(dtype), found.reached, found.sums.astype(dtype))

    def graphs(self) -> Iterator[Graph]:
        """The graph to solve, and if its weights are int32, the same with float64, where that is exact for sums."""
        weights = self.weights
        yield self.converted.graph(weights.values if weights else None, self.backwards)
        if weights and weights.values.dtype == np.int32 and int(weights.largest) * len(self.nodes) <= EXACT_MAX:
            yield self.converted.graph(weights.values.astype(np.float64), self.backwards)

    def _solved(self, function: Any, *arguments: Any) -> Any:
        """The result of ``function`` for the graph.

        If sums of integers do not fit 31 bits, they are float64. Raises NetworkXUnbounded for a negative cycle, and
        NotImplementedError with the reason if the memory is too small.
        """
        for graph in self.graphs():
            try:
                return function(graph, *arguments, device=self.device, certify=self.certify)
            except errors.NegativeCycleError:
                raise nx.NetworkXUnbounded("Negative cycle detected.") from None
            except errors.OutOfMemoryError as error:
                raise NotImplementedError(str(error)) from None
            except errors.GraphError as error:
                refusal = str(error)
        raise NotImplementedError(refusal)


def _statistics(graph: Graph, vertices: np.ndarray, device: Any, certify: bool) -> Statistics:
    """Certified in any case."""
    return prepare(graph, device).statistics(vertices)


class Rows(NamedTuple):
    """Of each source: the greatest distance, the number of vertices that it reaches, and the sum of their distances."""

    eccentricities: np.ndarray
    reached: np.ndarray
    sums: np.ndarray


@dataclass(eq=False)
class Tree:
    """Shortest paths: distances and predecessors of shape (n,), as ``warpath.sssp`` gives them."""

    problem: Problem
    distances: np.ndarray
    predecessors: np.ndarray

    @cached_property
    def _depths(self) -> np.ndarray:
        """The number of arcs on the path to each vertex, by passes that each double the number of steps."""
        predecessors = self.predecessors
        ancestors = np.where(predecessors == NO_PREDECESSOR, np.arange(len(predecessors)), predecessors)
        depths = (predecessors != NO_PREDECESSOR).astype(np.int64)
        while not np.array_equal(ancestors, farther := ancestors[ancestors]):
            depths += depths[ancestors]
            ancestors = farther
        return depths

    @property
    def reached(self) -> np.ndarray:
        """Which vertices have a path: a mask of shape (n,)."""
        return self.distances != unreachable(self.distances.dtype)

    def _within(self, cutoff: Any) -> np.ndarray:
        """Which vertices are reached, and not farther away than ``cutoff``: a mask of shape (n,)."""
        within = self.reached
        if cutoff is not None:
            numbers = self._numbers(within)
            # One by one, as NetworkX compares them: as arrays, integers and fractions would be rounded to floats.
            numbers = numbers if numbers.dtype == np.float32 else numbers.tolist()
            within[within] = [not number > cutoff for number in numbers]
        return within

    def order(self, cutoff: Any = None) -> np.ndarray:
        """The source and the vertices within ``cutoff``: each after its predecessor, by distance if possible."""
        order = np.flatnonzero(self._within(cutoff) | (self.reached & (self._depths == 0)))
        by_depth, weights = self._depths[order], self.problem.weights
        return order[np.lexsort((by_depth,) if weights and weights.negative else (by_depth, self.distances[order]))]

    def _numbers(self, vertices: Any) -> np.ndarray:
        """The distances of reached vertices, integers if weights are."""
        whole = self.problem.weights is None or self.problem.weights.whole
        return self.distances[vertices].astype(np.int64) if whole else self.distances[vertices]

    def lengths(self, cutoff: Any = None) -> dict[Hashable, Any]:
        """The length of a path to each node within ``cutoff``."""
        order, nodes = self.order(cutoff), self.problem.nodes
        columns = order, self._numbers(order), self._depths[order]
        return {
            nodes[vertex]: value if depth else 0
            for vertex, value, depth in zip(*(column.tolist() for column in columns), strict=True)
        }

    def paths(self, cutoff: Any = None) -> dict[Hashable, list[Hashable]]:
        """A path to each node within ``cutoff``, both ends included."""
        order, nodes = self.order(cutoff), self.problem.nodes
        paths: dict[Hashable, list[Hashable]] = {}
        for vertex, predecessor in zip(order.tolist(), self.predecessors[order].tolist(), strict=True):
            paths[nodes[vertex]] = [*paths[nodes[predecessor]], nodes[vertex]] if predecessor >= 0 else [nodes[vertex]]
        return paths

    def path_to(self, node: Hashable, missing: str, cutoff: Any = None) -> tuple[Any, list[Hashable]]:
        """The length of a path to ``node``, and the path. Raises NetworkXNoPath with the message ``missing``."""
        vertex = self.problem.index.get(node)
        if vertex is None or not self.reached[vertex]:
            raise nx.NetworkXNoPath(missing)
        path = [self.problem.nodes[step] for step in walk_back(self.predecessors, vertex)][::-1]
        if len(path) == 1:
            return 0, path
        if not self._within(cutoff)[vertex]:
            raise nx.NetworkXNoPath(missing)
        return self._numbers(vertex).item(), path

    def all_predecessors(self, cutoff: Any = None) -> dict[Hashable, list[Hashable]]:
        """The predecessors of each node within ``cutoff`` on all shortest paths, in the order of ``order``."""
        order, nodes = self.order(cutoff), self.problem.nodes
        ranks = np.full(len(nodes), len(nodes))
        ranks[order] = np.arange(len(order))
        graph = next(self.problem.graphs())
        tails, heads = graph.tails(), graph.indices
        with np.errstate(over="ignore"):
            sums = self.distances[tails] + (graph.weights if graph.has_floats else graph.weights.astype(np.int64))
        tight = (ranks[tails] < len(nodes)) & self._within(cutoff)[heads] & (sums == self.distances[heads])
        pairs = np.unique(np.stack([ranks[heads[tight]], ranks[tails[tight]]]), axis=1)
        predecessors: dict[Hashable, list[Hashable]] = {nodes[vertex]: [] for vertex in order.tolist()}
        for head, tail in zip(*order[pairs].tolist(), strict=True):
            predecessors[nodes[head]].append(nodes[tail])
        return predecessors
