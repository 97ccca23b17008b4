"""Graphs from objects of other libraries: SciPy, NumPy, CuPy, NetworkX, igraph, pandas, Polars, PyArrow.

This module imports none of these libraries: an object can be NetworkX's only if NetworkX is loaded.
"""

import sys
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ...errors import UsageError
from ...system.arrays import on_host
from ..csr import Graph, undirected
from ..named_arcs import MISSING, WEIGHT, Arcs, check_names
from ..weights import checked_scale, with_ones
from . import frames

if TYPE_CHECKING:
    from ...typing import GraphLike

_ACCEPTED = "a Graph, a matrix of SciPy, CuPy or NumPy, a graph of NetworkX or igraph, or a data frame of edges"


@dataclass(frozen=True, eq=False)
class Origin:
    """What a graph was made from, so that new weights can be read in the same way.

    ``weight``, ``tail``, ``head`` and ``directed`` are arguments of ``as_graph``. ``undirected`` says that each edge is
    two arcs, and ``index`` is that of a data frame of pandas.
    """

    weight: Hashable | None = WEIGHT
    tail: Hashable = "source"
    head: Hashable = "target"
    directed: bool = True
    undirected: bool = False
    index: Any = None


@dataclass(frozen=True)
class Adopted:
    """A graph, and what it was made from."""

    graph: Graph
    origin: Origin


def as_graph(
    thing: "GraphLike",
    scale: int | None = None,
    *,
    weight: Hashable | None = "weight",
    tail: Hashable = "source",
    head: Hashable = "target",
    directed: bool = True,
) -> Graph:
    """Make a graph from an object of another library.

    Parameters
    ----------
    thing : Graph, matrix, networkx.Graph, igraph.Graph or data frame
        A Graph is returned as it is. A square matrix of NumPy, SciPy or CuPy is read as in ``from_matrix``. An
        undirected edge of NetworkX or igraph becomes two arcs. Each row of a data frame is an arc; the data frame is
        one of pandas, Polars, PyArrow or cuDF.
    scale : int, optional
        Multiply the weights by this number. Each product must be whole.
    weight : str, optional
        The attribute of edges, or the column of a data frame, that has the weights. None means that each arc counts 1.
        So do the arcs of an object without any numbers.
    tail, head : str, optional
        The columns of a data frame, or levels of its index, that have the tail and the head of each arc.
    directed : bool, default True
        If it is false, each arc counts in both directions.

    Returns
    -------
    Graph

    Raises
    ------
    GraphError
        The object is not a valid graph, or has no such column or attribute. The error lists those that it has.
    UsageError
        The object has another type, or an argument is not valid.

    Examples
    --------
    >>> import networkx, warpath
    >>> warpath.as_graph(networkx.path_graph(3)).arcs
    4
    >>> import pandas
    >>> roads = pandas.DataFrame({"u": ["Oslo"], "v": ["Bergen"], "km": [463]})
    >>> warpath.as_graph(roads, tail="u", head="v", weight="km", directed=False)
    <Graph: 2 vertices, 2 arcs, weights 463 to 463, labels 'Oslo', 'Bergen'>
    """
    return adopt(thing, scale, weight=weight, tail=tail, head=head, directed=directed).graph


def adopt(
    thing: "GraphLike",
    scale: int | None = None,
    *,
    weight: Hashable | None = "weight",
    tail: Hashable = "source",
    head: Hashable = "target",
    directed: bool = True,
) -> Adopted:
    check_names(weight=weight, tail=tail, head=head)
    if weight is None and scale is not None:
        raise UsageError("a scale applies to weights, and weight=None counts arcs; leave out one of the two")
    index = None
    if isinstance(thing, Graph):
        graph = _same(thing, scale, weight)
    elif _is_a(thing, "networkx", "Graph"):
        graph = _graph_of_networkx(thing, checked_scale(scale), weight)
    elif _is_a(thing, "igraph", "Graph"):
        graph = _graph_of_igraph(thing, checked_scale(scale), weight)
    elif frames.is_frame(thing):
        graph = frames.graph_of(thing, checked_scale(scale), frames.Columns(tail, head, weight))
        index = cast(Any, thing).index if frames.is_of_pandas(thing) else None
    else:
        graph = _unnamed(_graph_of_matrix(thing, checked_scale(scale)), weight, "matrix")
    graph = graph if directed else undirected(graph)
    name = graph.weight_name if isinstance(thing, Graph) else weight
    both = bool(graph.metadata.get("undirected"))
    return Adopted(graph, Origin(name, tail, head, directed, both, index))


