"""Tables of rows and columns: each cell, each form, and what stands below."""

import re
from dataclasses import replace

import msgspec
import pandas as pd
import pytest
from report_samples import H200, OUT_OF_MEMORY, SIMULATED, data, estimated, graph, keep, samples, written_work

from warpath.errors import UsageError
from warpath_study.provenance.facts import Code
from warpath_study.record import read_record, write_record
from warpath_study.report.cells import Cell, Data, cells
from warpath_study.report.notes import code_notes
from warpath_study.report.published import NO_TABLE
from warpath_study.report.table import Table, markdown, published_table, readable_time
from warpath_study.report.views import make
from warpath_study.works.works import Choice

WORK = """
title: A work
citation: Somebody
runs:
  sizes:
    columns: [floyd_warshall.cpu, floyd_warshall.naive, floyd_warshall.tiled]
    rows: {a: a, b: b, c: c}
  both: {columns: [bellman_ford.naive, dijkstra.naive], rows: {a: a}}
  drawn: {sources: 2, columns: [label_correcting.harish], rows: {a: a}}
targets:
  table1: {kind: table, runs: [sizes], title: "Table 1: Results"}
  both: {kind: table, runs: [both]}
  drawn: {kind: table, runs: [drawn]}
  compared: {kind: table, runs: [sizes], one_device: true}
"""
SUITES = {
    "demo": "{datasets: {a: demo-a}, groups: {some_work.sizes: {rows: [a], columns: [floyd_warshall.naive]}}}",
    "more": """
groups:
  some_work.sizes: {rows: {mine: mine, a: a}, columns: [floyd_warshall.staged, floyd_warshall.naive]}
""",
    "several": """
groups:
  some_work.sizes:
    rows: [a]
    columns: [floyd_warshall.naive, "floyd_warshall.tiled.block=16", "floyd_warshall.tiled.block=32"]
""",
}
PAPER = "dataset,nodes,edges,cpu,naive,tiled\na,10,20,>3600,8.0,\nb,30,40,,16.0,4.0\nc,50,60,,,\n"
CPU, NAIVE, TILED = "floyd_warshall.cpu", "floyd_warshall.naive", "floyd_warshall.tiled"


@pytest.fixture
def work(tmp_path):
    return written_work(tmp_path / "works" / "some_work", WORK, SUITES, table1=PAPER)


@pytest.fixture
def records(tmp_path):
    """Row a in full, row b with an estimate and a cell out of memory, row c without a run."""
    folder = tmp_path / "runs"
    keep(folder, "a", CPU, 7200.0, **estimated(5, 10))
    keep(folder, "a", NAIVE, 2.0, samples=samples(1.5, 2.0, 4.0))
    keep(folder, "a", TILED, 0.012345678)
    keep(folder, "b", NAIVE, 32.0, graph=graph("b", 30, 40), **estimated(3, 30, settled=False))
    keep(folder, "b", TILED, None, graph=graph("b", 30, 40), **OUT_OF_MEMORY)
    return folder


def table(given: Data, **options) -> Table:
    return published_table(given, **{"published": "table1.csv", **options})


def of_table1(work, records, **choice) -> Data:
    return data(work, "table1", records, Choice(**choice))


def cell(given: Data, row: str, column: str) -> Cell:
    found = cells(given, given.read_published("table1.csv"))
    (one,) = [cell for cell in found if (cell.row, cell.column) == (row, column)]
    return one


def test_the_csv_file_keeps_the_works_columns_and_then_tells_what_each_number_is(work, records):
    """test_reference.py compares every column."""
    lines = pd.DataFrame(table(of_table1(work, records)).lines)
    assert lines[lines.columns[:6]].to_csv(index=False) == (
        "dataset,nodes,edges,cpu,naive,tiled\na,10,20,7200,2,0.0123457\nb,30,40,,32,\nc,50,60,,,\n"
    )
    of_naive = [f"naive_{fact}" for fact in ("published", "ratio", "status", "samples", "min", "max")]
    assert lines[of_naive].to_numpy().tolist() == [
        ["8.0", "4", "ok", "3", "1.5", "4"],
        ["16.0", "0.5", "unsettled", "0", "", ""],
        ["", "", "not_run", "", "", ""],
    ]
    assert lines["own_graph"].tolist() == ["yes", "yes", "no"]


