"""A graph in parts, in the layout that the kernels read, cached by graph and number of parts.

METIS makes the parts. The vertices of a part have consecutive new numbers, and those that arcs from other parts enter
are first. Loops are removed, and all but the lightest of parallel arcs.
"""

import weakref
from dataclasses import dataclass
from functools import cache
from time import perf_counter

import numba
import numpy as np
import pymetis

from ...errors import UsageError
from ...graphs.csr import Graph, from_arcs

SLOTS = 4
"""The number of arcs of a vertex in columns. Further arcs are in the overflow."""
NO_ARC = 0xFFFF
"""The head of an empty slot, and the largest number of entries of a part."""

Pair = tuple[np.ndarray, np.ndarray]
Four = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
_SEED = 1
_IMBALANCE_THOUSANDTHS = 10  # by which METIS may exceed the mean size of a part


@numba.njit(cache=True)
def lightest_arcs(
    indptr: np.ndarray, indices: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """CSR without loops, and without all but the lightest of parallel arcs."""
    vertices = len(indptr) - 1
    light_indptr = np.zeros(vertices + 1, np.int32)
    light_heads = np.empty(len(indices), np.int32)
    light_weights = np.empty(len(indices), np.int32)
    position = np.full(vertices, -1, np.int64)  # of the last arc to each head; it is of this tail if it is in its row
    count = 0
    for tail in range(vertices):
        row = count
        for arc in range(indptr[tail], indptr[tail + 1]):
            head = indices[arc]
            if head == tail:
                continue
            if position[head] >= row:
                light_weights[position[head]] = min(light_weights[position[head]], weights[arc])
                continue
            position[head] = count
            light_heads[count], light_weights[count] = head, weights[arc]
            count += 1
        light_indptr[tail + 1] = count
    return light_indptr, light_heads[:count].copy(), light_weights[:count].copy()


@numba.njit(cache=True)
def neighbours(indptr: np.ndarray, heads: np.ndarray) -> Pair:
    """The different neighbours of each vertex along arcs in both directions: CSR of int64, for METIS."""
    vertices = len(indptr) - 1
    into = np.zeros(vertices + 1, np.int64)
    for arc in range(len(heads)):
        into[heads[arc] + 1] += 1
    into = np.cumsum(into)
    free = into[:-1].copy()
    tails = np.empty(len(heads), np.int32)
    for tail in range(vertices):
        for arc in range(indptr[tail], indptr[tail + 1]):
            tails[free[heads[arc]]] = tail
            free[heads[arc]] += 1
    both_indptr = np.zeros(vertices + 1, np.int64)
    both = np.empty(2 * len(heads), np.int64)
    seen_by = np.full(vertices, -1, np.int32)
    count = 0
    for vertex in range(vertices):
        for arc in range(indptr[vertex], indptr[vertex + 1]):
            both[count] = heads[arc]
            seen_by[heads[arc]] = vertex
            count += 1
        for arc in range(into[vertex], into[vertex + 1]):
            if seen_by[tails[arc]] != vertex:
                both[count] = tails[arc]
                count += 1
        both_indptr[vertex + 1] = count
    return both_indptr, both[:count].copy()


def entered_from_outside(indptr: np.ndarray, heads: np.ndarray, part_of: np.ndarray) -> tuple[np.ndarray, int]:
    """Whether an arc from another part enters each vertex, bool of shape (n,), and the number of arcs between parts."""
    cut = part_of[heads] != np.repeat(part_of, np.diff(indptr))
    entered = np.zeros(len(part_of), bool)
    entered[heads[cut]] = True
    return entered, int(np.count_nonzero(cut))


@numba.njit(cache=True)
def laid_out(
    indptr: np.ndarray,
    heads: np.ndarray,
    weights: np.ndarray,
    order: np.ndarray,
    position: np.ndarray,
    first: np.ndarray,
    cut: int,
) -> tuple[int, tuple[Pair, Pair, Four]]:
    """The number of entries of the largest part, and arrays of ``Parts``: outside, slots and overflow.

    If that number is larger than NO_ARC, the arrays are invalid.
    """
    vertices, parts = len(order), len(first) - 1
    degrees = np.diff(indptr)
    columns = np.full((SLOTS, vertices), NO_ARC, np.uint16)
    column_weights = np.zeros((SLOTS, vertices), np.int32)
    overflows = np.maximum(degrees - SLOTS, 0).sum()
    overflow_first = np.zeros(parts + 1, np.int32)
    overflow_tails = np.empty(overflows, np.uint16)
    overflow_heads = np.empty(overflows, np.uint16)
    overflow_weights = np.empty(overflows, np.int32)
    outside_first = np.zeros(parts + 1, np.int32)
    outside = np.empty(cut, np.int32)
    entry = np.full(vertices, -1, np.int32)  # of an outside neighbour, in the last part that listed it
    listed_by = np.full(vertices, -1, np.int32)
    beyond, overflow, entries_max = 0, 0, 0
    for part in range(parts):
        begin, end = first[part], first[part + 1]
        first_outside = beyond
        for tail in order[begin:end]:
            for arc in range(indptr[tail], indptr[tail + 1]):
                head = position[heads[arc]]
                if not begin <= head < end and listed_by[head] != part:
                    listed_by[head] = part
                    outside[beyond] = head
                    beyond += 1
        outside[first_outside:beyond].sort()
        for number in range(first_outside, beyond):
            entry[outside[number]] = end - begin + number - first_outside
        outside_first[part + 1] = beyond
        entries_max = max(entries_max, end - begin + beyond - first_outside)
        for new in range(begin, end):
            tail = order[new]
            for slot in range(degrees[tail]):
                arc = indptr[tail] + slot
                head = position[heads[arc]]
                local = head - begin if begin <= head < end else entry[head]
                if slot < SLOTS:
                    columns[slot, new] = local
                    column_weights[slot, new] = weights[arc]
                else:
                    overflow_tails[overflow] = new - begin
                    overflow_heads[overflow] = local
                    overflow_weights[overflow] = weights[arc]
                    overflow += 1
        overflow_first[part + 1] = overflow
    of_outside = outside_first, outside[:beyond].copy()
    of_slots = columns, column_weights
    of_overflow = overflow_first, overflow_tails, overflow_heads, overflow_weights
    return entries_max, (of_outside, of_slots, of_overflow)


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
        """The number of vertices of the largest part."""
        return int(np.diff(self.first).max())


# An entry lasts as long as its parts, which refer to their graph, so identities stay unique.
_cache: weakref.WeakValueDictionary[tuple[int, int], Parts] = weakref.WeakValueDictionary()


def parts_of(graph: Graph, count: int) -> Parts:
    """``graph`` in ``count`` parts, cached as long as they are in use.

    Raises UsageError if a part has more entries than 16 bits can number.
    """
    key = id(graph), count
    parts = _cache.get(key)
    if parts is None:
        _compile_passes()
        parts = _cache[key] = _cut(graph, count)
    return parts


@cache
def _compile_passes() -> None:
    """Compile once in a process, outside the measured preparation of a graph."""
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
    if count == 1 or count >= vertices or not len(heads):  # METIS does not support this
        return (np.arange(vertices, dtype=np.int64) * min(count, vertices) // vertices).astype(np.int32)
    starts, ends = neighbours(indptr, heads)
    options = pymetis.Options(seed=_SEED, ufactor=_IMBALANCE_THOUSANDTHS)
    adjacency = pymetis.CSRAdjacency(starts, ends)
    return np.asarray(pymetis.part_graph(count, adjacency, options=options, recursive=False)[1], np.int32)
