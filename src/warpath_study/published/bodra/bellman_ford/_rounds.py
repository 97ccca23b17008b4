"""The host loop of the GPU variants: n - 1 rounds of relax and update, then predecessors."""

from pathlib import Path
from typing import Any

import numpy as np

from warpath.device import Device, Launch
from warpath.distances import NO_PREDECESSOR, UNREACHABLE
from warpath.graphs.csr import Graph

from ...shared.grids import blocks_over
from ...shared.plan import Solution
from ...shared.predecessors import OneSource
from ...shared.source_plan import VertexArraysPlan

SETTLED = Path(__file__).with_name("settled.cu")
BLOCK = (1024,)  # as published


def blocks_for_all(vertices: int, block: tuple[int]) -> int:
    """Blocks that give every vertex a thread of its own."""
    return blocks_over(vertices, block[0])


def blocks_for_half(vertices: int, block: tuple[int]) -> int:
    """Half of ``blocks_for_all``, as published, and at least one block."""
    return max(1, blocks_for_all(vertices, block) // 2)


class RoundsPlan(VertexArraysPlan):
    """A round is two launches, with a wait after each.

    As published, the graph is on the device before the timed region, which ends after the previous distances and the
    flags are freed.

    ``relax`` and ``update`` are the files of the two kernels, launched with ``blocks`` blocks of ``block`` threads.
    ``flagged`` says whether both kernels take a flag for each vertex.
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
        super().__init__(device, graph, source)
        self.iterations = graph.vertices - 1
        self.grid, self.block = (blocks,), block
        self.relax, self.update = device.kernel(relax, "relax"), device.kernel(update, "update")
        self.arcs = self.copy.arguments  # as relax takes them
        self.of_source = OneSource(device, graph, self.copy.arguments, block, blocks)
        self.find_improvable = device.kernel(SETTLED, "find_improvable")
        self.improvable = device.upload(np.zeros(1, np.int32))
        self.initial_values = [
            (np.empty(graph.vertices, np.int32), (UNREACHABLE, 0)),
            (self.host_distances, (UNREACHABLE, 0)),
            (self.host_predecessors, (NO_PREDECESSOR, NO_PREDECESSOR)),
        ]
        if flagged:
            self.initial_values.append((np.empty(graph.vertices, np.uint8), (0, 1)))
        self.round: list[Launch] = []

    def bind_arrays(self, arrays: list[Any]) -> None:
        previous, self.distances, self.predecessors, *flags = arrays
        of_both = {"vertices": np.int32(self.graph.vertices), "previous": previous, "distances": self.distances}
        if flags:
            of_both["flags"] = flags[0]
        self.round = [
            self.relax.bind(self.grid, self.block, **self.arcs, **of_both),
            self.update.bind(self.grid, self.block, **of_both),
        ]

    def iterate(self, first: int, last: int) -> None:
        self.device.repeat(self.round, last - first)
        self.counters["launches"] += len(self.round) * (last - first)

    def finish(self) -> None:
        self.counters.update(self.of_source.find(self.source, self.distances, self.predecessors))

    def download(self) -> Solution:
        solution = super().download()
        self._drop()
        self.device.release()
        return solution

    def release(self) -> None:
        super().release()
        self._drop()

    def _drop(self) -> None:
        """Free the previous distances and the flags."""
        self.round, self.fill = [], None

    def settled(self) -> bool:
        """Whether no arc would lower a distance, found by one launch and one read."""
        launch = self.find_improvable.bind(
            self.grid,
            self.block,
            vertices=np.int32(self.graph.vertices),
            **self.copy.arguments,
            distances=self.distances,
            improvable=self.improvable,
        )
        return self.device.repeat_while([[launch]], self.improvable, 1)[1]