def test_markdown_marks_what_is_estimated_short_or_missing(work, records):
    text = markdown(table(of_table1(work, records)))
    assert text.startswith("# Table 1: Results\n\n")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()[2:7]]
    assert rows[0] == ["Dataset", "Number of Nodes", "Number of Edges", "CPU", "Naive", "Tiled"]
    assert rows[2:] == [
        ["a", "10", "20", "~7,200 s (>3,600 s)", "2.00 s (8.00 s, 4.0x)", "0.0123 s"],
        ["b", "30", "40", "–", "≈32 s (16.0 s, 0.50x)", "out of memory (4.00 s)"],
        ["c", "50", "60", "–", "–", "–"],
    ]
    assert "- Device: NVIDIA H200 (Naive and Tiled), 2026-03-14.\n" in text
    assert "- CPU: Some CPU (CPU), 2026-03-14.\n" in text
    assert "- b Tiled, out of memory: the matrix needs 900 GB and the device has 141 GB.\n" in text
    assert "- Every answer was certified.\n" in text
    assert "**" not in text  # no warning


def test_the_device_is_named_with_dates_and_commits(work, records):
    def noted(naive, tiled):
        for run, git in (("naive", naive), ("tiled", tiled)):
            file = records / f"a/floyd_warshall.{run}.json"
            write_record(file, msgspec.structs.replace(read_record(file), environment={"git": git}))
        return [line for line in table(of_table1(work, records)).details if line.startswith("Device: ")]

    device = "Device: NVIDIA H200 (Naive and Tiled), 2026-03-14"
    one, other = ({"commit": 5 * digits, "dirty": dirty} for digits, dirty in (("1234abcd", False), ("99999999", True)))
    assert noted(one, one) == [f"{device}, commit 1234abcd."]
    assert noted(one, other) == [f"{device}, commits 1234abcd and 99999999 with edits."]
    assert noted(None, None) == [f"{device}."]


def test_the_comparison_has_a_line_for_each_cell(work, records):
    """test_reference.py compares every column."""
    found = table(of_table1(work, records)).comparison
    lines = {(line["dataset"], line["variant"]): line for line in found}
    assert len(lines) == len(found) == 9
    names = ("published_seconds", "seconds", "ratio", "status", "comparable")
    for place, values in (
        (("a", "naive"), ["8.0", "2", "4", "ok", "yes"]),
        (("a", "cpu"), [">3600", "7200", "", "estimated", "yes"]),
        (("b", "tiled"), ["4.0", "", "", "out_of_memory", "yes"]),
        (("c", "cpu"), ["", "", "", "not_run", "no"]),
    ):
        assert [lines[place][name] for name in names] == values
    assert lines["a", "naive"]["record"] == str(records / "a/floyd_warshall.naive.json")


def test_a_table_of_our_own_has_nothing_published(work, records):
    found = published_table(of_table1(work, records, columns=("tiled", "naive")))
    assert pd.DataFrame(found.lines).columns[:5].tolist() == ["dataset", "nodes", "edges", "naive", "tiled"]
    for name, value in (("published_seconds", ""), ("ratio", ""), ("comparable", "no")):
        assert {line[name] for line in found.comparison} == {value}


def test_columns_are_chosen_ordered_and_renamed(work, records):
    given = of_table1(work, records)
    assert list(table(given, columns=["tiled", "naive"]).lines[0])[3:5] == ["tiled", "naive"]
    found = cells(given, given.read_published("table1.csv", {"tiled": "naive", "naive": "tiled"}))
    assert [cell.published_seconds for cell in found][:3] == [">3600", "8.0", ""]
    assert [cell.column for cell in found][:3] == ["cpu", "tiled", "naive"]


def test_rows_and_columns_that_nobody_asked_for_are_there_unless_some_are_named(work, records):
    keep(records, "mine", "floyd_warshall.staged", 1.0)
    found = cells(of_table1(work, records, suite="more"), of_table1(work, records).read_published("table1.csv"))
    assert [cell.column for cell in found][:4] == ["cpu", "naive", "tiled", "staged"]
    assert [cell.row for cell in found][::4] == ["a", "b", "c", "mine"]
    # Tiled stands there and has a record, but the suite does not ask for it.
    assert [cell.status for cell in found][:4] == ["not_run", "ok", "not_run", "not_run"]
    chosen = of_table1(work, records, rows=("a",), columns=("tiled",))
    found = cells(chosen, chosen.read_published("table1.csv"))
    assert ([cell.row for cell in found], [cell.column for cell in found]) == (["a"], ["tiled"])


def test_a_variant_with_parameters_has_them_in_its_name_only_where_it_is_there_twice(work, tmp_path):
    for block in (16, 32):
        keep(tmp_path / "runs", "a", f"{TILED}.block={block}", 1.0)
    keep(tmp_path / "runs", "a", NAIVE, 1.0)
    several = of_table1(work, tmp_path / "runs", suite="several")
    found = cells(several)
    assert [cell.column for cell in found] == ["naive", "tiled.block=16", "tiled.block=32"]
    assert [cell.label for cell in found] == ["Naive", "Tiled, block = 16", "Tiled, block = 32"]
    chosen = of_table1(work, tmp_path / "runs", suite="several", columns=("floyd_warshall.tiled.block=16",))
    assert [cell.column for cell in cells(chosen)] == ["tiled"]
    assert [cell.column for cell in cells(several, NO_TABLE, ["tiled"])] == ["tiled.block=16", "tiled.block=32"]


