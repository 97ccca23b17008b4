"""Graphs from what other libraries keep them in: scipy, NumPy, CuPy, NetworkX, igraph, pandas.

None of these libraries is imported here unless the caller has: an object of NetworkX can only be one if NetworkX is
loaded. Weights are the attribute or column ``weight``, 1 where it is missing; undirected edges become two arcs.
"""

import sys
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import GraphError, UsageError
from .csr import Graph, both_ways, from_arcs
from .weights import checked_scale, given_weights, whole_weights

_TAKEN = "a Graph, a matrix of scipy, CuPy or NumPy, a graph of NetworkX or igraph, or a pandas edge list"


# Python's and NumPy's: what an array of weights is made of.
_NUMBERS = (int, float, np.integer, np.floating, np.bool_)


@dataclass(frozen=True)
class Adopted:
    """A graph, and whether the caller's library calls vertices by label; otherwise it calls them by index."""

    graph: Graph
    by_label: bool


def as_graph(thing: Any, scale: int | None = None) -> Graph:
    """The graph that ``thing`` holds, with its labels; a Graph is returned as it is.

    ``thing`` is a Graph; a square matrix, dense or sparse, of NumPy, scipy or CuPy (see ``from_matrix``); a graph of
    NetworkX or igraph, whose edges have the attribute "weight" or count 1; or a pandas edge list with the columns
    source, target and perhaps weight. Weights are multiplied by ``scale`` and must then be whole.

    Raises GraphError if it is not a graph that can be solved, UsageError if it is none of these.
    """
    return adopt(thing, scale).graph


def adopt(thing: Any, scale: int | None = None) -> Adopted:
    """As ``as_graph``, and how the caller calls vertices."""
    if isinstance(thing, Graph):
        if scale not in (None, thing.scale):
            raise UsageError(f"the graph has scale {thing.scale} already; scale={scale} is for weights with fractions")
        return Adopted(thing, by_label=False)
    scale = checked_scale(scale)
    if _is_a(thing, "networkx", "Graph"):
        return Adopted(graph_of_networkx(thing, "weight", scale), by_label=True)
    if _is_a(thing, "igraph", "Graph"):
        return Adopted(_graph_of_igraph(thing, scale), by_label=False)
    if _is_a(thing, "pandas", "DataFrame"):
        return Adopted(_graph_of_pandas(thing, scale), by_label=True)
    return Adopted(_graph_of_matrix(thing, scale), by_label=False)


def graph_of_networkx(graph: Any, weight: str = "weight", scale: int = 1) -> Graph:
    """The graph of a NetworkX graph of any kind; its nodes, in their order, are the labels."""
    nodes = list(graph.nodes)
    index = {node: place for place, node in enumerate(nodes)}
    edges = list(graph.edges(data=weight, default=1))
    tails = np.fromiter((index[edge[0]] for edge in edges), np.int64, len(edges))
    heads = np.fromiter((index[edge[1]] for edge in edges), np.int64, len(edges))
    weights = _weights([edge[-1] for edge in edges], nodes, tails, heads, scale)
    return _graph_of_edges(nodes, tails, heads, weights, graph.is_directed(), "networkx", scale)


def _graph_of_igraph(graph: Any, scale: int) -> Graph:
    """The names of vertices, where they have distinct ones, are the labels."""
    vertices = graph.vcount()
    names = graph.vs["name"] if "name" in graph.vs.attributes() else ()
    labels = names if len(set(names)) == vertices else range(vertices)
    tails, heads = np.array(graph.get_edgelist(), np.int64).reshape(-1, 2).T
    given = graph.es["weight"] if "weight" in graph.es.attributes() else [1] * len(tails)
    weights = _weights([1 if weight is None else weight for weight in given], labels, tails, heads, scale)
    return _graph_of_edges(labels, tails, heads, weights, graph.is_directed(), "igraph", scale)


def _graph_of_pandas(frame: Any, scale: int) -> Graph:
    """Every row is an arc; the values of source and target are the labels."""
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
    places, labels = pandas.factorize(ends, sort=all(whole))
    if (places < 0).any():
        row = int(np.argmax(places < 0))
        column = "source" if row < len(frame) else "target"
        raise GraphError(f"row {row % len(frame)} has no {column}")
    tails, heads = places[: len(frame)], places[len(frame) :]
    labels = labels.tolist()
    given = np.ones(len(frame), np.int64)
    if "weight" in frame.columns:
        column = frame["weight"]
        missing = pandas.api.types.is_numeric_dtype(column.dtype) and column.hasnans
        given = column.to_numpy(np.float64, na_value=np.nan) if missing else column.to_numpy()
    weights = _weights(given, labels, tails, heads, scale)
    return _graph_of_edges(labels, tails, heads, weights, True, "pandas", scale)


def _graph_of_matrix(thing: Any, scale: int) -> Graph:
    root = type(thing).__module__.partition(".")[0]
    if root in ("cupy", "cupyx") or hasattr(thing, "__cuda_array_interface__"):
        if not hasattr(thing, "get"):
            raise UsageError(f"a {type(thing).__name__} on a GPU is not a matrix of CuPy; make one with cupy.asarray")
        thing = thing.get()
    if isinstance(thing, str | bytes) or not (
        root == "scipy" or isinstance(thing, list | tuple) or hasattr(thing, "__array__") or hasattr(thing, "tocoo")
    ):
        is_path = isinstance(thing, str) or hasattr(thing, "__fspath__")
        advice = "read a file with warpath.read" if is_path else f"give {_TAKEN}"
        raise UsageError(f"a {type(thing).__name__} is not a graph; {advice}")
    from .adjacency_matrix import from_matrix  # imports scipy.sparse

    return from_matrix(thing, scale)


def _weights(
    given: Sequence[Any] | np.ndarray, labels: Sequence[Any], tails: np.ndarray, heads: np.ndarray, scale: int
) -> np.ndarray:
    """The weights of edges as int32. A truth value counts as a number here."""
    if not len(given):
        return np.zeros(0, np.int32)
    try:
        weights = np.array(given.tolist() if isinstance(given, np.ndarray) else given)
    except (ValueError, OverflowError):  # lists among them
        weights = np.empty(0, object)
    if weights.ndim != 1 or weights.dtype.kind not in "biuf":
        wrong = next((edge for edge, weight in enumerate(given) if not isinstance(weight, _NUMBERS)), 0)
        between = f"from {labels[tails[wrong]]!r} to {labels[heads[wrong]]!r}"
        raise GraphError(f"the weight {between} is {given[wrong]!r}; a weight is a whole number or a float")
    if weights.dtype.kind == "b":
        weights = weights.astype(np.int32)
    return whole_weights(
        weights, scale, lambda edge: f"the weight from {labels[tails[edge]]!r} to {labels[heads[edge]]!r}"
    )


def _graph_of_edges(
    labels: Iterable[Hashable],
    tails: np.ndarray,
    heads: np.ndarray,
    weights: np.ndarray,
    directed: bool,
    origin: str,
    scale: int,
) -> Graph:
    about: dict = {"origin": origin, "weights": given_weights(scale)}
    if not directed:
        about["undirected"] = True
        tails, heads, weights = both_ways(tails, heads, weights)
    labels = list(labels)
    return from_arcs(len(labels), tails, heads, weights, about, labels)


def _is_a(thing: Any, module: str, name: str) -> bool:
    """Whether ``thing`` is of class ``module.name``, without importing the module."""
    kind = getattr(sys.modules.get(module), name, None)
    return kind is not None and isinstance(thing, kind)
