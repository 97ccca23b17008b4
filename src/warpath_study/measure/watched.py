"""A solve that is timed in growing stretches of iterations, and given up if it would outlast its budget.

If a solve is given up, its time is estimated. Where iterations cost the same once the distances are final, each that
did not run is taken to cost as much as those of the last stretch; so the solve goes on until they are final, and for a
steady stretch after that, as far as the budget allows. Where iterations are sources, which cost different times, each
that did not run is taken to cost the mean of all that did, and the solve goes on as far as the budget allows.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Any

from warpath.device import AnyDevice
from warpath.solvers.plan import Plan

from ..estimates import seconds_per_iteration, standard_error_s
from ..record import Estimate, Stretch

# No stretch is planned to take more than this part of the budget: iterations may become slower.
STRETCH_PART = 1 / 4
# A stretch that took this part of the budget is long enough to estimate from.
STEADY_PART = 1 / 20


@dataclass(frozen=True)
class WatchedSolve:
    """The timed part of a solve of ``iterations_total`` iterations, which are sources if ``by_source``.

    ``settled`` says whether the last stretch began with final distances, ``final`` whether the solution holds them.
    """

    iterations_total: int
    upload_s: float
    stretches: tuple[Stretch, ...]
    finish_s: float
    download_s: float
    settled: bool
    final: bool
    by_source: bool = False

    @property
    def iterations_timed(self) -> int:
        return self.stretches[-1].last if self.stretches else 0

    @property
    def complete(self) -> bool:
        return self.iterations_timed == self.iterations_total

    @property
    def seconds_timed(self) -> float:
        """The time of all iterations that were run."""
        return sum(stretch.seconds for stretch in self.stretches)

    @property
    def seconds_per_iteration(self) -> float:
        """What an iteration that did not run is taken to cost."""
        return seconds_per_iteration(self.stretches, self.by_source)

    @property
    def phases(self) -> dict[str, float]:
        """The phases of a solve that is complete."""
        solve_s = self.seconds_timed + self.finish_s
        return {"upload_s": self.upload_s, "solve_s": solve_s, "download_s": self.download_s}

    @property
    def seconds(self) -> float:
        """The time of the whole solve: as measured if it is complete, estimated if not."""
        seconds = self.upload_s + self.seconds_timed + self.finish_s + self.download_s
        if not self.complete:
            iterations_left = self.iterations_total - self.iterations_timed
            seconds += iterations_left * self.seconds_per_iteration
        return seconds

    def as_estimate(self) -> Estimate:
        """The ``estimate`` of a record."""
        return Estimate(
            iterations_timed=self.iterations_timed,
            iterations_total=self.iterations_total,
            seconds_timed=self.seconds_timed,
            seconds_per_iteration=self.seconds_per_iteration,
            standard_error_s=standard_error_s(self.stretches, self.iterations_total) if self.by_source else None,
            settled=self.settled,
            upload_s=self.upload_s,
            finish_s=self.finish_s,
            download_s=self.download_s,
            stretches=list(self.stretches),
        )


def solve_watched(plan: Plan, device: AnyDevice, budget_s: float) -> tuple[WatchedSolve, Any]:
    """Solve ``plan``, or give it up; the caller has reset it and will release it."""
    upload_s = _seconds(device, plan.upload)
    stretches: list[Stretch] = []
    done, length, spent_s, settled = 0, 1, upload_s, False
    while done < plan.iterations:
        last = min(done + length, plan.iterations)
        stretch = Stretch(done, last, _seconds(device, partial(plan.iterate, done, last)))
        stretches.append(stretch)
        done = last
        spent_s += stretch.seconds
        each_s = seconds_per_iteration(stretches, plan.by_source)
        left_s = (plan.iterations - done) * each_s
        if left_s > 0 and spent_s + left_s > budget_s:
            worth_timing_s = max(STEADY_PART * budget_s, each_s)
            if (settled and stretch.seconds >= worth_timing_s) or spent_s + worth_timing_s > budget_s:
                break
            settled = settled or plan.settled()
        room_s = min(STRETCH_PART * budget_s, budget_s - spent_s)
        affordable = room_s / each_s if each_s > 0 else inf
        length = max(1, int(min(2 * length, affordable)))
    final = done == plan.iterations or settled or plan.settled()
    finish_s = _seconds(device, plan.finish)
    start = device.record()
    solution = plan.download()
    download_s = device.seconds_between(start, device.record())
    return (
        WatchedSolve(plan.iterations, upload_s, tuple(stretches), finish_s, download_s, settled, final, plan.by_source),
        solution,
    )


def _seconds(device: AnyDevice, work: Callable[[], object]) -> float:
    start = device.record()
    work()
    stop = device.record()
    device.synchronize()  # a failed kernel raises here
    return device.seconds_between(start, stop)
