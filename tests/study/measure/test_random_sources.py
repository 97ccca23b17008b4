"""Solves from random sources: which vertices they are, who takes which turn, what is certified and recorded."""

from types import SimpleNamespace

import numpy as np
import pytest
from tiny_graphs import graph, grid_of

from warpath.__main__ import main
from warpath.device import open_device
from warpath.errors import CertificateError, UsageError
from warpath_study.measure import sampling, turns
from warpath_study.measure.plans import plan_of
from warpath_study.measure.run import measure_run, measure_runs
from warpath_study.measure.runs import find
from warpath_study.measure.sampling import draw, timed_solve
from warpath_study.record import RandomSources, Sample, read_record, write_record

pytestmark = pytest.mark.usefixtures("a_lock_of_our_own")
PATH = grid_of(33, 2)


@pytest.fixture(scope="module")
def device():
    return open_device("simulated")


def test_sources_are_different_and_the_seed_decides():
    drawn = draw(PATH, RandomSources(20, seed=4))
    assert len(set(drawn)) == 20 and drawn == draw(PATH, RandomSources(20, seed=4))
    assert drawn != draw(PATH, RandomSources(20, seed=5))
    assert sorted(draw(PATH, RandomSources(33))) == list(range(33))


def test_sources_lie_in_the_largest_part_and_have_arcs_if_asked():
    parts = graph(9, (0, 1, 1), (3, 4, 1), (5, 4, 1), (5, 6, 1), (7, 8, 1))
    assert sorted(draw(parts, RandomSources(4))) == [3, 4, 5, 6]
    assert sorted(draw(parts, RandomSources(2, with_arcs=True))) == [3, 5]
    for sources, says in ((RandomSources(5), "4 vertices"), (RandomSources(3, with_arcs=True), "2 vertices")):
        with pytest.raises(UsageError, match=says):
            draw(parts, sources)


def test_the_record_holds_every_source_and_says_the_mean(device, tmp_path):
    harish = find("label_correcting", "harish").configured({})
    record = measure_run(PATH, harish, device, None, RandomSources(5, seed=2), "path")
    write_record(tmp_path / "a.json", record)
    assert read_record(tmp_path / "a.json") == record
    assert record.run == "label_correcting.harish.sources=5"
    samples = record.samples
    assert [sample.source for sample in samples] == draw(PATH, RandomSources(5, seed=2))
    assert record.seconds == pytest.approx(np.mean([sample.total_s for sample in samples]))
    assert [sample.counters["iterations"] for sample in samples] == [
        max(sample.source, 32 - sample.source) + 1 for sample in samples
    ]
    assert all(sample.counters["atomics"] == PATH.arcs for sample in samples)
    assert record.source is None and record.measure.random_sources == RandomSources(5, 2)
    assert record.certificate.scope == "full" and record.certificate.sources == 5
    assert record.certificate.reached == 5 * 33
    assert record.counters == samples[-1].counters


