"""One solve, cut into the phases that are measured.

The order is: make the plan (graph on the device, kernels compiled), ``reset`` (starting values in host memory), then
``upload``, ``iterate`` from the first iteration to the last, ``finish``, ``download``, and ``release``. The published
times cover upload to download; what comes before and after is never timed.
"""

from abc import ABC, abstractmethod
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from ..device import Device
from ..graphs.csr import Graph


@dataclass
class Solution:
    """Distances and predecessors on the host: shape (n,) for one source, (n, n) for all pairs, int32."""

    distances: np.ndarray
    predecessors: np.ndarray
    counters: dict[str, int] = field(default_factory=dict)


@dataclass
class Closure:
    """Which vertices can be reached from which, on the host, in the form in which the variant has it.

    ``cells`` are integers of shape (n, n), not 0 where there is a path; or rows of bits, uint64 of shape
    (n, ceil(n / 64)), bit b of word w for vertex 64 w + b.
    """

    cells: np.ndarray

    def reachable(self) -> np.ndarray:
        """1 where there is a path from the row's vertex to the column's, shape (n, n), uint8; 1 on the diagonal."""
        if self.cells.dtype != np.uint64:
            return (self.cells != 0).astype(np.uint8)
        bytes_ = self.cells.astype("<u8", copy=False).view(np.uint8)
        return np.unpackbits(bytes_, axis=1, count=len(bytes_), bitorder="little")


class Plan(ABC):
    """A variant applied to one graph on one device. A plan can be solved any number of times.

    ``iterations`` is how many iterations the whole solve has; ``counters`` counts what was done ("launches", ...).
    """

    iterations: int

    def __init__(self, device: Device, graph: Graph):
        self.device = device
        self.graph = graph
        self.counters: Counter[str] = Counter()

    def reset(self) -> None:  # noqa: B027 (nothing to do where upload makes the starting values itself)
        """Put the starting values into the plan's host arrays, where the last solve left its answer. Never timed."""

    @abstractmethod
    def upload(self) -> None:
        """Allocate on the device and copy the starting distances and predecessors there."""

    @abstractmethod
    def iterate(self, first: int, last: int) -> None:
        """Run iterations first, ..., last - 1. Enqueues; the caller synchronises."""

    def finish(self) -> None:  # noqa: B027 (most variants have nothing to do here)
        """What follows the last iteration on the device: predecessors, if they come last."""

    @abstractmethod
    def download(self) -> Solution | Closure:
        """Copy the answer into host memory that the plan owns; the next solve overwrites it."""

    @abstractmethod
    def release(self) -> None:
        """Drop the arrays that ``upload`` made."""

    def settled(self) -> bool:
        """True once further iterations change nothing. Never called inside a timed region; may cost a pass."""
        return False

    def solve(self) -> Solution | Closure:
        """Everything, untimed; stops once the plan has settled, which changes no result."""
        self.reset()
        self.upload()
        try:
            done, stretch = 0, 64
            while done < self.iterations and not (done and self.settled()):
                self.iterate(done, min(done + stretch, self.iterations))
                done = min(done + stretch, self.iterations)
                stretch *= 2  # so that asking costs little beside the iterations
            self.finish()
            return self.download()
        finally:
            self.release()
