"""Certifies a closure: on the host by a search from every vertex, compared with the answer row by row.

On a device it is certified by the graph's strongly connected components, which are certified here. scipy finds them.
They are right if (1) each vertex of a component is reached from one of its vertices, forward and backward, by arcs
inside the component, and (2) no circle leads through several components: one pass over the arcs for each.
"""

from dataclasses import dataclass
from typing import Any, NoReturn

import numba
import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from ..errors import CertificateError
from ..facts import Certificate, Scope
from ..graphs.csr import Graph
from ..locks import on_all_cores
from ..solvers.plan import Closure


def certify_closure(graph: Graph, closure: Closure, scope: Scope = "full") -> Certificate:
    """Certify the reachability of all pairs.

    Raises CertificateError, which names the first wrong pair. Costs one search per vertex, on every core.
    """
    check_cells(graph, closure.cells)
    reachable = closure.reachable()
    first_wrong, arcs_checked, reached = search_rows(graph.indptr, graph.indices, reachable)
    wrong = np.flatnonzero(first_wrong >= 0)
    if len(wrong):
        _raise_for_pair(graph, int(wrong[0]), int(first_wrong[wrong[0]]), reachable[wrong[0]])
    return Certificate(scope, graph.vertices, graph.vertices, int(arcs_checked.sum()), int(reached.sum()))


def check_cells(graph: Graph, cells: Any) -> None:
    """Raise CertificateError for a closure, on the host or a device, whose cells have another shape."""
    bits = cells.dtype == np.uint64
    shape = (graph.vertices, -(-graph.vertices // 64) if bits else graph.vertices)
    if cells.shape != shape:
        kind = "64-bit words" if bits else "cells"
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


@dataclass(frozen=True)
class Components:
    """``of_vertices``, shape (n,): the component of each vertex, 0..``count`` - 1.

    ``ranks``, shape (count,): arcs between components lead to one of smaller rank. ``tails`` are the components and
    ``heads`` the vertices at the ends of the arcs that leave a component. All are int32.
    """

    count: int
    of_vertices: np.ndarray
    ranks: np.ndarray
    tails: np.ndarray
    heads: np.ndarray


def certified_components(graph: Graph) -> Components:
    """The components of ``graph``, in time O(n + m).

    Raises AssertionError if they are wrong, which would be scipy's mistake.
    """
    ones = np.ones(graph.arcs, np.int8)
    forward = csr_array((ones, graph.indices, graph.indptr), shape=(graph.vertices, graph.vertices))
    count, of_vertices = connected_components(forward, connection="strong")
    backward = forward.tocsc()
    component_tails, component_heads = of_vertices[graph.sources()], of_vertices[graph.indices]
    leaving = component_tails != component_heads
    ranks = rank(count, component_tails[leaving], component_heads[leaving])
    if not (
        all_met(graph.indptr, graph.indices, count, of_vertices)
        and all_met(backward.indptr, backward.indices, count, of_vertices)
        and (ranks >= 0).all()
    ):
        raise AssertionError("scipy's strongly connected components are not")
    return Components(count, of_vertices, ranks, component_tails[leaving], graph.indices[leaving])


@numba.njit(cache=True)
def all_met(indptr: np.ndarray, indices: np.ndarray, count: int, components: np.ndarray) -> bool:
    """Whether each vertex is met by a search inside its component, from the component's first vertex."""
    vertices = len(components)
    first = np.full(count, -1, np.int32)
    for vertex in range(vertices - 1, -1, -1):
        first[components[vertex]] = vertex
    met = np.zeros(vertices, np.bool_)
    waiting = np.empty(vertices, np.int32)
    met_count = 0
    for component in range(count):
        if first[component] < 0:
            continue
        met[first[component]] = True
        waiting[met_count] = first[component]
        met_count += 1
    at = 0
    while at < met_count:
        tail = waiting[at]
        at += 1
        for arc in range(indptr[tail], indptr[tail + 1]):
            head = indices[arc]
            if not met[head] and components[head] == components[tail]:
                met[head] = True
                waiting[met_count] = head
                met_count += 1
    return met_count == vertices


@numba.njit(cache=True)
def rank(count: int, tails: np.ndarray, heads: np.ndarray) -> np.ndarray:
    """Ranks such that each arc leads to a smaller one, shape (count,); -1 for those that no circle leaves free."""
    starts = np.zeros(count + 1, np.int64)  # of the arcs into each head
    left = np.zeros(count, np.int64)  # arcs to components without a rank
    for arc in range(len(tails)):
        starts[heads[arc] + 1] += 1
        left[tails[arc]] += 1
    for component in range(count):
        starts[component + 1] += starts[component]
    into = np.empty(len(tails), np.int32)
    at = starts[:-1].copy()
    for arc in range(len(tails)):
        into[at[heads[arc]]] = tails[arc]
        at[heads[arc]] += 1
    ranks = np.full(count, -1, np.int32)
    waiting = np.empty(count, np.int32)
    end = 0
    for component in range(count):
        if left[component] == 0:
            waiting[end] = component
            end += 1
    done = 0
    while done < end:
        component = waiting[done]
        ranks[component] = done
        done += 1
        for place in range(starts[component], starts[component + 1]):
            tail = into[place]
            left[tail] -= 1
            if left[tail] == 0:
                waiting[end] = tail
                end += 1
    return ranks
