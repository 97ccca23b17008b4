"""Blocked all pairs, cpu_tuned: three passes over blocks, on every core and in vector instructions.

It replaces the code that Katz and Kider compare with, which is generated and tuned for one machine: S.-C. Han,
F. Franchetti and M. Pueschel, "Program Generation for the All-Pairs Shortest Path Problem", PACT 2006. Taken from it:
blocks for the cache, an inner loop without branches that the compiler turns into vector instructions, and unrolling,
here by four intermediate vertices, so that a cell is read and written a fourth as often. Spreading blocks over the
cores is ours.
"""

import numba
import numpy as np

from warpath.device import Device
from warpath.distances import UNREACHABLE
from warpath.graphs.csr import Graph
from warpath.system.locks import on_all_cores

from ...shared.grids import blocks_over
from ...shared.matrices import grow_trees, resolve
from ...shared.plan import PlanVariant
from .cpu import HostPlan, relax_vertex_by_vertex


class TunedPlan(HostPlan):
    """An iteration is one primary block of ``tile`` vertices; a block in pass 3 has ``width`` columns."""

    def __init__(self, device: Device, graph: Graph, source: None = None, tile: int = 64, width: int = 512):
        super().__init__(device, graph)
        self.tile, self.width = tile, width
        self.iterations = blocks_over(graph.vertices, tile)

    def iterate(self, first: int, last: int) -> None:
        relax_blocks(first, last, self.tile, self.width, *self.cells)


@on_all_cores
@numba.njit(parallel=True, cache=True)
def relax_blocks(first: int, last: int, tile: int, width: int, lengths: np.ndarray, intermediates: np.ndarray) -> None:
    vertices = len(lengths)
    blocks = -(-vertices // tile)
    spans = -(-vertices // width)
    for primary in range(first, last):
        start = primary * tile
        stop = min(start + tile, vertices)
        # Only the primary block has to be relaxed through one vertex after the other.
        relax_vertex_by_vertex(start, stop, start, stop, start, stop, lengths, intermediates)
        for task in numba.prange(blocks + spans):
            if task < blocks:
                if task != primary:
                    low = task * tile
                    relax_block(low, min(low + tile, vertices), start, stop, start, stop, lengths, intermediates)
            else:
                low = (task - blocks) * width
                high = min(low + width, vertices)
                # Left and right of the primary block, which is closed and must not be written while others read it.
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
def relax_block(
    top: int, bottom: int, low: int, high: int, start: int, stop: int, lengths: np.ndarray, intermediates: np.ndarray
) -> None:
    """Relax rows top..bottom-1 and columns low..high-1 through the vertices start..stop-1; lengths are uint32."""
    if low >= high:
        return
    unreachable = np.uint32(UNREACHABLE)
    # Unsigned indices: signed ones would be tested for being negative, cell by cell, as Python's indices may be.
    for i in range(np.uintp(top), np.uintp(bottom)):
        k = np.uintp(start)
        while k + np.uintp(4) <= np.uintp(stop):
            k1, k2, k3 = k + np.uintp(1), k + np.uintp(2), k + np.uintp(3)
            to0, to1, to2, to3 = lengths[i, k], lengths[i, k1], lengths[i, k2], lengths[i, k3]
            if min(min(to0, to1), min(to2, to3)) < unreachable:
                for j in range(np.uintp(low), np.uintp(high)):
                    # A sum with an unreachable length fits 32 unsigned bits and is never below a length.
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


VARIANT = PlanVariant(
    origin="han_franchetti_pueschel",
    plan=TunedPlan,
    on_cpu=True,
    compiled=(relax_blocks, grow_trees, resolve),
    smallest={"tile": 4, "width": 12},
    negative_arcs=False,
)
