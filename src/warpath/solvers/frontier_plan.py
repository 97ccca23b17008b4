"""A plan that iterates until no vertex waits: the graph on the device, and predecessors at the end.

Published ports use it, so what it does in the timed region stays as it is.
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..device import Device, Launch
from ..device.copies import copy_on
from ..distances import NO_PREDECESSOR, UNREACHABLE
from ..graphs.csr import Graph
from .grids import blocks_over
from .predecessors import OneSource
from .source_plan import SourcePlan
from .start import SourceFill, Value

BLOCK = (256,)


class FrontierPlan(SourcePlan):
    """Iterates until no vertex waits to be relaxed; ``iterations`` is an upper bound.

    Once it is quiet, further iterations do nothing, so the plan itself counts those that it did. The graph is on the
    device before the timed region, as for Bellman-Ford. Counters of one solve: ``iterations``, ``launches``,
    ``host_reads`` (copies of a flag to the host, each waited for), ``bytes_per_vertex`` and ``bytes_per_arc`` (the
    device's arrays, four bytes a vertex for predecessors included), and ``atomics`` if ``counting``.
    """

    host_predecessors: np.ndarray

    def __init__(self, device: Device, graph: Graph, source: int, counting: bool, block: tuple[int]):
        super().__init__(device, graph, source)
        # Each iteration gets at least one arc further along every shortest path; the last one finds nothing.
        self.iterations = graph.vertices
        self.counting = counting
        self.macros = {"COUNT_ATOMICS": int(counting)}
        self.vertices = np.int32(graph.vertices)
        self.copy = copy_on(device, graph)
        self.csr = self.copy.arrays
        self.block = block
        self.grid = (blocks_over(graph.vertices, block[0]),)
        self.of_source = OneSource(device, graph, self.csr, self.grid, block)
        self.host_distances = np.empty(graph.vertices, np.int32)
        self.host_predecessors = np.empty(graph.vertices, np.int32)
        self.host_flags = np.empty(graph.vertices, np.uint8)
        self.counted = device.upload(np.zeros(1, np.uint64))  # read and written only when counting
        self.of_vertices: list[Any] = []
        self.fill: SourceFill | None = None

    def reset(self) -> None:
        self.host_distances.fill(UNREACHABLE)
        self.host_distances[self.source] = 0
        self.host_predecessors.fill(NO_PREDECESSOR)
        self.host_flags.fill(0)
        self.host_flags[self.source] = 1

    def upload(self) -> None:
        frontier = [array for array, _ in self.frontier()]
        self.take([self.device.upload(array) for array in (self.host_distances, self.host_predecessors, *frontier)])

    def start(self, source: int | None) -> None:
        assert source is not None  # as always for one source
        self.source = source
        if self.fill is None:
            host_arrays = [self.host_distances, self.host_predecessors, *(array for array, _ in self.frontier())]
            self.take([self.device.empty(array.shape, array.dtype) for array in host_arrays])
            of_paths: list[tuple[Value, Value]] = [(UNREACHABLE, 0), (NO_PREDECESSOR, NO_PREDECESSOR)]
            values = [*of_paths, *(values for _, values in self.frontier())]
            self.fill = SourceFill(self.device, list(zip(self.of_vertices, values, strict=True)))
        self.fill(source)
        self.quiet = False

    def take(self, of_vertices: list[Any]) -> None:
        """Solve in these arrays of the device: distances, predecessors, and those of ``frontier``."""
        self.of_vertices = of_vertices
        self.distances, self.predecessors, *of_frontier = of_vertices
        self.flag = self.device.upload(np.zeros(1, np.int32))
        if self.counting:
            self.counted = self.device.upload(
                np.zeros(self.graph.vertices, np.uint64)
            )  # there are no more threads than vertices
        self.prepare_launches(of_frontier)
        self.quiet = False
        self.counters["bytes_per_vertex"] = sum(array.itemsize for array in (self.csr[0], *of_vertices))
        self.counters["bytes_per_arc"] = sum(array.itemsize for array in self.csr[1:])

    @abstractmethod
    def frontier(self) -> list[tuple[np.ndarray, tuple[Value, Value]]]:
        """The arrays that only this variant has, of shape (n,): the host's starting values, and the two values in them,
        that of every other vertex and that of the source.
        """

    @abstractmethod
    def prepare_launches(self, of_frontier: list[Any]) -> None:
        """Bind the kernels to the arrays of the device; ``of_frontier`` are those of ``frontier``."""

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
        self.counters.update(self.of_source.find(self.source, self.distances, self.predecessors))

    def release(self) -> None:
        super().release()
        self.flag = None
        self.of_vertices = []
        self.fill = None

    def settled(self) -> bool:
        return self.quiet
