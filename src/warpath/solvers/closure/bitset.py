"""Transitive closure, bitset: 64 columns a word, three passes over blocks of 64 vertices."""

from pathlib import Path
from typing import Any

import numpy as np

from ...device.resident import Resident
from ..shared.grids import blocks_over
from ..solver import Closure, ClosureSolver
from ..variant import Variant

KERNEL = Path(__file__).with_suffix(".cu")
BITS = 64
BLOCK = (32, 8)


class Bitset(ClosureSolver):
    """Rows of bits on the device, shape (n, ceil(n / 64)), uint64.

    A block of threads takes ``block[0]`` words of as many rows as it has threads.
    """

    def __init__(self, resident: Resident, block: tuple[int, int] = BLOCK):
        super().__init__()
        self.device, self.graph, self.block = resident.device, resident.graph, block
        self.words = blocks_over(self.graph.vertices, BITS)
        macros = {"WORDS": block[0], "GROUPS": block[1]}
        self.arcs = self._arcs_in_bits()
        self.kernels = {name: self.device.kernel(KERNEL, name, macros) for name in ("pass1", "pass2", "pass3")}

    def solve(self) -> Closure:
        rows = self.device.upload(self.arcs)
        vertices = self.graph.vertices
        word_blocks = blocks_over(self.words - 1, self.block[0])
        for primary in range(self.words):
            other_rows = vertices - min(BITS, vertices - primary * BITS)
            row_blocks = blocks_over(other_rows, self.block[0] * self.block[1])
            self._launch("pass1", rows, primary, (1,), (BITS,))
            if self.words > 1:
                self._launch("pass2", rows, primary, (max(word_blocks, row_blocks), 2), self.block)
                self._launch("pass3", rows, primary, (word_blocks, row_blocks), self.block)
        return Closure(rows)

    def _arcs_in_bits(self) -> np.ndarray:
        rows = self.device.pinned((self.graph.vertices, self.words), np.uint64)
        rows.fill(0)
        vertices = np.arange(self.graph.vertices)
        for tails, heads in ((self.graph.tails(), self.graph.indices), (vertices, vertices)):
            bits = np.uint64(1) << (heads % BITS).astype(np.uint64)
            np.bitwise_or.at(rows, (tails, heads // BITS), bits)
        return rows

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


VARIANT = Variant(
    solver=Bitset,
    kernels=(KERNEL,),
    smallest={"block": (2, 4)},
)
