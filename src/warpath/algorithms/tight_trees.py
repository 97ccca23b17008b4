"""Predecessors of all pairs from final distances, for variants whose own can close a circle of weight zero."""

from pathlib import Path

import numpy as np

from ..device import Device
from ..graphs.csr import Graph

KERNEL = Path(__file__).with_name("tight_trees.cu")
THREADS_PER_BLOCK = 256


class TightTrees:
    """Grows a tree a source over the arcs that the distances use up exactly. The graph goes to the device at once."""

    def __init__(self, device: Device, graph: Graph):
        self.device = device
        self.vertices = graph.vertices
        self.kernel = device.kernel(KERNEL, "grow")
        self.csr = tuple(device.upload(array) for array in (graph.indptr, graph.indices, graph.weights))

    def grow(self, distances, predecessors) -> None:
        """Overwrite ``predecessors``; both are device arrays of shape (n, n), int32. One launch, waited for."""
        arguments = (np.int32(self.vertices), *self.csr, distances, predecessors)
        self.kernel((self.vertices,), (THREADS_PER_BLOCK,), arguments)
        self.device.synchronize()
