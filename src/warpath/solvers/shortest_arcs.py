"""Predecessors of all pairs from final distances, along the arcs that are shortest paths themselves."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from ..device import Device
from ..device.copies import GraphCopy

KERNEL = Path(__file__).with_suffix(".cu")
TREE_BLOCK = (1024,)
MARK_BLOCK = (256,)


class Marks:
    """Finds the arcs of ``copy``'s graph that are shortest paths, among those from some vertices."""

    def __init__(self, device: Device, copy: GraphCopy):
        self.device, self.copy = device, copy
        self.kernel = device.kernel(KERNEL, "mark")

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
        self.kernels = {name: device.kernel(KERNEL, name) for name in ("count", "place", "claim", "grow")}

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
