"""Predecessors from final distances, on the device, for variants whose iterations do not keep them."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from ..device import Device
from ..device.copies import copy_on
from ..graphs.csr import Graph
from .tight_arcs import trees_needed

KERNEL = Path(__file__).with_name("predecessors.cu")
BLOCK = (256,)


class OneSource:
    """The predecessors of one source at a time, from ``csr``: the arrays of ``graph`` on the device."""

    def __init__(self, device: Device, graph: Graph, csr: tuple[Any, ...], grid: tuple[int], block: tuple[int]):
        self.device = device
        self.vertices = graph.vertices
        self.csr = csr
        self.grid, self.block = grid, block
        self.growing = trees_needed(graph)
        self.kernel = device.kernel(KERNEL, "grow" if self.growing else "claim")

    def find(self, source: int, distances: Any, predecessors: Any) -> Counter[str]:
        """Fill ``predecessors``, which has to be NO_PREDECESSOR everywhere; both are device arrays, (n,), int32.

        Returns how many ``launches`` and ``host_reads`` (copies of a flag to the host, each waited for) it took.
        """
        vertices = np.int32(self.vertices)
        if not self.growing:
            self.kernel(self.grid, self.block, (vertices, *self.csr, distances, predecessors))
            self.device.synchronize()
            return Counter(launches=1)
        grown = self.device.upload(np.zeros(1, np.int32))
        arguments = (vertices, np.int32(source), *self.csr, distances, predecessors, grown)
        step = self.kernel.bind(self.grid, self.block, arguments)
        launches, _ = self.device.repeat_while([[step]], grown, self.vertices)
        return Counter(launches=launches, host_reads=launches)


class AllPairs:
    """The predecessors of all pairs, whatever the weights."""

    def __init__(self, device: Device, graph: Graph, block: tuple[int] = BLOCK):
        self.device = device
        self.vertices = graph.vertices
        self.block = block
        self.kernel = device.kernel(KERNEL, "grow_all")
        self.copy = copy_on(device, graph)

    def find(self, distances: Any, predecessors: Any) -> None:
        """Overwrite ``predecessors``; both are device arrays of shape (n, n), int32. One launch, waited for."""
        arguments = (np.int32(self.vertices), *self.copy.arrays, distances, predecessors)
        self.kernel((self.vertices,), self.block, arguments)
        self.device.synchronize()
