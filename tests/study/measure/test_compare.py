"""``warpath compare``: verdicts from the spread of samples; and notes on where and when runs were measured."""

import csv
import io
from itertools import pairwise

import pytest
from report_samples import (
    H200,
    OUT_OF_MEMORY,
    SIMULATED,
    data,
    estimated,
    graph,
    keep,
    record,
    samples,
    written_work,
)
from tiny_graphs import named

from warpath.__main__ import main
from warpath_study.measure.compare import ERROR_OF_AN_END, compare, paired_interval, ratio_interval
from warpath_study.provenance.facts import Code
from warpath_study.record import RandomSources, write_record
from warpath_study.report import notes
from warpath_study.report.cells import cells

RUN = "bellman_ford.stride"
STEADY = (2.00, 2.01, 2.02)


def of(*seconds, run=RUN, **facts):
    """A record whose samples took so long."""
    middle = sorted(seconds)[len(seconds) // 2]
    return record("nyc", run, middle, **{"samples": samples(*seconds), **facts})


def test_the_spread_of_the_samples_decides():
    for before, after, verdict in (
        (STEADY, (1.00, 1.01, 1.02), "faster"),
        (STEADY, (4.00, 4.01, 4.02), "slower"),
        (STEADY, (1.90, 2.01, 2.10), "undecided"),  # ranges overlap
        (STEADY, STEADY, "undecided"),
        (STEADY, (2.021, 2.022, 2.023), "undecided"),  # apart, but within the margin
        ((2.0,), (1.0,), "undecided"),  # one sample each
        ((2.0, 2.0), (1.0, 1.0), "undecided"),
        ((2.0, 2.0, 2.0), (1.0, 1.0, 1.0), "faster"),  # zero spread
        ((2.0, 2.0, 2.0), (2.0, 2.0, 2.0), "undecided"),
        ((2.0,) * 9 + (9.0,), (1.0,) * 9 + (3.0,), "faster"),  # a straggler on both sides
    ):
        with named(f"{before} and {after}"):
            assert compare(of(*before), of(*after)).verdict == verdict


@pytest.mark.parametrize(("m", "n"), [(3, 3), (4, 7), (10, 10), (2, 9)])
def test_the_interval_excludes_1_just_when_the_exact_test_of_scipy_rejects(m, n):
    from scipy.stats import mannwhitneyu  # half a second, in each process that collects tests

    a = [1.0 + 0.01 * place for place in range(m)]
    shifts = [0.0037 * step - 0.15 for step in range(0, 90, 2)]
    decided = []
    for shift in shifts:
        b = [1.0 + shift + 0.0131 * place for place in range(n)]
        low, _ = ratio_interval(a, b)
        rejects = mannwhitneyu(b, a, alternative="greater", method="exact").pvalue <= ERROR_OF_AN_END
        assert (low > 1) == rejects
        decided.append(rejects)
    assert not decided[0] and decided[-1]
    assert all(earlier <= later for earlier, later in pairwise(decided))


def test_of_many_samples_the_interval_is_about_that_of_the_exact_test():
    from scipy.stats import mannwhitneyu

    count = 80
    a = [1.0 + 0.01 * place for place in range(count)]
    for shift in (-0.05, 0.05, 0.08, 0.1, 0.15):
        b = [1.0 + shift + 0.01031 * place for place in range(count)]
        error = mannwhitneyu(b, a, alternative="greater", method="exact").pvalue
        if abs(error - ERROR_OF_AN_END) > 0.002:
            assert (ratio_interval(a, b)[0] > 1) == (error <= ERROR_OF_AN_END)


def test_a_thousand_samples_are_compared_in_seconds():
    a = [1.0 + 0.0001 * (place % 7) for place in range(1000)]
    low, high = ratio_interval(a, [2 * seconds for seconds in a])
    assert 1.99 < low <= 2 <= high < 2.01
    low, high = paired_interval(a * 2, [2 * seconds for seconds in a * 2])
    assert low == high == 2


def test_pairs_are_compared_pair_by_pair():
    a = [1.0, 2.0, 40.0, 3.0, 100.0]
    assert paired_interval(a, [0.9 * seconds for seconds in a]) == pytest.approx((0.9, 0.9))
    assert ratio_interval(a, [0.9 * seconds for seconds in a])[1] > 1
    assert paired_interval(a[:4], a[:4]) is None


def test_the_ratio_lies_in_its_interval_whatever_one_source_does():
    run = "label_correcting.locality.sources=9"
    before = record("nyc", run, 48 / 9, samples=samples(*[1.0] * 8, 40.0, iterations=[1] * 9))
    after = record("nyc", run, 19 / 9, samples=samples(*[2.0] * 8, 3.0, iterations=[1] * 9))
    found = compare(before, after)
    assert found.verdict == "slower" and found.ratio == 2.0
    assert found.interval[0] <= found.ratio <= found.interval[1]


def test_runs_from_random_sources_are_paired_and_other_sources_are_not_comparable():
    times = [1.0, 2.0, 40.0, 3.0, 100.0]
    run = "label_correcting.locality.sources=5"
    before = record("nyc", run, sum(times) / 5, samples=samples(*times, iterations=[1] * 5))
    half = [seconds / 2 for seconds in times]
    after = record("nyc", run, sum(half) / 5, samples=samples(*half, iterations=[1] * 5))
    assert compare(before, after).verdict == "faster"
    after.measure.sampling = RandomSources(5, 2)
    assert compare(before, after).notes == ("other random sources",)


def test_sources_that_both_runs_have_are_compared():
    def from_sources(*seconds):
        run = f"label_correcting.locality.sources={len(seconds)}"
        drawn = samples(*seconds, iterations=[1] * len(seconds))
        found = record("nyc", run, sum(seconds) / len(seconds), samples=drawn)
        found.measure.sampling = RandomSources(9, 1)  # the others exceeded the budget
        return found

    found = compare(from_sources(*[1.0] * 5, 90.0), from_sources(*[0.5] * 5))
    assert (found.verdict, found.ratio) == ("faster", 0.5)
    found = compare(from_sources(*[0.5] * 3), from_sources(*[1.0] * 5, 90.0))
    assert (found.verdict, found.ratio) == ("undecided", 2.0) and "3 and 3" in found.notes[-1]


def test_what_cannot_be_compared_is_not():
    for facts, note in (
        ({"graph": graph("bay", 10, 20)}, "other graph"),
        ({"source": 7}, "other source"),
        ({"device": {**H200, "name": "NVIDIA A100"}}, "NVIDIA H200 against NVIDIA A100"),
    ):
        compared = compare(of(*STEADY), of(1.0, 1.0, 1.0, **facts))
        assert (compared.verdict, compared.notes, compared.ratio) == ("not comparable", (note,), None)


def test_without_samples_there_is_no_verdict():
    full, guess = of(*STEADY), record("nyc", RUN, 1.0, **estimated(10, 100))
    lost = record("nyc", RUN, None, **OUT_OF_MEMORY)
    compared = compare(full, guess)
    assert (compared.verdict, compared.notes, compared.ratio) == ("undecided", ("estimate in B",), 1.0 / 2.01)
    assert (compare(guess, guess).ratio, compare(guess, guess).notes) == (1.0, ("same code", "estimate in A and B"))
    assert (compare(full, lost).verdict, compare(full, lost).notes) == ("undecided", ("out of memory in B",))
    assert [compare(full, lost).lost, compare(lost, full).lost, compare(lost, lost).lost] == [True, False, False]
    simulated = compare(of(*STEADY, device=SIMULATED), of(1.0, 1.0, 1.0, device=SIMULATED))
    assert simulated.verdict == "undecided" and "simulated" in simulated.notes[0]


def test_notes_tell_of_other_parameters_and_of_the_same_code():
    code = Code({}, {}, {}, "0" * 64)
    before, after = of(*STEADY, code=code, parameters={"k": 3}), of(1.0, 1.0, 1.0, code=code, parameters={"k": 4})
    assert compare(before, after).notes == ("k 3 against 4", "same code")


@pytest.fixture
def sets(tmp_path):
    """Two folders: nyc faster, bay slower, one run only in each, one estimate."""
    for name, nyc, bay in (("a", 2.0, 1.0), ("b", 1.0, 2.0)):
        for dataset, seconds in (("nyc", nyc), ("bay", bay)):
            keep(tmp_path / name, dataset, RUN, seconds, samples=samples(*[seconds] * 3))
        keep(tmp_path / name, "nyc", "bellman_ford.cpu", 900.0, **estimated(10, 100))
    keep(tmp_path / "a", "nyc", "bellman_ford.naive", 3.0)
    return tmp_path


def test_two_folders_are_compared_run_by_run(sets, capsys):
    assert main(["compare", str(sets / "a"), str(sets / "b")]) == 0
    said = capsys.readouterr()
    lines = [line.split() for line in said.out.splitlines()]
    assert lines[0] == ["dataset", "run", "A", "B", "B/A", "interval", "verdict", "notes"]
    assert lines[1] == ["bay", RUN, "1", "s", "2", "s", "2.000", "2.000", "to", "2.000", "slower"]
    assert lines[2][:9] == ["nyc", "bellman_ford.cpu", "~900", "s", "~900", "s", "1.000", "-", "undecided"]
    assert lines[3][-1] == "faster" and len(lines) == 4
    assert said.err == "3 runs compared: 1 faster, 1 slower, 1 undecided; 1 only in A\n"


def test_a_slower_run_fails_on_demand(sets):
    with pytest.raises(SystemExit) as left:
        main(["compare", str(sets / "a"), str(sets / "b"), "--fail-if-slower"])
    assert left.value.code == 1
    assert main(["compare", str(sets / "a"), str(sets / "a"), "--fail-if-slower"]) == 0
    lost = record("nyc", RUN, None, **OUT_OF_MEMORY)
    write_record(sets / "lost" / "nyc.json", lost)
    with pytest.raises(SystemExit):
        main(["compare", str(sets / "a"), str(sets / "lost"), "--fail-if-slower"])


def test_the_table_as_csv(sets, capsys):
    assert main(["compare", str(sets / "a"), str(sets / "b"), "--format", "csv"]) == 0
    lines = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(line["dataset"], line["ratio"], line["verdict"]) for line in lines if line["ratio_low"]] == [
        ("bay", "2.0", "slower"),
        ("nyc", "0.5", "faster"),
    ]


