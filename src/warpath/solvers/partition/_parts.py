"""A graph cut into parts, in the layout that both variants read: made once a graph and number of parts.

METIS cuts; vertices are renumbered so that those of a part lie together, first those that arcs from other parts enter.
Loops are dropped, and of parallel arcs the lightest is kept.
"""

import weakref
from dataclasses import dataclass
from functools import cache
from time import perf_counter

import numpy as np
import pymetis

from ...errors import UsageError
from ...graphs.csr import Graph, from_arcs
from ._layout import NO_ARC, entered_from_outside, laid_out, lightest_arcs, neighbours

_SEED = 1
_IMBALANCE_THOUSANDTHS = 10  # METIS allows a part so much more than its share of vertices


@dataclass(frozen=True, eq=False)
class Parts:
    """``graph`` in k parts. Vertices have new numbers: those of part p are ``first[p]`` to ``first[p + 1] - 1``.

    ``order``, shape (n,), is the vertex of the graph that each new number stands for; ``position`` is its inverse.
    ``first`` has shape (k + 1,). ``entered``, shape (k,), counts the vertices of a part that arcs from other parts
    enter; they come first in it.

    The entries of a part are its own vertices, numbered from 0, and then its outside neighbours: entry
    ``vertices + i`` is the vertex with new number ``outside[outside_first[p] + i]``, of part
    ``outside_part[outside_first[p] + i]``. They are sorted by new number. ``outside_first`` has shape (k + 1,).

    ``heads``, uint16, and ``weights``, int32, both of shape (4, n), hold slot j of every vertex in row j, by new
    number: the head as an entry of the vertex's part, NO_ARC in empty slots, which are the last ones. Further arcs of
    part p are ``overflow_first[p]`` to ``overflow_first[p + 1] - 1``, sorted by tail: ``overflow_tails`` and
    ``overflow_heads``, uint16, are entries too, ``overflow_weights`` int32. All other arrays are int32.
    """

    graph: Graph
    first: np.ndarray
    order: np.ndarray
    position: np.ndarray
    entered: np.ndarray
    outside_first: np.ndarray
    outside: np.ndarray
    outside_part: np.ndarray
    heads: np.ndarray
    weights: np.ndarray
    overflow_first: np.ndarray
    overflow_tails: np.ndarray
    overflow_heads: np.ndarray
    overflow_weights: np.ndarray
    cut_arcs: int
    preparation_s: float

    @property
    def count(self) -> int:
        """The number of parts, k; some may be empty."""
        return len(self.first) - 1

    @property
    def vertices_max(self) -> int:
        """The most vertices of a part."""
        return int(np.diff(self.first).max())

    @property
    def outside_max(self) -> int:
        """The most outside neighbours of a part."""
        return int(np.diff(self.outside_first).max())

    @property
    def entered_max(self) -> int:
        """The most vertices of a part that arcs from other parts enter."""
        return int(self.entered.max())

    @property
    def overflow_max(self) -> int:
        """The most arcs of a part that found no slot."""
        return int(np.diff(self.overflow_first).max())


# As copies of graphs on devices: parts last as long as somebody keeps them, and keep their graph, so that no other
# graph can have its identity.
_kept: weakref.WeakValueDictionary[tuple[int, int], Parts] = weakref.WeakValueDictionary()


def parts_of(graph: Graph, count: int) -> Parts:
    """``graph`` in ``count`` parts: those that are in use, or new ones.

    Raises UsageError where a part has more entries than 16 bits can number.
    """
    key = id(graph), count
    parts = _kept.get(key)
    if parts is None:
        _compile_passes()
        parts = _kept[key] = _cut(graph, count)
    return parts


@cache
def _compile_passes() -> None:
    """Once a process, so that it does not count as preparation of a graph."""
    _cut(from_arcs(4, [0, 1, 2], [1, 2, 3], [1, 1, 1]), 2)


def _cut(graph: Graph, count: int) -> Parts:
    began = perf_counter()
    indptr, heads, weights = lightest_arcs(graph.indptr, graph.indices, graph.weights)
    part_of = _part_of_vertices(indptr, heads, count)
    entered, cut_arcs = entered_from_outside(indptr, heads, part_of)
    order = np.argsort(2 * part_of + ~entered, kind="stable").astype(np.int32)
    position = np.empty_like(order)
    position[order] = np.arange(graph.vertices, dtype=np.int32)
    first = np.zeros(count + 1, np.int32)
    np.cumsum(np.bincount(part_of, minlength=count), out=first[1:])
    entries_max, arrays = laid_out(indptr, heads, weights, order, position, first, cut_arcs)
    if entries_max > NO_ARC:
        raise UsageError(
            f"in {count:,} parts, one has {entries_max:,} vertices and neighbours, more than {NO_ARC:,}; partition is "
            "for road networks and their like, label_correcting takes any graph"
        )
    of_outside, of_slots, of_overflow = arrays
    return Parts(
        graph,
        first,
        order,
        position,
        np.bincount(part_of[entered], minlength=count).astype(np.int32),
        *of_outside,
        (np.searchsorted(first, of_outside[1], side="right") - 1).astype(np.int32),
        *of_slots,
        *of_overflow,
        cut_arcs=cut_arcs,
        preparation_s=perf_counter() - began,
    )


def _part_of_vertices(indptr: np.ndarray, heads: np.ndarray, count: int) -> np.ndarray:
    """The part of each vertex, shape (n,), int32."""
    vertices = len(indptr) - 1
    if count == 1 or count >= vertices or not len(heads):  # METIS is at a loss here
        return (np.arange(vertices, dtype=np.int64) * min(count, vertices) // vertices).astype(np.int32)
    starts, ends = neighbours(indptr, heads)
    options = pymetis.Options(seed=_SEED, ufactor=_IMBALANCE_THOUSANDTHS)
    adjacency = pymetis.CSRAdjacency(starts, ends)
    return np.asarray(pymetis.part_graph(count, adjacency, options=options, recursive=False)[1], np.int32)
