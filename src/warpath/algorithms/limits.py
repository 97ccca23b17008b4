"""Refuses what a variant cannot solve, before the first kernel runs: graphs, sources, and answers beyond the memory."""

import numba
import numpy as np

from ..device import host_machine
from ..distances import UNREACHABLE
from ..errors import GraphError, NegativeCycleError, OutOfMemoryError, UsageError
from ..graphs.csr import Graph
from ..graphs.matrix_pair import Matrices
from .registry import Configured, Variant

# The memory of an answer on this machine: what takes it, and bytes per pair of vertices. Peers give 64 bits a distance.
# The certificates of a closure and a product allocate arrays of their own.
_ANSWERS = {
    "distances": ("distances take", 4),
    "paths": ("distances and predecessors take", 4 + 4),
    "peer": ("a peer's distances, and those that are certified, take up to", 8 + 4),
    "closure": ("the closure and its certificate take up to", 4 + 2),
    "grid": ("the product, the costs and their certificate take up to", 64),
}


def refuse_unsolvable(graph: Graph | Matrices, variant: Variant, source: int | None) -> None:
    """Raise where ``variant`` cannot give right int32 distances on ``graph``. Closures take any graph.

    UsageError: the source is missing or is not a vertex. GraphError as for ``refuse_weights``. NegativeCycleError as
    for ``refuse_negative_cycle``.
    """
    if variant.problem == "closure" or isinstance(graph, Matrices):
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


def answer_of(configured: Configured) -> str:
    """What a solve leaves on this machine: "distances", "paths" (predecessors as well), "peer", "closure" or "grid"."""
    variant = configured.variant
    if variant.peer:
        return "peer"
    if variant.problem not in ("sssp", "apsp"):
        return variant.problem
    return "paths" if configured.settings.get("predecessors", 1) else "distances"


def answer_rows(variant: Variant, vertices: int) -> int:
    """How many rows of ``vertices`` columns an answer has."""
    return vertices if variant.problem in ("apsp", "closure") else 1


def refuse_oversized_answer(answer: str, rows: int, columns: int) -> None:
    """Raise OutOfMemoryError if this machine cannot hold an ``answer`` for ``rows`` x ``columns`` pairs of vertices.

    ``answer`` as ``answer_of`` says. Systems promise more memory than they have, and kill the process that uses it.
    """
    what, _ = _ANSWERS[answer]
    wanted_bytes = answer_bytes(answer, rows, columns)
    if wanted_bytes < host_machine.LARGE_BYTES:
        return
    free_bytes, total_bytes = host_machine.memory_bytes()
    if wanted_bytes > free_bytes:
        raise OutOfMemoryError(
            f"{what} {wanted_bytes:,} bytes of this machine's memory; {free_bytes:,} of {total_bytes:,} are free"
        )


def answer_bytes(answer: str, rows: int, columns: int) -> int:
    """The memory of this machine that an ``answer`` for ``rows`` x ``columns`` pairs of vertices takes, in bytes."""
    return _ANSWERS[answer][1] * rows * columns


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