def test_two_records_need_not_be_of_one_run(tmp_path, capsys):
    one = keep(tmp_path, "nyc", "bellman_ford.naive", 2.0, samples=samples(*STEADY[:1] * 3))
    other = keep(tmp_path, "nyc", RUN, 1.0, samples=samples(1.0, 1.0, 1.0))
    assert main(["compare", str(one), str(other)]) == 0
    line = capsys.readouterr().out.splitlines()[1]
    assert "faster" in line and line.endswith("bellman_ford.naive against bellman_ford.stride")


def test_a_fault_is_one_sentence(sets, monkeypatch, capsys):
    (sets / "empty").mkdir()
    keep(sets / "other", "fla", RUN, 1.0)
    keep(sets / "twice" / "runs", "nyc", RUN, 1.0)
    keep(sets / "twice" / "demo", "nyc", RUN, 1.0)
    monkeypatch.chdir(sets)
    for arguments, status, says in (
        (["a", "missing"], 1, "missing"),
        (["a", "a/nyc/bellman_ford.naive.json"], 2, "two folders"),
        (["a", "empty"], 2, "empty"),
        (["a", "other"], 2, "common"),
        (["a", "twice"], 2, "bellman_ford.stride twice"),
        (["a", "b", "--margin", "-1"], 2, "--margin"),
    ):
        assert main(["compare", *arguments]) == status
        said = capsys.readouterr().err
        assert says in said and said.count("\n") == 1


