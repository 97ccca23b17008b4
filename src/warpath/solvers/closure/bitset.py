"""Transitive closure, bitset: 64 columns a word, three passes over blocks of 64 vertices."""

from pathlib import Path

import numpy as np

from ...device import Device
from ...graphs.csr import Graph
from ..plan import Closure, Plan
from ..shared.grids import blocks_over
from ..variant import Variant

KERNEL = Path(__file__).with_suffix(".cu")
BITS = 64
BLOCK = (32, 8)


class BitsetPlan(Plan[Graph]):
    """Rows of bits on the device, shape (n, ceil(n / 64)), uint64; an iteration is one block of 64 vertices.

    The timed region includes copying the packed bits both ways, but neither packing nor unpacking them. A block of
    threads takes ``block[0]`` words of as many rows as it has threads.
    """

    def __init__(self, device: Device, graph: Graph, source: None = None, block: tuple[int, int] = BLOCK):
        super().__init__(device, graph)
        self.block = block
        self.words = self.iterations = blocks_over(graph.vertices, BITS)
        macros = {"WORDS": block[0], "GROUPS": block[1]}
        self.kernels = {name: device.kernel(KERNEL, name, macros) for name in ("pass1", "pass2", "pass3")}
        self.host_rows = device.pinned((graph.vertices, self.words), np.uint64)

    def reset(self) -> None:
        self.host_rows.fill(0)
        vertices = np.arange(self.graph.vertices)
        for tails, heads in ((self.graph.tails(), self.graph.indices), (vertices, vertices)):
            bits = np.uint64(1) << (heads % BITS).astype(np.uint64)
            np.bitwise_or.at(self.host_rows, (tails, heads // BITS), bits)

    def upload(self) -> None:
        self.rows = self.device.upload(self.host_rows)

    def iterate(self, first: int, last: int) -> None:
        word_blocks = blocks_over(self.words - 1, self.block[0])
        for primary in range(first, last):
            other_rows = self.graph.vertices - min(BITS, self.graph.vertices - primary * BITS)
            row_blocks = blocks_over(other_rows, self.block[0] * self.block[1])
            self.launch("pass1", primary, (1,), (BITS,))
            if self.words > 1:
                self.launch("pass2", primary, (max(word_blocks, row_blocks), 2), self.block)
                self.launch("pass3", primary, (word_blocks, row_blocks), self.block)

    def launch(self, name: str, primary: int, grid: tuple[int, ...], block: tuple[int, ...]) -> None:
        self.kernels[name](
            grid,
            block,
            vertices=np.int32(self.graph.vertices),
            words=np.int32(self.words),
            primary=np.int32(primary),
            rows=self.rows,
        )
        self.counters["launches"] += 1

    def download(self) -> Closure:
        self.device.download(self.rows, self.host_rows)
        return Closure(self.host_rows)

    def on_device(self) -> Closure:
        return Closure(self.rows)

    def release(self) -> None:
        self.rows = None


VARIANT = Variant(
    plan=BitsetPlan,
    kernels=(KERNEL,),
    smallest={"block": (2, 4)},
)
