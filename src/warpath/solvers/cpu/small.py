"""Dijkstra, small: on the CPU, in plain Python, for graphs so small that loading Numba is not worth the time."""

from heapq import heappop, heappush
from typing import Any

import numpy as np

from ...device.resident import Resident
from ...distances import NO_PREDECESSOR, unreachable
from ...graphs.csr import Graph
from ..solver import Rows, RowSolver
from . import CpuVariant


class Small(RowSolver):
    """A solver that keeps the arcs in lists, and finds the trees from final distances."""

    def __init__(self, resident: Resident, predecessors: bool = True):
        super().__init__()
        graph = self.graph = resident.graph
        # Python's numbers are faster than NumPy's, but round no sum to 32 bits.
        self._weights = list(graph.weights) if graph.weights.dtype == np.float32 else graph.weights.tolist()
        self._indptr, self._indices = graph.indptr.tolist(), graph.indices.tolist()
        self._tails = graph.tails()

    @np.errstate(over="ignore")  # sums of floats may become infinite
    def solve(self, sources: np.ndarray, into: Rows) -> None:
        for row, source in enumerate(sources.tolist()):
            distances = into.distances[row]
            distances[:] = self._search(source)
            if into.predecessors is not None:
                find_tree(self.graph, self._tails, source, distances, into.predecessors[row])

    def _search(self, source: int) -> list[Any]:
        indptr, indices, weights = self._indptr, self._indices, self._weights
        distances: list[Any] = [unreachable(self.graph.weights.dtype).item()] * self.graph.vertices
        distances[source] = 0
        waiting: list[tuple[Any, int]] = [(0, source)]
        while waiting:
            at, tail = heappop(waiting)
            if at > distances[tail]:
                continue
            for arc in range(indptr[tail], indptr[tail + 1]):
                head = indices[arc]
                total = at + weights[arc]
                if total < distances[head]:
                    distances[head] = total
                    heappush(waiting, (total, head))
        return distances


def find_tree(graph: Graph, tails: np.ndarray, source: int, distances: np.ndarray, predecessors: np.ndarray) -> None:
    """Overwrite ``predecessors`` with the tree of trees/predecessors.py, for weights of at least 0."""
    heads = graph.indices
    at = distances[tails]
    is_tight = at + graph.weights == distances[heads]  # sums that wrap are negative
    is_tight &= distances[heads] != unreachable(distances.dtype)
    tight = np.flatnonzero(is_tight & (heads != source))
    predecessors[:] = NO_PREDECESSOR
    chosen = tight[at[tight] < distances[heads[tight]]]
    while len(tight):
        # Of several arcs to a vertex the last assignment stands, that of the lowest tail.
        predecessors[heads[chosen[::-1]]] = tails[chosen[::-1]]
        tight = tight[predecessors[heads[tight]] == NO_PREDECESSOR]
        chosen = tight[(predecessors[tails[tight]] != NO_PREDECESSOR) | (tails[tight] == source)]


VARIANT = CpuVariant(solver=Small, negative_arcs=False)
