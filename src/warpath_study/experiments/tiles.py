"""The tiles of kernels that include min_plus.cuh."""

from dataclasses import dataclass

from warpath.graphs.csr import Graph

WORD_BYTES = 4
GROUP = 4  # words that are read together; rows of the transposed slice are longer by as many


@dataclass(frozen=True)
class TileShape:
    """How the work of a stage is cut into tiles, blocks and threads.

    ``tile`` vertices are taken in a stage; a block has ``threads_side`` squared threads, each of which owns ``cells``
    squared cells. ``tile`` and ``cells`` have to be multiples of four, and ``tile`` a multiple of ``4 * threads_side``.
    """

    tile: int = 64
    threads_side: int = 16
    cells: int = 8

    @property
    def output(self) -> int:
        """The side of an output tile, in cells."""
        return self.threads_side * self.cells

    @property
    def block(self) -> tuple[int, int]:
        """The block of the kernels that relax output tiles."""
        return (self.threads_side, self.threads_side)

    @property
    def diagonal_block(self) -> tuple[int, int]:
        """The block of the kernel that closes a tile on the diagonal."""
        return (self.tile, self.threads_side)

    def vertex_bits(self, graph: Graph) -> int:
        """VERTEX_BITS for slices of ``tile`` vertices: 0 where a path may be too long for a key.

        A shortest path has fewer arcs than the graph has vertices.
        """
        bits = (self.tile - 1).bit_length()
        longest = max(graph.vertices - 1, 0) * graph.weight_max
        far = 2 ** (31 - bits) - 1
        return bits if graph.weight_min >= 0 and longest < far else 0

    def macros(self, graph: Graph) -> dict[str, int]:
        return {
            "TILE": self.tile,
            "THREADS_SIDE": self.threads_side,
            "CELLS": self.cells,
            "VERTEX_BITS": self.vertex_bits(graph),
            "NEGATIVE_WEIGHTS": int(graph.weight_min < 0),
        }

    def slices_bytes(self, width: int, vertex_bits: int) -> int:
        """Size of ``Slices<width>``: two slices, one of them padded; without VERTEX_BITS also a list of cells."""
        slices = self.tile * (2 * width + GROUP) * WORD_BYTES
        return slices if vertex_bits else slices + 4 + 2 * width * width


DEFAULT_SHAPE = TileShape()
