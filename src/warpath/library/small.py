"""Paths from one source in a small graph: a search on the CPU takes less time than launches on a GPU."""

import numpy as np

from ..certificates.certificate import certify
from ..distances import UNREACHABLE
from ..graphs.csr import Graph
from ..solvers.cpu_rows import solve_row

# The largest number of vertices and _ARCS_A_VERTEX-ths of arcs: of later calls, and of a first call, for which a GPU
# takes longer.
_SIZE_MAX, _SIZE_MAX_FIRST_CALL = 3_072, 8_192
_ARCS_A_VERTEX = 8
NAME, REASON = "dijkstra.heap", "the graph is small, and a search on the CPU takes less time than launches on a GPU"

__all__ = ["NAME", "REASON", "certify", "is_small", "search"]


def is_small(graph: Graph, first_call: bool) -> bool:
    """Whether the search takes less time. False if weights are negative, or if a distance may not fit 32 bits."""
    size = graph.vertices + graph.arcs // _ARCS_A_VERTEX
    if size > (_SIZE_MAX_FIRST_CALL if first_call else _SIZE_MAX) or graph.weight_min < 0:
        return False
    return graph.has_floats or bool((graph.vertices - 1) * graph.weight_max < UNREACHABLE)


def search(graph: Graph, source: int, predecessors: bool) -> tuple[np.ndarray, np.ndarray | None]:
    """Distances, and predecessors if they are wanted, of shape (n,)."""
    from ..solvers.dijkstra import heap  # takes long to import

    distances, trees = np.empty(graph.vertices, graph.weights.dtype), np.empty(graph.vertices, np.int32)
    solve_row(heap.search, graph, source, distances, trees)
    return distances, trees if predecessors else None
