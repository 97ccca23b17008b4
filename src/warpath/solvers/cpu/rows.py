"""A plan of variants that solve on the CPU, from many sources at a time."""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from ...device import Device, open_device
from ...distances import NO_PREDECESSOR, unreachable
from ...graphs.csr import Graph
from ...system.cores import for_each, load
from ..source_rows import SourceRowsPlan


class CpuRowsPlan(SourceRowsPlan):
    """Arrays are of NumPy, whatever the device.

    ``search(indptr, indices, weights, zero, source, distances, predecessors)`` solves from one source without Python's
    global lock, with ``compiled``, a function of Numba for the same arguments.
    """

    search: ClassVar[Callable[..., Any]]
    compiled: ClassVar[Any]

    def __init__(self, device: Device, graph: Graph, source: int = 0, predecessors: bool = True):
        super().__init__(open_device("cpu"), graph, source, predecessors)
        load(self.compiled, *self._arguments(source, np.empty(0, graph.weights.dtype), np.empty(0, np.int32)))

    def solve_rows(self, sources: np.ndarray, distances: Any, predecessors: Any | None) -> None:
        graph = self.graph

        def solve(row: int) -> None:
            tree = np.empty(graph.vertices, np.int32) if predecessors is None else predecessors[row]
            distances[row], tree[:] = unreachable(graph.weights.dtype), NO_PREDECESSOR
            self.search(*self._arguments(int(sources[row]), distances[row], tree))

        for_each(len(sources), solve, graph.vertices + graph.arcs)

    def _arguments(self, source: int, distances: np.ndarray, predecessors: np.ndarray) -> tuple[Any, ...]:
        graph = self.graph
        zero = graph.weights.dtype.type(0) if graph.has_floats else np.int64(0)
        return graph.indptr, graph.indices, graph.weights, zero, source, distances, predecessors
