"""Transitive closure, bitset: 64 columns a word, three passes over blocks of 64 vertices."""

from pathlib import Path

import numpy as np

from ...device import Device
from ...graphs.csr import Graph
from ..plan import Closure, Plan
from ..registry import Variant

KERNEL = Path(__file__).with_suffix(".cu")
BITS = 64


class BitsetPlan(Plan):
    """Rows of bits on the device, shape (n, ceil(n / 64)), uint64; an iteration is one block of 64 vertices.

    The timed region holds the packed bits' way there and back; they are packed before and unpacked after. A block of
    threads takes ``word_columns`` words of ``word_columns * groups`` rows.
    """

    word_columns = 32
    groups = 8

    def __init__(self, device: Device, graph: Graph, source: None = None):
        super().__init__(device, graph)
        self.words = self.iterations = -(-graph.vertices // BITS)
        macros = {"WORDS": self.word_columns, "GROUPS": self.groups}
        self.kernels = {name: device.kernel(KERNEL, name, macros) for name in ("pass1", "pass2", "pass3")}
        self.host_rows = device.pinned((graph.vertices, self.words), np.uint64)

    def reset(self) -> None:
        self.host_rows.fill(0)
        vertices = np.arange(self.graph.vertices)
        for tails, heads in ((self.graph.sources(), self.graph.indices), (vertices, vertices)):
            bits = np.uint64(1) << (heads % BITS).astype(np.uint64)
            np.bitwise_or.at(self.host_rows, (tails, heads // BITS), bits)

    def upload(self) -> None:
        self.rows = self.device.upload(self.host_rows)

    def iterate(self, first: int, last: int) -> None:
        block = (self.word_columns, self.groups)
        word_blocks = -(-(self.words - 1) // self.word_columns)
        for primary in range(first, last):
            other_rows = self.graph.vertices - min(BITS, self.graph.vertices - primary * BITS)
            row_blocks = -(-other_rows // (self.word_columns * self.groups))
            self.launch("pass1", primary, (1,), (BITS,))
            if self.words > 1:
                self.launch("pass2", primary, (max(word_blocks, row_blocks), 2), block)
                self.launch("pass3", primary, (word_blocks, row_blocks), block)

    def launch(self, name: str, primary: int, grid: tuple[int, ...], block: tuple[int, ...]) -> None:
        """Enqueue one pass for the primary block number ``primary``."""
        arguments = (np.int32(self.graph.vertices), np.int32(self.words), np.int32(primary), self.rows)
        self.kernels[name](grid, block, arguments)
        self.counters["launches"] += 1

    def download(self) -> Closure:
        self.device.download(self.rows, self.host_rows)
        return Closure(self.host_rows)

    def release(self) -> None:
        self.rows = None


VARIANT = Variant(
    problem="closure",
    paper="katz_kider",
    summary="64 columns a word, three passes over blocks of 64 vertices",
    plan=BitsetPlan,
    kernel=KERNEL,
)