def test_what_the_work_tuned_is_tuned_unless_it_was_given(device):
    locality = find("label_correcting", "locality")
    record = measure_run(PATH, locality.configured({"k": 4}), device, None, RandomSources(3), "path")
    least = min(max(source, 32 - source) + 1 for source in draw(PATH, RandomSources(3)))
    assert record.parameters == {"k": 4, "vertices_per_thread": 2, "unread_launches": least // 4}
    assert record.name_parameters == {"k": 4, "sources": 3}  # what was tuned was not asked for
    given = locality.configured({"k": 4, "unread_launches": 32})
    record = measure_run(PATH, given, device, None, RandomSources(3), "path")
    assert record.parameters["unread_launches"] == 32
    assert record.run == "label_correcting.locality.k=4+unread_launches=32+sources=3"


def test_memory_is_given_back_before_every_sample(device, monkeypatch):
    log = []
    harish = find("label_correcting", "harish").configured({})
    upload, release = type(plan_of(harish, device, PATH, 0)).upload, device.release
    monkeypatch.setattr(device, "release", lambda: log.append("release") or release())
    monkeypatch.setattr(
        "warpath_study.published.safari_ebnenasir.label_correcting.harish.HarishPlan.upload",
        lambda plan: log.append("upload") or upload(plan),
    )
    measure_run(PATH, harish, device, None, RandomSources(2), "path")
    assert log == ["upload", "release", "upload"] + 2 * ["release", "upload"]


def test_one_wrong_answer_ends_it(device, monkeypatch):
    solved = []

    def third_is_wrong(plan, device):
        times, solution = timed_solve(plan, device)
        solved.append(plan.source)
        if len(solved) == 3:
            solution.distances[7] += 1
        return times, solution

    harish = find("label_correcting", "harish").configured({})
    monkeypatch.setattr(turns, "timed_solve", third_is_wrong)
    monkeypatch.setattr(turns.numba, "get_num_threads", lambda: 2)
    sources = draw(PATH, RandomSources(5))
    with pytest.raises(CertificateError, match=rf"source {sources[2]}: .* vertex 7 "):
        measure_run(PATH, harish, device, None, RandomSources(5), "path")
    assert solved == sources[:4]  # two are certified together


class Clocked:
    """In place of ``timed_solve``: solves, notes who solved from where, and says how long it took."""

    def __init__(self, monkeypatch, seconds=lambda name, source, times: 1.0):
        self.log, self.seconds = [], seconds
        for module in (turns, sampling):  # the second one has solves that are not timed
            monkeypatch.setattr(module, "timed_solve", self)

    def __call__(self, plan, device):
        of = type(plan).__name__, plan.source
        self.log.append(of)
        return Sample({"solve_s": self.seconds(*of, self.log.count(of))}), timed_solve(plan, device)[1]


def by_turns(device, count, budget_s=float("inf")):
    """The records of two variants that take turns, and their sources."""
    runs = [(find("label_correcting", name).configured({}), device) for name in ("harish", "locality")]
    drawn = RandomSources(count)
    return measure_runs(PATH, runs, None, drawn, "path", budget_s), draw(PATH, drawn)


A, B = "HarishPlan", "LocalityPlan"


def test_solvers_take_turns_and_begin_with_a_solve_that_does_not_count(device, monkeypatch):
    clock = Clocked(monkeypatch)
    records, (first, second, third) = by_turns(device, 3)
    turns_of = [(A, first), (B, first)]  # the warm-up
    turns_of += [(A, first), (A, first), (B, first), (B, first)]
    turns_of += [(B, first), (B, second), (A, first), (A, second)]  # the other begins
    turns_of += [(A, second), (A, third), (B, second), (B, third)]
    assert clock.log == turns_of
    for record in records:
        assert [sample.source for sample in record.samples] == [first, second, third]
        assert record.certificate.sources == 3
    (joint,) = {record.measure.turns for record in records}
    assert joint and len({record.started for record in records}) == len({record.finished for record in records}) == 1
    other, _ = by_turns(device, 3)
    assert other[0].measure.turns != joint
    assert (
        measure_run(
            PATH, find("label_correcting", "harish").configured({}), device, None, RandomSources(3), "path"
        ).measure.turns
        is None
    )


def test_a_turn_in_which_one_was_held_up_is_taken_again_by_all(device, monkeypatch):
    _, sources = by_turns(device, 5)
    slow = sources[2]
    # B takes longer the second time.
    seconds = {(A, slow, 1): 20.0, (B, slow, 2): 30.0}
    clock = Clocked(monkeypatch, lambda *solve: seconds.get(solve, 1.0))
    records, _ = by_turns(device, 5)
    assert {name for name, source in clock.log[-3:] if source == slow} == {A, B}
    assert all(sample.total_s == 1 for record in records for sample in record.samples)
    assert [record.certificate.sources for record in records] == [5, 5]


def test_who_has_no_time_left_misses_the_next_turns_and_the_others_go_on(device, monkeypatch):
    Clocked(monkeypatch, lambda name, source, times: 3.0 if name == A else 1.0)
    records, sources = by_turns(device, 6, budget_s=7)
    assert [len(record.samples) for record in records] == [2, 6]
    assert [sample.source for sample in records[0].samples] == sources[:2]


def test_who_runs_out_of_memory_ends_alone(device, monkeypatch):
    def seconds(name, source, times):
        if name == A:
            raise MemoryError
        return 1.0

    Clocked(monkeypatch, seconds)
    records, _ = by_turns(device, 4)
    assert [record.status for record in records] == ["out_of_memory", "ok"]
    assert len(records[1].samples) == 4


def test_answers_that_wait_for_their_certificate_are_bounded(monkeypatch):
    monkeypatch.setattr(turns.numba, "get_num_threads", lambda: 16)
    weights = np.zeros(0, np.int32)
    at_once = {
        size: turns._turns_at_once(SimpleNamespace(vertices=size, weights=weights), 2) for size in (1000, 2**23, 2**28)
    }
    assert at_once == {1000: 16, 2**23: 8, 2**28: 1}


def test_all_pairs_and_no_sources_at_all_are_refused(device):
    with pytest.raises(UsageError, match="source"):
        measure_run(PATH, find("floyd_warshall", "naive").configured({}), device, None, RandomSources(2), "path")
    with pytest.raises(UsageError, match="0"):
        RandomSources(0)


@pytest.fixture
def run(tmp_path):
    """The command on the path."""
    PATH.save(tmp_path / "path.npz")
    return lambda name, *options: main(["run", str(tmp_path / "path.npz"), name, "--device", "simulated", *options])


def test_from_the_command_line(run, tmp_path, capsys):
    output = tmp_path / "record.json"
    name = "label_correcting.locality.k=2+unread_launches=3+sources=3"
    assert not run(name, "--sources-seed", "7", "--output", str(output))
    record = read_record(output)
    assert record.parameters == {"k": 2, "vertices_per_thread": 2, "unread_launches": 3}
    assert record.run == name and record.measure.random_sources == RandomSources(3, 7)
    assert "3 sources" in capsys.readouterr().err
