"""The host loop of the GPU variants: n - 1 rounds of relax and update, then predecessors."""

from pathlib import Path

import numpy as np

from ...device import Device
from ...distances import NO_PREDECESSOR, UNREACHABLE
from ...graphs.csr import Graph
from ..plan import Plan, Solution

THREADS_PER_BLOCK = 1024


def blocks_for_all(vertices: int) -> int:
    """Blocks that give every vertex a thread of its own."""
    return -(-vertices // THREADS_PER_BLOCK)


def blocks_for_half(vertices: int) -> int:
    """Half of ``blocks_for_all``, as published, but never none (up to 1,024 vertices half of one block is zero)."""
    return max(1, blocks_for_all(vertices) // 2)


class RoundsPlan(Plan):
    """A round is two launches, each waited for. The graph is on the device before the timed region, as published."""

    def __init__(self, device: Device, graph: Graph, source: int, kernel_file: Path, blocks: int, flagged: bool):
        super().__init__(device, graph)
        self.iterations = graph.vertices - 1
        self.source = source
        self.flagged = flagged
        self.grid, self.block = (blocks,), (THREADS_PER_BLOCK,)
        self.kernels = {name: device.kernel(kernel_file, name) for name in ("relax", "update", "claim")}
        # Along a tight arc of positive weight distances rise, so such arcs cannot form a cycle.
        self.tight_arcs_are_acyclic = graph.weight_min > 0
        if not self.tight_arcs_are_acyclic:
            self.kernels["settle"] = device.kernel(Path(__file__).with_name("settle.cu"), "settle")
        self.csr = tuple(device.upload(array) for array in (graph.indptr, graph.indices, graph.weights))
        self.arcs = self.csr  # as relax and claim take them
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
            self.kernels["relax"].bind(
                self.grid, self.block, (vertices, *self.arcs, self.previous, self.distances, *flags)
            ),
            self.kernels["update"].bind(self.grid, self.block, (vertices, self.previous, self.distances, *flags)),
        ]

    def iterate(self, first: int, last: int) -> None:
        self.device.repeat(self.round, last - first)
        self.counters["launches"] += len(self.round) * (last - first)

    def finish(self) -> None:
        vertices = np.int32(self.graph.vertices)
        if self.tight_arcs_are_acyclic:
            arguments = (vertices, *self.arcs, self.distances, self.predecessors)
            self.kernels["claim"](self.grid, self.block, arguments)
            self.device.synchronize()
            self.counters["launches"] += 1
            return
        grown = np.ones(1, np.int32)
        while grown[0]:
            device_grown = self.device.upload(np.zeros(1, np.int32))
            arguments = (
                vertices,
                np.int32(self.source),
                *self.csr,
                self.distances,
                self.predecessors,
                device_grown,
            )
            self.kernels["settle"](self.grid, self.block, arguments)
            self.device.download(device_grown, grown)
            self.counters["launches"] += 1

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
