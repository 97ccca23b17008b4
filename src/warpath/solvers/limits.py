"""Refuses what a variant cannot solve, before the first kernel runs: graphs, sources, and answers beyond the memory."""

from dataclasses import dataclass

import numba
import numpy as np

from ..device import host_machine
from ..distances import UNREACHABLE
from ..errors import GraphError, NegativeCycleError, OutOfMemoryError, UsageError
from ..graphs.csr import Graph
from .registry import Configured, Variant


@dataclass(frozen=True)
class AnswerSize:
    """What an answer takes of this machine's memory: "distances take", and bytes per pair of vertices."""

    what: str
    bytes_per_pair: int

    def check(self, rows: int, columns: int) -> None:
        """Raise OutOfMemoryError if this machine cannot hold an answer for ``rows`` x ``columns`` pairs of vertices.

        Systems promise more memory than they have, and kill the process that uses it.
        """
        wanted_bytes = self.bytes_per_pair * rows * columns
        if wanted_bytes < host_machine.LARGE_BYTES:
            return
        free_bytes, total_bytes = host_machine.memory_bytes()
        if wanted_bytes > free_bytes:
            raise OutOfMemoryError(
                f"{self.what} {wanted_bytes:,} bytes of this machine's memory; "
                f"{free_bytes:,} of {total_bytes:,} are free"
            )


DISTANCES = AnswerSize("distances take", 4)
PATHS = AnswerSize("distances and predecessors take", 4 + 4)
CLOSURE = AnswerSize("the closure and its certificate take up to", 4 + 2)


def refuse_unsolvable(graph: Graph, variant: Variant, source: int | None) -> None:
    """Raise where ``variant`` cannot give right int32 distances on ``graph``. Closures take any graph.

    UsageError: the source is missing or is not a vertex. GraphError as for ``refuse_weights``. NegativeCycleError as
    for ``refuse_negative_cycle``.
    """
    if variant.problem == "closure":
        return
    if variant.problem == "sssp":
        if source is None:
            raise UsageError(f"{variant.algorithm} needs a source vertex")
        if not 0 <= source < graph.vertices:
            raise UsageError(f"source {source} is not a vertex; vertices are 0..{graph.vertices - 1}")
    refuse_weights(graph, variant)
    refuse_negative_cycle(graph, source if variant.problem == "sssp" else None)


def refuse_weights(graph: Graph, variant: Variant) -> None:
    """Raise GraphError for negative arcs that ``variant`` does not allow, or that could take sums out of int32.

    All pairs add two paths, others a path and an arc. Without negative arcs ``Overflow`` looks at the finished solve.
    """
    if graph.weight_min >= 0:
        return
    if not variant.negative_arcs:
        arc = int(np.argmin(graph.weights))
        tail, head = graph.label_of(graph.sources()[arc]), graph.label_of(graph.indices[arc])
        weight = graph.weights[arc]
        raise GraphError(
            f"arc {tail} -> {head} has weight {weight}; {variant.algorithm} {variant.name} needs weights of at least 0 "
            "(bellman_ford and floyd_warshall take negative ones)"
        )
    if graph.longest_path_bound * (2 if variant.problem == "apsp" else 1) >= UNREACHABLE:
        raise GraphError(
            f"with negative arcs and weights up to {max(graph.weight_max, -graph.weight_min)}, sums along a path could "
            "leave 32 bits; scale the weights down"
        )


def refuse_negative_cycle(graph: Graph, source: int | None) -> None:
    """Raise NegativeCycleError for a cycle of negative weight that ``source`` reaches; without a source, for any."""
    cycle = negative_cycle(graph, source) if graph.weight_min < 0 else []
    if cycle:
        walk = " -> ".join(str(graph.label_of(vertex)) for vertex in [*cycle, cycle[0]])
        raise NegativeCycleError(f"the cycle {walk} has negative weight, so there are no shortest distances")


def answer_size(configured: Configured) -> AnswerSize:
    """What a solve leaves on this machine."""
    if configured.variant.problem == "closure":
        return CLOSURE
    return PATHS if configured.settings.get("predecessors", 1) else DISTANCES


def answer_rows(variant: Variant, vertices: int) -> int:
    """How many rows of ``vertices`` columns an answer has."""
    return vertices if variant.problem in ("apsp", "closure") else 1


def negative_cycle(graph: Graph, source: int | None) -> list[int]:
    """The vertices of a cycle of negative weight, in order, or [] if there is none.

    With a ``source``, only cycles that it reaches count.
    """
    vertex, predecessors = _bellman_ford_until_cycle(
        graph.indptr, graph.indices, graph.weights, -1 if source is None else source
    )
    if vertex < 0:
        return []
    for _ in range(graph.vertices):  # `vertex` may lie behind the cycle: n steps back lead onto it
        vertex = predecessors[vertex]
    cycle = [int(vertex)]
    while predecessors[cycle[-1]] != vertex:
        cycle.append(int(predecessors[cycle[-1]]))
    return cycle[::-1]


@numba.njit(cache=True)
def _bellman_ford_until_cycle(
    indptr: np.ndarray, indices: np.ndarray, weights: np.ndarray, source: int
) -> tuple[int, np.ndarray]:
    """A vertex that pass n still improved, or -1, and the predecessors. ``source`` -1 starts from every vertex."""
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
