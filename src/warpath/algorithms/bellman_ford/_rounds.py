"""The host loop of the GPU variants: n - 1 rounds of relax and update, then predecessors."""

from pathlib import Path

import numpy as np

from ...device import Device
from ...distances import NO_PREDECESSOR, UNREACHABLE
from ...graphs.csr import Graph
from ..grids import blocks_over
from ..plan import Plan, Solution
from ..predecessors import OneSource

BLOCK = (1024,)  # as published


def blocks_for_all(vertices: int, block: tuple[int]) -> int:
    """Blocks that give every vertex a thread of its own."""
    return blocks_over(vertices, block[0])


def blocks_for_half(vertices: int, block: tuple[int]) -> int:
    """Half of ``blocks_for_all``, as published, but at least one."""
    return max(1, blocks_for_all(vertices, block) // 2)


class RoundsPlan(Plan):
    """A round is two launches, each waited for. The graph is on the device before the timed region, as published.

    ``relax`` and ``update`` are the files of the two kernels, which are launched with ``blocks`` blocks of ``block``
    threads; ``flagged`` says that both also take a flag for each vertex.
    """

    def __init__(
        self,
        device: Device,
        graph: Graph,
        source: int,
        relax: Path,
        update: Path,
        blocks: int,
        block: tuple[int],
        flagged: bool = False,
    ):
        super().__init__(device, graph)
        self.iterations = graph.vertices - 1
        self.source = source
        self.flagged = flagged
        self.grid, self.block = (blocks,), block
        self.relax, self.update = device.kernel(relax, "relax"), device.kernel(update, "update")
        csr = tuple(device.upload(array) for array in (graph.indptr, graph.indices, graph.weights))
        self.arcs = csr  # as relax takes them
        self.of_source = OneSource(device, graph, csr, source, self.grid, block)
        self.host_previous = np.empty(graph.vertices, np.int32)
        self.host_distances = np.empty(graph.vertices, np.int32)
        self.host_predecessors = np.empty(graph.vertices, np.int32)
        self.host_flags = np.zeros(graph.vertices, np.uint8)
        self.host_flags[source] = 1

    def reset(self) -> None:
        for distances in (self.host_previous, self.host_distances):
            distances.fill(UNREACHABLE)
            distances[self.source] = 0
        self.host_predecessors.fill(NO_PREDECESSOR)

    def upload(self) -> None:
        self.previous = self.device.upload(self.host_previous)
        self.distances = self.device.upload(self.host_distances)
        self.predecessors = self.device.upload(self.host_predecessors)
        flags = (self.device.upload(self.host_flags),) if self.flagged else ()
        vertices = np.int32(self.graph.vertices)
        self.round = [
            self.relax.bind(self.grid, self.block, (vertices, *self.arcs, self.previous, self.distances, *flags)),
            self.update.bind(self.grid, self.block, (vertices, self.previous, self.distances, *flags)),
        ]

    def iterate(self, first: int, last: int) -> None:
        self.device.repeat(self.round, last - first)
        self.counters["launches"] += len(self.round) * (last - first)

    def finish(self) -> None:
        self.counters.update(self.of_source.find(self.distances, self.predecessors))

    def download(self) -> Solution:
        self.device.download(self.distances, self.host_distances)
        self.device.download(self.predecessors, self.host_predecessors)
        return Solution(self.host_distances, self.host_predecessors)

    def release(self) -> None:
        self.previous = self.distances = self.predecessors = None
        self.round = []

    def settled(self) -> bool:
        distances = np.empty(self.graph.vertices, np.int32)
        self.device.download(self.distances, distances)
        return not improvable(self.graph, distances)


def improvable(graph: Graph, distances: np.ndarray) -> bool:
    """Whether some arc would still lower a distance, shape (n,)."""
    at_tail = np.repeat(distances, np.diff(graph.indptr)).astype(np.int64)
    lower = at_tail + graph.weights < distances[graph.indices]
    return bool((lower & (at_tail != UNREACHABLE)).any())
