"""Floyd-Warshall, staged: output tiles in registers, fed by slices in shared memory."""

from pathlib import Path

import numpy as np

from ...device import Device
from ...graphs.csr import Graph
from ..min_plus import slices_bytes, vertex_bits
from ..registry import Variant
from .matrices import TilePlan

KERNEL = Path(__file__).with_suffix(".cu")


class StagedPlan(TilePlan):
    """The stages of TilePlan, with larger output tiles in phase 3 and no wait between launches.

    ``tile`` vertices are taken in a stage, ``threads_side`` squared threads a block, ``cells`` squared cells a thread.
    The kernels need ``tile`` and ``cells`` to be multiples of four, ``tile`` one of four times ``threads_side``, too.
    """

    tile = 64
    threads_side = 16
    cells = 8

    def __init__(self, device: Device, graph: Graph, kernel_file: Path):
        self.vertex_bits = vertex_bits(graph, self.tile)
        macros = {"THREADS_SIDE": self.threads_side, "CELLS": self.cells, "VERTEX_BITS": self.vertex_bits}
        super().__init__(device, graph, kernel_file, **macros)
        self.side = self.threads_side * self.cells

    def iterate(self, first: int, last: int) -> None:
        vertices = np.int32(self.graph.vertices)
        tiles, blocks = self.iterations, -(-self.graph.vertices // self.side)
        square = (self.threads_side, self.threads_side)
        launches = (
            ("phase1", (1,), (self.tile, self.threads_side), 0),
            ("phase2", (tiles, 2), square, self._slices_bytes(self.tile)),
            ("phase3", (blocks, blocks), square, self._slices_bytes(self.side)),
        )
        for primary in range(first, last):
            for name, grid, block, shared_bytes in launches:
                arguments = (vertices, np.int32(primary), self.distances, self.predecessors)
                self.kernels[name](grid, block, arguments, shared_mem=shared_bytes)
                self.counters["launches"] += 1

    def _slices_bytes(self, width: int) -> int:
        return slices_bytes(self.tile, width, self.vertex_bits)


def plan(device: Device, graph: Graph, source: None = None) -> StagedPlan:
    return StagedPlan(device, graph, KERNEL)


VARIANT = Variant(
    problem="apsp",
    paper="bodra",
    summary="output tiles in registers, slices of the primary row and column in shared memory",
    plan=plan,
    kernel=KERNEL,
)
