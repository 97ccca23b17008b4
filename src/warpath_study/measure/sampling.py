"""Timing one plan: which samples are taken and when to stop.

A sample is one solve, timed by the device's own clock, phase by phase. The plan defines the phases; most plans have
those of the published timed region: allocate and upload, iterate and finish, download.
"""

import statistics
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from time import perf_counter
from typing import Any

import numpy as np

from warpath.device import AnyDevice
from warpath.errors import UsageError
from warpath.solvers.plan import Plan

from ..record import Sample
from .watched import WatchedSolve, solve_watched

REVISION = 1
"""Raised when an edit changes what is timed; it identifies the code of a run."""

WARMUP_ITERATIONS = 10
# A warm-up runs at most one iteration in this many: if a plan has few iterations, each may take minutes.
WARMUP_ONE_IN = 100
# Clocks of a GPU and of the cores rise, and caches fill, while they are at work: where solves took some 0.08 ms, the
# first after a pause took 0.32 ms, and 0.13 ms after so long a warm-up.
WARMUP_S = 0.1


@dataclass(frozen=True)
class Settings:
    """How long to measure. ``budget_s`` limits the sum of all samples; for ``spread`` see ``relative_spread``.

    Raises UsageError for impossible values.
    """

    budget_s: float = 60.0
    repeats_min: int = 3
    repeats_max: int = 10
    spread: float = 0.02

    def __post_init__(self) -> None:
        if not (isfinite(self.budget_s) and self.budget_s > 0):
            raise UsageError(f"the budget must be a positive number of seconds, not {self.budget_s:g}")
        if not 1 <= self.repeats_min <= self.repeats_max:
            raise UsageError(
                f"the least repeats ({self.repeats_min}) must be at least 1 and not above the most ({self.repeats_max})"
            )
        if not (isfinite(self.spread) and self.spread >= 0):
            raise UsageError(f"the wanted spread must be a fraction of at least 0, not {self.spread:g}")


@dataclass(frozen=True)
class Measurement:
    """Samples of full solves, or the one solve that was given up for an estimate.

    ``solution`` and ``counters`` are those of the last solve; ``final`` says whether the solution is the answer.
    """

    samples: tuple[Sample, ...]
    estimate: WatchedSolve | None
    solution: Any
    counters: dict[str, int]

    @property
    def final(self) -> bool:
        return self.estimate is None or self.estimate.final

    @property
    def seconds(self) -> float:
        """The time that a table shows: the estimate, or the median of the samples."""
        if self.estimate is not None:
            return self.estimate.seconds
        return statistics.median(sample.total_s for sample in self.samples)


def relative_spread(seconds: list[float]) -> float:
    """Half the interquartile range over the median: about half of all samples lie that close to the median."""
    low, middle, high = np.quantile(seconds, (0.25, 0.5, 0.75))
    return float((high - low) / 2 / middle) if middle > 0 else 0.0


def warm_up(plan: Plan, device: AnyDevice, whole: bool = False) -> int:
    """Run all phases, with at most ten iterations, or ``whole`` solves, until WARMUP_S have passed, at least once.

    Returns the number of kernels launched. On the host device, whose times mean nothing, once is always enough.
    """
    plan.counters.clear()
    began = perf_counter()
    _warm_up_once(plan, device, whole)
    while device.kind != "host" and perf_counter() - began < WARMUP_S:
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

    With ``same_cost`` the first one is watched and may be given up for an estimate. A variant whose iterations differ
    is timed in full at least once, however long that takes.
    """
    samples: list[Sample] = []
    estimate = None
    while estimate is None and not _enough(samples, settings):
        make_ready(plan, device)
        try:
            if samples or not same_cost:
                sample, solution = timed_solve(plan, device)
                samples.append(sample)
            else:
                watched, solution = solve_watched(plan, device, settings.budget_s)
                if watched.complete:
                    samples.append(sample_of(watched.phases))
                else:
                    estimate = watched
        finally:
            plan.release()
    iterations = plan.iterations if estimate is None else estimate.iterations_timed
    return Measurement(tuple(samples), estimate, solution, {"iterations": iterations, **plan.counters})


def _enough(samples: list[Sample], settings: Settings) -> bool:
    """Whether to stop: the samples are as many as allowed, or agree, or one more would exceed the budget."""
    if not samples:
        return False
    totals = [sample.total_s for sample in samples]
    if len(totals) >= settings.repeats_max or sum(totals) + statistics.median(totals) > settings.budget_s:
        return True
    return len(totals) >= settings.repeats_min and relative_spread(totals) <= settings.spread


def make_ready(plan: Plan, device: AnyDevice) -> None:
    """Put the starting values into the plan's host arrays, and wait for the device."""
    plan.reset()
    plan.counters.clear()
    device.release()  # so that allocation is real, as in the published region
    device.synchronize()


def timed_solve(plan: Plan, device: AnyDevice) -> tuple[Sample, Any]:
    """Time one solve of ``plan``, which the caller has reset and will release."""
    marks = [device.record()]
    steps = plan.steps()
    for _, work in steps:
        answer = work()
        marks.append(device.record())
    device.synchronize()
    timed = zip(steps, pairwise(marks), strict=True)
    return sample_of({phase: device.seconds_between(*ends) for (phase, _), ends in timed if phase}), answer


def sample_of(phases: dict[str, float]) -> Sample:
    """A full solve of these phases."""
    return Sample(sum(phases.values()), phases)
