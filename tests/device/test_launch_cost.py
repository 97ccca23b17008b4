"""What a launch and the wait for it cost: measured on every device, kept in the record of a GPU, and said in tables."""

import time

import pytest
from every_device import EVERY_DEVICE, opened
from report_samples import H200, data, estimated, keep, record, samples, written_work

from warpath.errors import UsageError
from warpath_study.measure.compare import compare
from warpath_study.measure.run import BATCHES, LAUNCHES, launch_and_wait_s
from warpath_study.report.table import markdown, published_table
from warpath_study.report.views import make

NAIVE, STRIDE = "bellman_ford.naive", "bellman_ford.stride"
WORK = f"""
title: A work
citation: Somebody
runs:
  roads: {{columns: [{NAIVE}, {STRIDE}], rows: {{a: a, b: b}}}}
targets:
  roads: {{kind: table, runs: [roads], options: {{published: roads.csv}}}}
waits: [{STRIDE}]
"""
PUBLISHED = "dataset,nodes,edges,naive,stride\na,10,20,1.0,1.0\nb,10,20,1.0,4.0\n"


class Clock:
    """A device on which each launch takes as long as the next of ``costs_s``, by its own clock."""

    def __init__(self, *costs_s):
        self.costs_s, self.now_s = list(costs_s), 0.0

    def kernel(self, file, name):
        assert f"{name}()" in file.read_text()
        return self

    def bind(self, grid, block):
        return (grid, block)

    def repeat(self, launches, times):
        assert launches == [((1,), (1,))]
        self.now_s += times * self.costs_s.pop(0)

    def synchronize(self):
        pass

    def record(self):
        return self.now_s

    def seconds_between(self, start, stop):
        return stop - start


def test_it_is_the_median_of_batches_without_the_first_launches():
    straggler = [1.0]
    costs = [9.0, *straggler, *[6e-6] * (BATCHES // 2), *[5e-6] * (BATCHES // 2)]
    assert launch_and_wait_s(Clock(*costs)) == pytest.approx(6e-6)


@pytest.mark.parametrize("name", EVERY_DEVICE)
def test_an_empty_kernel_is_launched_on_every_device_in_little_time(name):
    device = opened(name)
    launch_and_wait_s(device)  # compiles
    began = time.perf_counter()
    seconds = launch_and_wait_s(device)
    assert 0 < seconds < (time.perf_counter() - began) / (LAUNCHES * BATCHES) * BATCHES
    assert LAUNCHES * BATCHES * seconds < 5  # a GPU that others use as well included


def test_two_records_that_have_it_are_compared_with_it():
    def of(seconds, cost_s=None):
        return record("nyc", STRIDE, seconds, samples=samples(*[seconds] * 3), launch_and_wait_s=cost_s)

    compared = compare(of(2.0, 5.814e-6), of(2.2, 6.4e-6))
    assert (compared.verdict, compared.notes) == ("slower", ("a launch and wait 5.81 µs against 6.40 µs",))
    assert compare(of(2.0), of(2.2, 6.4e-6)).notes == ()


def test_a_table_says_it_of_each_device(tmp_path):
    work = written_work(tmp_path / "some_work", WORK, roads=PUBLISHED)
    keep(tmp_path / "runs", "a", NAIVE, 2.0, samples=samples(2.0, 2.0, 2.0), launch_and_wait_s=6.1e-6)
    keep(tmp_path / "runs", "a", STRIDE, 2.0, samples=samples(2.0, 2.0, 2.0))
    given = data(work, "roads", tmp_path / "runs")
    said = "- Device: NVIDIA H200, 2026-03-14; a launch and the wait for it took {}.\n"
    assert said.format("6.10 µs") in markdown(published_table(given))
    other = {"launch_and_wait_s": 7.25e-6, "device": H200}
    keep(tmp_path / "runs", "b", NAIVE, 2.0, samples=samples(2.0, 2.0, 2.0), **other)
    given = data(work, "roads", tmp_path / "runs")
    assert said.format("6.10 µs to 7.25 µs") in markdown(published_table(given))
    assert [run.more["launch_and_wait_s"] for run in given.runs[::2]] == [6.1e-6, 7.25e-6]


def waits_told(folder, **facts):
    """The note on waits below a table of four runs, those of stride of 1,000 launches with these ``facts``."""
    work = written_work(folder / "some_work", WORK, roads=PUBLISHED)
    launches = {"launches": 1000}
    for dataset in ("a", "b"):
        keep(folder / "runs", dataset, NAIVE, 2.0, counters=launches, launch_and_wait_s=2e-3)
        cost = {"launch_and_wait_s": 1.5e-3 if dataset == "a" else 1.6e-3}
        keep(folder / "runs", dataset, STRIDE, 2.0, **{"counters": launches, **cost, **facts})
    made = make(data(work, "roads", folder / "runs"))
    return [note for note in made.notes if note.startswith("The host waits")]


def test_times_that_are_mostly_waits_for_launches_are_told_with_their_floor(tmp_path):
    (note,) = waits_told(tmp_path)
    # 1,000 launches of at least 1.5 ms in 2 s; naive does not wait after each.
    assert "75 % of Stride" in note and "Naive" not in note
    # Published: 1 s for a, and 4 s for b, which is no longer than the time here.
    assert "Stride on a (1,000 waits, at least 1.50 s of 2.00 s)" in note and " b " not in note


@pytest.mark.parametrize(
    ("facts", "share"),
    [
        ({"counters": {"launches": 1200}}, "90 %"),
        ({"launch_and_wait_s": 1.1e-3}, "55 %"),
        ({"counters": {"launches": 600}}, None),
        ({"counters": {"launches": 1500}}, "100 %"),  # launches were faster during the run
        ({"launch_and_wait_s": None}, "100 %"),
        # Half of the iterations, and half of the launches, were timed.
        ({"counters": {"launches": 500}, **estimated(5, 10)}, "75 %"),
    ],
)
def test_the_floor_follows_the_record(tmp_path, facts, share):
    found = waits_told(tmp_path, **facts)
    assert [share in note for note in found] == [True] * bool(share)


def test_a_run_that_no_work_has_cannot_wait(tmp_path):
    work = written_work(tmp_path / "some_work", WORK.replace(f"waits: [{STRIDE}]", "waits: [bellman_ford.strid]"))
    with pytest.raises(UsageError, match=r"did you mean bellman_ford\.stride"):
        work.check(["a", "b"])
