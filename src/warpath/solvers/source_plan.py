"""Plans for one source: their arrays on the device, and the copy to the host.

``FrontierPlan`` iterates until no vertex waits, and ``UnreadLaunchesPlan`` does not wait for its first launches.
Published ports use both, so their timed region must not change. ``OneAllocationPlan`` keeps its arrays for later
solves, and ``OneLaunchPlan`` solves in one launch.
"""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from ..device import Device, Launch
from ..device.copies import copy_on, downloaded
from ..distances import NO_PREDECESSOR, unreachable
from ..errors import OutOfMemoryError
from ..graphs.csr import Graph
from .grids import blocks_over
from .lengths import macros_for_any_sign, words_of
from .plan import DevicePlan, Solution
from .predecessors import OneSource, SourceTrees, finder_for, trees_needed
from .start import SourceFill, Value

BLOCK = (256,)
STATUS_WORDS = 4


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
        self.copy = copy_on(device, graph)
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
        self.macros = {"COUNT_ATOMICS": int(counting), **macros_for_any_sign(graph)}
        self.vertices = np.int32(graph.vertices)
        self.csr = self.copy.arrays
        self.block = block
        self.grid = (blocks_over(graph.vertices, block[0]),)
        # Not ``finder_for``, because ports take OneSource.
        self.of_source = (SourceTrees if graph.has_floats else OneSource)(device, graph, self.csr, block)
        self.counted = device.upload(np.zeros(1, np.uint64))  # read and written only when counting
        self.initial_values = (
            (self.host_distances, (unreachable(graph.weights.dtype), 0)),
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
        self.counters["bytes_per_vertex"] = sum(array.itemsize for array in (self.csr[0], *arrays))
        self.counters["bytes_per_arc"] = sum(array.itemsize for array in self.csr[1:])

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


class UnreadLaunchesPlan(FrontierPlan):
    """An iteration is one launch. After the first ``unread_launches``, the host waits for each and reads a flag.

    ``kernel`` is the file of the kernels ``relax`` and ``relax_and_tell``, which follow a distance for ``k`` steps.
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

    def prepare_launches(self, frontier_arrays: list[Any]) -> None:
        self.unread, self.read = [], []
        for current in (0, 1):
            waiting = (frontier_arrays[current], frontier_arrays[1 - current])
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
    """A plan with one allocation for the answers of its solves, and one copy of an answer to the host.

    Kernels write the starting values. The first ``upload`` allocates memory on the device, the first ``reset`` pinned
    memory on the host. Both last as long as the plan, but for an answer that is given away.
    """

    def __init__(self, device: Device, graph: Graph, source: int, predecessors: bool):
        super().__init__(device, graph, source)
        self.length_words = words_of(graph.weights.dtype)
        self.answer_words = (self.length_words + int(predecessors)) * graph.vertices
        self.host_answer: np.ndarray | None = None
        self.answer: Any = None
        self.next_answer: tuple[Any, Any, Any] | None = None
        self.given_away = False

    def reset(self) -> None:
        if self.host_answer is None:
            self.host_answer = self.device.pinned((self.answer_words,), np.int32)
            self.host_distances, self.host_predecessors = self._parts(self.host_answer)

    @abstractmethod
    def bind_arrays(self) -> None:
        """Bind the launches to the arrays of a new answer, and allocate further arrays if there are none."""

    @abstractmethod
    def unbind_arrays(self) -> None:
        """Let the launches drop the answer, so that its memory is free when the caller drops it, too."""

    @abstractmethod
    def begin(self) -> None:
        """Prepare the launches for a solve from ``source``."""

    def upload(self) -> None:
        if self.answer is None:
            answer, self.distances, self.predecessors = self.next_answer or self._new_answer()
            self.next_answer = None
            self.bind_arrays()
            self.answer = answer
        self.begin()

    def start(self, source: int | None) -> None:
        assert source is not None  # the problem has one source
        self.source = source
        self.upload()

    def allocate_next_answer(self) -> None:
        """Allocate the answer of the next solve while kernels run, if the last one was given away."""
        if self.given_away and self.next_answer is None:
            with suppress(OutOfMemoryError):
                self.next_answer = self._new_answer()

    def _new_answer(self) -> tuple[Any, Any, Any]:
        answer = self.device.empty((self.answer_words,), np.int32)
        return answer, *self._parts(answer)

    def _parts(self, answer: Any) -> tuple[Any, Any]:
        """Views of the words of an answer: distances, and predecessors or None."""
        words = self.length_words * self.graph.vertices
        if len(answer) == words:
            return answer.view(self.graph.weights.dtype), None
        return answer[:words].view(self.graph.weights.dtype), answer[words:]

    def download(self) -> Solution:
        assert self.host_answer is not None  # after reset
        self.device.download(self.answer, self.host_answer)
        return Solution(self.host_distances, self.host_predecessors)

    def release(self) -> None:
        """Does nothing, because the next solve uses the same arrays."""

    def give_away(self) -> bool:
        self.drop_answer()
        self.given_away = True
        return True

    def drop_answer(self) -> None:
        """Drop the arrays of the answer. The next solve allocates new ones."""
        self.answer = self.distances = self.predecessors = None
        self.unbind_arrays()


class OneLaunchPlan(OneAllocationPlan):
    """A solve is one iteration, and usually one launch.

    The kernel finds predecessors, too, unless ``kernel_finds_predecessors`` is false or the graph needs trees
    (``trees_needed``). In these cases ``predecessor_finder`` finds them from the distances. ``meanwhile`` is called in
    the next solve, while its kernels run.
    """

    launch: Launch
    meanwhile: Callable[[], None] | None = None

    def __init__(
        self, device: Device, graph: Graph, source: int, predecessors: bool, kernel_finds_predecessors: bool = True
    ):
        super().__init__(device, graph, source, predecessors)
        self.iterations = 1
        self.predecessor_finder: OneSource | SourceTrees | None = None
        if predecessors and (trees_needed(graph) or not kernel_finds_predecessors):
            self.predecessor_finder = finder_for(device, graph)
        self.status, self.status_for_kernels = device.mapped((STATUS_WORDS,), np.int32)

    @property
    def kernel_predecessors(self) -> Any:
        """The array of predecessors if the kernel fills it, else None."""
        return None if self.predecessor_finder else self.predecessors

    @abstractmethod
    def check_outcome(self) -> None:
        """Raise DeviceError if the kernel gave up, as its ``status`` says."""

    def iterate(self, first: int, last: int) -> None:
        self.device.enqueue([self.launch])
        self.counters["launches"] += 1

    def finish(self) -> None:
        if self.predecessor_finder:  # without waiting, since the kernel seldom gives up
            self.predecessors.fill(NO_PREDECESSOR)
            self.counters.update(self.predecessor_finder.find(self.source, self.distances, self.predecessors))
        self.allocate_next_answer()
        if self.meanwhile:
            self.meanwhile()
            self.meanwhile = None
        self.device.synchronize()
        self.check_outcome()

    def settled(self) -> bool:
        return True
