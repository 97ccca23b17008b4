"""A solver on the CPU, from many sources at a time."""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from ...device.resident import Resident
from ...distances import NO_PREDECESSOR, unreachable
from ...system.cores import for_each, load
from ..solver import Rows, RowSolver
from .trees import hang


class CpuRows(RowSolver):
    """Arrays are of NumPy, whatever the device.

    ``search(indptr, indices, weights, zero, source, distances, predecessors)`` solves from one source without Python's
    global lock, with ``compiled``, a function of Numba for the same arguments. Unless a class ``always_hangs`` vertices
    on the predecessors at the end, the search finds them, and returns true if some are left to do.
    """

    search: ClassVar[Callable[..., Any]]
    compiled: ClassVar[Any]
    always_hangs: ClassVar[bool] = False
    hang: ClassVar[Callable[..., Any]] = staticmethod(hang)

    def __init__(self, resident: Resident, predecessors: bool = True):
        super().__init__()
        graph = self.graph = resident.graph
        zero = graph.weights.dtype.type(0) if graph.has_floats else np.int64(0)
        self._arcs = graph.indptr, graph.indices, graph.weights, zero
        row = 0, np.empty(0, graph.weights.dtype), np.empty(0, np.int32)
        load(self.compiled, *self._arcs, *row)
        if predecessors:
            load(self.hang, *self._arcs, *row, True)

    def solve(self, sources: np.ndarray, into: Rows) -> None:
        distances, trees, vertices = into.distances, into.predecessors, self.graph.vertices

        def solve(row: int) -> None:
            tree = np.empty(vertices, np.int32) if trees is None else trees[row]
            distances[row], tree[:] = unreachable(distances.dtype), NO_PREDECESSOR
            of_row = int(sources[row]), distances[row], tree
            is_left = self.search(*self._arcs, *of_row)
            if trees is not None and (self.always_hangs or is_left):
                self.hang(*self._arcs, *of_row, self.graph.weight_min >= 0)

        for_each(len(sources), solve, vertices + self.graph.arcs)
