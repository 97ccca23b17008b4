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
    """The weights of the arcs, shape (m,): int32 if they are integers that fit, else float32 or float64.

    ``whole`` is true if all are integers; so are lengths, then. ``missing`` is true if some edge has no weight, which
    counts as 1.
    """

    values: np.ndarray
    whole: bool
    missing: bool


@dataclass(eq=False, repr=False)
class ConvertedGraph:
    """The nodes and arcs of a NetworkX graph, and the weights of one ``attribute`` or None.

    Vertex i is ``nodes[i]``. An undirected edge becomes two arcs. ``reason`` says why there are no weights if they
    cannot be converted exactly.
    """

    nodes: list[Hashable]
    tails: np.ndarray
    heads: np.ndarray
    directed: bool
    multigraph: bool
    attribute: str | None
    weights: Weights | None
    reason: str = ""
    _graphs: dict[tuple[bool, bool, bool], Graph] = field(default_factory=dict)

    __networkx_backend__ = "warpath"

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__}: {len(self.nodes):,} nodes, {len(self.heads):,} arcs, weight {self.attribute!r}>"
        )

    @cached_property
    def index(self) -> dict[Hashable, int]:
        return {node: vertex for vertex, node in enumerate(self.nodes)}

    def graph(self, weighted: bool, backwards: bool = False, as_floats: bool = False) -> Graph:
        """The graph to solve: with weights 1 unless ``weighted``, and with reversed arcs if ``backwards``.

        With ``as_floats``, integers are float64.
        """
        key = weighted, backwards, as_floats
        if key not in self._graphs:
            tails, heads = (self.heads, self.tails) if backwards else (self.tails, self.heads)
            if weighted:
                assert self.weights is not None
                weights = self.weights.values.astype(np.float64) if as_floats else self.weights.values
            else:
                weights = np.ones(len(tails), np.int32)
            graph = from_arcs(len(self.nodes), tails, heads, weights, {"origin": "networkx"})
            # Threads that are here at the same time get the same graph.
            return self._graphs.setdefault(key, graph)
        return self._graphs[key]

    def graphs(self, weighted: bool, backwards: bool = False) -> Iterator[Graph]:
        """The graph to solve, and if its weights are int32, the same with float64, where that is exact for sums."""
        yield self.graph(weighted, backwards)
        values = self.weights.values if weighted and self.weights else None
        if values is not None and values.dtype == np.int32 and int(_largest(values)) * len(self) <= _EXACT_MAX:
            yield self.graph(weighted, backwards, as_floats=True)

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

    If the weights cannot be converted exactly, the conversion holds the reason. It does not fail, since NetworkX
    remembers that a conversion has failed, but not why. Raises NotImplementedError for further attributes.
    """
    if isinstance(graph, ConvertedGraph):
        return graph
    if preserve_edge_attrs or len(edge_attrs or {}) > 1:
        raise NotImplementedError("a weight is one attribute of the edges, not a function or several attributes")
    attribute = next(iter(edge_attrs), None) if edge_attrs else None
    weights = None if attribute is None else weights_of(graph, attribute)
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
    return ConvertedGraph(
        nodes,
        np.array(tails, np.int32),
        np.array(heads, np.int32),
        graph.is_directed(),
        graph.is_multigraph(),
        attribute,
        *((None, weights) if isinstance(weights, str) else (weights,)),
    )


def convert_to_nx(result: Any, *, name: str | None = None) -> Any:
    """The NetworkX graph of a converted graph, without the dropped attributes. Other results stay as they are.

    Raises NotImplementedError if its weights could not be converted.
    """
    if not isinstance(result, ConvertedGraph):
        return result
    if result.reason:
        raise NotImplementedError(result.reason)
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
    integers = [value for value in values if isinstance(value, (int, np.integer))]
    whole = len(integers) == len(values)
    missing = any(attribute not in edge for edge in edges)
    largest = max(map(abs, map(int, integers)), default=0)
    if whole and largest <= WEIGHT_LIMIT:
        return Weights(np.array(values, np.int32), whole, missing)
    if largest * len(graph) > _EXACT_MAX:
        return "sums of weights that are integers may be larger than 2**53"
    single = kinds == {np.float32}
    if not single and not all(issubclass(kind, (int, np.integer, float)) for kind in kinds):
        return "some weights are NumPy floats of another size, whose sums are rounded differently"
    floats = np.array(values, np.float32 if single else np.float64)
    with np.errstate(over="ignore"):
        if not np.isfinite(_largest(floats) * floats.dtype.type(len(graph))):
            return "sums of weights may not be finite"
    return Weights(floats, whole, missing)


def _largest(values: np.ndarray) -> Any:
    return abs(values).max(initial=0)


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

    def _numbers(self, vertices: Any) -> np.ndarray:
        """The distances of reached vertices, integers if weights are."""
        whole = self.weights is None or self.weights.whole
        return self.distances[vertices].astype(np.int64) if whole else self.distances[vertices]

    def lengths(self, cutoff: float | None = None) -> dict[Hashable, Any]:
        """The length of a path to each node within ``cutoff``."""
        order, nodes = self.order(cutoff), self.converted.nodes
        columns = order, self._numbers(order), self._depths[order]
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
        length = self._numbers(vertex).item() if len(path) > 1 else 0
        if cutoff is not None and length > cutoff and len(path) > 1:
            raise nx.NetworkXNoPath(missing)
        return length, [self.converted.nodes[step] for step in path]

    def all_predecessors(self, cutoff: float | None = None) -> dict[Hashable, list[Hashable]]:
        """The predecessors of each node within ``cutoff`` on all shortest paths, in the order of ``order``."""
        order, nodes = self.order(cutoff), self.converted.nodes
        ranks = np.full(len(nodes), len(nodes))
        ranks[order] = np.arange(len(order))
        graph = self.converted.graph(self.weights is not None)
        tails, heads = graph.tails(), graph.indices
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
    backwards = backwards and converted.directed
    paths = _solved(sssp, converted, weighted, converted.index[source], backwards=backwards, **options)
    return Tree(converted, converted.weights if weighted else None, paths.distances, paths.predecessors)


def tree_from_nearest(converted: ConvertedGraph, sources: list[Hashable], weighted: bool, **options: Any) -> Tree:
    vertices = np.array([converted.index[source] for source in sources])
    distances, predecessors, _ = _solved(nearest_source, converted, weighted, vertices, **options)
    return Tree(converted, converted.weights if weighted else None, distances, predecessors)


def trees(converted: ConvertedGraph, weighted: bool, **options: Any) -> Iterator[tuple[Hashable, Tree]]:
    count = len(converted)
    if not count:
        return
    weights = converted.weights if weighted else None
    block = count if count <= _AT_ONCE_VERTICES_MAX else max(1, _BLOCK_CELLS // count)
    for first in range(0, count, block):
        sources = np.arange(first, min(first + block, count))
        if len(sources) == count:
            paths = _solved(apsp, converted, weighted, **options)
        else:
            paths = _solved(sssp, converted, weighted, sources, **options)
        for row, source in enumerate(sources.tolist()):
            yield converted.nodes[source], Tree(converted, weights, paths.distances[row], paths.predecessors[row])


def _solved(
    function: Any,
    converted: ConvertedGraph,
    weighted: bool,
    *arguments: Any,
    backwards: bool = False,
    device: str | None = None,
    certify: bool = True,
) -> Any:
    """The result of ``function`` on ``device``, or on the configured one.

    If sums of integers do not fit 31 bits, they are float64. Raises NetworkXUnbounded for a negative cycle, and
    NotImplementedError with the reason if the memory is too small.
    """
    device = nx.config.backends.warpath.device if device is None else device
    for graph in converted.graphs(weighted, backwards):
        try:
            return function(graph, *arguments, device=device, certify=certify)
        except errors.NegativeCycleError:
            raise nx.NetworkXUnbounded("Negative cycle detected.") from None
        except errors.OutOfMemoryError as error:
            raise NotImplementedError(str(error)) from None
        except errors.GraphError as error:
            refusal = str(error)
    raise NotImplementedError(refusal)


def check_no_negative_cycles(converted: ConvertedGraph) -> None:
    """Raise NetworkXUnbounded if the graph has a negative cycle anywhere."""
    try:
        check_no_negative_cycle(converted.graph(weighted=True), None)
    except errors.NegativeCycleError:
        raise nx.NetworkXUnbounded("Negative cycle detected.") from None
