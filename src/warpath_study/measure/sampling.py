"""Times a run: warm-up, samples, when to stop, and estimates. ``turns`` has solves from random sources.

A sample is one solve, timed by the device's own clock, phase by phase; a public call is timed by the wall clock. The
plan defines the phases. Most plans have the phases of the published timed region: allocate and upload, iterate and
finish, download.

The first sample is timed in growing stretches of iterations. It is stopped if it would exceed the budget, and its time
is then estimated. If iterations cost the same once the distances are final, the solve runs until then and for several
steady stretches more, as far as the budget allows. If iterations are sources, it runs as far as the budget allows.
"""

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import inf
from time import perf_counter
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from warpath.certificates.certificate import Certificate
from warpath.device import AnyDevice
from warpath.device.cpu import CpuDevice
from warpath.errors import CertificateError, NoClustersError, OutOfMemoryError, UsageError
from warpath.graphs.csr import Graph
from warpath.graphs.random_numbers import permutation
from warpath.solvers.checks.preconditions import AnswerSize
from warpath.solvers.variant import Configured

from ..peers.contract import MissingPeerError, Peer
from ..problems import PROBLEMS
from ..published.shared.plan import Plan
from ..record import (
    AnswerFacts,
    AnyOutcome,
    Estimated,
    Missing,
    OutOfMemory,
    RandomSources,
    Sample,
    Settings,
    Stretch,
    Timed,
    Wrong,
    run_name,
    seconds_per_iteration,
    used_stretches,
)
from .plans import plan_of

REVISION = 1
"""Raised when an edit changes what is timed; it identifies the code of a run."""

WARMUP_ITERATIONS = 10
# A warm-up runs at most this part of the iterations: if a plan has few of them, each may take minutes.
WARMUP_ONE_IN = 100
# Under load, clocks rise and caches fill. Of solves of 0.08 ms, the first after a pause took 0.32 ms, and 0.13 ms after
# a warm-up of this length.
WARMUP_S = 0.1
# The maximum part of the budget for a stretch, because iterations may become slower.
STRETCH_PART = 1 / 4
# The minimum part of the budget, and the minimum number, of the stretches that an estimate uses.
STEADY_PART = 1 / 20
STEADY_STRETCHES = 3
WALL_CLOCK = CpuDevice()
# A separate random stream (the letters of "sources"), so that sources do not depend on a graph made from the same seed.
_STREAM = int.from_bytes(b"sources", "big")


class Procedure:
    """A run of ``configured`` on ``graph``. Attempt ``prepare``, then ``sample``, or turns from random sources.

    ``sources`` are the random ones, or the only one; ``source`` is the first, or None unless the problem is ``sssp``.
    Afterwards, ``configured`` has the parameters that ran, including tuned ones. ``certificate`` is that of a part of
    the graph until the whole answer is certified.
    """

    def __init__(
        self,
        graph: Any,
        configured: Configured,
        device: AnyDevice,
        sources: Sequence[int | None],
        sampling: Settings | RandomSources,
        answer_size: AnswerSize,
        peer: Peer | None,
        dataset: str,
    ):
        variant = configured.variant
        self.problem, self.peer = PROBLEMS[variant.problem], peer
        self.graph, self.configured, self.device, self.sampling = graph, configured, device, sampling
        self.sources, self.source = sources, sources[0] if self.problem.takes_source else None
        self.answer_size, self.has_random_sources = answer_size, isinstance(sampling, RandomSources)
        drawn = sampling.parameter if isinstance(sampling, RandomSources) else {}
        self.label = f"{dataset} {run_name(variant.algorithm, variant.name, {**configured.given, **drawn})}"
        self.outcome: AnyOutcome | None = None
        self.certificate: Certificate | None = None
        self.answer: AnswerFacts | None = None
        self.warmup_launches = 0
        self.preparation_s = 0.0
        self.solved_by: Mapping[str, Any] | None = None

    def attempt(self, work: Callable[[], AnyOutcome | None]) -> None:
        """Do ``work`` unless the run has ended. It ends with the outcome that is returned, or with one for an error.

        The outcome is ``out_of_memory`` if memory did not suffice, ``wrong`` if a peer gave a wrong answer, and
        ``missing`` if the peer is not installed or the GPU lacks clusters. Raises CertificateError if warpath gives a
        wrong answer.
        """
        if self.outcome:
            return
        try:
            self.outcome = work()
        except (MissingPeerError, NoClustersError) as error:
            self.outcome = Missing(str(error))
        except OutOfMemoryError as error:
            self.outcome = OutOfMemory(str(error))
        except MemoryError as error:
            self.outcome = OutOfMemory(f"this machine's memory does not hold the run ({error})")
        except CertificateError as error:
            if not self.peer:
                raise CertificateError(f"{self.label} gives a wrong answer on {self.device.name}: {error}") from error
            self.outcome, self.certificate = Wrong(str(error)), None

    def prepare(self) -> None:
        """Tune parameters, and solve and certify a part of the graph, which also compiles the kernels.

        Raises CertificateError if the answer for the part is wrong.
        """
        variant = self.configured.variant
        if self.peer:
            self.peer.version()  # raises if it is not installed
        if self.has_random_sources and variant.tune is not None:  # as the work did
            tuned = variant.tune(self.device, self.graph, self.sources, self.configured.settings)
            self.configured = variant.configured({**tuned, **self.configured.given})
        part, source = self.problem.part(self.graph, self.source, self.device.kind == "cuda")
        plan = plan_of(self.configured, self.device, part, source)
        self.certificate = self.problem.certify(part, source, plan.solve(), "subgraph")
        self.warmup_launches = plan.counters["launches"]
        self.device.release()
        self.answer_size.check(self.problem.answer_rows(self.graph.vertices), self.graph.vertices)
        self.plan = plan_of(self.configured, self.device, self.graph, self.source)
        self.preparation_s, self.solved_by = self.plan.preparation_s, self.plan.solved_by

    def warm_up(self) -> None:
        """Warm up, and count the launches."""
        # If iterations differ, the first few warm up too little, and a plan may be unable to stop there.
        whole = self.has_random_sources or not self.configured.variant.same_cost
        self.warmup_launches += warm_up(self.plan, self.device, whole)

    def sample(self) -> Timed | Estimated:
        """Warm up, take repeated samples, and certify the answer. Raises CertificateError if it is wrong."""
        assert isinstance(self.sampling, Settings)
        self.warm_up()
        measured = measure(self.plan, self.device, self.configured.variant.same_cost, self.sampling)
        if measured.final:
            self.certificate = self.problem.certify(self.graph, self.source, measured.solution)
        self.answer = self.problem.facts(measured.solution)
        return measured.outcome


