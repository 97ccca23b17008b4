"""Blocked all pairs, cpu_blocked: serial, three passes over blocks that fit into the cache.

Source: G. Venkataraman, S. Sahni and S. Mukhopadhyaya, "A Blocked All-Pairs Shortest-Paths Algorithm", ACM Journal of
Experimental Algorithmics 8, 2003.
"""

import numba

from ..registry import Variant
from .host_cells import HostPlan, relax_vertex_by_vertex


class CacheBlockedPlan(HostPlan):
    """An iteration is one primary block of ``tile`` vertices; three blocks of lengths take 192 KiB."""

    tile = 128

    def __init__(self, device, graph, source=None):
        super().__init__(device, graph)
        self.iterations = -(-graph.vertices // self.tile)

    def iterate(self, first: int, last: int) -> None:
        relax_blocks(first, last, self.tile, self.unsigned_lengths, self.intermediates)


@numba.njit(cache=True)
def relax_blocks(first, last, tile, lengths, intermediates):
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
def relax_block(row, column, primary, tile, lengths, intermediates):
    """Relax the block at (row, column) through the vertices of the primary block."""
    vertices = len(lengths)
    top, low, start = row * tile, column * tile, primary * tile
    bottom, high, stop = min(top + tile, vertices), min(low + tile, vertices), min(start + tile, vertices)
    relax_vertex_by_vertex(top, bottom, low, high, start, stop, lengths, intermediates)


VARIANT = Variant(
    problem="apsp",
    paper="katz_kider",
    summary="serial, three passes over blocks that fit into the cache",
    plan=CacheBlockedPlan,
    on_cpu=True,
    negative_arcs=False,
)
