"""What both variants share: the graph on the device, iterating until quiet, and predecessors at the end."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...device import Device, Launch
from ...distances import NO_PREDECESSOR, UNREACHABLE
from ...graphs.csr import Graph
from ..grids import blocks_over
from ..plan import Plan, Solution
from ..predecessors import OneSource

BLOCK = (256,)


class FrontierPlan(Plan):
    """Iterates until no vertex waits to be relaxed; ``iterations`` is an upper bound.

    Once it is quiet, further iterations do nothing, so the plan itself counts those that it did. The graph is on the
    device before the timed region, as for Bellman-Ford. Counters of one solve: ``iterations``, ``launches``,
    ``host_reads`` (copies of a flag to the host, each waited for), ``bytes_per_vertex`` and ``bytes_per_arc`` (the
    device's arrays, four bytes a vertex for predecessors included), and ``atomics`` if ``counting``.
    """

    def __init__(self, device: Device, graph: Graph, source: int, counting: bool, block: tuple[int]):
        super().__init__(device, graph)
        # Each iteration gets at least one arc further along every shortest path; the last one finds nothing.
        self.iterations = graph.vertices
        self.source = source
        self.counting = counting
        self.macros = {"COUNT_ATOMICS": int(counting)}
        self.vertices = np.int32(graph.vertices)
        self.csr = tuple(device.upload(array) for array in (graph.indptr, graph.indices, graph.weights))
        self.block = block
        self.grid = (blocks_over(graph.vertices, block[0]),)
        self.of_source = OneSource(device, graph, self.csr, source, self.grid, block)
        self.host_distances = np.empty(graph.vertices, np.int32)
        self.host_predecessors = np.empty(graph.vertices, np.int32)
        self.host_flags = np.zeros(graph.vertices, np.uint8)
        self.host_flags[source] = 1
        self.counted = device.upload(np.zeros(1, np.uint64))  # read and written only when counting

    def reset(self) -> None:
        self.host_distances.fill(UNREACHABLE)
        self.host_distances[self.source] = 0
        self.host_predecessors.fill(NO_PREDECESSOR)

    def upload(self) -> None:
        self.distances = self.device.upload(self.host_distances)
        self.predecessors = self.device.upload(self.host_predecessors)
        self.flag = self.device.upload(np.zeros(1, np.int32))
        if self.counting:
            self.counted = self.device.upload(
                np.zeros(self.graph.vertices, np.uint64)
            )  # there are no more threads than vertices
        self.of_vertices = [self.csr[0], self.distances, self.predecessors, *self.upload_frontier()]
        self.quiet = False
        self.counters["bytes_per_vertex"] = sum(array.itemsize for array in self.of_vertices)
        self.counters["bytes_per_arc"] = sum(array.itemsize for array in self.csr[1:])

    @abstractmethod
    def upload_frontier(self) -> list[Any]:
        """Make the arrays that only this variant has, of shape (n,), prepare its launches, and return the arrays."""

    def iterate_until_quiet(self, rounds: Sequence[Sequence[Launch]], times: int) -> None:
        """Launch ``rounds`` in turn, reading the flag after each, until one leaves it unset; ``times`` at most."""
        done, self.quiet = self.device.repeat_while(rounds, self.flag, times)
        self.counters["iterations"] += done
        self.counters["launches"] += sum(len(rounds[number % len(rounds)]) for number in range(done))
        self.counters["host_reads"] += done

    def finish(self) -> None:
        if self.counting:
            counted = np.empty(self.graph.vertices, np.uint64)
            self.device.download(self.counted, counted)
            self.counters["atomics"] = int(counted.sum())
        self.counters.update(self.of_source.find(self.distances, self.predecessors))

    def download(self) -> Solution:
        self.device.download(self.distances, self.host_distances)
        self.device.download(self.predecessors, self.host_predecessors)
        return Solution(self.host_distances, self.host_predecessors)

    def release(self) -> None:
        self.distances = self.predecessors = self.flag = None
        self.of_vertices = []

    def settled(self) -> bool:
        return self.quiet
