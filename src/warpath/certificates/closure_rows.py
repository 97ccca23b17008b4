"""Certifies a closure on a device, component by component; see closure_rows.cu."""

from pathlib import Path
from typing import Any

import numpy as np

from ..device import Device
from ..graphs.csr import Graph
from .components import certified_components
from .verdict import Verdict

KERNELS = Path(__file__).with_name("closure_rows.cu")
BITS = 64
BLOCK = (32, 8)
GRID_Y_MAX = 1024  # the kernels' threads stride over the rest
REACH_BYTES_MAX = 256 * 2**20


class ClosureRows:
    """The kernels, and the components of the graph on the device. May raise OutOfMemoryError."""

    def __init__(self, device: Device, graph: Graph, reach_bytes_max: int = REACH_BYTES_MAX):
        self._device = device
        self._vertices = graph.vertices
        self._reach_bytes_max = reach_bytes_max
        self.words = -(-graph.vertices // BITS)
        self._components = certified_components(graph)
        self._of_vertices = device.upload(self._components.of_vertices)
        self._tails = device.upload(self._components.tails)
        self._heads = device.upload(self._components.heads)
        self._clear, self._add_members, self._add_arcs, self._judge = (
            device.kernel(KERNELS, name) for name in ("clear", "add_members", "add_arcs", "judge_closure")
        )

    def pack(self, cells: Any, rows: Any) -> None:
        """Fill ``rows`` with the bits of ``cells``, integers of shape (k, n); device arrays."""
        if cells.dtype.itemsize not in (1, 4):
            cells = cells != 0
        name = "pack_bytes" if cells.dtype.itemsize == 1 else "pack_integers"
        arguments = (np.int32(self._vertices), np.int32(self.words), np.int32(len(cells)), cells, rows)
        self._device.kernel(KERNELS, name)(self._grid(self.words, len(cells)), BLOCK, arguments)

    def certify(self, verdict: Verdict, faulty_rows: Any, rows: Any) -> tuple[bool, int]:
        """Whether a row is faulty, and how many pairs are reached; ``faulty_rows`` then holds the call's number.

        ``rows`` has shape (n, words), uint64, on the device.
        """
        found, call = self._components, verdict.begin()
        at_once = max(1, min(self.words, self._reach_bytes_max // (8 * found.count)))
        reach = self._device.empty((found.count * at_once,), np.uint64)
        vertices, components, arcs = (np.int32(n) for n in (self._vertices, found.count, len(found.tails)))
        for first in range(0, self.words, at_once):
            count = min(at_once, self.words - first)
            piece = np.int32(first), np.int32(count)
            self._clear(self._grid(count, found.count), BLOCK, (components, piece[1], reach))
            self._add_members((-(-self._vertices // 256),), (256,), (vertices, self._of_vertices, *piece, reach))
            of_rows = np.int32(self.words), rows, reach
            if len(found.tails):
                leaving = arcs, self._tails, self._heads
                self._add_arcs(self._grid(count, len(found.tails)), BLOCK, (*leaving, *piece, *of_rows))
            told = call, faulty_rows, verdict.words
            grid = self._grid(count, self._vertices)
            self._judge(grid, BLOCK, (vertices, self._of_vertices, *piece, *of_rows, *told))
        fault, _, reached = verdict.read()
        return fault, reached

    def first_wrong(self, faulty: np.ndarray) -> int:
        """Of the faulty rows, one that is wrong itself: of the first component, all rows before which are right."""
        ranks = self._components.ranks[self._components.of_vertices[faulty]]
        return int(faulty[np.argmin(ranks)])

    @staticmethod
    def _grid(columns: int, items: int) -> tuple[int, int]:
        return -(-columns // BLOCK[0]), min(GRID_Y_MAX, -(-items // BLOCK[1]))
