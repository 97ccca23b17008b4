"""A certificate's own copy of a graph on a device: a list of arcs, in which every arc knows both its ends."""

import numpy as np

from ..device import Device
from ..graphs.csr import Graph


class ArcList:
    """``tails``, ``heads`` and ``weights``, shape (m,), and ``numbers``, the vertices 0..n-1; device arrays, int32.

    The solvers' copy of the graph is another one. May raise OutOfMemoryError.
    """

    def __init__(self, device: Device, graph: Graph):
        self.vertices, self.count = np.int32(graph.vertices), np.int32(graph.arcs)
        self.lightest = np.int32(graph.weight_min if graph.arcs else 1)
        self.tails = device.upload(graph.sources())
        self.heads = device.upload(graph.indices)
        self.weights = device.upload(graph.weights)
        self.numbers = device.upload(np.arange(graph.vertices, dtype=np.int32))
        self.arguments = self.vertices, self.count, self.tails, self.heads, self.weights
