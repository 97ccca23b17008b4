"""Plans for one source: their arrays on the device, and the copy to the host.

``FrontierPlan`` iterates until no vertex waits.
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from warpath.device import Device, Launch
from warpath.device.copies import downloaded
from warpath.device.resident import resident
from warpath.distances import NO_PREDECESSOR, UNREACHABLE
from warpath.graphs.csr import Graph

from .grids import blocks_over
from .plan import DevicePlan, Solution
from .predecessors import OneSource
from .start import SourceFill, Value

BLOCK = (256,)


class SourcePlan(DevicePlan[Graph]):
    """A plan with one source. Arrays have shape (n,). ``host_predecessors`` is None if the plan omits them."""

    source: int
    host_distances: np.ndarray
    host_predecessors: np.ndarray | None

    def __init__(self, device: Device, graph: Graph, source: int):
        super().__init__(device, graph)
        self.source = source

    def download(self) -> Solution:
        self.device.download(self.distances, self.host_distances)
        if self.host_predecessors is not None:
            self.device.download(self.predecessors, self.host_predecessors)
        return Solution(self.host_distances, self.host_predecessors)


class VertexArraysPlan(SourcePlan):
    """A plan with arrays of shape (n,), each with one starting value at the source and one at all other vertices.

    ``initial_values`` has the arrays in host memory, each with the value of other vertices and that of the source.
    """

    host_predecessors: np.ndarray
    initial_values: Sequence[tuple[np.ndarray, tuple[Value, Value]]]

    def __init__(self, device: Device, graph: Graph, source: int):
        super().__init__(device, graph, source)
        self.copy = resident(device, graph)
        self.host_distances = np.empty(graph.vertices, graph.weights.dtype)
        self.host_predecessors = np.empty(graph.vertices, np.int32)
        self.fill: SourceFill | None = None

    @abstractmethod
    def bind_arrays(self, arrays: list[Any]) -> None:
        """Use these arrays of the device, in the order of ``initial_values``."""

    def reset(self) -> None:
        for array, (elsewhere, at_source) in self.initial_values:
            array.fill(elsewhere)
            array[self.source] = at_source

    def upload(self) -> None:
        self.bind_arrays([self.device.upload(array) for array, _ in self.initial_values])

    def start(self, source: int | None) -> None:
        assert source is not None  # the problem has one source
        self.source = source
        if self.fill is None:
            arrays = [self.device.empty(array.shape, array.dtype) for array, _ in self.initial_values]
            self.bind_arrays(arrays)
            values = [values for _, values in self.initial_values]
            self.fill = SourceFill(self.device, list(zip(arrays, values, strict=True)))
        self.fill(source)

    def release(self) -> None:
        super().release()
        self.fill = None


class FrontierPlan(VertexArraysPlan):
    """Iterates until no vertex waits to be relaxed. ``iterations`` is an upper bound.

    The graph is on the device before the timed region, as for Bellman-Ford. The counters of a solve are ``iterations``,
    ``launches``, ``host_reads`` (copies of a flag to the host, which waits for each), ``bytes_per_vertex`` and
    ``bytes_per_arc`` (of arrays on the device, with predecessors), and ``atomics`` if ``counting``.

    ``initial_values`` has distances, predecessors, and the arrays of ``frontier``.
    """

    def __init__(self, device: Device, graph: Graph, source: int, counting: bool, block: tuple[int]):
        super().__init__(device, graph, source)
        # Each iteration advances by at least one arc on every shortest path. The last one finds no change.
        self.iterations = graph.vertices
        self.counting = counting
        self.macros = {"COUNT_ATOMICS": int(counting)}
        self.vertices = np.int32(graph.vertices)
        self.csr = self.copy.arguments
        self.block = block
        self.grid = (blocks_over(graph.vertices, block[0]),)
        self.of_source = OneSource(device, graph, self.csr, block)
        self.counted = device.upload(np.zeros(1, np.uint64))  # read and written only when counting
        self.initial_values = (
            (self.host_distances, (UNREACHABLE, 0)),
            (self.host_predecessors, (NO_PREDECESSOR, NO_PREDECESSOR)),
            *self.frontier(),
        )

    @abstractmethod
    def frontier(self) -> list[tuple[np.ndarray, tuple[Value, Value]]]:
        """The arrays of this variant, as in ``initial_values``."""

    @abstractmethod
    def prepare_launches(self, frontier_arrays: list[Any]) -> None:
        """Bind the kernels to the arrays of the device. ``frontier_arrays`` are those of ``frontier``."""

    def start(self, source: int | None) -> None:
        super().start(source)
        self.quiet = False

    def bind_arrays(self, arrays: list[Any]) -> None:
        self.distances, self.predecessors, *frontier_arrays = arrays
        self.flag = self.device.upload(np.zeros(1, np.int32))
        if self.counting:  # there are no more threads than vertices
            self.counted = self.device.upload(np.zeros(self.graph.vertices, np.uint64))
        self.prepare_launches(frontier_arrays)
        self.quiet = False
        self.counters["bytes_per_vertex"] = sum(array.itemsize for array in (self.csr["indptr"], *arrays))
        self.counters["bytes_per_arc"] = sum(array.itemsize for array in (self.csr["indices"], self.csr["weights"]))

    def iterate_until_quiet(self, rounds: Sequence[Sequence[Launch]], times: int) -> None:
        """Launch ``rounds`` in turn and read the flag after each, until it is unset, at most ``times`` rounds."""
        done, self.quiet = self.device.repeat_while(rounds, self.flag, times)
        self.counters["iterations"] += done
        self.counters["launches"] += sum(len(rounds[number % len(rounds)]) for number in range(done))
        self.counters["host_reads"] += done

    def finish(self) -> None:
        if self.counting:
            self.counters["atomics"] = int(downloaded(self.device, self.counted).sum())
        self.counters.update(self.of_source.find(self.source, self.distances, self.predecessors))

    def release(self) -> None:
        super().release()
        self.flag = None

    def settled(self) -> bool:
        return self.quiet
