"""Certifies a closure.

The host searches from every vertex and compares each row with what the search reaches. A device uses the graph's
strongly connected components. SciPy finds them, and they are certified here: (1) a search inside each component reaches
all its vertices, forward and backward, and (2) arcs between components lead to a component of smaller number, so no
cycle leads through two of them.
"""

from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from ..errors import CertificateError
from ..graphs.csr import Graph
from ..solvers.solver import Closure
from ..system.cores import for_each
from .facts import Certificate, Scope


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
    from .compiled import search_row

    check_cells(graph, closure.cells)
    reachable = closure.reachable()
    first_wrong, reached = np.zeros((2, graph.vertices), np.int64)

    def certify_row(source: int) -> None:
        first_wrong[source], reached[source] = search_row(graph.indptr, graph.indices, source, reachable[source])

    for_each(graph.vertices, certify_row, graph.vertices + graph.arcs)
    wrong = np.flatnonzero(first_wrong >= 0)
    if len(wrong):
        _raise_for_pair(graph, int(wrong[0]), int(first_wrong[wrong[0]]), reachable[wrong[0]])
    arcs_checked = graph.vertices * graph.arcs
    return Certificate(scope, graph.vertices, graph.vertices, arcs_checked, int(reached.sum()))


def check_cells(graph: Graph, cells: Any) -> None:
    """Raise CertificateError if the cells of a closure, on the host or a device, have the wrong shape."""
    packed = cells.dtype == np.uint64
    shape = (graph.vertices, -(-graph.vertices // 64) if packed else graph.vertices)
    if cells.shape != shape:
        kind = "64-bit words" if packed else "cells"
        raise CertificateError(f"the closure has {kind} of shape {tuple(cells.shape)} instead of {shape}")


def raise_for_row(graph: Graph, source: int, reachable: np.ndarray) -> NoReturn:
    """Raise the CertificateError that names the first wrong pair of one row, shape (n,)."""
    from .compiled import search_row

    vertex, _ = search_row(graph.indptr, graph.indices, source, reachable)
    if vertex < 0:
        raise AssertionError(f"the two certificates disagree on row {graph.label_of(source)} of the closure")
    _raise_for_pair(graph, source, vertex, reachable)


def _raise_for_pair(graph: Graph, source: int, vertex: int, reachable: np.ndarray) -> NoReturn:
    start, end = graph.label_of(source), graph.label_of(vertex)
    if reachable[vertex]:
        raise CertificateError(f"vertex {end} is called reachable from vertex {start}, but there is no path")
    raise CertificateError(f"vertex {end} is called unreachable from vertex {start}, but there is a path")


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

    from .compiled import search

    shape = graph.vertices, graph.vertices
    forward = csr_array((np.ones(graph.arcs, np.int8), graph.indices, graph.indptr), shape=shape)
    # SciPy numbers components in the order in which its depth-first search completes them.
    count, of_vertices = connected_components(forward, connection="strong")
    tails, heads = graph.tails(), graph.indices
    component_tails, component_heads = of_vertices[tails], of_vertices[heads]
    inside = component_tails == component_heads
    _, first = np.unique(of_vertices, return_index=True)
    within = csr_array((np.ones(inside.sum(), bool), (tails[inside], heads[inside])), shape=shape)
    searches = [search(matrix.indptr, matrix.indices, first) for matrix in (within, within.T.tocsr())]
    if not (np.all(searches) and (component_tails >= component_heads).all()):
        raise AssertionError("SciPy's strongly connected components are wrong")
    return Components(count, of_vertices, component_tails[~inside], heads[~inside])
