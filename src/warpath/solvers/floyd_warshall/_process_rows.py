"""The stages of shared_rows with a process for each share, on one machine or many: a broadcast sends the panel."""

from typing import Any, Protocol

import numpy as np

from ...device import Device
from ...graphs.csr import Graph
from ..grids import blocks_over
from ._row_share import NONE, RowShare, split
from ._stages import ProductShape, shape_for


class Communicator(Protocol):
    """What the processes need of each other; mpi4py's communicators have it."""

    rank: int
    size: int

    def Bcast(self, buffer: np.ndarray, root: int) -> None:
        """Copy ``buffer`` of process ``root`` to that of every process; all of them call this."""


class ProcessRows:
    """The rows of this process, out of a graph that every process has. All processes call the same methods.

    ``first_row`` is the first vertex of this process, and ``distances()`` its rows. Each process enqueues a stage
    before it waits for the next panel, so that its device works meanwhile.
    """

    def __init__(self, device: Device, graph: Graph, communicator: Communicator, shape: ProductShape | None = None):
        self.device, self.communicator = device, communicator
        shape = shape or shape_for(device, graph.vertices, cell_bits=32)
        self.stages = blocks_over(graph.vertices, shape.tile)
        side = self.stages * shape.tile
        ranges = split(self.stages, communicator.size)
        self.owners = [rank for rank, tiles in enumerate(ranges) for _ in tiles]
        own = ranges[communicator.rank]
        self.share = RowShare(device, graph, shape, side, own) if own else None
        self.first_row = min(own.start * shape.tile, graph.vertices)
        self.vertices = graph.vertices
        self.panel = device.pinned((shape.tile, side), np.int32)

    def allocate(self) -> None:
        """Make room on the device, and fill it. May raise OutOfMemoryError."""
        if self.share:
            self.share.allocate(alone=self.communicator.size == 1)
            self.share.fill()

    def solve(self) -> None:
        """All stages; waits. If it fails in one process, the others wait for ever: end them."""
        self._prepare(NONE, 0)
        self._send_panel(0)
        for stage in range(self.stages):
            following = stage + 1 if stage + 1 < self.stages else NONE
            if self.share:
                self.share.begin(stage)
                if following != NONE:
                    self._prepare(stage, following)
                self.share.relax_rest(stage, following)
            if following != NONE:
                self._send_panel(following)
        self.device.synchronize()

    def _prepare(self, stage: int, following: int) -> None:
        if self.share:
            self.share.relax_next(stage, following)
            if following in self.share.tiles:
                self.share.close_panel(following)

    def _send_panel(self, stage: int) -> None:
        owner = self.owners[stage]
        if self.communicator.size == 1:
            return
        if self.share and owner == self.communicator.rank:
            self.share.give_panel(stage, self.panel)
        elif self.share:
            self.share.received()  # the panel before has left the buffer
        self.communicator.Bcast(self.panel, root=owner)
        if self.share and owner != self.communicator.rank:
            self.share.take_panel(stage, self.panel)

    def distances(self) -> Any:
        """The rows of this process, device array of shape (rows, n), int32."""
        if self.share:
            return self.share.compact_distances()
        return self.device.empty((0, self.vertices), np.int32)
