"""The order in which vertices are eliminated: first those with two neighbours or fewer, then by nested dissection.

In nested dissection the vertices that separate large parts come last; METIS finds them. Dead ends and the vertices
along a road are nearly half of New York. Eliminating them first joins at most two vertices each, and METIS takes half
the time for the rest.
"""

import numba
import numpy as np
import pymetis

from ...graphs.csr import Graph

Vertex = int | np.integer

# Roads have some 400 vertices at a distance of so many arcs where sqrt(n) is 500; networks of people and machines have
# a tenth of all vertices there.
WIDTH_IN_ROOTS_MAX = 4


def has_small_separators(graph: Graph) -> bool:
    """Whether breadth-first levels are narrow, so that few vertices cut the graph in two. Takes a pass over the arcs.

    A guess: a graph whose elimination makes too many arcs all the same is refused once METIS has ordered it.
    """
    vertices, levels = _largest_breadth(*neighbours(graph.indptr, graph.indices))
    return bool(vertices / levels <= WIDTH_IN_ROOTS_MAX * np.sqrt(vertices))


def elimination_order(starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """When each vertex is eliminated, int32 of shape (n,), from the neighbours of each as CSR."""
    ends, degrees = ends.copy(), np.diff(starts)
    rank = np.full(len(degrees), -1, np.int32)
    ranked = _take_roads_out(starts, ends, degrees, rank)
    rest = np.flatnonzero(rank < 0)
    starts_of_rest = np.append(0, np.cumsum(degrees[rest]))
    if starts_of_rest[-1] == 0:
        rank[rest] = ranked + np.arange(len(rest))
        return rank
    number = np.cumsum(rank < 0) - 1
    places = np.repeat(starts[rest] - starts_of_rest[:-1], degrees[rest]) + np.arange(starts_of_rest[-1])
    adjacency = pymetis.CSRAdjacency(starts_of_rest.astype(np.int32), number[ends[places]].astype(np.int32))
    rank[rest] = ranked + np.asarray(pymetis.nested_dissection(adjacency)[1], np.int32)
    return rank


@numba.njit(cache=True)
def neighbours(indptr: np.ndarray, indices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The neighbours of each vertex, whichever way the arc goes, each once, without the vertex itself; as CSR."""
    vertices = len(indptr) - 1
    counts = np.zeros(vertices + 1, np.int64)
    for tail in range(vertices):
        for arc in range(indptr[tail], indptr[tail + 1]):
            counts[tail + 1] += 1
            counts[indices[arc] + 1] += 1
    places = np.cumsum(counts)
    ends = np.empty(places[-1], np.int32)
    filled = places[:-1].copy()
    for tail in range(vertices):
        for arc in range(indptr[tail], indptr[tail + 1]):
            head = indices[arc]
            ends[filled[tail]] = head
            filled[tail] += 1
            ends[filled[head]] = tail
            filled[head] += 1
    starts = np.zeros(vertices + 1, np.int32)
    last_seen_at = np.full(vertices, -1, np.int32)
    kept = 0
    for vertex in range(vertices):
        last_seen_at[vertex] = vertex
        for place in range(places[vertex], places[vertex + 1]):
            end = ends[place]
            if last_seen_at[end] != vertex:
                last_seen_at[end] = vertex
                ends[kept] = end
                kept += 1
        starts[vertex + 1] = kept
    return starts, ends[:kept].copy()


@numba.njit(cache=True)
def _take_roads_out(starts: np.ndarray, ends: np.ndarray, degrees: np.ndarray, rank: np.ndarray) -> int:
    """Eliminate vertices of at most two neighbours while there are any, and give the number of those.

    Writes their ``rank``, and keeps ``ends`` and ``degrees`` those of the rest: the neighbours of v are
    ``ends[starts[v]:starts[v] + degrees[v]]``.
    """
    vertices = len(degrees)
    ranked = 0
    waiting = np.empty(3 * vertices, np.int32)  # once each at first, and twice for each that is eliminated
    count = 0
    for vertex in range(vertices - 1, -1, -1):
        if degrees[vertex] <= 2:
            waiting[count] = vertex
            count += 1
    while count > 0:
        count -= 1
        vertex = waiting[count]
        if rank[vertex] >= 0:
            continue
        rank[vertex] = ranked
        ranked += 1
        first = starts[vertex]
        if degrees[vertex] == 1:
            _forget(starts, ends, degrees, ends[first], vertex)
        elif degrees[vertex] == 2:
            one, other = ends[first], ends[first + 1]
            if _place_of_neighbour(starts, ends, degrees, one, other) >= 0:
                _forget(starts, ends, degrees, one, vertex)
                _forget(starts, ends, degrees, other, vertex)
            else:
                ends[_place_of_neighbour(starts, ends, degrees, one, vertex)] = other
                ends[_place_of_neighbour(starts, ends, degrees, other, vertex)] = one
        for place in range(first, first + degrees[vertex]):
            if degrees[ends[place]] <= 2:
                waiting[count] = ends[place]
                count += 1
    return ranked


@numba.njit(cache=True)
def _place_of_neighbour(
    starts: np.ndarray, ends: np.ndarray, degrees: np.ndarray, vertex: Vertex, neighbour: Vertex
) -> int:
    """Where ``neighbour`` stands among the neighbours of ``vertex``; -1 if it is none."""
    for place in range(starts[vertex], starts[vertex] + degrees[vertex]):
        if ends[place] == neighbour:
            return place
    return -1


@numba.njit(cache=True)
def _forget(starts: np.ndarray, ends: np.ndarray, degrees: np.ndarray, vertex: Vertex, neighbour: Vertex) -> None:
    """Take ``neighbour`` out of the neighbours of ``vertex``."""
    last = starts[vertex] + degrees[vertex] - 1
    ends[_place_of_neighbour(starts, ends, degrees, vertex, neighbour)] = ends[last]
    degrees[vertex] -= 1


@numba.njit(cache=True)
def _largest_breadth(starts: np.ndarray, ends: np.ndarray) -> tuple[int, int]:
    """How many vertices the largest component has, and how many levels a breadth-first search of it."""
    vertices = len(starts) - 1
    seen = np.zeros(vertices, np.bool_)
    queue = np.empty(vertices, np.int32)
    most, levels_of_most = 0, 1
    for root in range(vertices):
        if seen[root]:
            continue
        seen[root] = True
        queue[0] = root
        first, last, levels = 0, 1, 0
        while first < last:
            levels += 1
            end_of_level = last
            while first < end_of_level:
                vertex = queue[first]
                first += 1
                for place in range(starts[vertex], starts[vertex + 1]):
                    end = ends[place]
                    if not seen[end]:
                        seen[end] = True
                        queue[last] = end
                        last += 1
        if last > most:
            most, levels_of_most = last, levels
    return most, levels_of_most
