"""Predecessors from final distances, on the device, for variants whose iterations do not keep them.

An arc is tight if its weight is the difference of the distances of its ends; predecessors are chosen among tight arcs.
"""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from ..device import Device
from ..device.copies import GraphCopy
from ..graphs.csr import Graph
from .grids import GRID_Y_MAX, blocks_over

KERNEL = Path(__file__).with_name("predecessors.cu")
ARCS_KERNEL = Path(__file__).with_name("shortest_arcs.cu")
BLOCK = (256,)
# How many vertices of a row a thread looks at, so that a block has something to do.
VERTICES_A_THREAD = 8
_ANSWER = 4  # where distances and predecessors are among the arguments of the kernels that claim
TREE_BLOCK = (1024,)
MARK_BLOCK = (256,)


def trees_needed(graph: Graph) -> bool:
    """Whether tight arcs can form a cycle, so that predecessors have to be grown as a tree from the source.

    Along a tight arc of positive weight the distance rises.
    """
    return graph.weight_min <= 0 and graph.arcs > 0


class OneSource:
    """The predecessors of one source at a time, from ``csr``: the arrays of ``graph`` on the device.

    A thread takes a vertex, in a launch of ``blocks`` blocks, by default as many as give each vertex a thread.
    """

    def __init__(
        self, device: Device, graph: Graph, csr: tuple[Any, ...], block: tuple[int] = BLOCK, blocks: int | None = None
    ):
        self.device = device
        self.vertices = graph.vertices
        self.csr = csr
        self.grid, self.block = (blocks or blocks_over(graph.vertices, block[0]),), block
        self.growing = trees_needed(graph)
        self.kernel = device.kernel(KERNEL, "grow" if self.growing else "claim")
        if not self.growing:
            arguments = (np.int32(graph.vertices), *csr, None, None)
            self.claim = self.kernel.bind(self.grid, block, arguments)

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


class Marks:
    """Finds the arcs of ``copy``'s graph that are shortest paths, among those from some vertices."""

    def __init__(self, device: Device, copy: GraphCopy):
        self.device, self.copy = device, copy
        self.kernel = device.kernel(ARCS_KERNEL, "mark")

    def find(self, first: int, distances: Any) -> np.ndarray:
        """The numbers of the arcs, shape (k,), int64. ``distances``, (rows, n), are those from vertex ``first`` on.

        Waits for the device's default stream. May raise OutOfMemoryError.
        """
        graph, rows = self.copy.graph, len(distances)
        begin, end = graph.indptr[[first, first + rows]].tolist()
        marks = np.zeros(end - begin, np.uint8)
        if len(marks):
            on_device = self.device.upload(marks)
            arguments = (np.int32(graph.vertices), np.int32(first), *self.copy.arrays, distances, on_device)
            self.kernel((rows,), MARK_BLOCK, arguments)
            self.device.download(on_device, marks)
        return begin + np.flatnonzero(marks)


class Trees:
    """Finds the predecessors of all pairs of ``copy``'s graph, whatever the weights."""

    def __init__(self, device: Device, copy: GraphCopy, block: tuple[int] = TREE_BLOCK):
        self.device, self.copy, self.block = device, copy, block
        self.kernels = {name: device.kernel(ARCS_KERNEL, name) for name in ("count", "place", "claim", "grow")}

    def find(self, distances: Any, predecessors: Any) -> Counter[str]:
        """Enqueue: overwrite ``predecessors``; both are device arrays of shape (n, n), int32.

        Reads two numbers back before, to allocate the list of arcs. Returns ``launches`` and ``host_reads``. May raise
        OutOfMemoryError.
        """
        device, xp, vertices = self.device, self.device.xp, self.copy.graph.vertices
        rows, number = (vertices,), np.int32(vertices)
        arcs = (number, np.int32(self.copy.graph.weight_min < 0), *self.copy.arrays)
        counts = device.upload(np.zeros(vertices + 1, np.int32))
        self.kernels["count"](rows, self.block, (*arcs, distances, counts))
        starts = device.upload(np.zeros(vertices + 2, np.int32))
        starts[1:] = xp.cumsum(counts, dtype=np.int32)
        ends = np.empty(2, np.int32)
        device.download(starts[vertices:], ends)
        last, total = ends.tolist()
        picked = device.empty((max(total, 1), 2), np.int32)
        heads = device.empty((max(total - last, 1),), np.int32)
        following = starts[:-1].copy()
        self.kernels["place"](rows, self.block, (*arcs, distances, following, np.int32(last), picked, heads))
        row_bytes = starts.itemsize * vertices
        in_shared = row_bytes <= device.shared_memory_bytes
        self.kernels["claim"](
            rows,
            self.block,
            (*arcs[:2], np.int32(in_shared), *arcs[2:], starts, picked, distances, predecessors),
            shared_mem=row_bytes if in_shared else 0,
        )
        if total == last:
            return Counter(launches=3, host_reads=1)
        others = (np.int32(total - last), np.int32(last), picked, heads)
        self.kernels["grow"](rows, self.block, (number, *others, distances, predecessors))
        return Counter(launches=4, host_reads=1)