# Notes on circumstances.

NAIVE, TILED = "floyd_warshall.naive", "floyd_warshall.tiled"
KIND = {"os": "Linux", "processor": "a processor", "cores": 32}
WORK = """
title: A work
citation: Somebody
runs:
  sizes: {columns: [floyd_warshall.naive, floyd_warshall.tiled], rows: {a: a, b: b}}
  drawn: {sources: 3, columns: [label_correcting.harish], rows: {a: a}}
  blocks: {columns: [blocked_all_pairs.blocked, blocked_all_pairs.blocked.block_side=18], rows: {a: a, b: b}}
targets:
  table: {kind: table, runs: [sizes]}
  blocks: {kind: table, runs: [blocks]}
  drawn: {kind: table, runs: [drawn]}
"""


@pytest.fixture
def work(tmp_path):
    return written_work(tmp_path / "some_work", WORK)


def at(start: str, end: str, day: int = 14, **environment) -> dict:
    """The facts of a run from ``start`` to ``end``."""
    moments = (f"2026-03-{day}T{clock}:00+00:00" for clock in (start, end))
    return dict(zip(("started", "finished"), moments, strict=True), environment={**KIND, **environment})


def found(work, records, target="table"):
    return [cell for cell in cells(data(work, target, records)) if cell.status != "not_run"]


