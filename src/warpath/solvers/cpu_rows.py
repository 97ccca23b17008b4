"""A plan of variants that solve on the CPU, from many sources at a time."""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from ..cores import for_each
from ..device import Device, open_device
from ..distances import NO_PREDECESSOR, unreachable
from ..graphs.csr import Graph
from .source_rows import SourceRowsPlan


class CpuRowsPlan(SourceRowsPlan):
    """Arrays are of NumPy, whatever the device.

    ``search(indptr, indices, weights, zero, source, distances, predecessors)`` solves from one source without Python's
    global lock.
    """

    search: ClassVar[Callable[..., None]]

    def __init__(self, device: Device, graph: Graph, source: int = 0, predecessors: bool = True):
        super().__init__(open_device("cpu"), graph, source, predecessors)

    def solve_rows(self, sources: np.ndarray, distances: Any, predecessors: Any | None) -> None:
        graph = self.graph
        dtype = graph.weights.dtype
        zero = dtype.type(0) if graph.has_floats else np.int64(0)

        def solve(row: int) -> None:
            tree = np.empty(graph.vertices, np.int32) if predecessors is None else predecessors[row]
            distances[row], tree[:] = unreachable(dtype), NO_PREDECESSOR
            self.search(graph.indptr, graph.indices, graph.weights, zero, int(sources[row]), distances[row], tree)

        for_each(len(sources), solve)
