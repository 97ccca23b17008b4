"""One solve, cut into the phases that are measured.

The order is: make the plan (graph on the device, kernels compiled), ``reset`` (starting values in host memory), then
``upload``, ``iterate`` from the first iteration to the last, ``finish``, ``download``, and ``release``. The published
times cover upload to download; nothing before or after is timed.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Generic, TypeVar

import numpy as np

from ..device import Device


@dataclass
class Solution:
    """Distances and predecessors: shape (n,) for one source, (n, n) for all pairs, int32; NumPy's or the device's.

    ``predecessors`` is None where the plan was made without them.
    """

    distances: Any
    predecessors: Any


@dataclass
class Closure:
    """Which vertices can be reached from which, in the variant's own form, in NumPy's or the device's memory.

    ``cells`` are integers of shape (n, n), nonzero where there is a path; or rows of bits, uint64 of shape
    (n, ceil(n / 64)), bit b of word w for vertex 64 w + b.
    """

    cells: Any

    def reachable(self, xp: ModuleType = np) -> Any:
        """1 where there is a path from the row's vertex to the column's, shape (n, n), uint8; 1 on the diagonal.

        ``xp`` is the array namespace of ``cells``.
        """
        if self.cells.dtype != np.uint64:
            return (self.cells != 0).astype(np.uint8)
        bytes_ = self.cells.view(np.uint8)  # little-endian, as every machine with a GPU is
        bits = xp.unpackbits(bytes_.ravel(), bitorder="little").reshape(len(bytes_), -1)
        return xp.ascontiguousarray(bits[:, : len(bytes_)])


Input = TypeVar("Input")
"""What a plan solves: a Graph, or the input of another problem."""


class Plan(ABC, Generic[Input]):
    """A variant applied to one graph, or to another problem's input, on one device. It can be solved again and again.

    ``iterations`` is the number of iterations of a whole solve; ``counters`` counts what was done ("launches", ...).
    With ``by_source`` each iteration is a source, in an order that spreads the first few over all vertices; searches
    cost different times. ``preparation_s`` is the time, in seconds, that preparing the graph took (parts, orders): once
    a graph and a device, apart from every solve. ``solved_by`` are a peer's name, version, threads and settings, None
    where we solve.
    """

    iterations: int
    source: int | None = None
    by_source: bool = False
    preparation_s: float = 0.0
    solved_by: Mapping[str, Any] | None = None

    def __init__(self, device: Device, graph: Input):
        self.device = device
        self.graph: Input = graph
        self.counters: Counter[str] = Counter()

    def reset(self) -> None:
        """Put the starting values into the plan's host arrays; the last solve left its answer there. Not timed."""

    @abstractmethod
    def upload(self) -> None:
        """Allocate on the device and copy the starting distances and predecessors there."""

    @abstractmethod
    def iterate(self, first: int, last: int) -> None:
        """Run iterations first, ..., last - 1. Enqueues; the caller synchronises."""

    def finish(self) -> None:
        """Work on the device after the last iteration, such as finding predecessors."""

    @abstractmethod
    def download(self) -> Any:
        """Copy the answer into host memory that the plan owns; the next solve overwrites it.

        A Solution or a Closure; other problems have answers of their own.
        """

    def release(self) -> None:
        """Drop the arrays that ``upload`` made on a device."""

    def start(self, source: int | None) -> None:
        """Make ready for a solve from ``source``. This is not timed, so arrays may be filled on the device."""
        self.source = source
        self.reset()
        self.upload()

    def on_device(self) -> "Solution | Closure | None":
        """The finished answer as arrays of the device, valid until the next start; None where it is elsewhere."""
        return None

    def settled(self) -> bool:
        """True once further iterations change nothing. May take a pass over the arcs; not called in a timed region."""
        return False

    def steps(self) -> Sequence[tuple[str | None, Callable[[], Any]]]:
        """A whole solve after ``reset``, in order: each step, and the phase that it is timed as, None if it is not.

        The last step gives the answer.
        """
        return ("upload_s", self.upload), ("solve_s", self.run), ("download_s", self.download)

    def run(self) -> None:
        """All iterations and what follows them; waits, so that a failed kernel is reported here, as such."""
        if self.iterations:  # a single vertex has none
            self.iterate(0, self.iterations)
        self.finish()
        self.device.synchronize()

    def run_until_settled(self) -> None:
        """The iterations, up to where they change nothing any more, and what follows them."""
        done, stretch = 0, 64
        while done < self.iterations and not (done and self.settled()):
            self.iterate(done, min(done + stretch, self.iterations))
            done = min(done + stretch, self.iterations)
            stretch *= 2  # so that asking takes little time beside the iterations
        self.finish()

    def solve(self) -> Any:
        """Everything, untimed; stops once the plan has settled, which changes no result."""
        self.reset()
        self.upload()
        try:
            self.run_until_settled()
            return self.download()
        finally:
            self.release()


class DevicePlan(Plan[Input]):
    """A plan whose answer is on the device while a solve has it; ``predecessors`` is None where none are found."""

    distances: Any = None
    predecessors: Any = None

    def on_device(self) -> Solution:
        return Solution(self.distances, self.predecessors)

    def release(self) -> None:
        self.distances = self.predecessors = None


class RowsPlan(DevicePlan[Input]):
    """A plan that solves from many sources in one call, a row of the answer each."""

    @abstractmethod
    def solve_rows(self, sources: np.ndarray, distances: Any, predecessors: Any | None) -> None:
        """Enqueue a solve from each of ``sources``, int32 of shape (k,), into arrays of the device, int32 of (k, n).

        Row i of ``distances`` gets the distances from ``sources[i]``; row i of ``predecessors`` the tree, unless it is
        None. The rows need no starting values. May raise OutOfMemoryError.
        """

    def check_finished(self) -> None:
        """Raise DeviceError where a kernel of the last ``solve_rows`` gave up. To be asked once its work is done."""
