"""The host loop of the GPU variants: n - 1 rounds of relax and update, then predecessors."""

from pathlib import Path
from typing import Any

import numpy as np

from warpath.device import Device, Launch
from warpath.device.copies import copy_on
from warpath.distances import NO_PREDECESSOR, UNREACHABLE
from warpath.graphs.csr import Graph
from warpath.solvers.grids import blocks_over
from warpath.solvers.plan import Solution
from warpath.solvers.predecessors import OneSource
from warpath.solvers.source_plan import SourcePlan
from warpath.solvers.start import SourceFill, Value

from ..settled import Settled

BLOCK = (1024,)  # as published


def blocks_for_all(vertices: int, block: tuple[int]) -> int:
    """Blocks that give every vertex a thread of its own."""
    return blocks_over(vertices, block[0])


def blocks_for_half(vertices: int, block: tuple[int]) -> int:
    """Half of ``blocks_for_all``, as published, but at least one."""
    return max(1, blocks_for_all(vertices, block) // 2)


class RoundsPlan(SourcePlan):
    """A round is two launches, each waited for. The graph is on the device before the timed region, as published.

    The timed region ends, as published, once the device's memory of the previous distances and of the flags is free.

    ``relax`` and ``update`` are the files of the two kernels, which are launched with ``blocks`` blocks of ``block``
    threads; ``flagged`` says that both also take a flag for each vertex.
    """

    host_predecessors: np.ndarray

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
        super().__init__(device, graph, source)
        self.iterations = graph.vertices - 1
        self.flagged = flagged
        self.grid, self.block = (blocks,), block
        self.relax, self.update = device.kernel(relax, "relax"), device.kernel(update, "update")
        self.copy = copy_on(device, graph)
        self.arcs = self.copy.arrays  # as relax takes them
        self.of_source = OneSource(device, graph, self.copy.arrays, self.grid, block)
        self.are_final = Settled(device, self.copy, self.grid, block)
        self.host_previous = np.empty(graph.vertices, np.int32)
        self.host_distances = np.empty(graph.vertices, np.int32)
        self.host_predecessors = np.empty(graph.vertices, np.int32)
        self.host_flags = np.empty(graph.vertices, np.uint8)
        of_all = self.host_previous, self.host_distances, self.host_predecessors
        self.host_arrays = (*of_all, self.host_flags) if flagged else of_all
        self.fill: SourceFill | None = None
        self.round: list[Launch] = []

    def reset(self) -> None:
        for distances in (self.host_previous, self.host_distances):
            distances.fill(UNREACHABLE)
            distances[self.source] = 0
        self.host_predecessors.fill(NO_PREDECESSOR)
        self.host_flags.fill(0)
        self.host_flags[self.source] = 1

    def upload(self) -> None:
        self.take([self.device.upload(array) for array in self.host_arrays])

    def start(self, source: int | None) -> None:
        assert source is not None  # as always for one source
        self.source = source
        if self.fill is None:
            self.take([self.device.empty(array.shape, array.dtype) for array in self.host_arrays])
            values: list[tuple[Value, Value]] = [
                (UNREACHABLE, 0),
                (UNREACHABLE, 0),
                (NO_PREDECESSOR, NO_PREDECESSOR),
                (0, 1),
            ]
            self.fill = SourceFill(self.device, list(zip(self.of_vertices, values, strict=False)))
        self.fill(source)

    def take(self, of_vertices: list[Any]) -> None:
        """Solve in these arrays of the device: previous distances, distances, predecessors, and flags if there are."""
        self.of_vertices = of_vertices
        self.previous, self.distances, self.predecessors, *flags = of_vertices
        vertices = np.int32(self.graph.vertices)
        self.round = [
            self.relax.bind(self.grid, self.block, (vertices, *self.arcs, self.previous, self.distances, *flags)),
            self.update.bind(self.grid, self.block, (vertices, self.previous, self.distances, *flags)),
        ]

    def iterate(self, first: int, last: int) -> None:
        self.device.repeat(self.round, last - first)
        self.counters["launches"] += len(self.round) * (last - first)

    def finish(self) -> None:
        self.counters.update(self.of_source.find(self.source, self.distances, self.predecessors))

    def download(self) -> Solution:
        solution = super().download()
        self.previous = None
        self.of_vertices, self.round, self.fill = [], [], None
        self.device.release()
        return solution

    def release(self) -> None:
        super().release()
        self.previous = None
        self.of_vertices, self.round, self.fill = [], [], None

    def settled(self) -> bool:
        return self.are_final(self.distances)
