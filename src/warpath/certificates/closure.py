"""Certifies a closure.

The host searches from every vertex and compares each row with what the search reaches. A device uses the graph's
strongly connected components. SciPy finds them, and they are certified here: (1) a search inside each component reaches
all its vertices, forward and backward, and (2) arcs between components lead to a component of smaller number, so no
cycle leads through two of them.
"""

from dataclasses import dataclass
from typing import Any, NoReturn

import numba
import numpy as np

from ..errors import CertificateError
from ..facts import Certificate, Scope
from ..graphs.csr import Graph
from ..locks import on_all_cores
from ..solvers.plan import Closure


def certify_closure(graph: Graph, closure: Closure, scope: Scope = "full") -> Certificate:
    """Certify the reachability of all pairs on the host, with one search per vertex, on all cores.

    Parameters
    ----------
    graph : Graph
    closure : Closure
        Its cells have shape (n, n), or (n, ceil(n / 64)) if they are packed into uint64.
    scope : {"full", "subgraph"}
        What the certificate states.

    Returns
    -------
    Certificate

    Raises
    ------
    CertificateError
        The closure is wrong. The error names the first wrong pair.
    """
    check_cells(graph, closure.cells)
    reachable = closure.reachable()
    first_wrong, arcs_checked, reached = search_rows(graph.indptr, graph.indices, reachable)
    wrong = np.flatnonzero(first_wrong >= 0)
    if len(wrong):
        _raise_for_pair(graph, int(wrong[0]), int(first_wrong[wrong[0]]), reachable[wrong[0]])
    return Certificate(scope, graph.vertices, graph.vertices, int(arcs_checked.sum()), int(reached.sum()))


def check_cells(graph: Graph, cells: Any) -> None:
    """Raise CertificateError if the cells of a closure, on the host or a device, have the wrong shape."""
    packed = cells.dtype == np.uint64
    shape = (graph.vertices, -(-graph.vertices // 64) if packed else graph.vertices)
    if cells.shape != shape:
        kind = "64-bit words" if packed else "cells"
        raise CertificateError(f"the closure has {kind} of shape {tuple(cells.shape)} instead of {shape}")


def raise_for_row(graph: Graph, source: int, reachable: np.ndarray) -> NoReturn:
    """Raise the CertificateError that names the first wrong pair of one row, shape (n,)."""
    vertex, _, _ = search_row(graph.indptr, graph.indices, source, reachable)
    if vertex < 0:
        raise AssertionError(f"the two certificates disagree on row {graph.label_of(source)} of the closure")
    _raise_for_pair(graph, source, vertex, reachable)


def _raise_for_pair(graph: Graph, source: int, vertex: int, reachable: np.ndarray) -> NoReturn:
    start, end = graph.label_of(source), graph.label_of(vertex)
    if reachable[vertex]:
        raise CertificateError(f"vertex {end} is called reachable from vertex {start}, but there is no path")
    raise CertificateError(f"vertex {end} is called unreachable from vertex {start}, but there is a path")


@on_all_cores
@numba.njit(parallel=True, cache=True)
def search_rows(
    indptr: np.ndarray, indices: np.ndarray, reachable: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """``search_row`` for every source: three arrays of shape (n,), int64."""
    vertices = len(indptr) - 1
    first_wrong = np.full(vertices, -1, np.int64)
    arcs = np.zeros(vertices, np.int64)
    reached = np.zeros(vertices, np.int64)
    for source in numba.prange(vertices):
        first_wrong[source], arcs[source], reached[source] = search_row(indptr, indices, source, reachable[source])
    return first_wrong, arcs, reached


@numba.njit(cache=True)
def search_row(indptr: np.ndarray, indices: np.ndarray, source: int, row: np.ndarray) -> tuple[int, int, int]:
    """The first wrong vertex of the row of ``source``, or -1, and the numbers of arcs visited and vertices reached."""
    starts = np.empty(1, np.int32)
    starts[0] = source
    met = _search(indptr, indices, starts)
    arcs = 0
    for vertex in range(len(row)):
        if met[vertex]:
            arcs += indptr[vertex + 1] - indptr[vertex]
        if met[vertex] != (row[vertex] != 0):
            return vertex, arcs, met.sum()
    return -1, arcs, met.sum()


@numba.njit(cache=True)
def _search(indptr: np.ndarray, indices: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Which vertices have a path from one of ``starts``, each there once; bool, shape (n,)."""
    met = np.zeros(len(indptr) - 1, np.bool_)
    queue = np.empty(len(met), np.int32)
    queue[: len(starts)] = starts
    met[starts] = True
    end = len(starts)
    begin = 0
    while begin < end:
        tail = queue[begin]
        begin += 1
        for head in indices[indptr[tail] : indptr[tail + 1]]:
            if not met[head]:
                met[head] = True
                queue[end] = head
                end += 1
    return met


@dataclass(frozen=True)
class Components:
    """Strongly connected components, numbered so that arcs between them lead to a smaller number.

    ``of_vertices``, shape (n,), is the component of each vertex, 0..``count`` - 1. ``tails`` are the components and
    ``heads`` the vertices at the ends of the arcs that leave a component. All arrays are int32.
    """

    count: int
    of_vertices: np.ndarray
    tails: np.ndarray
    heads: np.ndarray


def certified_components(graph: Graph) -> Components:
    """The components of ``graph``, in time O(n + m). Raises AssertionError if SciPy's are wrong."""
    # Imported here, because that takes long and most answers need neither.
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    shape = graph.vertices, graph.vertices
    forward = csr_array((np.ones(graph.arcs, np.int8), graph.indices, graph.indptr), shape=shape)
    # SciPy numbers components in the order in which its depth-first search completes them.
    count, of_vertices = connected_components(forward, connection="strong")
    tails, heads = graph.sources(), graph.indices
    component_tails, component_heads = of_vertices[tails], of_vertices[heads]
    inside = component_tails == component_heads
    _, first = np.unique(of_vertices, return_index=True)
    within = csr_array((np.ones(inside.sum(), bool), (tails[inside], heads[inside])), shape=shape)
    searches = [_search(matrix.indptr, matrix.indices, first) for matrix in (within, within.T.tocsr())]
    if not (np.all(searches) and (component_tails >= component_heads).all()):
        raise AssertionError("SciPy's strongly connected components are wrong")
    return Components(count, of_vertices, component_tails[~inside], heads[~inside])
