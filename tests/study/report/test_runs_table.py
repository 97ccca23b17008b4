"""The table of runs: each fact comes from its record, and runs that cannot be compared are refused."""

import pytest
from report_samples import graph, keep, record, samples
from tiny_graphs import named

from warpath.errors import FormatError, UsageError, WarpathError
from warpath_study.record import Measure, RandomSources, parse_run, write_record
from warpath_study.report.runs import Run, collect
from warpath_study.works.works import RunRequest

NAIVE = "floyd_warshall.naive"
LOCALITY = "label_correcting.locality.k=4+sources=3"


def asked(dataset: str, run: str, row: str = "a row") -> RunRequest:
    return RunRequest(row, dataset, *parse_run(run))


def line(tmp_path, run: str, seconds: float | None, **facts) -> Run:
    """The one cell of a record."""
    file = keep(tmp_path, "g", run, seconds, **facts)
    (found,) = collect([asked("g", run)], tmp_path)
    assert found.record == str(file)
    return found


def test_a_line_has_the_facts_of_its_record(tmp_path):
    """test_reference.py compares every column."""
    found = line(
        tmp_path,
        "bellman_ford.stride",
        2.0,
        samples=samples(1.0, 2.0, 6.0),
        parameters={"block": 256, "atomics": 1},
        counters={"iterations": 7, "launches": 14},
        graph=graph("g", 4, 6, weights={"kind": "random", "min": 1, "max": 9, "seed": 3}),
    )
    expected = {
        "parameters": "atomics=1,block=256",
        "weights": "Random weights in [1, 9], seed 3",
        "std_s": pytest.approx((14 / 3) ** 0.5),
        "iterations": 7,
        "sources": None,
        "iterations_timed": None,
    }
    assert {name: found.fact(name) for name in expected} == expected
    assert (found.status, found.seconds, found.min_s, found.max_s, found.certified) == ("ok", 2.0, 1.0, 6.0, "full")


def test_phases_are_medians(tmp_path):
    taken = samples(3.0, 1.0, 2.0, 4.0)
    for taken_sample, upload_s in zip(taken, (2.0, 0.0, 1.5, 1.0), strict=True):
        taken_sample.phases = {"solve_s": taken_sample.total_s - upload_s, "upload_s": upload_s}
    found = line(tmp_path, NAIVE, 2.0, samples=taken)
    assert (found.more["solve_s"], found.more["upload_s"]) == (1.0, 1.25)


def test_of_random_sources_times_and_counters_are_means(tmp_path):
    found = line(tmp_path, LOCALITY, 2.0, samples=samples(1.0, 2.0, 3.0, iterations=[5, 4, 9], launches=[1, 2, 3]))
    assert (found.seconds, found.min_s, found.max_s) == (2.0, 1.0, 3.0)
    assert found.std_s == pytest.approx((2 / 3) ** 0.5)
    assert (found.sources, found.samples, found.more["solve_s"]) == (3, 3, 2.0)
    assert [found.more[name] for name in ("iterations", "iterations_min", "launches")] == [6.0, 4, 2.0]
    assert found.iterations_max == 9
    assert (found.asked, found.parameters) == ("k=4,sources=3", "k=4")
    assert found.source is None


def test_runs_come_in_the_order_asked_for_in_each_of_their_rows_and_missing_ones_are_left_out(tmp_path):
    with pytest.raises(UsageError, match="warpath run"):
        collect([asked("g", NAIVE)], tmp_path)
    for run, seconds in ((NAIVE, 1.0), ("floyd_warshall.tiled", 2.0), ("bellman_ford.naive", 3.0)):
        keep(tmp_path, "g", run, seconds)
    runs = [asked("g", run) for run in ("floyd_warshall.tiled", "floyd_warshall.staged", "bellman_ford.naive", NAIVE)]
    assert [run.run for run in collect(runs, tmp_path)] == ["floyd_warshall.tiled", "bellman_ford.naive", NAIVE]
    twice = [asked("g", NAIVE, "one"), asked("g", NAIVE, "two")]
    assert [run.row for run in collect(twice, tmp_path)] == ["one", "two"]


def test_a_record_of_another_run_is_refused(tmp_path):
    file = tmp_path / "g" / f"{NAIVE}.json"
    for there in (("g", "floyd_warshall.tiled"), ("other", NAIVE), ("g", "dijkstra.naive")):
        write_record(file, record(*there, 1.0))
        with pytest.raises(FormatError, match=f"g/{NAIVE}.json.* {' '.join(there)}"):
            collect([asked("g", NAIVE)], tmp_path)


def test_runs_of_one_row_must_have_solved_the_same_problem(tmp_path):
    first, second = "bellman_ford.naive", "bellman_ford.stride"
    drawn = [f"label_correcting.{run}" for run in ("harish.sources=2", "locality.sources=3")]
    keep(tmp_path, "g", first, 1.0)
    for run, count in zip(drawn, (2, 3), strict=True):
        keep(tmp_path, "g", run, 1.0, samples=samples(*[1.0] * count, iterations=[1] * count))
    for one, other, facts, says in (
        (first, second, {"graph": graph("older", 10, 20)}, "another graph than"),
        (first, second, {"source": 3}, "another source vertex than"),
        (*drawn, None, "other random sources than"),
    ):
        if facts:
            keep(tmp_path, "g", other, 1.0, **facts)
        with named(says), pytest.raises(WarpathError, match=f"{other}.json: .*{says} .*{one}.json"):
            collect([asked("g", one), asked("g", other)], tmp_path)
        # In rows of their own they are not compared.
        assert len(collect([asked("g", one, "one"), asked("g", other, "two")], tmp_path)) == 2


def test_runs_that_took_turns_are_not_beside_each_other_and_have_a_time_from_each_source(tmp_path):
    drawn = [f"label_correcting.{run}.sources=2" for run in ("harish", "locality", "cluster")]
    machine = {"machine": "m", "os": "Linux", "processor": "one", "cores": 4}
    for run, turns in zip(drawn, ("one", "one", "another"), strict=True):
        measure = Measure(RandomSources(2), turns=turns)
        taken = samples(1.0, 2.0, iterations=[1, 1])
        keep(tmp_path, "g", run, 1.0, samples=taken, measure=measure, environment=machine)
    found = collect([asked("g", run) for run in drawn], tmp_path)
    assert [(run.turns, run.beside) for run in found] == [("one", 1), ("one", 1), ("another", 2)]
    assert found[0].times == {0: 1.0, 1: 2.0}


def test_the_load_of_other_processes_is_a_part_of_the_cores(tmp_path):
    before = {"busy_s": 100.0, "own_s": 10.0, "at_s": 1000.0}
    for after, part in (
        ({"busy_s": 130.0, "own_s": 25.0, "at_s": 1010.0}, 0.25),
        ({"busy_s": 100.0, "own_s": 10.1, "at_s": 1000.1}, 0),  # the two clocks differ in their ticks
    ):
        load = {"before": before, "after": after}
        assert line(tmp_path, NAIVE, 1.0, environment={"load": load, "cores": 6}).more["load_of_others"] == part
    for unknown in ({}, {"load": {"before": before, "after": None}, "cores": 6}, {"load": load, "cores": None}):
        assert "load_of_others" not in line(tmp_path, NAIVE, 1.0, environment=unknown).more
