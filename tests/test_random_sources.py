"""Means over random sources: which vertices they are, what is certified and what the record holds."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from tiny_graphs import graph, grid_of

from warpath.__main__ import main
from warpath.algorithms import find
from warpath.device import open_device
from warpath.errors import CertificateError, UsageError
from warpath.measure import lock, random_sources
from warpath.measure.random_sources import RandomSources, measure_from_each
from warpath.measure.record import read_record, write_record
from warpath.measure.run import measure_sources
from warpath.measure.sampling import timed_solve

PATH = grid_of(33, 2)


@pytest.fixture(autouse=True)
def a_lock_of_our_own(tmp_path, monkeypatch):
    folder = tmp_path / "lock"
    folder.mkdir()
    monkeypatch.setattr(lock, "_shared_folders", lambda: [folder])


@pytest.fixture(scope="module")
def device():
    return open_device("host")


def test_sources_are_different_and_the_seed_decides():
    drawn = RandomSources(20, seed=4).of(PATH)
    assert len(set(drawn)) == 20 and drawn == RandomSources(20, seed=4).of(PATH)
    assert drawn != RandomSources(20, seed=5).of(PATH)
    assert sorted(RandomSources(33).of(PATH)) == list(range(33))


def test_sources_lie_in_the_largest_part():
    parts = graph(9, (0, 1, 1), (3, 4, 1), (5, 4, 1), (5, 6, 1), (7, 8, 1))
    assert sorted(RandomSources(4).of(parts)) == [3, 4, 5, 6]
    with pytest.raises(UsageError, match="5 sources were asked for, but the graph connects only 4 vertices"):
        RandomSources(5).of(parts)


def test_no_sources_are_refused():
    with pytest.raises(UsageError, match="at least one, not 0"):
        RandomSources(0)


def test_the_record_holds_every_source_and_says_the_mean(device, tmp_path):
    variant = find("label_correcting", "harish")
    record = measure_sources(PATH, variant, device, RandomSources(5, seed=2), "path")
    write_record(tmp_path / "a.json", record)
    assert read_record(tmp_path / "a.json") == json.loads((tmp_path / "a.json").read_text())
    samples = record["samples"]
    assert [sample["source"] for sample in samples] == RandomSources(5, seed=2).of(PATH)
    assert record["seconds"] == pytest.approx(np.mean([sample["total_s"] for sample in samples]))
    assert [sample["counters"]["iterations"] for sample in samples] == [
        max(sample["source"], 32 - sample["source"]) + 1 for sample in samples
    ]
    assert all(sample["counters"]["atomics"] == PATH.arcs for sample in samples)
    assert record["source"] is None and record["measure"]["random_sources"] == {"count": 5, "seed": 2}
    assert record["certificate"]["scope"] == "full" and record["certificate"]["sources"] == 5
    assert record["certificate"]["reached"] == 5 * 33
    assert record["counters"] == samples[-1]["counters"]


def test_what_the_work_tuned_is_tuned_unless_it_was_given(device):
    locality = find("label_correcting", "locality").with_settings({"k": 4})
    tuned = measure_sources(PATH, locality, device, RandomSources(3), "path")["parameters"]
    least = min(max(source, 32 - source) + 1 for source in RandomSources(3).of(PATH))
    assert tuned == {"k": 4, "vertices_per_thread": 2, "unread_launches": least // 4}
    given = locality.with_settings({"unread_launches": 32})
    assert measure_sources(PATH, given, device, RandomSources(3), "path")["parameters"]["unread_launches"] == 32


def test_one_wrong_answer_ends_it(device, monkeypatch):
    solved = []

    def third_is_wrong(plan, device):
        times, solution = timed_solve(plan, device)
        solved.append(plan.source)
        if len(solved) == 3:
            solution.distances[7] += 1
        return times, solution

    monkeypatch.setattr(random_sources, "timed_solve", third_is_wrong)
    monkeypatch.setattr(random_sources, "_answers_at_once", lambda graph: 2)
    with pytest.raises(CertificateError, match=r"source 5: .* vertex 7 "):
        measure_from_each(PATH, find("label_correcting", "harish"), device, [3, 4, 5, 6, 7])
    assert solved == [3, 4, 5, 6]  # two are certified together


def test_answers_that_wait_for_their_certificate_are_bounded(monkeypatch):
    monkeypatch.setattr(random_sources.numba, "get_num_threads", lambda: 16)
    at_once = {size: random_sources._answers_at_once(SimpleNamespace(vertices=size)) for size in (1000, 2**24, 2**28)}
    assert at_once == {1000: 16, 2**24: 8, 2**28: 1}


def test_every_kind_of_single_source_variant_can_be_measured(device):
    record = measure_sources(PATH, find("bellman_ford", "naive"), device, RandomSources(2), "path")
    assert record["status"] == "ok" and record["parameters"] == {}
    assert [sample["counters"]["iterations"] for sample in record["samples"]] == [32, 32]


def test_all_pairs_have_no_sources(device):
    with pytest.raises(UsageError, match="takes no source vertex, so none can be drawn"):
        measure_sources(PATH, find("floyd_warshall", "naive"), device, RandomSources(2), "path")


def test_memory_that_does_not_suffice_is_a_result(device, monkeypatch):
    def no_room(self):
        raise MemoryError("no room")

    monkeypatch.setattr("warpath.algorithms.label_correcting.harish.HarishPlan.upload_frontier", no_room)
    record = measure_sources(PATH, find("label_correcting", "harish"), device, RandomSources(2), "path")
    assert record["status"] == "out_of_memory" and record["samples"] == []


def test_from_the_command_line(tmp_path, capsys):
    PATH.save(tmp_path / "path.npz")
    arguments = ["run", "--graph", str(tmp_path / "path.npz"), "--algorithm", "label_correcting", "--device", "host"]
    output = tmp_path / "record.json"
    status = main(
        [*arguments, "--variant", "locality", "--parameters", "k=2,unread_launches=3", "--random-sources", "3",
         "--sources-seed", "7", "--output", str(output)]
    )  # fmt: skip
    assert not status
    record = read_record(output)
    assert record["parameters"] == {"k": 2, "vertices_per_thread": 2, "unread_launches": 3}
    assert "mean over 3 sources" in capsys.readouterr().err
    assert main([*arguments, "--variant", "locality", "--parameters", "k=0", "--output", str(tmp_path / "b.json")]) == 2
    assert "must be a whole number from 1 to 16, not 0" in capsys.readouterr().err
    assert not (tmp_path / "b.json").exists()


def test_one_source_and_many_are_not_asked_for_together(tmp_path, capsys):
    PATH.save(tmp_path / "path.npz")
    arguments = ["run", "--graph", str(tmp_path / "path.npz"), "--algorithm", "label_correcting", "--device", "host"]
    arguments += ["--variant", "harish", "--output", str(tmp_path / "record.json")]
    with pytest.raises(SystemExit, match="2"):
        main([*arguments, "--source", "5", "--random-sources", "3"])
    assert "argument --random-sources: not allowed with argument --source" in capsys.readouterr().err
    assert not (tmp_path / "record.json").exists()


def test_one_source_with_parameters(tmp_path):
    PATH.save(tmp_path / "path.npz")
    output = tmp_path / "record.json"
    main(
        ["run", "--graph", str(tmp_path / "path.npz"), "--algorithm", "label_correcting", "--variant", "locality",
         "--parameters", "k=3", "--device", "host", "--source", "5", "--repeats-max", "3", "--output", str(output)]
    )  # fmt: skip
    record = read_record(output)
    assert record["source"] == 5 and record["parameters"]["k"] == 3
    assert record["counters"]["iterations"] == 33  # 32 unread launches and one that is read
