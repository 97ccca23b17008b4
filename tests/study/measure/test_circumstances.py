"""Notes on where and when runs were measured, and on samples far apart, from records that the tests make up."""

import pytest
from report_samples import data, keep, samples, written_work

from warpath_study.report import notes
from warpath_study.report.cells import cells

NAIVE, TILED = "floyd_warshall.naive", "floyd_warshall.tiled"
KIND = {"os": "Linux", "processor": "a processor", "cores": 32}
WORK = """
title: A work
citation: Somebody
runs:
  sizes: {columns: [floyd_warshall.naive, floyd_warshall.tiled], rows: {a: a, b: b}}
  drawn: {sources: 3, columns: [label_correcting.harish], rows: {a: a}}
targets:
  table: {kind: table, runs: [sizes]}
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


def test_runs_that_do_not_tell_their_machine_at_all_are_not_said_to_share_it(work, tmp_path):
    for run in (NAIVE, TILED):
        keep(tmp_path, "a", run, 1.0)  # at the same time
    assert told(work, tmp_path) == []


def test_a_file_beside_the_records_that_is_none_is_left_out(work, tmp_path):
    keep(tmp_path, "a", NAIVE, 1.0, **at("09:00", "09:02"))
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
        (tmp_path / f"envs/requirements-{name}.txt").write_text(f"numpy=={version} \\\n    --hash=x\nscipy==3.0\n")
    packages = {"cupy-cuda13x": "14.2.0", "numpy": "2.0", "scipy": "3.0"}
    keep(tmp_path, "a", NAIVE, 1.0, **at("09:00", "09:01", packages=packages, python="3.12.3"))
    assert told(work, tmp_path) == []
    keep(tmp_path, "a", NAIVE, 1.0, **at("09:00", "09:01", packages={**packages, "numpy": "2.1"}, python="3.12.3"))
    (note,) = told(work, tmp_path)
    assert "requirements-cuda13.txt" in note and "numpy 2.1 (2.0)" in note and "3.12.3" in note and "scipy" not in note
    keep(tmp_path, "a", NAIVE, 1.0, **at("09:00", "09:01", packages={"numpy": "2.0"}))
    (note,) = told(work, tmp_path)
    assert "requirements-cpu.txt" in note and "numpy 2.0 (1.0)" in note
    monkeypatch.setattr(notes, "root_with", lambda pattern: None)
    assert told(work, tmp_path) == []


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