def is_graph(thing: Any) -> bool:
    """Whether ``thing`` is one of the objects that graphs are made of, other than a list of rows."""
    return isinstance(thing, Graph) or has_names(thing) or hasattr(thing, "tocoo") or getattr(thing, "ndim", 1) == 2


def has_names(thing: Any) -> bool:
    """Whether the weights of ``thing`` have names: columns or attributes."""
    return _is_a(thing, "networkx", "Graph") or _is_a(thing, "igraph", "Graph") or frames.is_frame(thing)


def _same(graph: Graph, scale: int | None, weight: Hashable | None) -> Graph:
    if scale not in (None, graph.scale):
        raise UsageError(f"the graph has scale {graph.scale} already; scale={scale} cannot be applied")
    return _unnamed(graph, weight, "Graph")


def _unnamed(graph: Graph, weight: Hashable | None, what: str) -> Graph:
    """``graph``, which has at most one weight for each arc, or with ones if ``weight`` is None."""
    if weight not in (None, WEIGHT, graph.weight_name):
        raise UsageError(f"a {what} has one weight for each arc, without a name; leave out weight={weight!r}")
    return with_ones(graph) if weight is None else graph


def _graph_of_networkx(graph: Any, scale: int | None, weight: Hashable | None) -> Graph:
    nodes = list(graph.nodes)
    index = {node: position for position, node in enumerate(nodes)}
    edges = list(graph.edges(data=weight, default=MISSING)) if weight is not None else list(graph.edges())
    tails = np.fromiter((index[edge[0]] for edge in edges), np.int64, len(edges))
    heads = np.fromiter((index[edge[1]] for edge in edges), np.int64, len(edges))

    def numbers() -> Iterator[tuple[Hashable, Any]]:
        return (item for *_, data in graph.edges(data=True) for item in data.items())

    values = None if weight is None else [edge[2] for edge in edges]
    arcs = Arcs(nodes, tails, heads, "networkx", graph.is_directed())
    return arcs.graph(weight, values, numbers, scale)


def _graph_of_igraph(graph: Any, scale: int | None, weight: Hashable | None) -> Graph:
    vertices = graph.vcount()
    names = graph.vs["name"] if "name" in graph.vs.attributes() else ()
    labels = names if len(set(names)) == vertices else range(vertices)
    tails, heads = np.array(graph.get_edgelist(), np.int64).reshape(-1, 2).T
    attributes = graph.es.attributes()

    def numbers() -> Iterator[tuple[Hashable, Any]]:
        return ((name, value) for name in attributes for value in graph.es[name])

    values = None
    if weight is not None:
        values = graph.es[weight] if weight in attributes else [None] * len(tails)
        values = [MISSING if value is None else value for value in values]
    arcs = Arcs(list(labels), tails, heads, "igraph", graph.is_directed())
    return arcs.graph(weight, values, numbers, scale)


def _graph_of_matrix(thing: Any, scale: int | None) -> Graph:
    thing = on_host(thing)
    root = type(thing).__module__.partition(".")[0]
    if isinstance(thing, str | bytes) or not (
        root == "scipy" or isinstance(thing, list | tuple) or hasattr(thing, "__array__") or hasattr(thing, "tocoo")
    ):
        is_path = isinstance(thing, str) or hasattr(thing, "__fspath__")
        advice = "read a file with warpath.read" if is_path else f"give {_ACCEPTED}"
        raise UsageError(f"a {type(thing).__name__} is not a graph; {advice}")
    from .adjacency_matrix import from_matrix  # imports scipy.sparse

    return from_matrix(thing, scale)


def _is_a(thing: Any, module: str, name: str) -> bool:
    """Whether ``thing`` is of class ``module.name``, without importing the module."""
    kind = getattr(sys.modules.get(module), name, None)
    return kind is not None and isinstance(thing, kind)