def told(work, records) -> list[str]:
    return notes.condition_notes(found(work, records))


def test_runs_one_after_the_other_on_one_machine_have_nothing_to_tell(work, tmp_path):
    for number, (dataset, run) in enumerate((d, r) for d in "ab" for r in (NAIVE, TILED)):
        keep(tmp_path, dataset, run, 1.0, **at(f"09:{number:02}", f"09:{number + 1:02}"))
    assert told(work, tmp_path) == []


def test_a_run_beside_another_is_named_whatever_table_that_one_is_of(work, tmp_path):
    keep(tmp_path, "a", NAIVE, 1.0, **at("09:00", "09:02"))
    keep(tmp_path, "b", NAIVE, 1.0, **at("09:05", "09:06"))
    keep(tmp_path, "b", TILED, 1.0, **at("09:06", "09:07"))
    keep(tmp_path, "elsewhere", "bellman_ford.cpu", 1.0, **at("09:01", "09:03"))
    (note,) = told(work, tmp_path)
    assert "Naive on a" in note and "Tiled" not in note
    keep(tmp_path, "elsewhere", "bellman_ford.cpu", 1.0, **at("09:01", "09:03", machine="another"))
    assert told(work, tmp_path) == []


def test_a_run_in_parts_is_beside_nothing(work, tmp_path):
    keep(tmp_path, "a", NAIVE, 1.0, **at("09:00", "09:02"))
    keep(tmp_path, "elsewhere", "all_pairs.reductions.nearest=8", 1.0, **at("08:00", "10:00"))
    assert told(work, tmp_path) == []


def test_runs_that_do_not_tell_their_machine_are_not_said_to_share_it_and_what_is_no_record_is_left_out(work, tmp_path):
    for run in (NAIVE, TILED):
        keep(tmp_path, "a", run, 1.0)  # at the same time
    (tmp_path / "a/broken.json").write_text("{")
    (tmp_path / "a/other.json").write_text('{"started": 1}')
    assert told(work, tmp_path) == []


def test_a_column_of_another_machine_is_named(work, tmp_path):
    for place, dataset in enumerate("ab"):
        keep(tmp_path, dataset, NAIVE, 1.0, **at(f"09:0{place}", "09:09", machine="one", day=14 + place))
        keep(tmp_path, dataset, TILED, 1.0, **at(f"09:0{place}", "09:09", machine="two", day=14 + place))
    (note,) = told(work, tmp_path)
    assert "different machines" in note and "may" not in note
    assert ("Tiled" in note) != ("Naive" in note)


def test_parameters_tell_runs_of_one_variant_on_one_graph_apart(work, tmp_path):
    """In claims, the label of a run is its variant."""
    for place, (dataset, side) in enumerate([("a", ""), ("b", ""), ("a", ".block_side=18")]):
        machine = "two" if side else "one"
        facts = at(f"09:0{place}", f"09:0{place + 1}", machine=machine)
        keep(tmp_path, dataset, f"blocked_all_pairs.blocked{side}", 1.0, **facts)
    (note,) = notes.condition_notes(data(work, "blocks", tmp_path).measured)
    assert "Blocked, block side = 18." in note and " on a" not in note


