"""Plans for one source.

``OneAllocationPlan`` keeps its arrays for later solves, and ``OneLaunchPlan`` solves in one launch.
"""

from abc import abstractmethod
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from ...device import Device, Launch
from ...distances import NO_PREDECESSOR
from ...errors import OutOfMemoryError
from ...graphs.csr import Graph
from ..plan import DevicePlan, Solution
from ..shared.lengths import words_of
from ..trees.predecessors import OneSource, SourceTrees, finder_for, trees_needed

STATUS_WORDS = 4


class OneAllocationPlan(DevicePlan[Graph]):
    """A plan with one allocation for the answers of its solves, and one copy of an answer to the host.

    Kernels write the starting values. The first ``upload`` allocates memory on the device, the first ``reset`` pinned
    memory on the host. Both last as long as the plan, but for an answer that is given away. Arrays have shape (n,).
    ``host_predecessors`` is None if the plan omits them.
    """

    source: int
    host_distances: np.ndarray
    host_predecessors: np.ndarray | None

    def __init__(self, device: Device, graph: Graph, source: int, predecessors: bool):
        super().__init__(device, graph)
        self.source = source
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
