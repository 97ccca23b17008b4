"""A solver on the CPU, from many sources at a time."""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from ...device.resident import Resident
from ...distances import NO_PREDECESSOR, unreachable
from ...system.cores import for_each, load
from ..solver import Rows, RowSolver


class CpuRows(RowSolver):
    """Arrays are of NumPy, whatever the device.

    ``search(indptr, indices, weights, zero, source, distances, predecessors)`` solves from one source without Python's
    global lock, with ``compiled``, a function of Numba for the same arguments.
    """

    search: ClassVar[Callable[..., Any]]
    compiled: ClassVar[Any]

    def __init__(self, resident: Resident, predecessors: bool = True):
        super().__init__()
        graph = self.graph = resident.graph
        zero = graph.weights.dtype.type(0) if graph.has_floats else np.int64(0)
        self._arcs = graph.indptr, graph.indices, graph.weights, zero
        load(self.compiled, *self._arcs, 0, np.empty(0, graph.weights.dtype), np.empty(0, np.int32))

    def solve(self, sources: np.ndarray, into: Rows) -> None:
        distances, trees, vertices = into.distances, into.predecessors, self.graph.vertices

        def solve(row: int) -> None:
            tree = np.empty(vertices, np.int32) if trees is None else trees[row]
            distances[row], tree[:] = unreachable(distances.dtype), NO_PREDECESSOR
            self.search(*self._arcs, int(sources[row]), distances[row], tree)

        for_each(len(sources), solve, vertices + self.graph.arcs)
