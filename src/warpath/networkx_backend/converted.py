"""Converts NetworkX graphs to arrays and back."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import networkx as nx
import numpy as np

from ..graphs.csr import WEIGHT_LIMIT, Graph, from_arcs

EXACT_MAX = 2**53  # among floats


@dataclass
class Weights:
    """The weights of the arcs, shape (m,): int32 if they are integers that fit, else float32 or float64.

    ``whole`` is true if all are integers; so are lengths, then. ``missing`` is true if some edge has no weight, which
    counts as 1.
    """

    values: np.ndarray
    whole: bool
    missing: bool

    @property
    def largest(self) -> Any:
        """The largest absolute value."""
        return abs(self.values).max(initial=0)

    @cached_property
    def negative(self) -> bool:
        """Whether some weight is negative."""
        return bool((self.values < 0).any())


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
    _graphs: dict[tuple[np.dtype | None, bool], Graph] = field(default_factory=dict)

    __networkx_backend__ = "warpath"

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__}: {len(self.nodes):,} nodes, {len(self.heads):,} arcs, weight {self.attribute!r}>"
        )

    @cached_property
    def index(self) -> dict[Hashable, int]:
        return {node: vertex for vertex, node in enumerate(self.nodes)}

    def graph(self, weights: np.ndarray | None, backwards: bool) -> Graph:
        """The graph to solve: with the weights in some type, or 1 for None; with reversed arcs if ``backwards``."""
        key = None if weights is None else weights.dtype, backwards
        if key not in self._graphs:
            tails, heads = (self.heads, self.tails) if backwards else (self.tails, self.heads)
            weights = np.ones(len(tails), np.int32) if weights is None else weights
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
    if largest * len(graph) > EXACT_MAX:
        return "sums of weights that are integers may be larger than 2**53"
    single = kinds == {np.float32}
    if not single and not all(issubclass(kind, (int, np.integer, float)) for kind in kinds):
        return "some weights are NumPy floats of another size, whose sums are rounded differently"
    weights = Weights(np.array(values, np.float32 if single else np.float64), whole, missing)
    with np.errstate(over="ignore"):
        if not np.isfinite(weights.largest * weights.values.dtype.type(len(graph))):
            return "sums of weights may not be finite"
    return weights