def test_another_graph_has_a_line_of_its_own_and_no_published_time(work, records):
    about = {"weights": {"kind": "random", "min": 1, "max": 100, "seed": 7}}
    keep(records, "demo-a", NAIVE, 0.5, graph=graph("demo-a", 4, 6, **about), device=SIMULATED)
    given = of_table1(work, records, suite="demo")
    found = cell(given, "a", "naive")
    assert (found.dataset, found.published_seconds, found.comparable, found.ratio) == ("demo-a", "", False, None)
    assert (found.nodes, cell(given, "b", "naive").nodes) == (4, 30)  # without a run, those of the work
    made = table(given)
    assert made.notes[0].startswith("**Simulation, not GPU times**")
    assert any("0 of 3" in note and "demo-a for a" in note for note in made.notes)
    assert "Random weights in [1, 100], seed 7: demo-a." in made.details
    shown = [(line["Dataset"], line["Naive"]) for line in made.readable]
    assert shown[:2] == [("a", "not measured (8.00 s)"), ("demo-a", "0.500 s")]
    lines = [[line[name] for name in ("dataset", "nodes", "naive", "naive_published")] for line in made.lines]
    assert lines[:2] == [["a", "10", "", "8.0"], ["demo-a", "4", "0.5", ""]]
    compared = {line["dataset"]: line for line in made.comparison if line["variant"] == "naive"}
    assert (compared["a"]["status"], compared["demo-a"]["status"]) == ("not_run", "simulated")
    keep(records, "demo-a", NAIVE, 2.0, graph=graph("demo-a", 10, 20, generator="road"))
    generated = cell(of_table1(work, records, suite="demo"), "a", "naive")
    assert (generated.published_seconds, generated.comparable) == ("", False)


def test_a_row_whose_graph_is_not_the_works_is_told_but_for_a_generated_one_of_its_own(work, records):
    for counts, naive in (((10, 21), ["not measured (8.00 s)", "2.00 s"]), ((10, 20), ["2.00 s (8.00 s, 4.0x)"])):
        for run in (CPU, NAIVE, TILED):
            keep(records, "a", run, 2.0, graph=graph("a", *counts, generator="random"))
        given = of_table1(work, records)
        assert cell(given, "a", "naive").comparable == (counts == (10, 20))
        told = "a differs from the work's graph, which has 10 nodes and 20 edges." in table(given).notes
        assert told == (counts == (10, 21))
        assert [line["Naive"] for line in table(given).readable][: len(naive)] == naive


def test_an_estimate_has_two_digits_and_its_standard_error():
    cell = Cell(row="a", dataset="a", iterations_timed=3, settled=True, seconds=411.4, standard_error_s=31.76)
    assert readable_time(cell) == "~410 s ± 32 s"
    assert readable_time(replace(cell, settled=False, standard_error_s=None, seconds=16_500.0)) == "≈4.6 h"
    assert readable_time(replace(cell, iterations_timed=None, standard_error_s=None)) == "411 s"


def test_a_simulated_time_has_no_ratio_even_on_the_papers_graph(work, tmp_path):
    for facts, mark in (({}, ""), (estimated(5, 10), "~")):
        keep(tmp_path / "runs", "a", NAIVE, 2.0, device=SIMULATED, **facts)
        given = of_table1(work, tmp_path / "runs")
        found = cell(given, "a", "naive")
        assert (found.comparable, found.status, found.seconds) == (True, "simulated", 2.0)
        assert {line["ratio"] for line in table(given).comparison} == {""}
        assert table(given).readable[0]["Naive"] == f"{mark}{'2.0' if mark else '2.00'} s (8.00 s)"


def warnings(given: Data) -> list[str]:
    return [note for note in table(given).notes if "**" in note]


