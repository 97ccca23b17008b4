"""What plans of one launch share: a kernel that settles all, and a word by which it says how that ended."""

from abc import abstractmethod
from typing import Any

import numpy as np

from ..device import Device, Launch
from ..device.copies import copy_on
from ..distances import NO_PREDECESSOR
from ..graphs.csr import Graph
from .grids import blocks_over
from .predecessors import BLOCK, OneSource
from .source_plan import OneAllocationPlan
from .tight_arcs import trees_needed


class OneLaunchPlan(OneAllocationPlan):
    """One launch is the whole solve, so there is one iteration.

    The kernel also finds the predecessors, unless trees have to be grown (``trees_needed``): they are grown from its
    distances afterwards.
    """

    launch: Launch

    def __init__(self, device: Device, graph: Graph, source: int, predecessors: bool):
        super().__init__(device, graph, source, predecessors)
        self.iterations = 1
        self.growing: OneSource | None = None
        if predecessors and trees_needed(graph):
            grid = (blocks_over(graph.vertices, BLOCK[0]),)
            self.growing = OneSource(device, graph, copy_on(device, graph).arrays, grid, BLOCK)
        self.status = device.pinned((1,), np.int32)

    @property
    def found_by_kernel(self) -> Any:
        """The array of predecessors that the kernel fills, or None."""
        return None if self.growing else self.predecessors

    @property
    @abstractmethod
    def outcome(self) -> Any:
        """How the launch ended: one int32 on the device."""

    @abstractmethod
    def check_outcome(self, outcome: int) -> None:
        """Raises DeviceError where the kernel gave up."""

    def iterate(self, first: int, last: int) -> None:
        self.device.enqueue([self.launch])
        self.counters["launches"] += 1

    def finish(self) -> None:
        self.device.copy(self.outcome, self.status)
        self.device.synchronize()
        self.check_outcome(int(self.status[0]))
        if self.growing:
            self.predecessors[:] = NO_PREDECESSOR
            self.counters.update(self.growing.find(self.source, self.distances, self.predecessors))

    def settled(self) -> bool:
        return True