@dataclass(frozen=True)
class Measurement:
    """The outcome of sampling, and the last ``solution``; ``final`` says whether this is the answer."""

    outcome: Timed | Estimated
    solution: Any
    final: bool = True


def relative_spread(seconds: list[float]) -> float:
    """Half the interquartile range over the median; about half of all samples are that close to the median."""
    low, middle, high = np.quantile(seconds, (0.25, 0.5, 0.75))
    return float((high - low) / 2 / middle) if middle > 0 else 0.0


def warm_up(plan: Plan, device: AnyDevice, whole: bool = False, seconds: float = WARMUP_S) -> int:
    """Run all phases with a few iterations, or ``whole`` solves, until ``seconds`` have passed.

    Returns the number of kernels launched. The simulated GPU, whose times mean nothing, warms up once.
    """
    plan.counters.clear()
    start = perf_counter()
    _warm_up_once(plan, device, whole)
    while device.kind != "simulated" and perf_counter() - start < seconds:
        _warm_up_once(plan, device, whole)
    return plan.counters["launches"]


def _warm_up_once(plan: Plan, device: AnyDevice, whole: bool) -> None:
    plan.reset()
    iterations = min(WARMUP_ITERATIONS, plan.iterations // WARMUP_ONE_IN)
    try:
        if whole:
            timed_solve(plan, device)
        else:
            plan.upload()
            if iterations:
                plan.iterate(0, iterations)
            plan.finish()
            device.synchronize()
            plan.download()
    finally:
        plan.release()


def measure(plan: Plan, device: AnyDevice, same_cost: bool, settings: Settings) -> Measurement:
    """Take samples until there are enough of them.

    With ``same_cost``, the first one may be replaced by an estimate. Without, at least one solve is timed in full.
    """
    samples: list[Sample] = []
    while not _enough(samples, settings):
        solution = None  # a solve may take longer while an answer as large as its own is there
        make_ready(plan, device)
        try:
            if samples or not same_cost:
                sample, solution = timed_solve(plan, device)
            else:
                timed, solution, final = solve_within_budget(plan, device, settings.budget_s)
                if isinstance(timed, Estimated):
                    return Measurement(timed, solution, final)
                sample = timed
            samples.append(sample)
        finally:
            plan.release()
    return Measurement(Timed(samples, {"iterations": plan.iterations, **plan.counters}), solution)


def _enough(samples: list[Sample], settings: Settings) -> bool:
    """Whether there are enough samples, or they agree, or one more would exceed the budget."""
    if not samples:
        return False
    totals = [sample.total_s for sample in samples]
    if len(totals) >= settings.repeats_max or sum(totals) + statistics.median(totals) > settings.budget_s:
        return True
    return len(totals) >= settings.repeats_min and relative_spread(totals) <= settings.spread


def make_ready(plan: Plan, device: AnyDevice) -> None:
    """Reset the plan and its counters, free the device's cached memory, and wait for the device."""
    plan.reset()
    plan.counters.clear()
    if not plan.is_public_call:
        device.release()  # so that the solve allocates memory, as the published timed region does
    device.synchronize()


def timed_solve(plan: Plan, device: AnyDevice) -> tuple[Sample, Any]:
    """Time one solve of ``plan``, which the caller has reset and will release."""
    clock: AnyDevice = WALL_CLOCK if plan.is_public_call else device
    marks = [clock.record()]
    steps = plan.steps()
    for _, work in steps:
        answer = work()
        marks.append(clock.record())
    clock.synchronize()
    timed = zip(steps, pairwise(marks), strict=True)
    return Sample({phase: clock.seconds_between(*ends) for (phase, _), ends in timed if phase}), answer


def solve_within_budget(plan: Plan, device: AnyDevice, budget_s: float) -> tuple[Sample | Estimated, Any, bool]:
    """Solve ``plan``, or stop and estimate the time; the caller has reset it and will release it.

    Returns the sample or the estimate, the solution, and whether it is the answer.
    """
    upload_s = _seconds(device, plan.upload)
    stretches: list[Stretch] = []
    done, length, spent_s, settled, is_settled = 0, 1, upload_s, 0, False
    while done < plan.iterations:
        last = min(done + length, plan.iterations)
        stretch = Stretch(last - done, _seconds(device, partial(plan.iterate, done, last)))
        stretches.append(stretch)
        done = last
        spent_s += stretch.seconds
        settled += is_settled
        used = used_stretches(stretches, max(1, settled), plan.by_source)
        each_s = seconds_per_iteration(used)
        left_s = (plan.iterations - done) * each_s
        if left_s > 0 and spent_s + left_s > budget_s:
            worth_timing_s = max(STEADY_PART * budget_s, each_s)
            steady_s = sum(stretch.seconds for stretch in used)
            is_steady = settled >= STEADY_STRETCHES and steady_s >= worth_timing_s
            if is_steady or spent_s + worth_timing_s > budget_s:
                break
            is_settled = is_settled or plan.settled()
        room_s = min(STRETCH_PART * budget_s, budget_s - spent_s)
        affordable = room_s / each_s if each_s > 0 else inf
        length = max(1, int(min(2 * length, affordable)))
    final = done == plan.iterations or is_settled or plan.settled()
    finish_s = _seconds(device, plan.finish)
    start = device.record()
    solution = plan.download()
    download_s = device.seconds_between(start, device.record())
    if done == plan.iterations:
        solve_s = sum(stretch.seconds for stretch in stretches) + finish_s
        return Sample({"upload_s": upload_s, "solve_s": solve_s, "download_s": download_s}), solution, True
    estimate = Estimated(
        stretches=stretches,
        iterations_left=plan.iterations - done,
        upload_s=upload_s,
        finish_s=finish_s,
        download_s=download_s,
        settled=settled > 0,
        steady_stretches=max(1, settled),
        by_source=plan.by_source,
        counted=dict(plan.counters),
    )
    return estimate, solution, final


def _seconds(device: AnyDevice, work: Callable[[], object]) -> float:
    start = device.record()
    work()
    stop = device.record()
    device.synchronize()  # a failed kernel raises here
    return device.seconds_between(start, stop)


def draw(graph: Graph, sources: RandomSources) -> list[int]:
    """Random vertices of the largest weakly connected component, each at most once, all or those with arcs.

    In a small component, there would be little to measure. Raises UsageError if the largest one is too small.
    """
    arcs = csr_array((np.ones(graph.arcs, np.int8), graph.indices, graph.indptr), shape=(graph.vertices,) * 2)
    _, component = connected_components(arcs, directed=True, connection="weak")
    eligible = component == np.argmax(np.bincount(component))
    if sources.with_arcs:
        eligible &= np.diff(graph.indptr) > 0
    vertices = np.flatnonzero(eligible)
    if len(vertices) < sources.count:
        ((name, count),) = sources.parameter.items()
        what = "vertices with arcs" if sources.with_arcs else "vertices"
        raise UsageError(f"{name}={count} is too many: the largest component of the graph has {len(vertices)} {what}")
    return vertices[permutation(sources.seed, _STREAM, len(vertices))[: sources.count]].tolist()
