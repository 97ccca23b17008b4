"""A NetworkX graph as the backend holds it, and back."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import networkx as nx
import numpy as np

from ..csgraph.arcs import scaled_exactly
from ..graphs.csr import Graph, from_arcs
from ..graphs.weights import given_weights


@dataclass
class Weights:
    """One weight an arc, ``whole`` / ``scale``: int32, shape (m,).

    ``floats`` says whether any was a float, so that lengths are floats; ``missing`` whether any edge had
    none and got 1.
    """

    whole: np.ndarray
    scale: int
    floats: bool
    missing: bool


@dataclass(eq=False)
class ConvertedGraph:
    """The nodes and arcs of a NetworkX graph, and the one weight ``attribute`` that was asked for, or None.

    Vertex i is ``nodes[i]``. An undirected edge is an arc in each direction.
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
        """The vertex of each node."""
        return {node: vertex for vertex, node in enumerate(self.nodes)}

    def graph(self, weighted: bool, backwards: bool = False) -> Graph:
        """The graph to solve; of weights 1 unless ``weighted``, its arcs turned round if ``backwards``."""
        key = weighted, backwards
        if key not in self._graphs:
            tails, heads = (self.heads, self.tails) if backwards else (self.tails, self.heads)
            if weighted:
                assert self.weights is not None
                whole, scale = self.weights.whole, self.weights.scale
            else:
                whole, scale = np.ones(len(tails), np.int32), 1
            about = {"origin": "networkx", "weights": given_weights(scale)}
            # Of threads that ask first at once, all get the same graph.
            return self._graphs.setdefault(key, from_arcs(len(self.nodes), tails, heads, whole, about))
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
    """The graph with its nodes, edges and at most one weight; what else it holds is left behind.

    Raises NotImplementedError, at which NetworkX falls back, for weights that cannot be solved exactly.
    """
    if isinstance(graph, ConvertedGraph):
        return graph
    if preserve_edge_attrs or len(edge_attrs or {}) > 1:
        raise NotImplementedError("warpath keeps one weight an edge, not all its attributes")
    attribute = next(iter(edge_attrs), None) if edge_attrs else None
    nodes = list(graph)
    index = {node: vertex for vertex, node in enumerate(nodes)}
    tails: list[int] = []
    heads: list[int] = []
    for node, neighbours in graph.adjacency():
        before = len(heads)
        if graph.is_multigraph():
            heads.extend(index[head] for head, keys in neighbours.items() for _ in keys)
        else:
            heads.extend(map(index.__getitem__, neighbours))
        tails.extend([index[node]] * (len(heads) - before))
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
    """The NetworkX graph of a converted one, without what was left behind; other results as they are."""
    if not isinstance(result, ConvertedGraph):
        return result
    kinds = {
        (False, False): nx.Graph,
        (True, False): nx.DiGraph,
        (False, True): nx.MultiGraph,
        (True, True): nx.MultiDiGraph,
    }
    graph = kinds[result.directed, result.multigraph]()
    graph.add_nodes_from(result.nodes)
    once = np.ones(len(result.tails), bool) if result.directed else _one_direction(result.tails, result.heads)
    ends = [
        (result.nodes[tail], result.nodes[head])
        for tail, head in zip(result.tails[once].tolist(), result.heads[once].tolist(), strict=True)
    ]
    if result.weights is None:
        graph.add_edges_from(ends)
    else:
        values = lengths(result.weights.whole[once], result.weights)
        graph.add_edges_from(
            (tail, head, {result.attribute: value}) for (tail, head), value in zip(ends, values, strict=True)
        )
    return graph


def weights_of(graph: Any, attribute: str) -> Weights | str:
    """The weights of a NetworkX graph in the order of its arcs, or the reason why they cannot be solved exactly."""
    edges = [edge for _, neighbours in graph.adjacency() for edge in neighbours.values()]
    if graph.is_multigraph():
        edges = [edge for keys in edges for edge in keys.values()]
    values = [edge.get(attribute, 1) for edge in edges]
    kinds = set(map(type, values))
    strange = [kind.__name__ for kind in kinds if not issubclass(kind, (int, float, np.integer, np.floating))]
    if strange:
        return f"weights are of type {', '.join(sorted(strange))}; warpath takes int and float"
    try:
        found = scaled_exactly(np.array(values, np.float64))
    except OverflowError:
        found = None
    if found is None:
        return "no power of two or of ten makes the weights whole numbers of 31 bits"
    floats = any(issubclass(kind, (float, np.floating)) for kind in kinds)
    return Weights(*found, floats, any(attribute not in edge for edge in edges))


def lengths(whole: np.ndarray, weights: Weights | None) -> list[int] | list[float]:
    """Sums of weights as NetworkX has them: ints where all weights are, else floats. Without weights they are ints."""
    return whole.tolist() if weights is None or not weights.floats else (whole / weights.scale).tolist()


def _one_direction(tails: np.ndarray, heads: np.ndarray) -> np.ndarray:
    """Which arcs stand for the edges of an undirected graph; of an edge's two arcs the one from the lesser vertex."""
    return tails <= heads
