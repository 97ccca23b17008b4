"""What no solver should be started on: refused before the first kernel, with one sentence."""

import numba
import numpy as np

from ..distances import UNREACHABLE
from ..errors import GraphError, NegativeCycleError, UsageError
from ..graphs.csr import Graph
from .registry import Variant


def refuse_unsolvable(graph: Graph, variant: Variant, source: int | None) -> None:
    """Raise where ``variant`` cannot give right int32 distances on ``graph``.

    UsageError: the source is no vertex, or missing. GraphError: negative arcs where the algorithm has none, or so
    large with negative ones that sums could leave int32 (without negative arcs that is detected afterwards, see
    ``refuse_overflow``). NegativeCycleError: names a cycle, one that the source reaches if there is a source. Closures
    take any graph: weights play no part.
    """
    if variant.problem == "closure":
        return
    if variant.problem == "sssp":
        if source is None:
            raise UsageError(f"{variant.algorithm} needs a source vertex")
        if not 0 <= source < graph.vertices:
            raise UsageError(f"source {source} is not a vertex; vertices are 0..{graph.vertices - 1}")
    if graph.weight_min >= 0:
        return
    if not variant.negative_arcs:
        arc = int(np.argmin(graph.weights))
        tail, head, weight = graph.sources()[arc], graph.indices[arc], graph.weights[arc]
        raise GraphError(
            f"arc {tail} -> {head} has weight {weight}; {variant.algorithm} {variant.name} needs weights of at least 0 "
            "(bellman_ford and floyd_warshall take negative ones)"
        )
    if graph.longest_path_bound() >= UNREACHABLE:
        raise GraphError(
            f"with negative arcs and weights up to {max(graph.weight_max, -graph.weight_min)}, sums along a path could "
            "leave 32 bits; scale the weights down"
        )
    cycle = negative_cycle(graph, source if variant.problem == "sssp" else None)
    if cycle:
        walk = " -> ".join(map(str, [*cycle, cycle[0]]))
        raise NegativeCycleError(f"the cycle {walk} has negative weight, so there are no shortest distances")


def refuse_overflow(graph: Graph, distances: np.ndarray) -> None:
    """Raise GraphError where a distance of a finished solve, shape (n,) or (n, n), left int32.

    A sum that would pass 2**31 - 2 is never stored, so such a vertex looks unreachable although an arc leads to it
    from a reached one. Free where the weights rule it out; otherwise one pass over the arcs a source.
    """
    if graph.longest_path_bound() < UNREACHABLE:
        return
    tails = graph.sources()
    for row in np.atleast_2d(distances):
        lost = np.flatnonzero((row[tails] != UNREACHABLE) & (row[graph.indices] == UNREACHABLE))
        if len(lost):
            raise GraphError(
                f"the distance of vertex {graph.indices[lost[0]]} does not fit 32 bits; scale the weights down"
            )


def negative_cycle(graph: Graph, source: int | None) -> list[int]:
    """The vertices of a cycle of negative weight, in order, that ``source`` (or anything, if None) reaches; or []."""
    vertex, predecessors = _bellman_ford_until_cycle(
        graph.indptr, graph.indices, graph.weights, -1 if source is None else source
    )
    if vertex < 0:
        return []
    for _ in range(graph.vertices):  # from anything that the cycle feeds, back onto the cycle itself
        vertex = predecessors[vertex]
    cycle = [int(vertex)]
    while predecessors[cycle[-1]] != vertex:
        cycle.append(int(predecessors[cycle[-1]]))
    return cycle[::-1]


@numba.njit(cache=True)
def _bellman_ford_until_cycle(indptr, indices, weights, source):
    """A vertex still improved by pass n, or -1, and the predecessors; ``source`` -1 starts everywhere at once."""
    vertices = len(indptr) - 1
    far = np.iinfo(np.int64).max
    distances = np.full(vertices, np.int64(0) if source < 0 else far)
    if source >= 0:
        distances[source] = 0
    predecessors = np.full(vertices, -1, np.int64)
    for _ in range(vertices):
        improved = -1
        for tail in range(vertices):
            if distances[tail] == far:
                continue
            for arc in range(indptr[tail], indptr[tail + 1]):
                head = indices[arc]
                if distances[tail] + weights[arc] < distances[head]:
                    distances[head] = distances[tail] + weights[arc]
                    predecessors[head] = tail
                    improved = head
        if improved < 0:
            return improved, predecessors
    return improved, predecessors
