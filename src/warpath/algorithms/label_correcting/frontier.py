"""What both variants share: the graph on the device, iterations until quiet, predecessors at the end."""

from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...device import Device, Launch
from ...distances import NO_PREDECESSOR, UNREACHABLE
from ...graphs.csr import Graph
from ..plan import Plan, Solution

PREDECESSORS = Path(__file__).with_name("predecessors.cu")
THREADS_PER_BLOCK = 256


class FrontierPlan(Plan):
    """Iterates until no vertex waits to be relaxed; ``iterations`` is only the most that it can take.

    Once it is quiet, further iterations do nothing, so that the plan counts those that it did itself. The graph is on
    the device before the timed region, as for Bellman-Ford. Counters, all of one solve: ``iterations``, ``launches``,
    ``host_reads`` (copies of a flag to the host, each waited for), ``bytes_per_vertex`` and ``bytes_per_arc`` (what the
    arrays on the device take, the predecessors' four bytes included), and ``atomics`` if ``counting``.
    """

    def __init__(self, device: Device, graph: Graph, source: int, counting: bool):
        super().__init__(device, graph)
        # Each iteration gets at least one arc further along every shortest path, and the last one finds nothing.
        self.iterations = graph.vertices
        self.source = source
        self.counting = counting
        self.macros = {"COUNT_ATOMICS": int(counting)}
        self.vertices = np.int32(graph.vertices)
        self.csr = tuple(device.upload(array) for array in (graph.indptr, graph.indices, graph.weights))
        self.grid = (-(-graph.vertices // THREADS_PER_BLOCK),)
        # Along a tight arc of positive weight distances rise, so such arcs cannot form a cycle.
        self.tight_arcs_are_acyclic = graph.weight_min > 0
        self.tree_kernel = device.kernel(PREDECESSORS, "claim" if self.tight_arcs_are_acyclic else "settle")
        self.host_distances = np.empty(graph.vertices, np.int32)
        self.host_predecessors = np.empty(graph.vertices, np.int32)
        self.host_flags = np.zeros(graph.vertices, np.uint8)
        self.host_flags[source] = 1
        self.counted = device.upload(np.zeros(1, np.uint64))  # no kernel looks at it unless counting

    def reset(self) -> None:
        self.host_distances.fill(UNREACHABLE)
        self.host_distances[self.source] = 0
        self.host_predecessors.fill(NO_PREDECESSOR)

    def upload(self) -> None:
        self.distances = self.device.upload(self.host_distances)
        self.predecessors = self.device.upload(self.host_predecessors)
        self.flag = self.device.upload(np.zeros(1, np.int32))
        if self.counting:
            self.counted = self.device.upload(np.zeros(self.graph.vertices, np.uint64))  # at most as many threads
        self.of_vertices = [self.csr[0], self.distances, self.predecessors, *self.upload_frontier()]
        self.quiet = False
        self.counters["bytes_per_vertex"] = sum(array.itemsize for array in self.of_vertices)
        self.counters["bytes_per_arc"] = sum(array.itemsize for array in self.csr[1:])

    @abstractmethod
    def upload_frontier(self) -> list[Any]:
        """Make the arrays that only this variant has, prepare its launches, and return the arrays, shape (n,) each."""

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
        block = (THREADS_PER_BLOCK,)
        if self.tight_arcs_are_acyclic:
            arguments = (self.vertices, *self.csr, self.distances, self.predecessors)
            self.tree_kernel(self.grid, block, arguments)
            self.counters["launches"] += 1
            return
        arguments = (self.vertices, np.int32(self.source), *self.csr, self.distances, self.predecessors, self.flag)
        growing = [[self.tree_kernel.bind(self.grid, block, arguments)]]
        done, _ = self.device.repeat_while(growing, self.flag, self.graph.vertices)
        self.counters["launches"] += done
        self.counters["host_reads"] += done

    def download(self) -> Solution:
        self.device.download(self.distances, self.host_distances)
        self.device.download(self.predecessors, self.host_predecessors)
        return Solution(self.host_distances, self.host_predecessors)

    def release(self) -> None:
        self.distances = self.predecessors = self.flag = None
        self.of_vertices = []

    def settled(self) -> bool:
        return self.quiet
