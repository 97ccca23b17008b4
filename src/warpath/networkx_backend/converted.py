"""Converts NetworkX graphs, solves on them, and converts paths to dictionaries over nodes."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import networkx as nx
import numpy as np

from .. import errors
from ..csgraph.functions import nearest_source, roots_and_depths
from ..distances import unreachable, walk_back
from ..graphs.csr import WEIGHT_LIMIT, Graph, from_arcs
from ..library.shortest_paths import apsp, sssp
from ..solvers.preconditions import check_no_negative_cycle

# Up to this many vertices, all pairs are one solve. Larger graphs are solved in blocks of at most _BLOCK_CELLS cells.
_AT_ONCE_VERTICES_MAX = 4096
_BLOCK_CELLS = 1 << 24
_EXACT_MAX = 2**53  # among floats


@dataclass
class Weights:
    """The weights of the arcs, shape (m,): int32, or if some are floats, float32 or float64, as lengths will be.

    ``missing`` is true if some edge has no weight, which counts as 1.
    """

    values: np.ndarray
    missing: bool


@dataclass(eq=False)
class ConvertedGraph:
    """The nodes and arcs of a NetworkX graph, and the weights of one ``attribute`` or None.

    Vertex i is ``nodes[i]``. An undirected edge becomes two arcs.
    """

    nodes: list[Hashable]
    tails: np.ndarray
    heads: np.ndarray
    directed: bool
    multigraph: bool
    attribute: str | None
    weights: Weights | None
    _graphs: dict[tuple[bool, bool], Graph] = field(default_factory=dict, repr=False)

    __networkx_backend__ = "warpath"

    @cached_property
    def index(self) -> dict[Hashable, int]:
        return {node: vertex for vertex, node in enumerate(self.nodes)}

    def graph(self, weighted: bool, backwards: bool = False) -> Graph:
        """The graph to solve: with weights 1 unless ``weighted``, and with reversed arcs if ``backwards``."""
        key = weighted, backwards
        if key not in self._graphs:
            tails, heads = (self.heads, self.tails) if backwards else (self.tails, self.heads)
            if weighted:
                assert self.weights is not None
                weights = self.weights.values
            else:
                weights = np.ones(len(tails), np.int32)
            graph = from_arcs(len(self.nodes), tails, heads, weights, {"origin": "networkx"})
            # Threads that are here at the same time get the same graph.
            return self._graphs.setdefault(key, graph)
        return self._graphs[key]

    def is_directed(self) -> bool:
        return self.directed

    def is_multigraph(self) -> bool:
        return self.multigraph

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.nodes)

    def __contains__(self, node: Any) -> bool:
        try:
            return node in self.index
        except TypeError:
            return False


def convert_from_nx(
    graph: Any,
    edge_attrs: dict[str, Any] | None = None,
    node_attrs: dict[str, Any] | None = None,
    preserve_edge_attrs: bool = False,
    preserve_node_attrs: bool = False,
    preserve_graph_attrs: bool = False,
    name: str | None = None,
    graph_name: str | None = None,
) -> ConvertedGraph:
    """The nodes and edges of a NetworkX graph, with one weight at most. Other attributes are dropped.

    Raises NotImplementedError if the weights cannot be converted exactly; NetworkX then solves the problem itself.
    """
    if isinstance(graph, ConvertedGraph):
        return graph
    if preserve_edge_attrs or len(edge_attrs or {}) > 1:
        raise NotImplementedError("warpath keeps one weight per edge and no other attributes")
    attribute = next(iter(edge_attrs), None) if edge_attrs else None
    nodes = list(graph)
    index = {node: vertex for vertex, node in enumerate(nodes)}
    tails: list[int] = []
    heads: list[int] = []
    for node, neighbours in graph.adjacency():
        first = len(heads)
        if graph.is_multigraph():
            heads.extend(index[head] for head, keys in neighbours.items() for _ in keys)
        else:
            heads.extend(map(index.__getitem__, neighbours))
        tails.extend([index[node]] * (len(heads) - first))
    weights = None if attribute is None else weights_of(graph, attribute)
    if isinstance(weights, str):
        raise NotImplementedError(weights)
    return ConvertedGraph(
        nodes,
        np.array(tails, np.int32),
        np.array(heads, np.int32),
        graph.is_directed(),
        graph.is_multigraph(),
        attribute,
        weights,
    )


def convert_to_nx(result: Any, *, name: str | None = None) -> Any:
    """The NetworkX graph of a converted graph, without the dropped attributes. Other results stay as they are."""
    if not isinstance(result, ConvertedGraph):
        return result
    kind = f"{'Multi' if result.multigraph else ''}{'Di' if result.directed else ''}Graph"
    graph = getattr(nx, kind)()
    graph.add_nodes_from(result.nodes)
    once = result.directed | (result.tails <= result.heads)  # one of the two arcs of an undirected edge
    ends = [
        (result.nodes[tail], result.nodes[head])
        for tail, head in zip(result.tails[once].tolist(), result.heads[once].tolist(), strict=True)
    ]
    if result.weights is None:
        graph.add_edges_from(ends)
    else:
        values = result.weights.values[once].tolist()
        graph.add_edges_from(
            (tail, head, {result.attribute: value}) for (tail, head), value in zip(ends, values, strict=True)
        )
    return graph


def weights_of(graph: Any, attribute: str) -> Weights | str:
    """The weights of a NetworkX graph in the order of its arcs, or the reason why they cannot be converted exactly."""
    edges = [edge for _, neighbours in graph.adjacency() for edge in neighbours.values()]
    if graph.is_multigraph():
        edges = [edge for keys in edges for edge in keys.values()]
    values = [edge.get(attribute, 1) for edge in edges]
    kinds = set(map(type, values))
    other = [kind.__name__ for kind in kinds if not issubclass(kind, (int, float, np.integer, np.floating))]
    if other:
        return f"weights are of type {', '.join(sorted(other))}; warpath takes int and float"
    whole = [value for value in values if isinstance(value, (int, np.integer))]
    largest = max(map(abs, map(int, whole)), default=0)
    missing = any(attribute not in edge for edge in edges)
    if len(whole) == len(values):
        if largest > WEIGHT_LIMIT:
            return "some weights do not fit 31 bits"
        return Weights(np.array(values, np.int32), missing)
    if kinds != {np.float32} and not all(issubclass(kind, (int, np.integer, float)) for kind in kinds):
        return "some weights are NumPy floats of another size, whose sums are rounded differently"
    if largest * len(graph) > _EXACT_MAX:
        return "sums of weights that are integers may not fit a float"
    floats = np.array(values, np.float32 if kinds == {np.float32} else np.float64)
    with np.errstate(over="ignore"):
        if not np.isfinite(np.abs(floats).max() * floats.dtype.type(len(graph))):
            return "sums of weights may not be finite"
    return Weights(floats, missing)


@dataclass(eq=False)
class Tree:
    """Shortest paths: distances and predecessors of shape (n,), as ``warpath.sssp`` gives them."""

    converted: ConvertedGraph
    weights: Weights | None
    distances: np.ndarray
    predecessors: np.ndarray

    @cached_property
    def _depths(self) -> np.ndarray:
        return roots_and_depths(self.predecessors)[1]

    @property
    def reached(self) -> np.ndarray:
        """Which vertices have a path: a mask of shape (n,)."""
        return self.distances != unreachable(self.distances.dtype)

    def _within(self, cutoff: float | None) -> np.ndarray:
        """Which vertices are at most ``cutoff`` away: a mask of shape (n,)."""
        return self.reached if cutoff is None else self.reached & (self.distances <= cutoff)

    def order(self, cutoff: float | None = None) -> np.ndarray:
        """The source and the vertices within ``cutoff``: each after its predecessor, by distance if possible."""
        reached = self._within(cutoff) | (self._within(None) & (self._depths == 0))
        negative = self.weights is not None and self.weights.values.min(initial=0) < 0
        keys = (self._depths,) if negative else (self._depths, self.distances)
        order = np.lexsort(keys)
        return order[reached[order]]

    def lengths(self, cutoff: float | None = None) -> dict[Hashable, Any]:
        """The length of a path to each node within ``cutoff``."""
        order, nodes = self.order(cutoff), self.converted.nodes
        columns = order, self.distances[order], self._depths[order]
        return {
            nodes[vertex]: value if depth else 0
            for vertex, value, depth in zip(*(column.tolist() for column in columns), strict=True)
        }

    def paths(self, cutoff: float | None = None, backwards: bool = False) -> dict[Hashable, list[Hashable]]:
        """A path to each node within ``cutoff``, both ends included; from the node to the source if ``backwards``."""
        order, nodes = self.order(cutoff), self.converted.nodes
        paths: dict[Hashable, list[Hashable]] = {}
        for vertex, predecessor in zip(order.tolist(), self.predecessors[order].tolist(), strict=True):
            before = paths[nodes[predecessor]] if predecessor >= 0 else []
            paths[nodes[vertex]] = [nodes[vertex], *before] if backwards else [*before, nodes[vertex]]
        return paths

    def path_to(self, node: Hashable, missing: str, cutoff: float | None = None) -> tuple[Any, list[Hashable]]:
        """The length of a path to ``node``, and the path. Raises NetworkXNoPath with the message ``missing``."""
        vertex = self.converted.index.get(node)
        if vertex is None or not self.reached[vertex]:
            raise nx.NetworkXNoPath(missing)
        path = list(walk_back(self.predecessors, vertex))[::-1]
        length = self.distances[vertex].item() if len(path) > 1 else 0
        if cutoff is not None and length > cutoff and len(path) > 1:
            raise nx.NetworkXNoPath(missing)
        return length, [self.converted.nodes[step] for step in path]

    def all_predecessors(self, cutoff: float | None = None) -> dict[Hashable, list[Hashable]]:
        """The predecessors of each node within ``cutoff`` on all shortest paths, in the order of ``order``."""
        order, nodes = self.order(cutoff), self.converted.nodes
        ranks = np.full(len(nodes), len(nodes))
        ranks[order] = np.arange(len(order))
        graph = self.converted.graph(self.weights is not None)
        tails, heads = graph.sources(), graph.indices
        with np.errstate(over="ignore"):
            sums = self.distances[tails] + (graph.weights if graph.has_floats else graph.weights.astype(np.int64))
        tight = (ranks[tails] < len(nodes)) & self._within(cutoff)[heads] & (sums == self.distances[heads])
        pairs = np.unique(np.stack([ranks[heads[tight]], ranks[tails[tight]]]), axis=1)
        predecessors: dict[Hashable, list[Hashable]] = {nodes[vertex]: [] for vertex in order.tolist()}
        for head, tail in zip(*order[pairs].tolist(), strict=True):
            predecessors[nodes[head]].append(nodes[tail])
        return predecessors


def tree(converted: ConvertedGraph, source: Hashable, weighted: bool, backwards: bool = False, **options: Any) -> Tree:
    """The paths from ``source``, or to it if ``backwards``."""
    graph = converted.graph(weighted, backwards and converted.directed)
    paths = solved(sssp, graph, converted.index[source], **options)
    return Tree(converted, converted.weights if weighted else None, paths.distances, paths.predecessors)


def tree_from_nearest(converted: ConvertedGraph, sources: list[Hashable], weighted: bool, **options: Any) -> Tree:
    vertices = np.array([converted.index[source] for source in sources])
    distances, predecessors, _ = solved(nearest_source, converted.graph(weighted), vertices, **options)
    return Tree(converted, converted.weights if weighted else None, distances, predecessors)


def trees(converted: ConvertedGraph, weighted: bool, **options: Any) -> Iterator[tuple[Hashable, Tree]]:
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
    """The result of ``function`` on ``device``, or on the configured one.

    Raises NetworkXUnbounded for a negative cycle. Raises NotImplementedError if distances do not fit 31 bits or the
    memory is too small; NetworkX then solves the problem itself.
    """
    device = nx.config.backends.warpath.device if device is None else device
    try:
        return function(graph, *arguments, device=device, certify=certify)
    except errors.NegativeCycleError:
        raise nx.NetworkXUnbounded("Negative cycle detected.") from None
    except (errors.GraphError, errors.OutOfMemoryError) as error:
        raise NotImplementedError(str(error)) from None


def check_no_negative_cycles(converted: ConvertedGraph) -> None:
    """Raise NetworkXUnbounded if the graph has a negative cycle anywhere."""
    try:
        check_no_negative_cycle(converted.graph(weighted=True), None)
    except errors.NegativeCycleError:
        raise nx.NetworkXUnbounded("Negative cycle detected.") from None