def test_a_column_of_another_sitting_is_named_where_no_machine_is_told(work, tmp_path):
    keep(tmp_path, "a", NAIVE, 1.0, **at("09:00", "09:10"))
    keep(tmp_path, "b", NAIVE, 1.0, **at("09:30", "09:40"))
    keep(tmp_path, "b", TILED, 1.0, **at("15:00", "15:10"))
    (note,) = told(work, tmp_path)
    assert "may" in note and "2026-03-14 15:00 UTC: Tiled." in note


def test_versions_that_are_not_those_of_the_lock_are_told(work, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "envs").mkdir()
    for name, version in (("cuda13", "2.0"), ("cpu", "1.0")):
        of_scipy = "scipy==3.0 ; python_version < '3.12'\nscipy==3.1 ; python_version >= '3.12'\n"
        lock = f"numpy=={version} \\\n    --hash=x\n{of_scipy}"
        (tmp_path / f"envs/requirements-{name}.txt").write_text(lock)
    packages = {"cupy-cuda13x": "14.2.0", "numpy": "2.0", "scipy": "3.0"}
    for scipy in ("3.0", "3.1"):
        keep(tmp_path, "a", NAIVE, 1.0, **at("09:00", "09:01", packages={**packages, "scipy": scipy}, python="3.12.3"))
        assert told(work, tmp_path) == []
    keep(tmp_path, "a", NAIVE, 1.0, **at("09:00", "09:01", packages={**packages, "numpy": "2.1"}, python="3.12.3"))
    (note,) = told(work, tmp_path)
    assert "requirements-cuda13.txt" in note and "numpy 2.1 (2.0)" in note and "3.12.3" in note and "scipy" not in note
    keep(tmp_path, "a", NAIVE, 1.0, **at("09:00", "09:01", packages={"numpy": "2.0"}))
    (note,) = told(work, tmp_path)
    assert "requirements-cpu.txt" in note and "numpy 2.0 (1.0)" in note
    keep(tmp_path, "a", NAIVE, 1.0, **at("09:00", "09:01", packages={"scipy": "3.2"}))
    (note,) = told(work, tmp_path)
    assert "scipy 3.2 (3.0 or 3.1)" in note


def test_a_straggler_among_random_sources_is_named(work, tmp_path):
    keep(tmp_path, "a", "label_correcting.harish.sources=3", 4.4, samples=samples(1.0, 11.2, 1.0, iterations=[1, 1, 1]))
    (note,) = notes.sample_notes(found(work, tmp_path, "drawn"))
    assert "Harish on a (1 of 3, up to 11.2 s)" in note
    keep(tmp_path, "a", "label_correcting.harish.sources=3", 4.0, samples=samples(1.0, 10.0, 1.0, iterations=[1, 1, 1]))
    assert notes.sample_notes(found(work, tmp_path, "drawn")) == []


def test_samples_of_one_solve_that_lie_far_apart_are_named(work, tmp_path):
    keep(tmp_path, "a", NAIVE, 1.0, samples=samples(0.95, 1.0, 1.15))
    keep(tmp_path, "b", NAIVE, 1.0, samples=samples(0.9, 1.0, 1.2))
    keep(tmp_path, "b", TILED, 1.0, samples=samples(0.9, 1.0, 1.5))
    (note,) = notes.sample_notes(found(work, tmp_path))
    assert "Naive on b (30 %)" in note and "Tiled on b (60 %)" in note


def test_graphs_whose_file_has_no_known_hash_are_named(tmp_path):
    work = written_work(
        tmp_path / "roads", WORK.replace("rows: {a: a, b: b}", "rows: {col: col, w: w-revised, nyc: nyc}")
    )
    for number, dataset in enumerate(("col", "w-revised", "nyc")):
        keep(tmp_path / "runs", dataset, NAIVE, 1.0, **at(f"09:{number:02}", "09:10"))
    (note,) = notes.hash_notes(found(work, tmp_path / "runs"))
    assert "col and w-revised" in note and "nyc" not in note
