"""Graphs from objects of other libraries: SciPy, NumPy, CuPy, NetworkX, igraph, pandas.

This module imports none of these libraries: an object can be NetworkX's only if NetworkX is loaded.
"""

import sys
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import GraphError, UsageError
from .csr import Graph, both_ways, from_arcs
from .weights import checked_scale, given_weights, weights_of

if TYPE_CHECKING:
    from ..typing import GraphLike

_ACCEPTED = "a Graph, a matrix of SciPy, CuPy or NumPy, a graph of NetworkX or igraph, or a pandas edge list"
_NUMBERS = (int, float, np.integer, np.floating, np.bool_)


@dataclass(frozen=True)
class Adopted:
    """A graph, and whether the caller's library refers to vertices by label, not by index."""

    graph: Graph
    by_label: bool


def as_graph(thing: "GraphLike", scale: int | None = None) -> Graph:
    """Make a graph from an object of another library.

    Parameters
    ----------
    thing : Graph, matrix, networkx.Graph, igraph.Graph or pandas.DataFrame
        A Graph is returned as it is. A square matrix of NumPy, SciPy or CuPy is read as in ``from_matrix``. Edges of
        NetworkX and igraph have the attribute "weight", or weight 1; an undirected edge becomes two arcs. A pandas
        edge list has the columns "source" and "target", and may have "weight".
    scale : int, optional
        Multiply the weights by this number. Each product must be whole.

    Returns
    -------
    Graph

    Raises
    ------
    GraphError
        The object is not a valid graph.
    UsageError
        The object has another type, or the scale is not valid.

    Examples
    --------
    >>> import networkx, warpath
    >>> warpath.as_graph(networkx.path_graph(3)).arcs
    4
    """
    return adopt(thing, scale).graph


def adopt(thing: "GraphLike", scale: int | None = None) -> Adopted:
    if isinstance(thing, Graph):
        if scale not in (None, thing.scale):
            raise UsageError(f"the graph has scale {thing.scale} already; scale={scale} cannot be applied")
        return Adopted(thing, by_label=False)
    scale = checked_scale(scale)
    if _is_a(thing, "networkx", "Graph"):
        return Adopted(_graph_of_networkx(thing, scale), by_label=True)
    if _is_a(thing, "igraph", "Graph"):
        return Adopted(_graph_of_igraph(thing, scale), by_label=False)
    if _is_a(thing, "pandas", "DataFrame"):
        return Adopted(_graph_of_pandas(thing, scale), by_label=True)
    return Adopted(_graph_of_matrix(thing, scale), by_label=False)


def _graph_of_networkx(graph: Any, scale: int | None) -> Graph:
    nodes = list(graph.nodes)
    index = {node: position for position, node in enumerate(nodes)}
    edges = list(graph.edges(data="weight", default=1))
    tails = np.fromiter((index[edge[0]] for edge in edges), np.int64, len(edges))
    heads = np.fromiter((index[edge[1]] for edge in edges), np.int64, len(edges))
    weights = _weights([edge[-1] for edge in edges], nodes, tails, heads, scale)
    return _graph_of_edges(nodes, tails, heads, weights, graph.is_directed(), "networkx", scale)


def _graph_of_igraph(graph: Any, scale: int | None) -> Graph:
    vertices = graph.vcount()
    names = graph.vs["name"] if "name" in graph.vs.attributes() else ()
    labels = names if len(set(names)) == vertices else range(vertices)
    tails, heads = np.array(graph.get_edgelist(), np.int64).reshape(-1, 2).T
    values = graph.es["weight"] if "weight" in graph.es.attributes() else [1] * len(tails)
    weights = _weights([1 if value is None else value for value in values], labels, tails, heads, scale)
    return _graph_of_edges(labels, tails, heads, weights, graph.is_directed(), "igraph", scale)


