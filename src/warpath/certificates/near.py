"""Certifies distances within a limit, of which only the vertices that are reached are given, on the host.

The rules are those of ``certificate``, for arcs from reached vertices and sums up to the limit: no such arc gives less
than the distance of its head, and tight arcs alone lead from the source to every reached vertex. Without negative
weights, a path to a vertex within the limit leads through vertices within the limit, so no other arc matters.
"""

import numba
import numpy as np

from ..distances import distance_text
from ..errors import CertificateError
from ..graphs.csr import Graph
from .certificate import constants
from .facts import Certificate

_NOTHING = -1


def certify_near(
    graph: Graph, limit: float, sources: np.ndarray, counts: np.ndarray, vertices: np.ndarray, distances: np.ndarray
) -> Certificate:
    """Certify which vertices each of ``sources`` has within ``limit``, finite and of the type of sums.

    Parameters
    ----------
    graph : Graph
        No weight is negative.
    sources : int32 array of shape (k,), k > 0
    counts : int64 array of shape (k,)
        The number of vertices for each source.
    vertices, distances : int32 array, array of the type of the weights
        For one source after another, those within the limit.

    Returns
    -------
    Certificate
        ``arcs_checked`` counts the arcs from reached vertices.

    Raises
    ------
    CertificateError
        The answer is wrong. The error names the first wrong vertex or arc.
    """
    zero, none = constants(graph)
    answer = sources, counts, vertices, distances
    row, vertex, arc, checked = fault_of_rows(graph.indptr, graph.indices, graph.weights, zero, none, limit, *answer)
    if row != _NOTHING:
        own = slice(counts[:row].sum(), counts[: row + 1].sum())
        found = dict(zip(vertices[own].tolist(), distances[own].tolist(), strict=True))
        raise CertificateError(_sentence(graph, int(sources[row]), found, vertex, arc))
    return Certificate("full", graph.vertices, len(sources), checked, len(vertices))


def _sentence(graph: Graph, source: int, found: dict[int, float], vertex: int, arc: int) -> str:
    def told(vertex: int) -> str:
        length = f"distance {distance_text(found[vertex], graph.scale)}" if vertex in found else "no distance"
        return f"vertex {graph.label_of(vertex)} has {length}"

    begin = f"source {graph.label_of(source)}: {told(vertex)}"
    if arc == _NOTHING:
        return f"{begin}, unlike the shortest path within the cutoff"
    weight = distance_text(graph.weights[arc], graph.scale)
    return f"{begin}, and an arc of weight {weight} leads from it, but {told(int(graph.indices[arc]))}"


@numba.njit(cache=True, nogil=True)
def fault_of_rows(
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray,
    zero: float,
    none: float,
    limit: float,
    sources: np.ndarray,
    counts: np.ndarray,
    vertices: np.ndarray,
    distances: np.ndarray,
) -> tuple[int, int, int, int]:
    """The first wrong row, the vertex and the arc from it that are wrong, or -1, and the number of arcs looked at."""
    reached = np.full(len(indptr) - 1, none)
    is_met = np.zeros(len(reached), np.bool_)
    queue = np.empty(counts.max(), np.int32)
    end, checked = 0, 0
    for row in range(len(sources)):
        begin, end = end, end + counts[row]
        source = sources[row]
        for place in range(begin, end):
            vertex, distance = vertices[place], distances[place]
            if not distance <= limit or reached[vertex] != none:  # beyond, or there twice
                return row, vertex, -1, checked
            reached[vertex] = distance
        if (zero <= limit or end > begin) and reached[source] != 0:
            return row, source, -1, checked
        met = 0
        if end > begin:
            queue[0], is_met[source], met = source, True, 1
        seen = 0
        while seen < met:
            tail = queue[seen]
            seen += 1
            for arc in range(indptr[tail], indptr[tail + 1]):
                checked += 1
                head = indices[arc]
                total = zero + reached[tail] + weights[arc]
                if not total <= limit:
                    continue
                if total < reached[head]:
                    return row, tail, arc, checked
                if total == reached[head] and not is_met[head]:
                    is_met[head] = True
                    queue[met] = head
                    met += 1
        for place in range(begin, end):
            vertex = vertices[place]
            if not is_met[vertex]:
                return row, vertex, -1, checked
            reached[vertex], is_met[vertex] = none, False
    return -1, -1, -1, checked
