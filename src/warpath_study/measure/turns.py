"""Solves from random sources, for which several solvers take turns: a slow stretch of the machine hits all of them."""

import statistics
from collections.abc import Callable, Sequence
from functools import partial
from math import inf

import numba
import numpy as np

from warpath.certificates.certificate import Certificate, certify_each, combined
from warpath.graphs.csr import Graph

from ..published.shared.plan import Plan, Solution
from ..record import Sample, SourceSample, TimedFromSources
from .plans import plan_of
from .sampling import Procedure, make_ready, timed_solve, warm_up

# What other solvers leave behind slows down the first solves after them. On an H200, SciPy's made one of 0.12 ms take
# 0.27 ms, the next one 0.19 ms, and those after 5 ms of solves 0.11 ms again.
CACHES_S = 0.01
OUTLIER = 10
"""A turn with a solve of more than this multiple of its solver's median is taken again; the lesser time counts."""
# Host memory for answers that are waiting to be certified.
ANSWERS_BYTES = 1 << 30


class Solver:
    """What takes turns: a prepared run, its samples by source, and its answers that wait for their certificate.

    Solves end before one that would exceed ``budget_s`` if it took as long as the mean of those before it.
    """

    def __init__(self, procedure: Procedure, budget_s: float = inf):
        self.procedure, self.budget_s = procedure, budget_s
        self.samples: dict[int, SourceSample] = {}
        self.certificates: list[Certificate] = []
        self._waiting: dict[int, tuple[np.ndarray, np.ndarray | None]] = {}
        self._counting: Plan | None = None

    def begin(self) -> None:
        """Warm up. Counting takes time, so a separate plan counts, in solves that are not timed."""
        self.procedure.warm_up()
        if self.procedure.configured.variant.counted:
            configured, device, graph = self.procedure.configured, self.procedure.device, self.procedure.graph
            self._counting = plan_of(configured, device, graph, self.procedure.source, counting=True)

    def goes_on(self) -> bool:
        """Whether the run has not failed, and one more solve fits the budget."""
        spent_s = sum(sample.total_s for sample in self.samples.values())
        fits = not self.samples or spent_s + spent_s / len(self.samples) <= self.budget_s
        return fits and not self.procedure.outcome

    def is_held_up(self, source: int) -> bool:
        """Whether the machine may have been held up in the solve from ``source``."""
        limit_s = OUTLIER * statistics.median(sample.total_s for sample in self.samples.values())
        return source in self.samples and self.samples[source].total_s > limit_s

    def solve(self, source: int) -> None:
        """Time a solve from ``source``, and keep the answer."""
        times, solution = self._solve(source)
        tree = None if solution.predecessors is None else np.array(solution.predecessors, np.int32)
        self._waiting[source] = np.array(solution.distances), tree
        plan = self.procedure.plan
        counters = {"iterations": plan.iterations, **plan.counters, **self._counted(source)}
        self.samples[source] = SourceSample(times.phases, source, counters)

    def solve_again(self, source: int) -> None:
        """Time a solve again, and certify. The lesser time counts. Raises CertificateError if the answer is wrong."""
        times, solution = self._solve(source)
        tree = None if solution.predecessors is None else solution.predecessors[None]
        certify_each(self.procedure.graph, [source], solution.distances[None], tree)
        again = SourceSample(times.phases, source, self.samples[source].counters)
        self.samples[source] = min(self.samples[source], again, key=lambda sample: sample.total_s)

    def fill_caches(self) -> None:
        """Solve from the last source again, until CACHES_S have passed; these solves do not count."""
        warm_up(self.procedure.plan, self.procedure.device, True, CACHES_S)

    def certify(self) -> None:
        """Certify the waiting answers. Raises CertificateError if one is wrong."""
        if self._waiting:
            sources, answers = list(self._waiting), list(self._waiting.values())
            self._waiting = {}
            distances = np.stack([found for found, _ in answers])
            trees = [tree for _, tree in answers if tree is not None]
            certified = certify_each(self.procedure.graph, sources, distances, np.stack(trees) if trees else None)
            self.certificates.append(certified)

    def end(self) -> TimedFromSources:
        """The outcome."""
        self.procedure.certificate = combined(self.certificates)
        return TimedFromSources(list(self.samples.values()))

    def _solve(self, source: int) -> tuple[Sample, Solution]:
        plan, device = self.procedure.plan, self.procedure.device
        plan.source = source
        make_ready(plan, device)
        try:
            times, solution = timed_solve(plan, device)
        finally:
            plan.release()
        assert isinstance(solution, Solution)  # true of all variants with a source
        return times, solution

    def _counted(self, source: int) -> dict[str, int]:
        """The counters of the separate plan in a solve from ``source``."""
        if self._counting is None:
            return {}
        self._counting.counters.clear()
        self._counting.start(source)
        try:
            self._counting.run_until_settled()
        finally:
            self._counting.release()
        return {name: self._counting.counters[name] for name in self.procedure.configured.variant.counted}


def take_turns(graph: Graph, procedures: Sequence[Procedure], sources: Sequence[int], budget_s: float = inf) -> None:
    """Let prepared procedures solve from ``sources`` by turns, and certify all answers.

    All solve from the first source, then all from the second, and so on. Each turn begins with another solver. If there
    are several, a solver first solves from its last source again, without counting, because the others have replaced
    what caches held. In the end, turns in which a solver may have been held up are taken again, once, by all.
    Each solver may use ``budget_s`` seconds. Raises CertificateError if warpath gives a wrong answer.
    """
    solvers = [Solver(procedure, budget_s) for procedure in procedures]
    for solver in solvers:
        solver.procedure.attempt(solver.begin)

    def turn(number: int, taking: Sequence[Solver], work: Callable[[Solver, int], None], source: int) -> None:
        first = number % max(len(taking), 1)
        for solver in (*taking[first:], *taking[:first]):
            if len(procedures) > 1:
                solver.procedure.attempt(solver.fill_caches)
            solver.procedure.attempt(partial(work, solver, source))

    step = _turns_at_once(graph, len(solvers))
    for first in range(0, len(sources), step):
        for number, source in enumerate(sources[first : first + step], first):
            turn(number, [solver for solver in solvers if solver.goes_on()], Solver.solve, source)
        for solver in solvers:
            solver.procedure.attempt(solver.certify)
    solvers = [solver for solver in solvers if not solver.procedure.outcome]
    held_up = [source for source in sources if any(solver.is_held_up(source) for solver in solvers)]
    for number, source in enumerate(held_up):
        turn(number, [solver for solver in solvers if source in solver.samples], Solver.solve_again, source)
    for solver in solvers:
        solver.procedure.attempt(solver.end)


def _turns_at_once(graph: Graph, solvers: int) -> int:
    """The number of turns whose answers are certified together: one per core, limited by ANSWERS_BYTES."""
    turn_bytes = (graph.weights.itemsize + 4) * graph.vertices * max(solvers, 1)
    return max(1, min(numba.get_num_threads(), ANSWERS_BYTES // turn_bytes))
