"""New weights that come as things of the caller: data frames and columns, mappings, graphs and matrices.

Each function returns numbers for the arcs of a graph, in the order and the unit of its weights.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..errors import GraphError, UsageError
from ..graphs.csr import Graph, undirected
from ..graphs.named_arcs import WEIGHT, numbers
from ..graphs.objects import frames
from ..graphs.objects.adopted import Origin, adopt, has_names
from ..graphs.weights import fit_int32, weights_of


def of_graph(graph: Graph, origin: Origin, thing: Any, weight: Any = WEIGHT) -> np.ndarray:
    """The weights ``weight`` of ``thing``, an object that a graph can be made of, which has the arcs of ``graph``.

    Raises GraphError for other arcs.
    """
    if weight is None:
        raise UsageError("name the new weights, as in weight='minutes'; only a new solver counts arcs")
    if isinstance(thing, Graph) and thing.scale != graph.scale:
        raise UsageError(f"the weights have scale {thing.scale}, and those of the solver {graph.scale}")
    if frames.is_frame(thing):
        in_order = frames.aligned(thing, origin.index)
        thing = thing if in_order is None else in_order
    new = adopt(thing, weight=weight, tail=origin.tail, head=origin.head, directed=origin.directed)
    other = undirected(new.graph) if origin.undirected and new.graph.arcs < graph.arcs else new.graph
    by_index = new.graph.names.first == 0 and not has_names(thing)
    weights = _in_order_of(graph, other, np.arange(other.vertices) if by_index else graph.index_of(other.labels))
    return weights if isinstance(thing, Graph) else _as_held(graph, weights, _namer(graph))


def of_column(graph: Graph, origin: Origin, column: Any) -> np.ndarray:
    """The weights in a column of the data frame that ``graph`` was made from. Raises UsageError for any other."""
    in_order = frames.aligned(column, origin.index)
    if in_order is None:
        raise UsageError(
            "a column of weights must have the index of the data frame that the solver was made from; give a whole "
            "data frame, or an array in the order of arcs, which values[solver.graph.rows] has if values are one a row"
        )
    name = _namer(graph)
    return _as_held(graph, numbers(frames.numbers_of(in_order)[graph.rows], name), name)


def of_mapping(graph: Graph, origin: Origin, weights: Mapping[Any, Any]) -> tuple[np.ndarray, np.ndarray]:
    """The weights of some arcs, which the keys name by their two ends, and the positions of these arcs."""
    found: dict[int, Any] = {}
    for pair, value in weights.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise UsageError(f"{pair!r} does not name an arc; give its two ends, as in {{(tail, head): weight}}")
        tail, head = graph.names.indices_of(pair, "end").tolist()
        for ends in {(tail, head), (head, tail)} if origin.undirected else ((tail, head),):
            position = _only_arc(graph, *ends)
            if position in found and found[position] != value:
                raise UsageError(
                    f"the undirected edge {_ends(graph, *ends)} has the weights "
                    f"{found[position]!r} and {value!r}; give one"
                )
            found[position] = value
    positions = np.fromiter(found, np.int64, len(found))

    def name(number: int) -> str:
        return _namer(graph)(int(positions[number]))

    return _as_held(graph, numbers(list(found.values()), name), name), positions


def _only_arc(graph: Graph, tail: int, head: int) -> int:
    """The position of the arc from ``tail`` to ``head``. Raises UsageError if there is none, or are several."""
    first = int(graph.indptr[tail])
    positions = first + np.flatnonzero(graph.indices[first : graph.indptr[tail + 1]] == head)
    if len(positions) == 1:
        return int(positions[0])
    ends = _ends(graph, tail, head)
    if not len(positions):
        raise UsageError(f"there is no arc {ends}; weights of new arcs need a new solver")
    raise UsageError(
        f"there are {len(positions)} arcs {ends}; give positions, as in update([...], arcs={positions.tolist()})"
    )


def _in_order_of(graph: Graph, other: Graph, indices: np.ndarray) -> np.ndarray:
    """The weights of ``other`` in the order of ``graph``, whose arcs it has in another order.

    ``indices`` are the vertices of ``graph`` that those of ``other`` stand for. Raises GraphError for other arcs, and
    for parallel arcs that are in another order.
    """
    pairs = ((getattr(graph, name), getattr(other, name)) for name in ("indptr", "indices", "rows"))
    if np.array_equal(indices, np.arange(graph.vertices)) and all(map(np.array_equal, *zip(*pairs, strict=True))):
        return other.weights
    size = max(graph.vertices, other.vertices)
    keys = graph.tails().astype(np.int64) * size + graph.indices
    other_keys = indices[other.tails()] * size + indices[other.indices]
    order, other_order = np.argsort(keys, kind="stable"), np.argsort(other_keys, kind="stable")
    keys, other_keys = keys[order], other_keys[other_order]
    if not np.array_equal(keys, other_keys):
        common = min(len(keys), len(other_keys))
        differ = np.flatnonzero(keys[:common] != other_keys[:common])
        first = int(differ[0]) if len(differ) else common
        key = int(min(*keys[first : first + 1], *other_keys[first : first + 1]))
        raise GraphError(
            f"the number of arcs {_ends(graph, *divmod(key, size))} is {(keys == key).sum()} in the solver's "
            f"graph and {(other_keys == key).sum()} among the new weights; give weights of the same arcs, or prepare a "
            "new solver"
        )
    parallel = np.flatnonzero(keys[1:] == keys[:-1])
    if len(parallel):
        ends = _ends(graph, *divmod(int(keys[parallel[0]]), size))
        raise GraphError(
            f"there are parallel arcs {ends}, and the new weights are in another order, which does not tell these "
            "apart; give them in the order of the old ones"
        )
    weights = np.empty_like(other.weights)
    weights[order] = other.weights[other_order]
    return weights


def _as_held(graph: Graph, values: np.ndarray, name: Callable[[int], str]) -> np.ndarray:
    """``values``, in the caller's unit, in the unit of the weights of ``graph``; whole numbers if it has these."""
    if graph.has_floats:
        return values
    if values.dtype.kind == "f" and graph.scale == 1:
        fractions = np.isfinite(values) & ~fit_int32(values)
        if fractions.any():
            first = int(fractions.argmax())
            raise GraphError(
                f"{name(first)} is {values[first]}, and the solver's graph has whole numbers of 32 bits; prepare a new "
                "solver with these weights, or with a scale"
            )
    return weights_of(values, graph.scale, name)


def _namer(graph: Graph) -> Callable[[int], str]:
    """The name of an arc's weight in messages."""

    def name(arc: int) -> str:
        tail = int(np.searchsorted(graph.indptr, arc, side="right")) - 1
        return f"the weight {_ends(graph, tail, int(graph.indices[arc]))}"

    return name


def _ends(graph: Graph, tail: int, head: int) -> str:
    return "from {!r} to {!r}".format(*graph.names.of_indices([tail, head]))
