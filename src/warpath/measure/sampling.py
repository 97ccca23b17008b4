"""Timing one plan: which samples are taken and when to stop.

A sample is the published timed region: allocate and upload, all iterations and what follows them, download. Its length
is read from the device's own clock.
"""

import statistics
from dataclasses import dataclass
from math import isfinite

import numpy as np

from ..algorithms.plan import Closure, Plan, Solution
from ..device import Device
from ..errors import UsageError
from .watched import WatchedSolve, solve_watched

WARMUP_ITERATIONS = 10
# A warm-up runs one iteration in so many at most: where there are few, each may take minutes.
WARMUP_ONE_IN = 100


@dataclass(frozen=True)
class Settings:
    """How long to measure. ``budget_s`` covers the samples' seconds together; for ``spread`` see ``relative_spread``.

    Raises UsageError for values that make no sense.
    """

    budget_s: float = 60.0
    repeats_min: int = 3
    repeats_max: int = 10
    spread: float = 0.02

    def __post_init__(self):
        if not (isfinite(self.budget_s) and self.budget_s > 0):
            raise UsageError(f"the budget must be a positive number of seconds, not {self.budget_s:g}")
        if not 1 <= self.repeats_min <= self.repeats_max:
            raise UsageError(
                f"the least repeats ({self.repeats_min}) must be at least 1 and not above the most ({self.repeats_max})"
            )
        if not (isfinite(self.spread) and self.spread >= 0):
            raise UsageError(f"the wanted spread must be a fraction of at least 0, not {self.spread:g}")


@dataclass(frozen=True)
class Sample:
    """One solve, timed in full."""

    upload_s: float
    solve_s: float
    download_s: float

    @property
    def total_s(self) -> float:
        return self.upload_s + self.solve_s + self.download_s

    def as_dict(self) -> dict[str, float]:
        """For a record."""
        return {**vars(self), "total_s": self.total_s}


@dataclass(frozen=True)
class Measurement:
    """Samples of full solves, or the one solve that was given up for an estimate.

    ``solution`` and ``counters`` are the last solve's; ``final`` says whether the solution holds shortest distances.
    """

    samples: tuple[Sample, ...]
    estimate: WatchedSolve | None
    solution: Solution | Closure
    counters: dict[str, int]

    @property
    def final(self) -> bool:
        return self.estimate is None or self.estimate.final

    @property
    def seconds(self) -> float:
        """What a table shows: the estimate, or the median of the samples."""
        if self.estimate is not None:
            return self.estimate.seconds
        return statistics.median(sample.total_s for sample in self.samples)


def relative_spread(seconds: list[float]) -> float:
    """Half the interquartile range over the median: half of all samples lie about that close to the median."""
    low, middle, high = np.quantile(seconds, (0.25, 0.5, 0.75))
    return float((high - low) / 2 / middle) if middle > 0 else 0.0


def warm_up(plan: Plan, device: Device) -> int:
    """One short pass over all phases, of ten iterations at most; returns how many kernels it launched."""
    plan.counters.clear()
    plan.reset()
    iterations = min(WARMUP_ITERATIONS, plan.iterations // WARMUP_ONE_IN)
    try:
        plan.upload()
        if iterations:
            plan.iterate(0, iterations)
        plan.finish()
        device.synchronize()
        plan.download()
    finally:
        plan.release()
    return plan.counters["launches"]


def measure(plan: Plan, device: Device, same_cost: bool, settings: Settings) -> Measurement:
    """Take samples until there are enough of them.

    With ``same_cost`` the first one is watched and may be given up for an estimate. A variant whose iterations differ
    is timed in full once, however long that takes.
    """
    samples: list[Sample] = []
    estimate = None
    while estimate is None and not _enough(samples, settings):
        plan.reset()
        plan.counters.clear()
        device.release()  # so that allocation is real, as in the published region
        device.synchronize()
        try:
            if samples or not same_cost:
                sample, solution = timed_solve(plan, device)
                samples.append(sample)
            else:
                watched, solution = solve_watched(plan, device, settings.budget_s)
                if watched.complete:
                    solve_s = watched.seconds_timed + watched.finish_s
                    samples.append(Sample(watched.upload_s, solve_s, watched.download_s))
                else:
                    estimate = watched
        finally:
            plan.release()
    iterations = plan.iterations if estimate is None else estimate.iterations_timed
    return Measurement(tuple(samples), estimate, solution, {"iterations": iterations, **plan.counters})


def _enough(samples: list[Sample], settings: Settings) -> bool:
    """The most samples are there, or another one would outlast the budget, or they agree."""
    if not samples:
        return False
    totals = [sample.total_s for sample in samples]
    if len(totals) >= settings.repeats_max or sum(totals) + statistics.median(totals) > settings.budget_s:
        return True
    return len(totals) >= settings.repeats_min and relative_spread(totals) <= settings.spread


def timed_solve(plan: Plan, device: Device) -> tuple[Sample, Solution | Closure]:
    """One sample of ``plan``, which is reset; the caller releases it."""
    start = device.record()
    plan.upload()
    uploaded = device.record()
    if plan.iterations:  # a single vertex has none
        plan.iterate(0, plan.iterations)
    plan.finish()
    device.synchronize()  # a failed kernel is reported here, as such
    solved = device.record()
    solution = plan.download()
    stop = device.record()
    device.synchronize()
    sample = Sample(
        upload_s=device.seconds_between(start, uploaded),
        solve_s=device.seconds_between(uploaded, solved),
        download_s=device.seconds_between(solved, stop),
    )
    return sample, solution
