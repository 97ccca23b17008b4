"""The phases of a solve, which are measured separately.

The constructor of a plan copies the graph to the device and compiles the kernels. ``reset`` writes starting values into
host memory. ``upload``, ``iterate``, ``finish`` and ``download`` are timed, as in the published works. ``release``
frees the memory on the device.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, TypeVar

import numpy as np

from warpath.device import Device
from warpath.device.resident import Resident
from warpath.solvers.solver import Closure, ClosureSolver, Rows, RowSolver
from warpath.solvers.variant import Variant


@dataclass
class Solution:
    """Distances, in the type of the weights, and predecessors, int32, as arrays of NumPy or the device.

    The shape is (n,) for one source and (n, n) for all pairs. ``predecessors`` is None if the plan omits them.
    """

    distances: Any
    predecessors: Any


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
    """

    iterations: int
    source: int | None = None
    by_source: bool = False
    preparation_s: float = 0.0
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

    def on_device(self) -> Any:
        """The finished answer as arrays of the device, valid until the next start; None if it is not on the device."""
        return None

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


class SolverOfPlan(RowSolver):
    """Solves by a plan, for callers of the library who name a published variant."""

    def __init__(self, make: Callable[..., Plan], all_pairs: bool, resident: Resident, **settings: Any):
        super().__init__()
        self.all_pairs = all_pairs
        self.plan = make(resident.device, resident.graph, None if all_pairs else 0, **settings)
        self.counters, self.preparation_s = self.plan.counters, self.plan.preparation_s

    def solve(self, sources: np.ndarray, into: Rows) -> None:
        if self.all_pairs:
            self._solve(None, into.distances, into.predecessors)
            return
        for row, source in enumerate(sources.tolist()):
            tree = None if into.predecessors is None else into.predecessors[row]
            self._solve(source, into.distances[row], tree)

    def _solve(self, source: int | None, distances: Any, predecessors: Any) -> None:
        plan = self.plan
        plan.start(source)
        try:
            plan.run_until_settled()
            plan.device.synchronize()
            answer = plan.on_device() or plan.download()
            for found, into in ((answer.distances, distances), (answer.predecessors, predecessors)):
                if into is not None:
                    is_here = isinstance(found, np.ndarray) == isinstance(into, np.ndarray)
                    into[...] = found if is_here else plan.device.upload(found)
            plan.device.synchronize()
        finally:
            plan.release()


class ClosureOfPlan(ClosureSolver):
    """As ``SolverOfPlan``, for the closure."""

    def __init__(self, make: Callable[..., Plan], resident: Resident, **settings: Any):
        super().__init__()
        self.plan = make(resident.device, resident.graph, None, **settings)
        self.counters = self.plan.counters

    def solve(self) -> Closure:
        self.plan.start(None)
        self.plan.run_until_settled()
        self.plan.device.synchronize()
        answer: Closure = self.plan.on_device() or self.plan.download()
        return answer


@dataclass(frozen=True)
class PlanVariant(Variant):
    """A variant with phases that are timed separately.

    ``plan(device, graph, source, **settings)`` returns a Plan; ``source`` is None unless the problem is "sssp".
    """

    plan: Callable[..., Plan] = field(default=None, kw_only=True)  # type: ignore[assignment]
    solver: Callable[..., Any] = field(default=None, init=False)  # type: ignore[assignment]

    @property
    def maker(self) -> Callable[..., Any]:
        return self.plan

    def __post_init__(self) -> None:
        made = (
            partial(ClosureOfPlan, self.plan)
            if self.problem == "closure"
            else partial(SolverOfPlan, self.plan, self.problem == "apsp")
        )
        object.__setattr__(self, "solver", made)
