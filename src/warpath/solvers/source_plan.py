"""What plans for one source share: where the answer is on the device, and how it comes to the host."""

from abc import abstractmethod
from typing import Any

import numpy as np

from ..device import Device
from ..device.copies import in_one_allocation
from ..graphs.csr import Graph
from .plan import Plan, Solution


class SourcePlan(Plan[Graph]):
    """A plan with one source. ``distances`` and ``predecessors`` are of the device, shape (n,), while a solve has them.

    ``predecessors`` and ``host_predecessors`` are None where the plan finds none.
    """

    source: int
    host_distances: np.ndarray
    host_predecessors: np.ndarray | None

    def __init__(self, device: Device, graph: Graph, source: int):
        super().__init__(device, graph)
        self.source = source
        self.distances: Any = None
        self.predecessors: Any = None

    def download(self) -> Solution:
        self.device.download(self.distances, self.host_distances)
        if self.host_predecessors is not None:
            self.device.download(self.predecessors, self.host_predecessors)
        return Solution(self.host_distances, self.host_predecessors)

    def release(self) -> None:
        self.distances = self.predecessors = None

    def on_device(self) -> Solution:
        return Solution(self.distances, self.predecessors)


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
        answer, *others = in_one_allocation(self.device, rows * vertices, *counts)
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
