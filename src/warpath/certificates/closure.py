"""Certifies a closure: a search from every vertex, compared with the answer row by row."""

from typing import Any, NoReturn

import numba
import numpy as np

from ..errors import CertificateError
from ..facts import Scope
from ..graphs.csr import Graph
from ..locks import on_all_cores
from ..solvers.plan import Closure
from .certificate import Certificate


def certify_closure(graph: Graph, closure: Closure, scope: Scope = "full") -> Certificate:
    """Certify the reachability of all pairs.

    Raises CertificateError, which names the first wrong pair. Costs one search per vertex, on every core.
    """
    refuse_wrong_cells(graph, closure.cells)
    reachable = closure.reachable()
    first_wrong, arcs_checked, reached = search_rows(graph.indptr, graph.indices, reachable)
    wrong = np.flatnonzero(first_wrong >= 0)
    if len(wrong):
        _refuse_pair(graph, int(wrong[0]), int(first_wrong[wrong[0]]), reachable[wrong[0]])
    return Certificate(scope, graph.vertices, graph.vertices, int(arcs_checked.sum()), int(reached.sum()))


def refuse_wrong_cells(graph: Graph, cells: Any) -> None:
    """Raise CertificateError for a closure, on the host or a device, whose cells have another shape."""
    bits = cells.dtype == np.uint64
    shape = (graph.vertices, -(-graph.vertices // 64) if bits else graph.vertices)
    if cells.shape != shape:
        kind = "64-bit words" if bits else "cells"
        raise CertificateError(f"the closure has {kind} of shape {tuple(cells.shape)} instead of {shape}")


def refuse_row(graph: Graph, source: int, reachable: np.ndarray) -> NoReturn:
    """Raise the CertificateError that names the first wrong pair of one row, shape (n,)."""
    vertex, _, _ = search_row(graph.indptr, graph.indices, source, reachable)
    if vertex < 0:
        raise AssertionError(f"the two certificates disagree on row {graph.label_of(source)} of the closure")
    _refuse_pair(graph, source, vertex, reachable)


def _refuse_pair(graph: Graph, source: int, vertex: int, reachable: np.ndarray) -> NoReturn:
    start, end = graph.label_of(source), graph.label_of(vertex)
    if reachable[vertex]:
        raise CertificateError(f"vertex {end} is called reachable from vertex {start}, but there is no path")
    raise CertificateError(f"vertex {end} is called unreachable from vertex {start}, but there is a path")


@on_all_cores
@numba.njit(parallel=True, cache=True)
def search_rows(
    indptr: np.ndarray, indices: np.ndarray, reachable: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each source: the first wrong vertex of its row, or -1; the arcs visited; the vertices reached."""
    vertices = len(indptr) - 1
    first_wrong = np.full(vertices, -1, np.int64)
    arcs = np.zeros(vertices, np.int64)
    reached = np.zeros(vertices, np.int64)
    for source in numba.prange(vertices):
        first_wrong[source], arcs[source], reached[source] = search_row(indptr, indices, source, reachable[source])
    return first_wrong, arcs, reached


@numba.njit(cache=True)
def search_row(indptr: np.ndarray, indices: np.ndarray, source: int, row: np.ndarray) -> tuple[int, int, int]:
    """For one source: the first wrong vertex of its row, or -1; the arcs visited; the vertices reached."""
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
