"""Paths from a source that reaches few vertices: a search on the host ends sooner than a kernel starts.

The certificate examines the finished arrays, by the rules of ``certificates.certificate``. These concern the arcs that
leave reached vertices only, of which there are few here. Unreachable vertices are certified, too, since an arc from a
reached vertex to one of them is a fault.
"""

from collections.abc import Mapping
from heapq import heappop, heappush

import numpy as np

from ..certificates.facts import Certificate
from ..distances import NO_PREDECESSOR, unreachable
from ..graphs.csr import Graph

ARCS_MAX = 8
"""A search ends without an answer before it follows more arcs. It then has taken a few microseconds."""
NAME, REASON = "host.search", f"the source reaches its vertices by at most {ARCS_MAX} arcs"


def search(graph: Graph, source: int) -> tuple[dict[int, float], dict[int, int]] | None:
    """Distances and predecessors of the reached vertices, by Dijkstra's algorithm.

    None if there are more than ARCS_MAX arcs, if weights are negative or float32, which Python does not have, or if a
    distance does not fit the type of the weights.
    """
    if graph.weight_min < 0 or graph.weights.dtype == np.float32:
        return None
    far = unreachable(graph.weights.dtype).item()
    indptr, indices, weights = _views(graph)
    distances: dict[int, float] = {source: 0}
    predecessors: dict[int, int] = {}
    heap, arcs_left = [(0, source)], ARCS_MAX
    while heap:
        at, tail = heappop(heap)
        if at > distances[tail]:
            continue
        begin, end = indptr[tail], indptr[tail + 1]
        arcs_left -= end - begin
        if arcs_left < 0:
            return None
        for arc in range(begin, end):
            head, total = indices[arc], at + weights[arc]
            if total < distances.get(head, far):
                distances[head], predecessors[head] = total, tail
                heappush(heap, (total, head))
            elif total >= far:
                return None
    return distances, predecessors


def _views(graph: Graph) -> tuple[memoryview, memoryview, memoryview]:
    """The arrays of ``graph``; reading a number of a view is faster."""
    return memoryview(graph.indptr.data), memoryview(graph.indices.data), memoryview(graph.weights.data)


def filled(count: int, elsewhere: np.generic, values: Mapping[int, float]) -> np.ndarray:
    """An array of the type of ``elsewhere`` with these ``values`` at their positions."""
    array = np.full(count, elsewhere)
    for vertex, value in values.items():
        array[vertex] = value
    return array


def certify(graph: Graph, source: int, distances: np.ndarray, predecessors: np.ndarray | None) -> Certificate:
    """Certify an answer that reaches few vertices, shape (n,). Raises CertificateError if it is wrong."""
    reached = int(np.count_nonzero(distances != unreachable(distances.dtype)))
    tight = _tight_arcs(graph, source, distances)
    if predecessors is not None and tight is not None:
        tree = {(int(predecessors[vertex]), vertex) for _, vertex in tight if vertex != source}
        followers = int(np.count_nonzero(predecessors != NO_PREDECESSOR))
        tight = tight & tree if len(tree) == followers else None
    if tight is None or len(_met(source, tight)) != reached:
        from ..certificates.certificate import raise_wrong_answer

        raise_wrong_answer(graph, source, distances, predecessors)
    return Certificate("full", graph.vertices, 1, graph.arcs, reached)


def _tight_arcs(graph: Graph, source: int, distances: np.ndarray) -> set[tuple[int, int]] | None:
    """The tight arcs from vertices that paths of tight arcs from the source lead to.

    None if an arc from one of these vertices gives a shorter path, or if the distance of the source is not 0.
    """
    if distances[source] != 0:
        return None
    indptr, indices, weights = _views(graph)
    far = unreachable(distances.dtype).item()
    tight: set[tuple[int, int]] = set()
    met, waiting = {source}, [source]
    while waiting:
        tail = waiting.pop()
        at = distances[tail].item()
        for arc in range(indptr[tail], indptr[tail + 1]):
            head, total = indices[arc], at + weights[arc]
            length = distances[head].item()
            if total < length or (length == far and not graph.has_floats):
                return None
            if total == length < far:
                tight.add((tail, head))
                if head not in met:
                    met.add(head)
                    waiting.append(head)
    return tight


def _met(source: int, arcs: set[tuple[int, int]]) -> set[int]:
    """The vertices to which paths of ``arcs`` lead from the source."""
    met, waiting = {source}, [source]
    while waiting:
        tail = waiting.pop()
        heads = {head for start, head in arcs if start == tail} - met
        met |= heads
        waiting += heads
    return met
