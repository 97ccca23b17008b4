"""Blocked all pairs, cpu_blocked: serial, three passes over blocks that fit into the cache.

Source: G. Venkataraman, S. Sahni and S. Mukhopadhyaya, "A Blocked All-Pairs Shortest-Paths Algorithm", ACM Journal of
Experimental Algorithmics 8, 2003, with which Katz and Kider compare.
"""

import numba
import numpy as np

from warpath.device import Device
from warpath.graphs.csr import Graph

from ...shared.grids import blocks_over
from ...shared.matrices import grow_trees, resolve
from ...shared.plan import PlanVariant
from .cpu import HostPlan, relax_vertex_by_vertex


class CacheBlockedPlan(HostPlan):
    """An iteration is one primary block of ``tile`` vertices; three blocks of lengths take 192 KiB."""

    def __init__(self, device: Device, graph: Graph, source: None = None, tile: int = 128):
        super().__init__(device, graph)
        self.tile = tile
        self.iterations = blocks_over(graph.vertices, tile)

    def iterate(self, first: int, last: int) -> None:
        relax_blocks(first, last, self.tile, *self.cells)


@numba.njit(cache=True)
def relax_blocks(first: int, last: int, tile: int, lengths: np.ndarray, intermediates: np.ndarray) -> None:
    blocks = -(-len(lengths) // tile)
    for primary in range(first, last):
        relax_block(primary, primary, primary, tile, lengths, intermediates)
        for other in range(blocks):
            if other != primary:
                relax_block(primary, other, primary, tile, lengths, intermediates)
                relax_block(other, primary, primary, tile, lengths, intermediates)
        for row in range(blocks):
            for column in range(blocks):
                if row != primary and column != primary:
                    relax_block(row, column, primary, tile, lengths, intermediates)


@numba.njit(cache=True)
def relax_block(row: int, column: int, primary: int, tile: int, lengths: np.ndarray, intermediates: np.ndarray) -> None:
    """Relax the block at (row, column) through the vertices of the primary block."""
    vertices = len(lengths)
    top, low, start = row * tile, column * tile, primary * tile
    bottom, high, stop = min(top + tile, vertices), min(low + tile, vertices), min(start + tile, vertices)
    relax_vertex_by_vertex(top, bottom, low, high, start, stop, lengths, intermediates)


VARIANT = PlanVariant(
    origin="venkataraman_sahni_mukhopadhyaya",
    plan=CacheBlockedPlan,
    on_cpu=True,
    compiled=(relax_blocks, grow_trees, resolve),
    smallest={"tile": 4},
    negative_arcs=False,
)
