"""Ratios of runs that took turns, and their intervals."""

import numpy as np
import pytest

from warpath_study.report.runs import Run
from warpath_study.report.verdicts import ratio_of_means, ratio_of_medians, took_turns


def run_of(times, turns="one") -> Run:
    return Run(row="a", dataset="g", turns=turns, times=dict(enumerate(times)))


def test_only_sources_that_both_solved_are_compared():
    ours, theirs = run_of([1.0] * 40), run_of([2.0] * 20 + [9.0] * 0)
    for ratio in (ratio_of_medians(theirs, ours), ratio_of_means(theirs, ours)):
        assert (ratio.value, ratio.interval, ratio.verdict) == (2, (2, 2), "slower")
    for ratio in (ratio_of_medians(ours, theirs), ratio_of_means(ours, theirs)):
        assert (ratio.value, ratio.interval, ratio.verdict) == (0.5, (0.5, 0.5), "faster")


def test_a_slow_stretch_that_hits_both_changes_no_ratio_of_medians():
    slow = [7.0 if 20 < place < 70 else 1.0 for place in range(100)]
    ours, theirs = run_of(slow), run_of([1.1 * time for time in slow])
    assert ratio_of_medians(theirs, ours).interval == pytest.approx((1.1, 1.1))


def test_there_is_no_verdict_from_five_sources():
    for count, verdict in ((5, ""), (6, "slower")):
        ours, theirs = run_of([1.0] * count), run_of([2.0] * count)
        assert ratio_of_medians(theirs, ours).verdict == ratio_of_means(theirs, ours).verdict == verdict


def test_intervals_miss_the_true_ratio_about_once_in_twenty_times():
    random, missed = np.random.default_rng(1), {ratio_of_medians: 0, ratio_of_means: 0}
    for _ in range(200):
        ours, theirs = (run_of(random.lognormal(sigma=0.3, size=100)) for _ in range(2))
        for of, count in missed.items():
            missed[of] = count + (of(theirs, ours).verdict != "no difference")
    assert all(0 < count <= 24 for count in missed.values()), missed


def test_runs_without_a_joint_run_took_no_turns():
    assert took_turns(run_of([]), run_of([]))
    assert not took_turns(run_of([]), run_of([], "another"))
    assert not took_turns(run_of([], ""), run_of([], ""))
