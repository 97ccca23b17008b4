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
from .cpu import HostPlan


class CacheBlockedPlan(HostPlan):
    """An iteration is one primary block of ``tile`` vertices; the blocks of a step take 256 KiB."""

    def __init__(self, device: Device, graph: Graph, source: None = None, tile: int = 128):
        super().__init__(device, graph)
        self.tile = tile
        self.iterations = blocks_over(graph.vertices, tile)

    def iterate(self, first: int, last: int) -> None:
        relax_blocks(first, last, self.tile, *self.cells)


@numba.njit(cache=True)
def relax_blocks(first: int, last: int, tile: int, lengths: np.ndarray, intermediates: np.ndarray) -> None:
    # Blocks as arrays of their own. In the matrix, the rows of a block are a whole row apart; where that is a power of
    # two, they fall into few sets of the cache, and a block that is smaller than the cache does not stay there.
    cached = (
        np.empty((tile, tile), np.uint32),
        np.empty((tile, tile), np.int32),
        np.empty((tile, tile), np.uint32),
        np.empty((tile, tile), np.uint32),
    )
    blocks = -(-len(lengths) // tile)
    for primary in range(first, last):
        relax_block(primary, primary, primary, tile, lengths, intermediates, cached)
        for other in range(blocks):
            if other != primary:
                relax_block(primary, other, primary, tile, lengths, intermediates, cached)
                relax_block(other, primary, primary, tile, lengths, intermediates, cached)
        for row in range(blocks):
            for column in range(blocks):
                if row != primary and column != primary:
                    relax_block(row, column, primary, tile, lengths, intermediates, cached)


@numba.njit(cache=True)
def relax_block(
    row: int,
    column: int,
    primary: int,
    tile: int,
    lengths: np.ndarray,
    intermediates: np.ndarray,
    cached: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
) -> None:
    """Relax the block at (row, column) through the vertices of the primary block, in the arrays ``cached``."""
    own, owed, to, start = cached
    vertices = len(lengths)
    top, left, first = row * tile, column * tile, primary * tile
    rows, columns, steps = min(tile, vertices - top), min(tile, vertices - left), min(tile, vertices - first)
    own[:rows, :columns] = lengths[top : top + rows, left : left + columns]
    owed[:rows, :columns] = intermediates[top : top + rows, left : left + columns]
    # A block in the primary column or row leads to the vertices or on from them itself, as it changes.
    if column == primary:
        to = own
    else:
        to[:rows, :steps] = lengths[top : top + rows, first : first + steps]
    if row == primary:
        start = own
    else:
        start[:steps, :columns] = lengths[first : first + steps, left : left + columns]
    relax_cached(own, owed, to, start, first, rows, columns, steps)
    lengths[top : top + rows, left : left + columns] = own[:rows, :columns]
    intermediates[top : top + rows, left : left + columns] = owed[:rows, :columns]


@numba.njit(cache=True)
def relax_cached(
    own: np.ndarray,
    owed: np.ndarray,
    to: np.ndarray,
    start: np.ndarray,
    first: int,
    rows: int,
    columns: int,
    steps: int,
) -> None:
    """Relax a block through the vertices from ``first`` on, one after the other; see relax_vertex_by_vertex."""
    for step in range(steps):
        k = np.int32(first + step)
        from_k = start[step, :columns].copy()  # so that the loop reads nothing that it writes
        for i in range(rows):
            to_k = to[i, step]
            lengths, intermediates = own[i], owed[i]
            for j in range(columns):
                candidate = np.uint32(to_k + from_k[j])
                length = lengths[j]
                intermediates[j] = k if candidate < length else intermediates[j]
                lengths[j] = min(candidate, length)


VARIANT = PlanVariant(
    origin="venkataraman_sahni_mukhopadhyaya",
    plan=CacheBlockedPlan,
    on_cpu=True,
    compiled=(relax_blocks, grow_trees, resolve),
    revision=2,  # blocks as arrays of their own
    smallest={"tile": 4},
    negative_arcs=False,
)
