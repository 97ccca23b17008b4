"""The phases of a solve, which are measured separately.

The constructor of a plan copies the graph to the device and compiles the kernels. ``reset`` writes starting values into
host memory. ``upload``, ``iterate``, ``finish`` and ``download`` are timed, as in the published works. ``release``
frees the memory on the device.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Generic, TypeVar

import numpy as np

from ..device import Device
from ..distances import Columns, Labels


@dataclass
class Solution:
    """Distances, in the type of the weights, and predecessors, int32, as arrays of NumPy or the device.

    The shape is (n,) for one source and (n, n) for all pairs. ``predecessors`` is None if the plan omits them.
    """

    distances: Any
    predecessors: Any


@dataclass
class Closure:
    """Reachability between all vertices, as an array of NumPy or the device.

    ``cells`` has one of two forms. Integers of shape (n, n) are nonzero if there is a path. Rows of bits are uint64 of
    shape (n, ceil(n / 64)); bit b of word w stands for vertex 64 w + b.
    """

    cells: Any

    def reachable(self, xp: ModuleType = np) -> Any:
        """Return uint8 of shape (n, n): 1 if there is a path from the row's vertex to the column's, else 0.

        The diagonal is 1. ``xp`` is the array namespace of ``cells``.
        """
        if self.cells.dtype != np.uint64:
            return (self.cells != 0).astype(np.uint8)
        bytes_ = self.cells.view(np.uint8)  # little-endian, as every machine with a GPU is
        bits = xp.unpackbits(bytes_.ravel(), bitorder="little").reshape(len(bytes_), -1)
        return xp.ascontiguousarray(bits[:, : len(bytes_)])


Input = TypeVar("Input")
"""The input of a plan: a Graph, or the input of another problem."""


class Plan(ABC, Generic[Input]):
    """A variant applied to one graph on one device. A plan can be solved any number of times.

    Attributes
    ----------
    iterations : int
        The number of iterations of a whole solve, or an upper bound.
    source : int or None
        The source of the next solve; None if the problem has none.
    by_source : bool
        Each iteration is a source. Their order spreads the first few over all vertices, because times differ.
    preparation_s : float
        Seconds that the preparation of the graph took, such as cutting it into parts. Solves do not include it.
    is_public_call : bool
        A solve is a call of a library's public function: it is timed by the wall clock, and memory that the device has
        cached stays.
    solved_by : mapping or None
        The name, version, threads and settings of a peer; None for a variant.
    counters : Counter of str
        Counts of work, such as "launches".
    sums_fit : bool
        The last solve has found that no sum along a path left the type of the weights.
    begun_s : float
        Seconds that ``begin_solve`` spent on the last solve.
    """

    iterations: int
    source: int | None = None
    by_source: bool = False
    preparation_s: float = 0.0
    sums_fit: bool = False
    begun_s: float = 0.0
    is_public_call: bool = False
    solved_by: Mapping[str, Any] | None = None

    def __init__(self, device: Device, graph: Input):
        self.device = device
        self.graph: Input = graph
        self.counters: Counter[str] = Counter()

    def reset(self) -> None:
        """Write the starting values into the plan's host arrays, over the last answer. Not timed."""

    @abstractmethod
    def upload(self) -> None:
        """Allocate on the device and copy the starting distances and predecessors there."""

    @abstractmethod
    def iterate(self, first: int, last: int) -> None:
        """Enqueue iterations ``first`` to ``last - 1``. The caller synchronises."""

    def finish(self) -> None:
        """Enqueue the work after the last iteration, such as finding predecessors."""

    @abstractmethod
    def download(self) -> Any:
        """Copy the answer into host memory of the plan, which the next solve overwrites.

        Returns a Solution or a Closure, or the answer of another problem.
        """

    def release(self) -> None:
        """Drop the arrays of ``upload`` on the device."""

    def start(self, source: int | None) -> None:
        """Prepare a solve from ``source``; replaces ``reset`` and ``upload``. Not timed, so kernels may fill arrays."""
        self.source = source
        self.reset()
        self.upload()

    def begin_solve(self, source: int, steps: int) -> tuple[bool, float]:
        """Begin a solve from ``source``, and stop after so many steps of about a microsecond, if the plan can.

        Returns whether the solve need not be asked again, because it has ended or the plan cannot stop, and the share
        of all vertices that it has reached. The next solve from ``source`` goes on from there.
        """
        return True, 0.0

    def on_device(self) -> "Solution | Closure | None":
        """The finished answer as arrays of the device, valid until the next start; None if it is not on the device."""
        return None

    def give_away(self) -> bool:
        """Leave the arrays of ``on_device`` to the caller, if the plan can; then the next solve has others."""
        return False

    def settled(self) -> bool:
        """Whether further iterations change nothing. May take O(m), and is not called in a timed region."""
        return False

    def steps(self) -> Sequence[tuple[str | None, Callable[[], Any]]]:
        """The steps of a solve after ``reset``, in order, each with the name of its phase, or None if it is not timed.

        The last step returns the answer.
        """
        return ("upload_s", self.upload), ("solve_s", self.run), ("download_s", self.download)

    def run(self) -> None:
        """Run all iterations and ``finish``, and wait, so that the error of a failed kernel is raised here."""
        if self.iterations:  # a single vertex has none
            self.iterate(0, self.iterations)
        self.finish()
        self.device.synchronize()

    def run_until_settled(self) -> None:
        """Enqueue iterations until the plan has settled, and then ``finish``."""
        done, stretch = 0, 64
        while done < self.iterations and not (done and self.settled()):
            self.iterate(done, min(done + stretch, self.iterations))
            done = min(done + stretch, self.iterations)
            stretch *= 2  # so that calls of settled() take a small part of the time
        self.finish()

    def solve(self) -> Any:
        """Return the answer of an untimed solve, which ends once the plan has settled."""
        self.reset()
        self.upload()
        try:
            self.run_until_settled()
            return self.download()
        finally:
            self.release()


