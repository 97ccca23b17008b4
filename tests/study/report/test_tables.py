"""Tables of rows and columns: each cell, each form, and what stands below."""

import re

import pandas as pd
import pytest
from report_samples import H200, OUT_OF_MEMORY, SIMULATED, data, estimated, graph, keep, samples, written_work

from warpath.certificates.facts import Certificate
from warpath.errors import UsageError
from warpath_study.provenance.facts import Code
from warpath_study.record import Estimated, Stretch
from warpath_study.report.cells import Data, cells
from warpath_study.report.notes import code_notes
from warpath_study.report.published import NO_TABLE
from warpath_study.report.runs import Cell
from warpath_study.report.table import COMPARISON, Table, markdown, published_table
from warpath_study.report.views import make
from warpath_study.works.works import Choice

WORK = """
title: A work
citation: Somebody
runs:
  sizes:
    columns: [floyd_warshall.cpu, floyd_warshall.naive, floyd_warshall.tiled]
    rows: {a: a, b: b, c: c}
  roads: {columns: [bellman_ford.naive, bellman_ford.stride], rows: {a: a}}
  both: {columns: [bellman_ford.naive, dijkstra.naive], rows: {a: a}}
  drawn: {sources: 2, columns: [label_correcting.harish], rows: {a: a}}
targets:
  table1: {kind: table, runs: [sizes], title: "Table 1: Results"}
  roads: {kind: table, runs: [roads]}
  both: {kind: table, runs: [both]}
  compared: {kind: table, runs: [sizes], one_device: true}
  drawn: {kind: table, runs: [drawn]}
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
    lines = pd.DataFrame(table(of_table1(work, records)).lines)
    names = ("published", "ratio", "status", "samples", "min", "max")
    facts = [f"{name}_{fact}" for name in ("cpu", "naive", "tiled") for fact in names]
    ends = ["own_graph", "weights"]
    assert lines.columns.tolist() == ["dataset", "nodes", "edges", "cpu", "naive", "tiled", *facts, *ends]
    assert lines[lines.columns[:6]].to_csv(index=False) == (
        "dataset,nodes,edges,cpu,naive,tiled\na,10,20,7200,2,0.0123457\nb,30,40,,32,\nc,50,60,,,\n"
    )
    assert lines[facts].to_numpy().tolist() == [
        [
            *(">3600", "", "estimated", "0", "", ""),  # no ratio to a bound
            *("8.0", "4", "ok", "3", "1.5", "4"),
            *("", "", "ok", "1", "0.0123457", "0.0123457"),
        ],
        [
            *("", "", "not_run", "", "", ""),
            *("16.0", "0.5", "unsettled", "0", "", ""),
            *("4.0", "", "out_of_memory", "0", "", ""),
        ],
        ["", "", "not_run", "", "", ""] * 3,
    ]
    assert lines["own_graph"].tolist() == ["yes", "yes", "no"]


def test_the_comparison_has_a_line_for_each_cell(work, records):
    given = of_table1(work, records)
    found = table(given).comparison
    assert list(found[0]) == COMPARISON
    lines = {(line["dataset"], line["variant"]): line for line in found}
    assert len(lines) == len(found) == 9
    assert list(lines["a", "naive"].values()) == [
        "a", "naive", "8.0", "2", "4", "ok", "NVIDIA H200", str(records / "a/floyd_warshall.naive.json"),
        "floyd_warshall", "a", "10", "20", "yes", "cuda", "2026-03-14", NAIVE, "no", "3", "1.5", "4", "", "", "yes",
    ]  # fmt: skip
    assert lines["a", "cpu"]["published_seconds"] == ">3600"
    assert (lines["a", "cpu"]["ratio"], lines["a", "cpu"]["estimated"]) == ("", "yes")  # no ratio to a bound
    assert lines["a", "tiled"]["ratio"] == ""  # nor where nothing was published
    assert (lines["b", "naive"]["ratio"], lines["b", "naive"]["status"]) == ("0.5", "unsettled")
    assert (lines["b", "tiled"]["seconds"], lines["b", "tiled"]["status"]) == ("", "out_of_memory")
    assert (lines["c", "cpu"]["status"], lines["c", "cpu"]["record"], lines["c", "cpu"]["comparable"]) == (
        "not_run", "", "no"
    )  # fmt: skip


def test_markdown_marks_what_is_estimated_short_or_missing(work, records):
    text = markdown(table(of_table1(work, records)))
    assert text.startswith("# Table 1: Results\n\n")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()[2:7]]
    assert rows[0] == ["Dataset", "Number of Nodes", "Number of Edges", "CPU", "Naive", "Tiled"]
    assert [set(cell) for cell in rows[1]] == [{":", "-"}] * 6 and rows[1][0].startswith(":")
    assert all(cell.endswith(":") for cell in rows[1][1:])
    assert rows[2:] == [
        ["a", "10", "20", "~7,200 s (>3,600 s)", "2.00 s (8.00 s, 4.0x)", "0.0123 s"],
        ["b", "30", "40", "–", "≈32.0 s (16.0 s, 0.50x)", "out of memory (4.00 s)"],
        ["c", "50", "60", "–", "–", "–"],
    ]
    assert "- Device: NVIDIA H200 (Naive and Tiled), 2026-03-14.\n" in text
    assert "- CPU: Some CPU (CPU), 2026-03-14.\n" in text
    (firm,), (rough,) = ([line for line in text.splitlines() if line.startswith(f"- {mark} ")] for mark in ("~", "≈"))
    assert "CPU: a (3600 s, 5 of 10 iterations)" in firm.replace("1.00 h", "3600 s")
    assert "Naive: b (3.20 s, 3 of 30 iterations)" in rough
    assert "- b Tiled, out of memory: the matrix needs 900 GB and the device has 141 GB.\n" in text
    assert "- Every answer was certified.\n" in text
    assert "**" not in text  # no warning


def test_a_row_of_the_work_without_a_run_has_its_published_times(work, tmp_path):
    keep(tmp_path / "runs", "a", NAIVE, 2.0)
    shown = pd.DataFrame(table(of_table1(work, tmp_path / "runs")).readable).set_index("Dataset")
    assert shown.loc["b"].tolist() == ["30", "40", "–", "not measured (16.0 s)", "not measured (4.00 s)"]
    assert shown.loc["a", "CPU"] == "not measured (>3,600 s)"


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


def test_counts_of_a_row_without_a_run_are_the_works_only_where_its_graph_stands_there(work, records):
    assert (cell(of_table1(work, records), "c", "cpu").nodes) == 50
    keep(records, "demo-a", NAIVE, 1.0, graph=graph("demo-a", 4, 6))
    demo = of_table1(work, records, suite="demo")
    assert cell(demo, "a", "naive").nodes == 4
    assert cell(demo, "b", "naive").nodes == 30


def test_other_graphs_in_the_rows_are_named_and_have_no_ratio(work, records):
    about = {"weights": {"kind": "random", "min": 1, "max": 100, "seed": 7}}
    keep(records, "demo-a", NAIVE, 0.5, graph=graph("demo-a", 4, 6, **about), device=SIMULATED)
    given = of_table1(work, records, suite="demo")
    found = cell(given, "a", "naive")
    assert (found.dataset, found.published_seconds, found.comparable) == ("demo-a", "", False)
    assert found.ratio is None
    made = table(given)
    assert made.notes[0].startswith("**Simulation, not GPU times**")
    assert any("0 of 3" in note and "demo-a for a" in note for note in made.notes)
    assert "Device, simulated on the CPU: Some CPU, 2026-03-14." in made.details
    assert "Random weights in [1, 100], seed 7: demo-a." in made.details
    # The published times of the row have a line of their own before it.
    shown = pd.DataFrame(made.readable).set_index("Dataset")
    assert shown.index.tolist() == ["a", "demo-a", "b", "c"]
    assert (shown.loc["a", "Naive"], shown.loc["demo-a", "Naive"]) == ("not measured (8.00 s)", "0.500 s")
    lines = pd.DataFrame(made.lines).set_index("dataset")[["nodes", "naive", "naive_published", "naive_ratio"]]
    assert lines.loc[["a", "demo-a"]].to_numpy().tolist() == [["10", "", "8.0", ""], ["4", "0.5", "", ""]]
    compared = {line["dataset"]: line for line in made.comparison if line["variant"] == "naive"}
    assert [(compared[name]["status"], compared[name]["published_seconds"]) for name in ("a", "demo-a")] == [
        ("not_run", "8.0"), ("simulated", "")
    ]  # fmt: skip


def test_a_row_whose_graph_is_not_the_works_is_told(work, records):
    keep(records, "a", CPU, 1.0, graph=graph("a", 10, 21))
    for run in (NAIVE, TILED):
        keep(records, "a", run, 1.0, graph=graph("a", 10, 21))
    given = of_table1(work, records)
    assert not cell(given, "a", "naive").comparable
    assert "a differs from the work's graph, which has 10 nodes and 20 edges." in table(given).notes
    assert [line["Naive"] for line in table(given).readable][:2] == ["not measured (8.00 s)", "1.00 s"]


def test_a_simulated_time_has_no_ratio_even_on_the_papers_graph(work, tmp_path):
    for facts, mark in (({}, ""), (estimated(5, 10), "~")):
        keep(tmp_path / "runs", "a", NAIVE, 2.0, device=SIMULATED, **facts)
        given = of_table1(work, tmp_path / "runs")
        found = cell(given, "a", "naive")
        assert (found.comparable, found.status, found.seconds) == (True, "simulated", 2.0)
        assert {line["ratio"] for line in table(given).comparison} == {""}
        assert table(given).readable[0]["Naive"] == f"{mark}2.00 s (8.00 s)"


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


def test_an_answer_certified_on_a_part_of_the_graph_is_said_to_be(work, tmp_path):
    part = Certificate("subgraph", 5, 5, 45, 25)
    keep(tmp_path / "runs", "a", NAIVE, 2.0, **{**estimated(5, 10, settled=False), "certificate": part})
    about = table(of_table1(work, tmp_path / "runs")).details
    assert "Every answer was certified; for some estimates, on a part of the graph." in about


def test_how_a_time_was_measured_is_told(work, tmp_path):
    folder = tmp_path / "runs"
    for variant in ("naive", "stride"):
        keep(folder, "a", f"bellman_ford.{variant}", 1.0, source=3)
    keep(folder, "a", "label_correcting.harish.sources=2", 1.0, samples=samples(0.5, 1.5, iterations=[1, 2]))
    (one,) = [note for note in published_table(data(work, "roads", folder)).details if note.startswith("A time is")]
    assert "median" in one and "already on the device" in one and one.endswith("index 3 of each graph.")
    (drawn,) = [note for note in published_table(data(work, "drawn", folder)).details if note.startswith("A time is")]
    assert "mean over 2 random sources" in drawn
    keep(folder, "a", NAIVE, 1.0)
    (pairs,) = [note for note in table(of_table1(work, folder)).details if note.startswith("A time is")]
    assert pairs.endswith("It includes the copies of all matrices.")


def test_variants_of_one_name_in_two_algorithms_are_two_columns(work, tmp_path):
    for algorithm, seconds in (("bellman_ford", 1.0), ("dijkstra", 2.0)):
        keep(tmp_path / "runs", "a", f"{algorithm}.naive", seconds)
    found = published_table(data(work, "both", tmp_path / "runs"))
    assert [(line["bellman_ford.naive"], line["dijkstra.naive"]) for line in found.lines] == [("1", "2")]
    assert pd.DataFrame(found.readable).columns[3:].tolist() == ["Bellman-Ford, Naive", "Dijkstra, Naive"]


ROADS = {"like": "road_lengths", "kind": "random", "seed": 1, "min": 1, "max": 36946}


def test_real_roads_with_drawn_weights_are_said_in_every_form(work, records):
    keep(records, "demo-a", NAIVE, 2.0, graph=graph("demo-a", 10, 18, weights=ROADS))
    found = table(of_table1(work, records, suite="demo"))
    said = "Real roads with random weights, distributed like New York's road lengths in [1, 36946], seed 1"
    of_graphs = pd.DataFrame(found.lines).set_index("dataset")["weights"].to_dict()
    assert of_graphs == {"a": "", "demo-a": said, "b": "", "c": ""}
    assert pd.DataFrame(found.comparison).set_index(["dataset", "variant"])["weights"].loc["demo-a", "naive"] == said
    text = markdown(found)
    assert f"- {said}: demo-a.\n" in text
    # A tenth of the arcs is more than parallel roads are.
    assert {line["comparable"] for line in found.comparison} == {"no"}


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
    keep(records, "demo-a", NAIVE, 2.0, graph=graph("demo-a", 10, 19))
    assert not cell(of_table1(work, records, suite="demo"), "a", "naive").comparable  # of no roads
    keep(records, "demo-a", NAIVE, 2.0, graph=graph("demo-a", 10, 20, weights=ROADS, generator="road"))
    _, line, *_ = table(of_table1(work, records, suite="demo")).lines
    assert line["weights"].startswith("Random weights, distributed like New York's")  # not real roads


def test_a_generated_graph_in_place_of_the_works_has_no_published_time(work, records):
    keep(records, "demo-a", NAIVE, 2.0, graph=graph("demo-a", 10, 20, generator="road"))
    given = of_table1(work, records, suite="demo")
    found = cell(given, "a", "naive")
    assert (found.published_seconds, found.comparable, found.ratio) == ("", False, None)
    assert [line["Naive"] for line in table(given).readable][:2] == ["not measured (8.00 s)", "2.00 s"]
    keep(records, "a", NAIVE, 2.0, graph=graph("a", 10, 20, generator="random"))
    for run in (CPU, TILED):
        keep(records, "a", run, 2.0, graph=graph("a", 10, 20, generator="random"))
    own = cell(of_table1(work, records), "a", "naive")  # the work itself has a generated graph there
    assert (own.published_seconds, own.comparable, own.ratio) == ("8.0", True, 4.0)


def test_the_standard_error_of_an_estimate_stands_in_every_form(work, tmp_path):
    of_sources = Estimated([Stretch(1, 2.0), Stretch(2, 1.0)], 97, 0.0, 0.0, 0.0, settled=False, by_source=True)
    keep(tmp_path / "runs", "a", NAIVE, 100.0, outcome=of_sources)
    found = table(of_table1(work, tmp_path / "runs"))
    assert pd.DataFrame(found.readable)["Naive"].tolist()[0] == "~100 s ± 69.6 s (8.00 s, 0.080x)"
    assert pd.DataFrame(found.lines)["naive_standard_error"].tolist() == ["69.6419", "", ""]
    assert "cpu_standard_error" not in found.lines[0]
    assert {line["standard_error_s"] for line in found.comparison} == {"69.6419", ""}
    assert pd.DataFrame(found.lines)["naive_status"].tolist()[0] == "estimated"


def test_times_of_fewer_than_three_samples_are_named(work, records):
    text = markdown(table(of_table1(work, records)))
    assert "- Fewer than three samples: a Tiled (1).\n" in text
    keep(records, "a", TILED, 0.0125, samples=samples(0.012, 0.0125, 0.013))
    assert "Fewer than three samples" not in markdown(table(of_table1(work, records)))
