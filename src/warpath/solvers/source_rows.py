"""Plans that solve from many sources, and also from one, as a solve of one row."""

import numpy as np

from ..device import Device
from ..device.copies import downloaded
from ..graphs.csr import Graph
from .plan import RowsPlan, Solution


class SourceRowsPlan(RowsPlan[Graph]):
    """A RowsPlan of the problem "sssp"."""

    source: int

    def __init__(self, device: Device, graph: Graph, source: int, predecessors: bool):
        super().__init__(device, graph)
        self.source, self.with_predecessors, self.iterations = source, predecessors, 1

    def upload(self) -> None:
        shape = (1, self.graph.vertices)
        if self.distances is None:
            self.distances = self.device.empty(shape, self.graph.weights.dtype)
            self.predecessors = self.device.empty(shape, np.int32) if self.with_predecessors else None

    def iterate(self, first: int, last: int) -> None:
        self.solve_rows(np.array([self.source], np.int32), self.distances, self.predecessors)

    def download(self) -> Solution:
        predecessors = downloaded(self.device, self.predecessors[0]) if self.with_predecessors else None
        return Solution(downloaded(self.device, self.distances[0]), predecessors)

    def on_device(self) -> Solution:
        return Solution(self.distances[0], self.predecessors[0] if self.with_predecessors else None)
