"""Transitive closure, bitset: 64 columns a word, three passes over blocks of 64 vertices."""

from pathlib import Path
from typing import Any

import numpy as np

from ...device.resident import Resident
from ..shared.grids import blocks_over
from ..solver import Closure, ClosureSolver
from ..variant import Variant

KERNEL = Path(__file__).with_suffix(".cu")
BITS, WARP = 64, 32
BLOCK = (16, 16)


class Bitset(ClosureSolver):
    """Rows of bits on the device, shape (n, ceil(n / 64)), uint64.

    A block of threads takes ``block[0]`` words of as many rows as it has threads.
    """

    def __init__(self, resident: Resident, block: tuple[int, int] = BLOCK):
        super().__init__()
        self.device, self.graph, self.block = resident.device, resident.graph, block
        self.words = blocks_over(self.graph.vertices, BITS)
        macros = {"WORDS": block[0], "GROUPS": block[1]}
        self.kernels = {name: self.device.kernel(KERNEL, name, macros) for name in ("place", "pass1", "pass2", "pass3")}
        self.arcs = {"indptr": resident.indptr, "indices": resident.indices}

    def solve(self) -> Closure:
        vertices = self.graph.vertices
        rows = self.device.empty((vertices, self.words), np.uint64)
        self.device.set_bytes(rows, 0)
        self.kernels["place"]((vertices,), (WARP,), words=np.int32(self.words), **self.arcs, rows=rows)
        self.counters["launches"] += 1
        word_blocks = blocks_over(self.words - 1, self.block[0])
        for primary in range(self.words):
            other_rows = vertices - min(BITS, vertices - primary * BITS)
            row_blocks = blocks_over(other_rows, self.block[0] * self.block[1])
            self._launch("pass1", rows, primary, (1,), (BITS,))
            if self.words > 1:
                self._launch("pass2", rows, primary, (max(word_blocks, row_blocks), 2), self.block)
                self._launch("pass3", rows, primary, (word_blocks, row_blocks), self.block)
        return Closure(rows)

    def _launch(self, name: str, rows: Any, primary: int, grid: tuple[int, ...], block: tuple[int, ...]) -> None:
        self.kernels[name](
            grid,
            block,
            vertices=np.int32(self.graph.vertices),
            words=np.int32(self.words),
            primary=np.int32(primary),
            rows=rows,
        )
        self.counters["launches"] += 1


VARIANT = Variant(solver=Bitset, same_cost=False, kernels=(KERNEL,), smallest={"block": (2, 4)}, revision=3)
