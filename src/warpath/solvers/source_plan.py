"""Plans for one source: where the answer is on the device, and how it comes to the host.

``FrontierPlan`` iterates until no vertex waits, and ``UnreadLaunchesPlan`` does not wait for its first launches;
published ports use both, so what they do in the timed region stays as it is. ``OneAllocationPlan`` keeps its arrays
from solve to solve, and ``OneLaunchPlan`` solves in one launch.
"""

from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..device import Device, Launch
from ..device.copies import allocate_together, copy_on
from ..distances import NO_PREDECESSOR, UNREACHABLE
from ..graphs.csr import Graph
from .grids import blocks_over
from .plan import DevicePlan, Solution
from .predecessors import OneSource, trees_needed
from .start import SourceFill, Value

BLOCK = (256,)


class SourcePlan(DevicePlan[Graph]):
    """A plan with one source; arrays have shape (n,). ``host_predecessors`` is None where the plan finds none."""

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
    """A plan with arrays of shape (n,), each of which begins with one value at the source and another one elsewhere.

    ``begins`` has the arrays in host memory, each with two values: that of every other vertex, and that of the source.
    """

    host_predecessors: np.ndarray
    begins: Sequence[tuple[np.ndarray, tuple[Value, Value]]]

    def __init__(self, device: Device, graph: Graph, source: int):
        super().__init__(device, graph, source)
        self.copy = copy_on(device, graph)
        self.host_distances = np.empty(graph.vertices, np.int32)
        self.host_predecessors = np.empty(graph.vertices, np.int32)
        self.fill: SourceFill | None = None

    @abstractmethod
    def take(self, arrays: list[Any]) -> None:
        """Solve in these arrays of the device, which are those of ``begins``."""

    def reset(self) -> None:
        for array, (elsewhere, at_source) in self.begins:
            array.fill(elsewhere)
            array[self.source] = at_source

    def upload(self) -> None:
        self.take([self.device.upload(array) for array, _ in self.begins])

    def start(self, source: int | None) -> None:
        assert source is not None  # as always for one source
        self.source = source
        if self.fill is None:
            arrays = [self.device.empty(array.shape, array.dtype) for array, _ in self.begins]
            self.take(arrays)
            values = [values for _, values in self.begins]
            self.fill = SourceFill(self.device, list(zip(arrays, values, strict=True)))
        self.fill(source)

    def release(self) -> None:
        super().release()
        self.fill = None


class FrontierPlan(VertexArraysPlan):
    """Iterates until no vertex waits to be relaxed; ``iterations`` is an upper bound.

    Once it is quiet, further iterations do nothing, so the plan itself counts those that it did. The graph is on the
    device before the timed region, as for Bellman-Ford. Counters of one solve: ``iterations``, ``launches``,
    ``host_reads`` (copies of a flag to the host, each waited for), ``bytes_per_vertex`` and ``bytes_per_arc`` (the
    device's arrays, four bytes a vertex for predecessors included), and ``atomics`` if ``counting``.

    ``begins`` are distances, predecessors, and what ``frontier`` adds.
    """

    def __init__(self, device: Device, graph: Graph, source: int, counting: bool, block: tuple[int]):
        super().__init__(device, graph, source)
        # Each iteration gets at least one arc further along every shortest path; the last one finds nothing.
        self.iterations = graph.vertices
        self.counting = counting
        self.macros = {"COUNT_ATOMICS": int(counting)}
        self.vertices = np.int32(graph.vertices)
        self.csr = self.copy.arrays
        self.block = block
        self.grid = (blocks_over(graph.vertices, block[0]),)
        self.of_source = OneSource(device, graph, self.csr, block)
        self.counted = device.upload(np.zeros(1, np.uint64))  # read and written only when counting
        self.begins = (
            (self.host_distances, (UNREACHABLE, 0)),
            (self.host_predecessors, (NO_PREDECESSOR, NO_PREDECESSOR)),
            *self.frontier(),
        )

    @abstractmethod
    def frontier(self) -> list[tuple[np.ndarray, tuple[Value, Value]]]:
        """The arrays that only this variant has, as in ``begins``."""

    @abstractmethod
    def prepare_launches(self, of_frontier: list[Any]) -> None:
        """Bind the kernels to the arrays of the device; ``of_frontier`` are those of ``frontier``."""

    def start(self, source: int | None) -> None:
        super().start(source)
        self.quiet = False

    def take(self, arrays: list[Any]) -> None:
        self.distances, self.predecessors, *of_frontier = arrays
        self.flag = self.device.upload(np.zeros(1, np.int32))
        if self.counting:  # there are no more threads than vertices
            self.counted = self.device.upload(np.zeros(self.graph.vertices, np.uint64))
        self.prepare_launches(of_frontier)
        self.quiet = False
        self.counters["bytes_per_vertex"] = sum(array.itemsize for array in (self.csr[0], *arrays))
        self.counters["bytes_per_arc"] = sum(array.itemsize for array in self.csr[1:])

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

    def settled(self) -> bool:
        return self.quiet


