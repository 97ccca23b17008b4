"""Which samples are taken, when to stop, and what is estimated, by a clock that goes as a script says."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_graphs import named

from warpath.errors import UsageError
from warpath.graphs.csr import from_arcs
from warpath_study.measure import sampling
from warpath_study.measure.sampling import Measurement, measure, relative_spread, warm_up
from warpath_study.published.shared.plan import Plan, Solution
from warpath_study.record import Estimated, Settings, Timed

NO_ARCS = np.empty(0, dtype=np.int64)
ONE_VERTEX = from_arcs(1, NO_ARCS, NO_ARCS, NO_ARCS)


class ScriptedDevice:
    """A device whose clock moves only when told to."""

    kind = "simulated"

    def __init__(self):
        self.now_s = 0.0
        self.log: list[str] = []

    def record(self) -> float:
        return self.now_s

    def seconds_between(self, start: float, stop: float) -> float:
        return stop - start

    def synchronize(self) -> None:
        pass

    def release(self) -> None:
        self.log.append("device.release")


class ScriptedPlan(Plan):
    """``seconds(solve, i)`` is what iteration ``i`` of a solve takes; distances are final after ``settled_after``."""

    upload_s, finish_s, download_s = 0.5, 0.25, 0.125

    def __init__(self, iterations: int, seconds: Callable[[int, int], float], settled_after: float = float("inf")):
        super().__init__(ScriptedDevice(), ONE_VERTEX)
        self.iterations = iterations
        self.seconds = seconds
        self.settled_after = settled_after
        self.solve_number = -1
        self.done = 0
        self.ranges: list[list[tuple[int, int]]] = []

    def _spend(self, what: str, seconds: float) -> None:
        self.device.log.append(what)
        self.device.now_s += seconds

    def reset(self) -> None:
        self.solve_number += 1
        self.done = 0
        self.ranges.append([])
        self._spend("reset", 1000)  # never timed

    def upload(self) -> None:
        self._spend("upload", self.upload_s)

    def iterate(self, first: int, last: int) -> None:
        assert first == self.done < last <= self.iterations
        self.done = last
        self.ranges[-1].append((first, last))
        self.counters["launches"] += 2 * (last - first)
        self._spend("iterate", sum(self.seconds(self.solve_number, i) for i in range(first, last)))

    def finish(self) -> None:
        self._spend("finish", self.finish_s)

    def download(self) -> Solution:
        self._spend("download", self.download_s)
        return Solution(np.array([self.solve_number]), None)

    def release(self) -> None:
        self._spend("release", 1000)

    def settled(self) -> bool:
        self._spend("settled", 1000)
        return self.done >= self.settled_after

    def measured(self, same_cost: bool = True, **settings) -> Measurement:
        return measure(self, self.device, same_cost, Settings(**settings))


OVERHEAD_S = ScriptedPlan.upload_s + ScriptedPlan.finish_s + ScriptedPlan.download_s


def test_samples_that_agree_end_at_the_least_number():
    plan = ScriptedPlan(100, lambda solve, i: 0.01)
    measurement = plan.measured(budget_s=60, repeats_min=4, repeats_max=9)
    assert len(measurement.outcome.samples) == 4
    assert measurement.final
    assert measurement.outcome.seconds == pytest.approx(1 + OVERHEAD_S)
    assert measurement.outcome.counters == {"iterations": 100, "launches": 200}
    assert measurement.solution.distances == [3]


def test_a_sample_holds_the_phases_and_nothing_that_lies_between_solves():
    plan = ScriptedPlan(7, lambda solve, i: 1 + solve)
    for number, sample in enumerate(plan.measured(budget_s=1000, repeats_max=3, spread=0).outcome.samples):
        solve_s = 7 * (1 + number) + plan.finish_s
        expected = {"upload_s": plan.upload_s, "solve_s": solve_s, "download_s": plan.download_s}
        assert sample.phases == pytest.approx(expected)
        assert sample.total_s == pytest.approx(sum(expected.values()))


def test_a_plan_has_phases_of_its_own_and_steps_that_are_not_timed():
    class SteppedPlan(ScriptedPlan):
        def steps(self):
            return (
                (None, self.upload),
                ("first_s", lambda: self._spend("first", 3)),
                (None, lambda: self._spend("between", 1000)),
                ("second_s", self.run),
                (None, self.download),
            )

    measurement = SteppedPlan(2, lambda solve, i: 5).measured(same_cost=False, repeats_min=1, repeats_max=1)
    (sample,) = measurement.outcome.samples
    assert sample.phases == {"first_s": 3, "second_s": 10.25}
    assert list(sample.phases) == ["first_s", "second_s"]
    assert sample.total_s == measurement.outcome.seconds == 13.25
    assert measurement.solution.distances == [0]


def test_memory_is_given_back_before_each_upload_and_arrays_dropped_after_each_download():
    plan = ScriptedPlan(1, lambda solve, i: 1)
    plan.measured(repeats_min=2, repeats_max=2)
    solve = ["reset", "device.release", "upload", "iterate", "finish", "download", "release"]
    assert plan.device.log == 2 * solve


def test_samples_that_differ_go_on_to_the_most_and_their_median_is_shown():
    plan = ScriptedPlan(10, lambda solve, i: 1 + solve % 2)
    measurement = plan.measured(budget_s=1000, repeats_min=2, repeats_max=7, spread=0.1)
    assert len(measurement.outcome.samples) == 7
    assert measurement.outcome.seconds == pytest.approx(10 + OVERHEAD_S)  # four solves of seven are fast
    plan = ScriptedPlan(10, lambda solve, i: (9, 1, 2)[solve])
    measurement = plan.measured(budget_s=1000, repeats_min=3, repeats_max=3)
    assert measurement.outcome.seconds == pytest.approx(20 + OVERHEAD_S)


def test_the_budget_has_the_last_word():
    for budget_s, samples in ((10.9, 1), (21.7, 1), (21.8, 2), (32.7, 3), (1000, 5)):
        plan = ScriptedPlan(10, lambda solve, i: 1)
        measurement = plan.measured(budget_s=budget_s, repeats_min=5, repeats_max=5)
        assert len(measurement.outcome.samples) == samples


def test_only_the_first_sample_is_watched():
    plan = ScriptedPlan(100, lambda solve, i: 0.01)
    plan.measured(repeats_min=3)
    assert plan.ranges[0][:3] == [(0, 1), (1, 3), (3, 7)]
    assert plan.ranges[1:] == [[(0, 100)], [(0, 100)]]


def test_an_estimate_is_timed_iterations_plus_the_others_at_the_rate_of_final_distances():
    plan = ScriptedPlan(1000, lambda solve, i: 3 if i < 4 else 1, settled_after=4)
    measurement = plan.measured(budget_s=100)
    estimate = measurement.outcome
    assert estimate.settled and measurement.final
    assert estimate.seconds_per_iteration == pytest.approx(1)
    assert measurement.outcome.seconds == pytest.approx(3 * 4 + 996 + OVERHEAD_S)
    assert estimate.counters == {"iterations": plan.done, "launches": 2 * plan.done}
    assert estimate.iterations_timed == plan.done and estimate.iterations_total == 1000
    assert sum(stretch.seconds for stretch in estimate.stretches) == pytest.approx(plan.done + 8)


def test_the_standard_error_of_sources_covers_the_true_time():
    random = np.random.default_rng(1)
    within = 0
    for _ in range(100):
        costs = random.exponential(1, 2000)
        plan = ScriptedPlan(2000, lambda solve, i, costs=costs: costs[i])
        plan.by_source = True
        estimate = plan.measured(budget_s=100).outcome
        error = estimate.standard_error_s
        within += abs(estimate.seconds - costs.sum() - OVERHEAD_S) < 2 * error
    assert within > 80


def test_settled_distances_and_steady_stretches_end_it_long_before_the_budget():
    plan = ScriptedPlan(10**6, lambda solve, i: 0.01, settled_after=50)
    estimate = plan.measured(budget_s=1000).outcome
    steady = estimate.stretches[-estimate.steady_stretches :]
    assert estimate.iterations_timed - sum(stretch.iterations for stretch in steady) == 63  # 1 + 2 + 4 + ... + 32
    assert len(steady) >= 3 and sum(stretch.seconds for stretch in steady) >= 1000 / 20
    assert estimate.seconds_timed < 1000 / 4


def test_the_mean_and_the_spread_are_of_all_stretches_with_final_distances():
    """A fast stretch at the end, as of a machine that is alone for once, does not decide the estimate."""
    plan = ScriptedPlan(10**5, lambda solve, i: 0.02 if i < 500 else 0.01, settled_after=100)
    estimate = plan.measured(budget_s=200).outcome
    steady = estimate.stretches[-estimate.steady_stretches :]
    assert estimate.settled and estimate.steady_stretches == 3
    mean = sum(stretch.seconds for stretch in steady) / sum(stretch.iterations for stretch in steady)
    assert 0.01 < mean < 0.02 and estimate.seconds_per_iteration == pytest.approx(mean)
    assert estimate.standard_error_s > 0


def test_a_budget_for_one_steady_stretch_leaves_the_spread_open():
    estimate = ScriptedPlan(1000, lambda solve, i: 1, settled_after=1).measured(budget_s=3.2).outcome
    assert (estimate.settled, estimate.steady_stretches, estimate.standard_error_s) == (True, 1, None)


def test_unsettled_distances_use_the_budget_up_and_say_so():
    plan = ScriptedPlan(10**6, lambda solve, i: 1 + i / 100)
    measurement = plan.measured(budget_s=300)
    estimate = measurement.outcome
    assert not estimate.settled
    assert not measurement.final
    assert 250 < estimate.seconds_timed < 310


def test_distances_that_settle_in_the_last_stretch_are_final_though_the_estimate_is_not_settled():
    plan = ScriptedPlan(100, lambda solve, i: 10, settled_after=2)
    measurement = plan.measured(budget_s=25)
    assert measurement.outcome.iterations_timed == 2
    assert (measurement.outcome.settled, measurement.final) == (False, True)


def test_costly_first_iterations_do_not_make_an_estimate_of_what_fits():
    plan = ScriptedPlan(1000, lambda solve, i: 2 if i < 3 else 0.001)
    measurement = plan.measured(budget_s=20)
    assert measurement.outcome.samples[0].phases["solve_s"] == pytest.approx(6 + 0.997 + plan.finish_s)


def test_cheap_first_iterations_do_not_lure_it_past_the_budget():
    plan = ScriptedPlan(1000, lambda solve, i: 0.001 if i < 100 else 0.1)
    estimate = plan.measured(budget_s=50).outcome
    assert estimate.seconds_timed < 55
    assert estimate.seconds == pytest.approx(0.1 + 900 * 0.1 + OVERHEAD_S)


def test_iterations_that_differ_are_timed_in_full_once():
    plan = ScriptedPlan(50, lambda solve, i: i)
    measurement = plan.measured(same_cost=False, budget_s=1)
    assert len(measurement.outcome.samples) == 1
    assert plan.ranges == [[(0, 50)]]
    assert "settled" not in plan.device.log


def test_a_solve_without_iterations():
    plan = ScriptedPlan(0, lambda solve, i: 1)
    assert warm_up(plan, plan.device) == 0
    measurement = plan.measured(repeats_min=2)
    assert measurement.outcome.seconds == pytest.approx(OVERHEAD_S)
    assert measurement.outcome.counters == {"iterations": 0}


@given(
    iterations=st.integers(1, 3000),
    iteration_s=st.sampled_from([0.0, 1e-6, 0.01, 1.0, 50.0]),
    budget_s=st.sampled_from([0.1, 1.0, 60.0, 10000.0]),
    settled_after=st.integers(0, 3000) | st.just(float("inf")),
)
def test_iterations_of_one_cost(iterations, iteration_s, budget_s, settled_after):
    plan = ScriptedPlan(iterations, lambda solve, i: iteration_s, settled_after)
    measurement = plan.measured(budget_s=budget_s, repeats_min=1, repeats_max=1)
    true_s = iterations * iteration_s + OVERHEAD_S
    assert measurement.outcome.seconds == pytest.approx(true_s)
    if plan.upload_s + iterations * iteration_s < budget_s:
        assert isinstance(measurement.outcome, Timed)
    if isinstance(measurement.outcome, Estimated):
        assert measurement.outcome.seconds_timed <= budget_s + iteration_s
        assert measurement.outcome.iterations_total == iterations
        assert plan.ranges[0][-1][1] == measurement.outcome.iterations_timed


def test_warm_up_passes_all_phases_with_few_iterations():
    for iterations, warmed in ((5, []), (99, []), (300, [(0, 3)]), (10**6, [(0, 10)])):
        plan = ScriptedPlan(iterations, lambda solve, i: 1)
        assert warm_up(plan, plan.device) == 2 * sum(last - first for first, last in warmed)
        assert plan.ranges == [warmed]
        log = [entry for entry in plan.device.log if entry != "iterate"]
        assert log == ["reset", "upload", "finish", "download", "release"]
    plan = ScriptedPlan(300, lambda solve, i: 1)
    assert warm_up(plan, plan.device, whole=True) == 2 * 300
    assert plan.ranges == [[(0, 300)]]
    assert plan.device.log[-1] == "release"


@pytest.mark.parametrize(("kind", "solves"), [("simulated", 1), ("cpu", 4), ("cuda", 4)])
def test_warming_up_goes_on_for_a_while_where_times_count(kind, solves, monkeypatch):
    """A GPU at rest has a sixth of its clock, and one short solve is over before it rises."""
    plan = ScriptedPlan(300, lambda solve, i: 0)
    plan.device.kind = kind
    passed = iter((0, 0.04, 0.07, 0.099, 0.1, 9))
    monkeypatch.setattr(sampling, "perf_counter", lambda: next(passed))
    assert warm_up(plan, plan.device, whole=True) == 2 * 300 * solves
    assert plan.device.log.count("release") == solves


@pytest.mark.parametrize("same_cost", [True, False])
def test_arrays_are_dropped_where_a_phase_fails(same_cost):
    def fail(*_):
        raise MemoryError

    for phase in ("upload", "iterate", "finish", "download"):
        plan = ScriptedPlan(3, lambda solve, i: 1)
        setattr(plan, phase, fail)
        with pytest.raises(MemoryError):
            plan.measured(same_cost=same_cost)
        assert plan.device.log[-1] == "release"


def test_relative_spread():
    assert relative_spread([2.0]) == 0
    assert relative_spread([0.0, 0.0]) == 0
    assert relative_spread([9.0, 10.0, 11.0]) == pytest.approx(0.05)
    assert relative_spread([10.0, 10.0, 10.0, 10.0, 99.0]) == 0


def test_settings_that_make_no_sense():
    for settings in (
        {"budget_s": 0},
        {"budget_s": float("nan")},
        {"repeats_min": 0},
        {"repeats_min": 5, "repeats_max": 4},
        {"spread": -0.1},
    ):
        with named(str(settings)), pytest.raises(UsageError):
            Settings(**settings)