def test_times_of_several_gpus_or_drivers_or_codes_are_warned_of(work, tmp_path):
    def driver(version: str | None) -> dict:
        return {"environment": {"gpu": version and {"before": {"driver": version}, "after": None}}}

    def code(digit: str) -> dict:
        return {"code": Code({"a.cu": digit * 64}, {}, {}, digit * 64)}

    keep(tmp_path / "runs", "a", NAIVE, 2.0, **driver("570.86"))
    for other, said in (
        ({"device": {**H200, "name": "NVIDIA A100"}}, ["NVIDIA A100 and NVIDIA H200"]),
        (driver("580.1"), ["570.86 and 580.1"]),
        (driver("570.86"), []),
        (driver(None), []),
    ):
        keep(tmp_path / "runs", "a", TILED, 2.0, **other)
        found = warnings(of_table1(work, tmp_path / "runs"))
        assert len(found) == len(said) and all(words in found[0] for words in said)
    keep(tmp_path / "runs", "a", TILED, 2.0, **code("1"))  # another variant has code of its own
    keep(tmp_path / "runs", "a", NAIVE, 2.0, **code("0"))
    for digit, count in (("0", 0), ("1", 1)):
        keep(tmp_path / "runs", "b", NAIVE, 2.0, **code(digit))
        found = warnings(of_table1(work, tmp_path / "runs"))
        assert len(found) == count and all("Naive" in note and "code" in note for note in found)


def test_a_target_that_compares_times_refuses_those_of_several_gpus(work, tmp_path):
    for dataset, run in (("a", CPU), ("a", NAIVE), ("b", NAIVE)):
        keep(tmp_path / "runs", dataset, run, 2.0)
    assert isinstance(make(data(work, "compared", tmp_path / "runs")), Table), "a serial variant uses no GPU"
    keep(tmp_path / "runs", "a", TILED, 2.0, device={**H200, "name": "NVIDIA A100"})
    with pytest.raises(UsageError, match=re.escape(f"/runs/a/{TILED}.json of NVIDIA A100")):
        make(data(work, "compared", tmp_path / "runs"))
    assert isinstance(make(data(work, "table1", tmp_path / "runs")), Table)


def test_code_is_compared_within_a_family_and_among_the_same_solvers():
    names = {"row": "a", "dataset": "a", "label": "Narrow"}
    assert code_notes([Cell(algorithm="near", code="one", **names), Cell(algorithm="far", code="other", **names)]) == []
    names = {"row": "a", "dataset": "a", "label": "warpath", "algorithm": "peer_sssp"}
    for solvers, warned in (("ab", False), ("aa", True)):
        calls = [Cell(code=code, more={"solvers": of}, **names) for code, of in zip("12", solvers, strict=True)]
        assert bool(code_notes(calls)) == warned


def test_the_sources_of_a_time_are_told(work, tmp_path):
    keep(tmp_path / "runs", "a", "bellman_ford.naive", 1.0, source=3)
    keep(tmp_path / "runs", "a", "label_correcting.harish.sources=2", 1.0, samples=samples(0.5, 1.5, iterations=[1, 2]))
    for target, words in (("both", "index 3 of each graph"), ("drawn", "mean over 2 random sources")):
        assert any(words in note for note in published_table(data(work, target, tmp_path / "runs")).details)


def test_variants_of_one_name_in_two_algorithms_are_two_columns(work, tmp_path):
    for algorithm, seconds in (("bellman_ford", 1.0), ("dijkstra", 2.0)):
        keep(tmp_path / "runs", "a", f"{algorithm}.naive", seconds)
    found = published_table(data(work, "both", tmp_path / "runs"))
    assert [(line["bellman_ford.naive"], line["dijkstra.naive"]) for line in found.lines] == [("1", "2")]
    assert pd.DataFrame(found.readable).columns[3:].tolist() == ["Bellman-Ford, Naive", "Dijkstra, Naive"]


ROADS = {"like": "road_lengths", "kind": "random", "seed": 1, "min": 1, "max": 36946}


def test_real_roads_without_parallel_arcs_are_compared_and_what_is_missing_is_said(work, records):
    keep(records, "demo-a", NAIVE, 2.0, graph=graph("demo-a", 10, 19, weights=ROADS))
    given = of_table1(work, records, suite="demo")
    found = cell(given, "a", "naive")
    assert (found.comparable, found.ratio, found.arcs_missing) == (True, 4.0, 1)
    shown = table(given)
    # The published times are of a graph with other weights: the ratio is marked, and the mark explained.
    assert shown.readable[0]["Naive"] == "2.00 s (8.00 s, 4.0x†)"
    assert any(note.startswith("†") and "demo-a for a (1 arc fewer and random weights)" in note for note in shown.notes)
    assert shown.lines[0]["own_graph"] == "no"
    for arcs, about in ((18, {"weights": ROADS}), (19, {})):  # more than parallel roads are; of no roads
        keep(records, "demo-a", NAIVE, 2.0, graph=graph("demo-a", 10, arcs, **about))
        assert not cell(of_table1(work, records, suite="demo"), "a", "naive").comparable
    keep(records, "demo-a", NAIVE, 2.0, graph=graph("demo-a", 10, 20, weights=ROADS, generator="road"))
    _, line, *_ = table(of_table1(work, records, suite="demo")).lines
    assert line["weights"].startswith("Random weights, distributed like New York's")  # not real roads