def _graph_of_pandas(frame: Any, scale: int | None) -> Graph:
    if not {"source", "target"} <= set(frame.columns):
        columns = ", ".join(map(repr, frame.columns)) or "none"
        raise GraphError(
            f"a pandas edge list has the columns 'source' and 'target', and may have 'weight'; this one has {columns}"
        )
    for name in ("source", "target", "weight"):
        if list(frame.columns).count(name) > 1:
            raise GraphError(f"the edge list has more than one column {name!r}")
    pandas = sys.modules["pandas"]
    both = [frame["source"], frame["target"]]
    whole = [pandas.api.types.is_integer_dtype(end.dtype) for end in both]
    ends = pandas.concat(both, ignore_index=True)
    if any(whole) and pandas.api.types.is_float_dtype(ends.dtype):  # which rounds integers of 64 bits
        ends = pandas.concat([end.astype(object) for end in both], ignore_index=True)
    indices, labels = pandas.factorize(ends, sort=all(whole))
    if (indices < 0).any():
        row = int(np.argmax(indices < 0))
        column = "source" if row < len(frame) else "target"
        raise GraphError(f"row {row % len(frame)} has no {column}")
    tails, heads = indices[: len(frame)], indices[len(frame) :]
    labels = labels.tolist()
    values = np.ones(len(frame), np.int64)
    if "weight" in frame.columns:
        column = frame["weight"]
        missing = pandas.api.types.is_numeric_dtype(column.dtype) and column.hasnans
        values = column.to_numpy(np.float64, na_value=np.nan) if missing else column.to_numpy()
    weights = _weights(values, labels, tails, heads, scale)
    return _graph_of_edges(labels, tails, heads, weights, True, "pandas", scale)


def _graph_of_matrix(thing: Any, scale: int | None) -> Graph:
    root = type(thing).__module__.partition(".")[0]
    if root in ("cupy", "cupyx") or hasattr(thing, "__cuda_array_interface__"):
        if not hasattr(thing, "get"):
            raise UsageError(f"a {type(thing).__name__} on a GPU is not a CuPy array; convert it with cupy.asarray")
        thing = thing.get()
    if isinstance(thing, str | bytes) or not (
        root == "scipy" or isinstance(thing, list | tuple) or hasattr(thing, "__array__") or hasattr(thing, "tocoo")
    ):
        is_path = isinstance(thing, str) or hasattr(thing, "__fspath__")
        advice = "read a file with warpath.read" if is_path else f"give {_ACCEPTED}"
        raise UsageError(f"a {type(thing).__name__} is not a graph; {advice}")
    from .adjacency_matrix import from_matrix  # imports scipy.sparse

    return from_matrix(thing, scale)


def _weights(
    values: Sequence[Any] | np.ndarray, labels: Sequence[Any], tails: np.ndarray, heads: np.ndarray, scale: int | None
) -> np.ndarray:
    """The weights of edges. True counts as 1, False as 0."""

    def name(edge: int) -> str:
        return f"the weight from {labels[tails[edge]]!r} to {labels[heads[edge]]!r}"

    if not len(values):
        return np.zeros(0, np.int32)
    try:
        weights = np.array(values.tolist() if isinstance(values, np.ndarray) else values)
    except (ValueError, OverflowError):  # lists among them
        weights = np.empty(0, object)
    if weights.ndim != 1 or weights.dtype.kind not in "biuf":
        wrong = next((edge for edge, value in enumerate(values) if not isinstance(value, _NUMBERS)), 0)
        raise GraphError(f"{name(wrong)} is {values[wrong]!r}; a weight is a whole number or a float")
    if weights.dtype.kind == "b":
        weights = weights.astype(np.int32)
    return weights_of(weights, scale, name)


def _graph_of_edges(
    labels: Iterable[Hashable],
    tails: np.ndarray,
    heads: np.ndarray,
    weights: np.ndarray,
    directed: bool,
    origin: str,
    scale: int | None,
) -> Graph:
    metadata: dict = {"origin": origin, "weights": given_weights(scale)}
    if not directed:
        metadata["undirected"] = True
        tails, heads, weights = both_ways(tails, heads, weights)
    labels = list(labels)
    return from_arcs(len(labels), tails, heads, weights, metadata, labels)


def _is_a(thing: Any, module: str, name: str) -> bool:
    """Whether ``thing`` is of class ``module.name``, without importing the module."""
    kind = getattr(sys.modules.get(module), name, None)
    return kind is not None and isinstance(thing, kind)
