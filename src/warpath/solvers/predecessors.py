"""Predecessors from final distances, on the device, for variants whose iterations do not keep them."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from ..device import Device
from ..graphs.csr import Graph
from .grids import GRID_Y_MAX, blocks_over
from .tight_arcs import trees_needed

KERNEL = Path(__file__).with_name("predecessors.cu")
BLOCK = (256,)
# How many vertices of a row a thread looks at, so that a block has something to do.
VERTICES_A_THREAD = 8
_ANSWER = 4  # where distances and predecessors are among the arguments of the kernels that claim


class OneSource:
    """The predecessors of one source at a time, from ``csr``: the arrays of ``graph`` on the device.

    A thread takes a vertex, in a launch of ``grid`` blocks of ``block`` threads.
    """

    def __init__(self, device: Device, graph: Graph, csr: tuple[Any, ...], grid: tuple[int], block: tuple[int]):
        self.device = device
        self.vertices = graph.vertices
        self.csr = csr
        self.grid, self.block = grid, block
        self.growing = trees_needed(graph)
        self.kernel = device.kernel(KERNEL, "grow" if self.growing else "claim")
        if not self.growing:
            arguments = (np.int32(graph.vertices), *csr, None, None)
            self.claim = self.kernel.bind(grid, block, arguments)

    def find(self, source: int, distances: Any, predecessors: Any) -> Counter[str]:
        """Enqueue: fill ``predecessors``, which has to be NO_PREDECESSOR everywhere; device arrays, (n,), int32.

        Returns how many ``launches`` and ``host_reads`` (copies of a flag to the host, each waited for) it took.
        """
        if not self.growing:
            self.claim.replace(_ANSWER, distances, predecessors)
            self.device.enqueue([self.claim])
            self.claim.replace(_ANSWER, None, None)  # so that it keeps no arrays
            return Counter(launches=1)
        grown = self.device.upload(np.zeros(1, np.int32))
        arguments = (np.int32(self.vertices), np.int32(source), *self.csr, distances, predecessors, grown)
        step = self.kernel.bind(self.grid, self.block, arguments)
        launches, _ = self.device.repeat_while([[step]], grown, self.vertices)
        return Counter(launches=launches, host_reads=launches)


class OfRows:
    """The predecessors of many sources, a row each, whatever the weights.

    Arcs of positive weight are looked at by head: every vertex takes the tail of one that is tight, in one launch. What
    other arcs there are, a second launch grows the trees by them. With negative arcs that is all of them, because a
    cycle of weight zero can then have any arcs.
    """

    def __init__(self, device: Device, graph: Graph, block: tuple[int] = BLOCK):
        self.device, self.block = device, block
        self.vertices = graph.vertices
        tails, heads, weights = graph.sources(), graph.indices, graph.weights
        claiming = weights > 0 if graph.weight_min >= 0 else np.zeros(graph.arcs, bool)
        growing = ~claiming & (tails != heads)
        order = np.flatnonzero(claiming)[np.argsort(heads[claiming], kind="stable")]
        starts = np.zeros(graph.vertices + 1, np.int32)
        np.cumsum(np.bincount(heads[order], minlength=graph.vertices), out=starts[1:])
        self.arcs_in = [device.upload(array) for array in (starts, tails[order], weights[order])]
        self.growing = int(np.count_nonzero(growing))
        self.arcs_grown = [device.upload(array[growing]) for array in (tails, heads, weights)] if self.growing else []
        self.claim, self.grow = device.kernel(KERNEL, "claim_rows"), device.kernel(KERNEL, "grow_rows")

    def find(self, sources: Any | None, distances: Any, predecessors: Any) -> int:
        """Enqueue: overwrite ``predecessors``; both are device arrays of shape (k, n), int32. Returns the launches.

        ``sources`` is a device array of shape (k,), int32; without it, row i is that of source i.
        """
        rows = len(distances)
        pieces = min(blocks_over(self.vertices, self.block[0] * VERTICES_A_THREAD), GRID_Y_MAX)
        vertices = np.int32(self.vertices)
        self.claim((rows, pieces), self.block, (vertices, sources, *self.arcs_in, distances, predecessors))
        if not self.growing:
            return 1
        arguments = (vertices, sources, np.int32(self.growing), *self.arcs_grown, distances, predecessors)
        self.grow((rows,), self.block, arguments)
        return 2


class AllPairs:
    """The predecessors of all pairs, whatever the weights."""

    def __init__(self, device: Device, graph: Graph, block: tuple[int] = BLOCK):
        self.of_rows = OfRows(device, graph, block)

    def find(self, distances: Any, predecessors: Any) -> None:
        """Overwrite ``predecessors``; both are device arrays of shape (n, n), int32. Waits."""
        self.of_rows.find(None, distances, predecessors)
        self.of_rows.device.synchronize()
