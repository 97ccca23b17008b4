"""What every solver of the library is: it enqueues rows of an answer into arrays of its caller."""

from abc import ABC, abstractmethod
from collections import Counter
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from ..distances import Columns, Labels


@dataclass(frozen=True, eq=False, slots=True)
class Rows:
    """Rows of an answer, one for each source, in arrays where the solver runs.

    ``distances`` have the type of the weights, ``predecessors`` int32, or are None if nobody wants them; both have
    shape (k, n). ``words``, int32, is the memory of both, if it is known.
    """

    distances: Any
    predecessors: Any
    words: Any = None

    def part(self, first: int, last: int) -> "Rows":
        """Rows ``first`` to ``last - 1``, which share memory with these."""
        if first == 0 and last == len(self.distances):
            return self
        trees = None if self.predecessors is None else self.predecessors[first:last]
        return Rows(self.distances[first:last], trees)


@dataclass
class Closure:
    """Reachability between all vertices, as an array of NumPy or the device.

    ``cells`` has one of two forms. Integers of shape (n, n) are nonzero if there is a path. Rows of bits are uint64 of
    shape (n, ceil(n / 64)); bit b of word w stands for vertex 64 w + b.
    """

    cells: Any

    def reachable(self, xp: ModuleType = np, rows: slice = slice(None)) -> Any:
        """Return uint8 of shape (k, n): 1 if there is a path from the row's vertex to the column's, else 0.

        The diagonal is 1. ``xp`` is the array namespace of ``cells``.
        """
        cells, vertices = self.cells[rows], len(self.cells)
        if cells.dtype != np.uint64:
            return (cells != 0).astype(np.uint8)
        bytes_ = cells.view(np.uint8)  # little-endian, as every machine with a GPU is
        bits = xp.unpackbits(bytes_.ravel(), bitorder="little").reshape(len(cells), -1)
        return xp.ascontiguousarray(bits[:, :vertices])


class RowSolver(ABC):
    """Kernels and arrays that solve one graph on one device. One thread uses it at a time.

    The caller owns the rows. It waits for the device, calls ``check``, and may then read them if that is true. If a
    method fails, the caller drops the solver.

    Attributes
    ----------
    preparation_s : float
        Seconds that the preparation of the graph took, such as cutting it into parts.
    sums_fit : bool
        The last solve has found that no sum along a path left the type of the weights.
    counters : Counter of str
        Counts of work, such as "launches", over all solves.
    """

    preparation_s: float = 0.0
    sums_fit: bool = False

    def __init__(self) -> None:
        self.counters: Counter[str] = Counter()

    @abstractmethod
    def solve(self, sources: np.ndarray, into: Rows) -> None:
        """Enqueue a solve from each of ``sources``, int32 of shape (k,), which overwrites the rows of ``into``.

        Solvers of all pairs at once take all vertices in order; those of one source take one, and a row that begins at
        a multiple of 16 bytes. May wait for the device, and raise OutOfMemoryError.
        """

    def check(self) -> bool:
        """Whether the rows of the last solve, whose work has ended, are complete.

        If they are not, the rest is enqueued: the caller waits and checks again. Raises DeviceError if a kernel gave
        up.
        """
        return True

    # What some solvers can do besides; their Variant says which.

    def begin(self, source: int, into: Rows, steps: int) -> tuple[bool, float]:
        """Begin a solve from ``source``, wait, and stop after so many steps of about a microsecond, if possible.

        Returns whether the solve has ended, or cannot stop, and the share of all vertices that it has reached. The next
        call of ``solve``, from the same source into the same rows, goes on from there.
        """
        return True, 0.0

    def solve_table(self, sources: np.ndarray, targets: np.ndarray, distances: Any) -> None:
        """Enqueue a solve from each source to each target alone, for variants with ``tables``.

        ``sources`` and ``targets`` are vertices, and neither is empty. ``distances``, a device array of shape (k, t),
        receives the distances. May raise OutOfMemoryError.
        """
        raise NotImplementedError

    def solve_pairs(self, sources: np.ndarray, targets: np.ndarray, distances: Any) -> None:
        """Enqueue a solve from each source to the target at the same position, for variants with ``tables``.

        ``sources`` and ``targets`` are vertices, of shape (p,), p > 0. ``distances``, a device array of shape (p,),
        receives the distances. May raise OutOfMemoryError.
        """
        raise NotImplementedError

    def labels_of_all(self) -> Labels | None:
        """Labels of all vertices, from which later calls of ``solve_pairs`` join distances; the same object each time.

        None if they take too much memory. For variants with ``tables``. May raise OutOfMemoryError.
        """
        raise NotImplementedError

    def solve_columns(self, sources: np.ndarray) -> Columns:
        """Enqueue a solve from each source, and return the distances, for variants with ``columns``.

        The next solve overwrites them, and ``positions`` is the same array each time. May raise OutOfMemoryError.
        """
        raise NotImplementedError


class OneSource(RowSolver):
    """A solver that uses the whole device for one source."""

    def __init__(self, device: Any):
        super().__init__()
        self.device = device

    def solve(self, sources: np.ndarray, into: Rows) -> None:
        (source,) = sources.tolist()
        self.solve_one(source, into.distances, into.predecessors)

    @abstractmethod
    def solve_one(self, source: int, distances: Any, predecessors: Any) -> None:
        """Enqueue a solve from ``source`` into arrays of shape (1, n); ``predecessors`` may be None."""


class ClosureSolver(ABC):
    """A solver of reachability between all vertices of a graph."""

    def __init__(self) -> None:
        self.counters: Counter[str] = Counter()

    @abstractmethod
    def solve(self) -> Closure:
        """The closure, where the solver runs."""