class DevicePlan(Plan[Input]):
    """A plan whose answer is on the device. ``predecessors`` is None if the plan omits them."""

    distances: Any = None
    predecessors: Any = None

    def on_device(self) -> Solution:
        return Solution(self.distances, self.predecessors)

    def release(self) -> None:
        self.distances = self.predecessors = None


class RowsPlan(DevicePlan[Input]):
    """A plan that solves from many sources in one call. Each source has a row of the answer."""

    @abstractmethod
    def solve_rows(self, sources: np.ndarray, distances: Any, predecessors: Any | None) -> None:
        """Enqueue a solve from each source.

        Parameters
        ----------
        sources : numpy.ndarray
            Vertices, int32 of shape (k,).
        distances : device array
            In the type of the weights, shape (k, n), without starting values. Row i receives the distances from
            ``sources[i]``.
        predecessors : device array or None
            int32 of shape (k, n), without starting values. Row i receives the tree of ``sources[i]``.

        Raises
        ------
        OutOfMemoryError
            If the memory of the device is too small.
        """

    def solve_table(self, sources: np.ndarray, targets: np.ndarray, distances: Any) -> None:
        """Enqueue a solve from each source to each target alone; only for variants with ``tables``.

        ``sources`` and ``targets`` are vertices, and neither is empty. ``distances``, a device array of shape (k, t),
        receives the distances. May raise OutOfMemoryError.
        """
        raise NotImplementedError

    def solve_pairs(self, sources: np.ndarray, targets: np.ndarray, distances: Any) -> None:
        """Enqueue a solve from each source to the target at the same position; only for variants with ``tables``.

        ``sources`` and ``targets`` are vertices, of shape (p,), p > 0. ``distances``, a device array of shape (p,),
        receives the distances. May raise OutOfMemoryError.
        """
        raise NotImplementedError

    def labels_of_all(self) -> Labels | None:
        """Labels of all vertices, from which later calls of ``solve_pairs`` join distances; the same object each time.

        None if they take too much memory. Only for variants with ``tables``. May raise OutOfMemoryError.
        """
        raise NotImplementedError

    def solve_columns(self, sources: np.ndarray) -> Columns:
        """Enqueue a solve from each source, and return the distances; only for variants with ``columns``.

        The next solve overwrites them, and ``positions`` is the same array each time. May raise OutOfMemoryError.
        """
        raise NotImplementedError

    def check_finished(self) -> None:
        """Raise DeviceError if a kernel of the last ``solve_rows`` gave up. Call this after its work has ended."""
