"""The order in which the vertices of a graph are eliminated.

Vertices with at most two neighbours are first: dead ends and vertices along a road, nearly half of New York. The rest
is ordered by nested dissection: vertices that separate large parts are last. A graph that is longer than wide is cut by
its breadth-first levels, and METIS orders the pieces. Each takes a third to a half off the time of METIS.
"""

from itertools import pairwise

import numba
import numpy as np
import pymetis

from ....graphs.csr import Graph
from ..costs import WIDTH_IN_ROOTS_MAX

Vertex = int | np.integer
# A breadth-first level cuts a piece of more than so many vertices, if neither side has more than this share of them.
PIECE_MAX, SIDE_MAX = 1024, 0.55


def has_small_separators(graph: Graph) -> bool:
    """Whether breadth-first levels are small, so that few vertices separate the graph. Takes O(n + m).

    This is an estimate. ``Elimination.of`` refuses a graph whose elimination makes too many arcs.
    """
    vertices, levels = _largest_breadth(*neighbours(graph.indptr, graph.indices))
    return bool(vertices / levels <= WIDTH_IN_ROOTS_MAX * np.sqrt(vertices))


def elimination_order(starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """The rank of each vertex in the elimination, int32 of shape (n,), from the neighbours as CSR."""
    ends, degrees = ends.copy(), np.diff(starts)
    rank = np.full(len(degrees), -1, np.int32)
    ranked = _eliminate_roads(starts, ends, degrees, rank)
    piece = _separate_by_levels(starts, ends, degrees, rank)
    rest = np.flatnonzero(rank < 0)
    rest = rest[np.argsort(piece[rest], kind="stable")]
    number = np.full(len(rank), -1, np.int32)
    number[rest] = np.arange(len(rest))
    starts_of_rest, ends_of_rest = _within(rest, number, starts, ends, degrees)
    for first, last in pairwise(np.append(0, np.cumsum(np.bincount(piece[rest])))):
        of_piece = starts_of_rest[first : last + 1] - starts_of_rest[first]
        order = np.arange(last - first)
        if of_piece[-1]:
            ends_of_piece = ends_of_rest[starts_of_rest[first] : starts_of_rest[last]] - np.int32(first)
            order = np.asarray(pymetis.nested_dissection(pymetis.CSRAdjacency(of_piece, ends_of_piece))[1])
        rank[rest[first:last]] = ranked + first + order
    return rank


@numba.njit(cache=True)
def neighbours(indptr: np.ndarray, indices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different neighbours of each vertex along arcs in both directions, without itself, as CSR."""
    vertices = len(indptr) - 1
    counts = np.zeros(vertices + 1, np.int64)
    for tail in range(vertices):
        for arc in range(indptr[tail], indptr[tail + 1]):
            counts[tail + 1] += 1
            counts[indices[arc] + 1] += 1
    slots = np.cumsum(counts)
    ends = np.empty(slots[-1], np.int32)
    filled = slots[:-1].copy()
    for tail in range(vertices):
        for arc in range(indptr[tail], indptr[tail + 1]):
            head = indices[arc]
            ends[filled[tail]] = head
            filled[tail] += 1
            ends[filled[head]] = tail
            filled[head] += 1
    starts = np.zeros(vertices + 1, np.int32)
    last_seen_at = np.full(vertices, -1, np.int32)
    count = 0
    for vertex in range(vertices):
        last_seen_at[vertex] = vertex
        for slot in range(slots[vertex], slots[vertex + 1]):
            end = ends[slot]
            if last_seen_at[end] != vertex:
                last_seen_at[end] = vertex
                ends[count] = end
                count += 1
        starts[vertex + 1] = count
    return starts, ends[:count].copy()


@numba.njit(cache=True)
def _eliminate_roads(starts: np.ndarray, ends: np.ndarray, degrees: np.ndarray, rank: np.ndarray) -> int:
    """Eliminate vertices with at most two neighbours until there are none, and return their number.

    No two neighbours are eliminated in the same round, so that the tree of a long path is low.

    Writes their ``rank``, and updates ``ends`` and ``degrees`` for the rest: the neighbours of v are
    ``ends[starts[v]:starts[v] + degrees[v]]``.
    """
    vertices = len(degrees)
    ranked, number = 0, 0
    waiting = np.flatnonzero(degrees <= 2).astype(np.int32)
    waits_for = np.full(vertices, -1, np.int32)  # the last round that a vertex waits for
    while len(waiting) > 0:
        following = np.empty(2 * len(waiting), np.int32)  # itself, or its neighbours
        count = 0
        for vertex in waiting:
            if rank[vertex] >= 0:
                continue
            if waits_for[vertex] == number:
                following[count] = vertex
                count += 1
                continue
            rank[vertex] = ranked
            ranked += 1
            first = starts[vertex]
            if degrees[vertex] == 1:
                _remove_neighbour(starts, ends, degrees, ends[first], vertex)
            elif degrees[vertex] == 2:
                one, other = ends[first], ends[first + 1]
                if _find_neighbour(starts, ends, degrees, one, other) >= 0:
                    _remove_neighbour(starts, ends, degrees, one, vertex)
                    _remove_neighbour(starts, ends, degrees, other, vertex)
                else:
                    ends[_find_neighbour(starts, ends, degrees, one, vertex)] = other
                    ends[_find_neighbour(starts, ends, degrees, other, vertex)] = one
            for slot in range(first, first + degrees[vertex]):
                waits_for[ends[slot]] = number
                if degrees[ends[slot]] <= 2:
                    following[count] = ends[slot]
                    count += 1
        waiting = following[:count].copy()
        number += 1
    return ranked


@numba.njit(cache=True)
def _separate_by_levels(starts: np.ndarray, ends: np.ndarray, degrees: np.ndarray, rank: np.ndarray) -> np.ndarray:
    """Cut what is longer than wide by breadth-first levels, and return the number of each vertex's piece.

    A level in the middle separates what is before it from what is after it. The larger a piece, the higher is the
    ``rank`` of the level that cuts it. Vertices that have a rank before are not there.
    """
    vertices = len(degrees)
    high = vertices
    piece = np.zeros(vertices, np.int32)
    pieces = 0
    searches = 0
    found_by = np.full(vertices, -1, np.int32)
    queue = np.empty(vertices, np.int32)
    bounds = np.empty(vertices + 1, np.int32)
    is_done = rank >= 0
    for root in range(vertices):
        if is_done[root]:
            continue
        begin = root
        for _ in range(2):  # from an end of the component, as the first search shows
            found, levels = _breadth_first(starts, ends, degrees, begin, searches, found_by, queue, bounds)
            searches += 1
            begin = queue[found - 1]
        for i in range(found):
            is_done[queue[i]] = True
        waiting = [(0, levels)]  # pieces, as the first level and the one after the last
        while waiting:
            first, last = waiting.pop()
            count = bounds[last] - bounds[first]
            cut = -1
            for level in range(first + 1, last - 1):
                before, after = bounds[level] - bounds[first], bounds[last] - bounds[level + 1]
                is_middle = max(before, after) <= SIDE_MAX * count
                if is_middle and (cut < 0 or count - before - after < bounds[cut + 1] - bounds[cut]):
                    cut = level
            if count <= PIECE_MAX or cut < 0 or (bounds[cut + 1] - bounds[cut]) ** 2 > count:
                for i in range(bounds[first], bounds[last]):
                    piece[queue[i]] = pieces
                pieces += 1
                continue
            for i in range(bounds[cut], bounds[cut + 1]):
                high -= 1
                rank[queue[i]] = high
            waiting.append((first, cut))
            waiting.append((cut + 1, last))
    return piece


@numba.njit(cache=True)
def _breadth_first(
    starts: np.ndarray,
    ends: np.ndarray,
    degrees: np.ndarray,
    root: Vertex,
    number: int,
    found_by: np.ndarray,
    queue: np.ndarray,
    bounds: np.ndarray,
) -> tuple[int, int]:
    """Search from ``root``, and return the numbers of vertices and of levels.

    Vertices of level l are ``queue[bounds[l]:bounds[l + 1]]``. Those that search ``number`` has found have it in
    ``found_by``.
    """
    found_by[root] = number
    queue[0] = root
    bounds[0] = 0
    first, last, levels = 0, 1, 0
    while first < last:
        levels += 1
        bounds[levels] = last
        while first < bounds[levels]:
            vertex = queue[first]
            first += 1
            for slot in range(starts[vertex], starts[vertex] + degrees[vertex]):
                end = ends[slot]
                if found_by[end] != number:
                    found_by[end] = number
                    queue[last] = end
                    last += 1
    return last, levels


@numba.njit(cache=True)
def _within(
    vertices: np.ndarray, number: np.ndarray, starts: np.ndarray, ends: np.ndarray, degrees: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The neighbours of each of ``vertices`` that have a ``number``, by these numbers, as CSR."""
    starts_within = np.zeros(len(vertices) + 1, np.int32)
    ends_within = np.empty(degrees[vertices].sum(), np.int32)
    count = 0
    for i in range(len(vertices)):
        first = starts[vertices[i]]
        for end in ends[first : first + degrees[vertices[i]]]:
            if number[end] >= 0:
                ends_within[count] = number[end]
                count += 1
        starts_within[i + 1] = count
    return starts_within, ends_within[:count]


@numba.njit(cache=True)
def _find_neighbour(
    starts: np.ndarray, ends: np.ndarray, degrees: np.ndarray, vertex: Vertex, neighbour: Vertex
) -> int:
    """The index in ``ends`` of ``neighbour`` as a neighbour of ``vertex``; -1 if it is none."""
    for slot in range(starts[vertex], starts[vertex] + degrees[vertex]):
        if ends[slot] == neighbour:
            return slot
    return -1


@numba.njit(cache=True)
def _remove_neighbour(
    starts: np.ndarray, ends: np.ndarray, degrees: np.ndarray, vertex: Vertex, neighbour: Vertex
) -> None:
    last = starts[vertex] + degrees[vertex] - 1
    ends[_find_neighbour(starts, ends, degrees, vertex, neighbour)] = ends[last]
    degrees[vertex] -= 1


@numba.njit(cache=True)
def _largest_breadth(starts: np.ndarray, ends: np.ndarray) -> tuple[int, int]:
    """The numbers of vertices and of breadth-first levels of the largest component."""
    vertices = len(starts) - 1
    degrees = starts[1:] - starts[:-1]
    found_by = np.full(vertices, -1, np.int32)
    queue = np.empty(vertices, np.int32)
    bounds = np.empty(vertices + 1, np.int32)
    most, levels_of_most = 0, 1
    for root in range(vertices):
        if found_by[root] < 0:
            found, levels = _breadth_first(starts, ends, degrees, root, root, found_by, queue, bounds)
            if found > most:
                most, levels_of_most = found, levels
    return most, levels_of_most