class UnreadLaunchesPlan(FrontierPlan):
    """An iteration is one launch. The host waits for each, except the first ``unread_launches``, and reads a flag.

    A subclass names the file of the kernels ``relax`` and ``relax_and_tell``, which follow a distance ``k`` steps.
    """

    kernel: Path

    def __init__(
        self,
        device: Device,
        graph: Graph,
        source: int,
        k: int = 4,
        vertices_per_thread: int = 2,
        unread_launches: int = 32,
        counting: bool = False,
        block: tuple[int] = BLOCK,
    ):
        super().__init__(device, graph, source, counting, block)
        self.unread_launches = unread_launches
        self.iterations = max(self.iterations, unread_launches + 1)  # the last one is always read
        macros = {**self.macros, "STEPS": k, "VERTICES_PER_THREAD": vertices_per_thread}
        self.relax = device.kernel(self.kernel, "relax", macros)
        self.relax_and_tell = device.kernel(self.kernel, "relax_and_tell", macros)
        self.relax_grid = (blocks_over(graph.vertices, block[0] * vertices_per_thread),)

    def frontier(self) -> list[tuple[np.ndarray, tuple[Value, Value]]]:
        return [(np.empty(self.graph.vertices, np.uint8), values) for values in ((0, 1), (0, 0))]

    def prepare_launches(self, of_frontier: list[Any]) -> None:
        self.unread, self.read = [], []
        for current in (0, 1):
            waiting = (of_frontier[current], of_frontier[1 - current])
            arguments = (self.vertices, *self.csr, self.distances, *waiting, self.counted)
            self.unread.append(self.relax.bind(self.relax_grid, self.block, arguments))
            self.read.append([self.relax_and_tell.bind(self.relax_grid, self.block, (*arguments, self.flag))])

    def iterate(self, first: int, last: int) -> None:
        unread = range(first, min(last, self.unread_launches))
        self.device.enqueue([self.unread[number % 2] for number in unread])
        self.counters["iterations"] += len(unread)
        self.counters["launches"] += len(unread)
        first = max(first, self.unread_launches)
        if first < last and not self.quiet:
            self.iterate_until_quiet(self.read if first % 2 == 0 else self.read[::-1], last - first)

    def release(self) -> None:
        super().release()
        self.unread, self.read = [], []


class OneAllocationPlan(SourcePlan):
    """A plan makes one allocation for the arrays of all its solves, and an answer comes to the host in one copy.

    The kernels write the starting values. The first ``upload`` allocates, and the arrays last as long as the plan. So
    does the host's memory, page-locked, which the first ``reset`` takes.
    """

    def __init__(self, device: Device, graph: Graph, source: int, predecessors: bool):
        super().__init__(device, graph, source)
        self.answer_shape = (2 if predecessors else 1, graph.vertices)
        self.host_answer: np.ndarray | None = None
        self.answer: Any = None

    def reset(self) -> None:
        if self.host_answer is None:
            self.host_answer = self.device.pinned(self.answer_shape, np.int32)
            self.host_distances, self.host_predecessors = _rows(self.host_answer)

    @abstractmethod
    def take(self) -> None:
        """``allocate``, and bind the launches to the arrays."""

    @abstractmethod
    def begin(self) -> None:
        """Make ready for a solve from the source."""

    def upload(self) -> None:
        if self.answer is None:
            self.take()
        self.begin()

    def start(self, source: int | None) -> None:
        assert source is not None  # as always for one source
        self.source = source
        self.upload()

    def allocate(self, *counts: int) -> list[Any]:
        """Make the arrays of the answer, and return others, of so many int32 each."""
        rows, vertices = self.answer_shape
        answer, *others = allocate_together(self.device, rows * vertices, *counts)
        self.answer = answer.reshape(self.answer_shape)
        self.distances, self.predecessors = _rows(self.answer)
        return others

    def download(self) -> Solution:
        assert self.host_answer is not None  # since the last reset
        self.device.download(self.answer, self.host_answer)
        return Solution(self.host_distances, self.host_predecessors)

    def release(self) -> None:
        """Does nothing: the next solve has the same arrays."""

    def forget(self) -> None:
        """Drop the arrays; the next solve takes others."""
        self.answer = self.distances = self.predecessors = None


def _rows(answer: Any) -> tuple[Any, Any]:
    """Distances and predecessors, the rows of an answer; None for a second row that is not there."""
    return answer[0], answer[1] if len(answer) == 2 else None


class OneLaunchPlan(OneAllocationPlan):
    """One launch is the whole solve, so there is one iteration.

    The kernel also finds the predecessors, but for kernels that do not (``by_kernel``) and where trees have to be grown
    (``trees_needed``): then they are found from its distances afterwards.
    """

    launch: Launch

    def __init__(self, device: Device, graph: Graph, source: int, predecessors: bool, by_kernel: bool = True):
        super().__init__(device, graph, source, predecessors)
        self.iterations = 1
        self.growing: OneSource | None = None
        if predecessors and (trees_needed(graph) or not by_kernel):
            self.growing = OneSource(device, graph, copy_on(device, graph).arrays)
        self.status = device.pinned((1,), np.int32, pooled=True)

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
