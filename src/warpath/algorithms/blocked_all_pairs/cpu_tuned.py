"""Blocked all pairs, cpu_tuned: three passes over blocks, on every core and in vector instructions.

It stands in the place of the code that Han, Franchetti and Pueschel generated and tuned for the published comparison:
blocks for the cache, an inner loop without branches that compilers turn into vector instructions, four intermediate
vertices at a time so that a cell is read and written a fourth as often, and blocks spread over the cores.
"""

import numba
import numpy as np

from ...distances import UNREACHABLE
from ..registry import Variant
from .host_cells import HostPlan, relax_vertex_by_vertex


class TunedPlan(HostPlan):
    """An iteration is one primary block of ``tile`` vertices."""

    tile = 64
    width = 512  # columns of a block in pass 3

    def __init__(self, device, graph, source=None):
        super().__init__(device, graph)
        self.iterations = -(-graph.vertices // self.tile)

    def iterate(self, first: int, last: int) -> None:
        relax_blocks(first, last, self.tile, self.width, self.unsigned_lengths, self.intermediates)


@numba.njit(parallel=True, cache=True)
def relax_blocks(first, last, tile, width, lengths, intermediates):
    vertices = len(lengths)
    blocks = -(-vertices // tile)
    spans = -(-vertices // width)
    for primary in range(first, last):
        start = primary * tile
        stop = min(start + tile, vertices)
        # Only inside the primary block does a vertex wait for the one before it.
        relax_vertex_by_vertex(start, stop, start, stop, start, stop, lengths, intermediates)
        for task in numba.prange(blocks + spans):
            if task < blocks:
                if task != primary:
                    low = task * tile
                    relax_block(low, min(low + tile, vertices), start, stop, start, stop, lengths, intermediates)
            else:
                low = (task - blocks) * width
                high = min(low + width, vertices)
                # Around the primary block itself, which is closed and must not be written while others read it.
                relax_block(start, stop, low, min(high, start), start, stop, lengths, intermediates)
                relax_block(start, stop, max(low, stop), high, start, stop, lengths, intermediates)
        for task in numba.prange(blocks * spans):
            row = task // spans
            if row != primary:
                top = row * tile
                bottom = min(top + tile, vertices)
                low = task % spans * width
                high = min(low + width, vertices)
                relax_block(top, bottom, low, min(high, start), start, stop, lengths, intermediates)
                relax_block(top, bottom, max(low, stop), high, start, stop, lengths, intermediates)


@numba.njit(cache=True)
def relax_block(top, bottom, low, high, start, stop, lengths, intermediates):
    """Relax rows top..bottom-1 and columns low..high-1 through the vertices start..stop-1; lengths are uint32."""
    if low >= high:
        return
    unreachable = np.uint32(UNREACHABLE)
    # Unsigned indices: for signed ones, Python's meaning of negative indices would be tested for, cell by cell.
    for i in range(np.uintp(top), np.uintp(bottom)):
        k = np.uintp(start)
        while k + np.uintp(4) <= np.uintp(stop):
            k1, k2, k3 = k + np.uintp(1), k + np.uintp(2), k + np.uintp(3)
            to0, to1, to2, to3 = lengths[i, k], lengths[i, k1], lengths[i, k2], lengths[i, k3]
            if min(min(to0, to1), min(to2, to3)) < unreachable:
                for j in range(np.uintp(low), np.uintp(high)):
                    # The sum of an unreachable length and any other is never below a length: 32 unsigned bits hold it.
                    best, best_k = lengths[i, j], intermediates[i, j]
                    candidate = np.uint32(to0 + lengths[k, j])
                    best_k = np.int32(k) if candidate < best else best_k
                    best = min(candidate, best)
                    candidate = np.uint32(to1 + lengths[k1, j])
                    best_k = np.int32(k1) if candidate < best else best_k
                    best = min(candidate, best)
                    candidate = np.uint32(to2 + lengths[k2, j])
                    best_k = np.int32(k2) if candidate < best else best_k
                    best = min(candidate, best)
                    candidate = np.uint32(to3 + lengths[k3, j])
                    best_k = np.int32(k3) if candidate < best else best_k
                    lengths[i, j] = min(candidate, best)
                    intermediates[i, j] = best_k
            k += np.uintp(4)
        relax_vertex_by_vertex(i, i + np.uintp(1), low, high, k, np.uintp(stop), lengths, intermediates)


VARIANT = Variant(
    problem="apsp",
    paper="katz_kider",
    summary="three passes over blocks, on every core and in vector instructions",
    plan=TunedPlan,
    on_cpu=True,
    negative_arcs=False,
)
