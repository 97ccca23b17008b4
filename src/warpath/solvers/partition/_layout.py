"""The passes over all arcs that make parts, compiled: one walk each, in time linear in vertices and arcs."""

import numba
import numpy as np

SLOTS = 4
"""Arcs of a vertex that lie in columns; the rest are in the overflow."""
NO_ARC = 0xFFFF
"""The head of an empty slot, so that a part has at most so many entries."""

Pair = tuple[np.ndarray, np.ndarray]
Four = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


@numba.njit(cache=True)
def lightest_arcs(
    indptr: np.ndarray, indices: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """CSR without loops, and with the lightest of parallel arcs alone."""
    vertices = len(indptr) - 1
    kept_indptr = np.zeros(vertices + 1, np.int32)
    kept_heads = np.empty(len(indices), np.int32)
    kept_weights = np.empty(len(indices), np.int32)
    place = np.full(vertices, -1, np.int64)  # where the arc to a head was put; of this tail, if not before its row
    count = 0
    for tail in range(vertices):
        row = count
        for arc in range(indptr[tail], indptr[tail + 1]):
            head = indices[arc]
            if head == tail:
                continue
            if place[head] >= row:
                kept_weights[place[head]] = min(kept_weights[place[head]], weights[arc])
                continue
            place[head] = count
            kept_heads[count], kept_weights[count] = head, weights[arc]
            count += 1
        kept_indptr[tail + 1] = count
    return kept_indptr, kept_heads[:count].copy(), kept_weights[:count].copy()


@numba.njit(cache=True)
def neighbours(indptr: np.ndarray, heads: np.ndarray) -> Pair:
    """Who is joined to whom by an arc, whichever way it leads, each once: CSR of int64, as METIS takes it."""
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


@numba.njit(cache=True)
def entered_from_outside(indptr: np.ndarray, heads: np.ndarray, part_of: np.ndarray) -> tuple[np.ndarray, int]:
    """Which vertices an arc from another part enters, shape (n,), bool; and the number of arcs between parts."""
    entered = np.zeros(len(part_of), np.bool_)
    cut = 0
    for tail in range(len(part_of)):
        for arc in range(indptr[tail], indptr[tail + 1]):
            if part_of[heads[arc]] != part_of[tail]:
                entered[heads[arc]] = True
                cut += 1
    return entered, cut


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
    """The number of entries of the largest part, and arrays of ``Parts``: of outside, slots and overflow.

    Where a part has more than NO_ARC entries, the arrays are worthless.
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
    entry = np.full(vertices, -1, np.int32)  # of an outside neighbour, in the part that named it last
    named_by = np.full(vertices, -1, np.int32)
    beyond, overflow, entries_max = 0, 0, 0
    for part in range(parts):
        begin, end = first[part], first[part + 1]
        first_outside = beyond
        for tail in order[begin:end]:
            for arc in range(indptr[tail], indptr[tail + 1]):
                head = position[heads[arc]]
                if not begin <= head < end and named_by[head] != part:
                    named_by[head] = part
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
