"""Certifies a closure: a search from every vertex, compared with the answer row by row."""

import numba
import numpy as np

from ..algorithms.plan import Closure
from ..errors import CertificateError
from ..graphs.csr import Graph
from .certificate import Certificate


def certify_closure(graph: Graph, closure: Closure, scope: str = "full") -> Certificate:
    """Certify the reachability of all pairs.

    Raises CertificateError, which names the first wrong pair. Costs one search per vertex, on every core.
    """
    reachable = closure.reachable()
    shape = (graph.vertices, graph.vertices)
    if reachable.shape != shape:
        raise CertificateError(f"the closure has shape {reachable.shape} instead of {shape}")
    first_wrong, arcs_checked, reached = search_rows(graph.indptr, graph.indices, reachable)
    wrong = np.flatnonzero(first_wrong >= 0)
    if len(wrong):
        source, vertex = int(wrong[0]), int(first_wrong[wrong[0]])
        if reachable[source, vertex]:
            raise CertificateError(f"vertex {vertex} is called reachable from vertex {source}, but there is no path")
        raise CertificateError(f"vertex {vertex} is called unreachable from vertex {source}, but there is a path")
    return Certificate(scope, graph.vertices, graph.vertices, int(arcs_checked.sum()), int(reached.sum()))


@numba.njit(parallel=True, cache=True)
def search_rows(indptr, indices, reachable):
    """For each source: the first wrong vertex of its row, or -1; the arcs visited; the vertices reached."""
    vertices = len(indptr) - 1
    first_wrong = np.full(vertices, -1, np.int64)
    arcs = np.zeros(vertices, np.int64)
    reached = np.zeros(vertices, np.int64)
    for source in numba.prange(vertices):
        first_wrong[source], arcs[source], reached[source] = _search_row(indptr, indices, source, reachable[source])
    return first_wrong, arcs, reached


@numba.njit(cache=True)
def _search_row(indptr, indices, source, row):
    vertices = len(row)
    met = np.zeros(vertices, np.bool_)
    waiting = np.empty(vertices, np.int32)
    met[source] = True
    waiting[0] = source
    count = 1
    arcs = 0
    at = 0
    while at < count:
        tail = waiting[at]
        at += 1
        for arc in range(indptr[tail], indptr[tail + 1]):
            arcs += 1
            head = indices[arc]
            if not met[head]:
                met[head] = True
                waiting[count] = head
                count += 1
    for vertex in range(vertices):
        if met[vertex] != (row[vertex] != 0):
            return vertex, arcs, count
    return -1, arcs, count
