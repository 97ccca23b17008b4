"""Means over random sources: which vertices they are, what is certified and what the record holds."""

from types import SimpleNamespace

import numpy as np
import pytest
from tiny_graphs import graph, grid_of

from warpath.__main__ import main
from warpath.device import open_device
from warpath.errors import CertificateError, UsageError
from warpath_study.measure import sampling
from warpath_study.measure.plans import plan_of
from warpath_study.measure.run import measure_run
from warpath_study.measure.runs import find
from warpath_study.measure.sampling import draw, measure_from_each, timed_solve
from warpath_study.record import RandomSources, read_record, write_record

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
    monkeypatch.setattr(sampling, "timed_solve", third_is_wrong)
    monkeypatch.setattr(sampling.numba, "get_num_threads", lambda: 2)
    with pytest.raises(CertificateError, match=r"source 5: .* vertex 7 "):
        measure_from_each(PATH, harish, plan_of(harish, device, PATH, 3), device, [3, 4, 5, 6, 7])
    assert solved == [3, 4, 5, 6]  # two are certified together


def test_answers_that_wait_for_their_certificate_are_bounded(monkeypatch):
    monkeypatch.setattr(sampling.numba, "get_num_threads", lambda: 16)
    at_once = {size: sampling._answers_at_once(SimpleNamespace(vertices=size)) for size in (1000, 2**24, 2**28)}
    assert at_once == {1000: 16, 2**24: 8, 2**28: 1}


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
