"""Tables from records: exact cells, refusals, notes and ratios."""

import csv
import io
import json

import pytest
from report_samples import H200, HOST, OUT_OF_MEMORY, TABLE1, estimated, graph, keep, published

from warpath.__main__ import main
from warpath.errors import FormatError, UsageError, WarpathError
from warpath.report.comparison import COLUMNS, comparison_text, read_comparison
from warpath.report.markdown import table_markdown
from warpath.report.tables import compare, gather, table_csv

PAPER = "dataset,nodes,edges,cpu,naive,tiled\na,10,20,>3600,8.0,\nb,30,40,,16.0,4.0\nc,50,60,,,\n"
FW = "floyd_warshall"
ROWS = {"a": "a", "b": "b", "c": "c"}


@pytest.fixture
def table(tmp_path):
    """Row a in full, row b with an estimate and a cell out of memory, row c without a run."""
    keep(tmp_path, "a", FW, "cpu", 7200.0, **estimated(5, 10))
    keep(tmp_path, "a", FW, "naive", 2.0)
    keep(tmp_path, "a", FW, "tiled", 0.012345678)
    keep(tmp_path, "b", FW, "naive", 32.0, graph=graph("b", 30, 40), **estimated(3, 30, settled=False))
    keep(tmp_path, "b", FW, "tiled", None, graph=graph("b", 30, 40), **OUT_OF_MEMORY)
    return gather("table3", FW, published(tmp_path, PAPER), ROWS, ["cpu", "naive", "tiled"], tmp_path)


def test_csv_has_the_papers_rows_and_columns_and_numbers_only(table):
    assert table_csv(table) == (
        "dataset,nodes,edges,cpu,naive,tiled\na,10,20,7200,2,0.0123457\nb,30,40,,32,\nc,50,60,,,\n"
    )


def test_comparison_has_a_line_for_each_cell(table, tmp_path):
    path = tmp_path / "comparison.csv"
    path.write_text(comparison_text(compare(table)), encoding="utf-8")
    lines = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))
    assert COLUMNS[:8] == ["dataset", "variant", "published_seconds", "seconds", "ratio", "status", "device", "record"]
    cells = {(line["dataset"], line["variant"]): line for line in lines}
    assert len(cells) == len(lines) == 9
    assert [cells["a", "naive"][key] for key in COLUMNS[:7]] == ["a", "naive", "8.0", "2", "4", "ok", "NVIDIA H200"]
    assert cells["a", "naive"]["record"] == str(tmp_path / "a/floyd_warshall.naive.json")
    assert cells["a", "cpu"]["published_seconds"] == ">3600"
    assert cells["a", "cpu"]["ratio"] == ""  # no ratio to a bound
    assert cells["a", "tiled"]["ratio"] == ""  # nor where nothing was published
    assert (cells["b", "naive"]["ratio"], cells["b", "naive"]["status"]) == ("0.5", "estimated")
    assert (cells["b", "tiled"]["seconds"], cells["b", "tiled"]["status"]) == ("", "out_of_memory")
    assert (cells["c", "cpu"]["status"], cells["c", "cpu"]["record"]) == ("not_run", "")


def test_comparison_comes_back_as_it_was(table, tmp_path):
    path = tmp_path / "comparison.csv"
    path.write_text(comparison_text(compare(table)), encoding="utf-8")
    again = read_comparison(path)
    assert comparison_text(again) == path.read_text(encoding="utf-8")
    assert [entry.seconds for entry in again][:3] == [7200.0, 2.0, 0.0123457]
    assert [entry.comparable for entry in again] == [True] * 6 + [False] * 3


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("dataset,variant\n", "line 1: not a comparison"),
        (",".join(COLUMNS) + "\na,naive\n", "line 2: "),
        (",".join(COLUMNS) + "\na,naive,,fast,,ok,,,x,a,1,2,yes,cuda,\n", "line 2: .*'fast'"),
        (",".join(COLUMNS) + "\na,naive,,1,,fine,,,x,a,1,2,yes,cuda,\n", "line 2: unknown status 'fine'"),
    ],
)
def test_what_is_no_comparison_is_refused(tmp_path, text, says):
    path = tmp_path / "comparison.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=says):
        read_comparison(path)


def test_markdown_is_as_a_person_would_print_it(table):
    text = table_markdown(table)
    assert text.startswith(
        "# Table 3: Results of Floyd-Warshall\n\n"
        "| Dataset | Number of Nodes | Number of Edges | CPU | Naive | Tiled |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: |\n"
        "| a | 10 | 20 | ~2.00 h | 2.000 s | 12.35 ms |\n"
        "| b | 30 | 40 | – | ~32.00 s | out of memory |\n"
        "| c | 50 | 60 | – | – | – |\n"
    )
    assert "- Device: NVIDIA H200 (Naive and Tiled), 2026-03-14.\n" in text
    assert "- CPU, one thread: Some CPU (CPU), 2026-03-14.\n" in text
    assert "a CPU (5 of 10 iterations) and b Naive (3 of 30 iterations, before the distances were final)." in text
    assert "- b Tiled, out of memory: the matrix needs 900 GB and the device has 141 GB.\n" in text
    assert "- – Not run.\n" in text
    assert "- Every answer was certified to be exact.\n" in text
    assert "**" not in text  # no warning


def test_an_answer_certified_on_a_part_of_the_graph_is_said_to_be(tmp_path):
    certificate = {
        "verdict": "exact",
        "scope": "subgraph",
        "vertices": 5,
        "sources": 1,
        "arcs_checked": 9,
        "reached": 5,
    }
    keep(tmp_path, "a", FW, "naive", 2.0, **{**estimated(5, 10), "certificate": certificate})
    table = gather("table3", FW, published(tmp_path, PAPER), ROWS, ["naive"], tmp_path)
    assert "certified to be exact, an estimated one on a part of the graph." in table_markdown(table)


def test_other_graphs_in_the_rows_are_named_and_have_no_ratio(tmp_path):
    about = {"weights": {"kind": "random", "min": 1, "max": 100, "seed": 7}}
    keep(tmp_path, "demo-a", "bellman_ford", "naive", 0.5, graph=graph("demo-a", 4, 6, **about), device=HOST)
    paper = published(tmp_path, PAPER)
    table = gather("table1", "bellman_ford", paper, {"a": "demo-a"}, ["naive"], tmp_path)
    assert table_csv(table).splitlines()[1:3] == ["demo-a,4,6,,0.5,", "b,30,40,,,"]
    entry = next(entry for entry in compare(table) if entry.seconds)
    assert (entry.row, entry.dataset, entry.published_seconds, entry.ratio) == ("a", "demo-a", "8.0", None)
    text = table_markdown(table)
    assert "**Host simulation, not GPU times**" in text
    assert "Device, simulated on the CPU: Some CPU (Naive)" in text
    assert "demo-a for a" in text
    assert "Random weights in [1, 100], seed 7: demo-a." in text
    assert "Source vertex: 0." in text


def test_a_simulated_time_has_no_ratio_even_on_the_papers_graph(tmp_path):
    keep(tmp_path, "a", FW, "naive", 2.0, device=HOST)
    table = gather("table3", FW, published(tmp_path, PAPER), ROWS, ["naive"], tmp_path)
    assert [entry.ratio for entry in compare(table)] == [None] * 9


def test_another_edition_of_the_papers_graph_has_no_ratio_and_a_note(tmp_path):
    keep(tmp_path, "a", FW, "naive", 2.0, graph=graph("a", 10, 19))
    table = gather("table3", FW, published(tmp_path, PAPER), ROWS, ["naive"], tmp_path)
    assert [entry.ratio for entry in compare(table)] == [None] * 9
    assert "a differs from the paper's graph, which has 10 nodes and 20 edges" in table_markdown(table)


def test_different_devices_are_warned_of(tmp_path):
    keep(tmp_path, "a", FW, "naive", 2.0)
    keep(tmp_path, "a", FW, "tiled", 2.0, device={**H200, "name": "NVIDIA A100"})
    table = gather("table3", FW, published(tmp_path, PAPER), ROWS, ["naive", "tiled"], tmp_path)
    assert (
        "**Warning**: the columns were measured on different devices (NVIDIA A100 and NVIDIA H200)"
        in table_markdown(table)
    )


def test_further_rows_and_variants_come_after_the_papers(tmp_path):
    keep(tmp_path, "mine", FW, "fast", 1.0)
    rows = {"mine": "mine", "a": "a"}
    table = gather("table3", FW, published(tmp_path, PAPER), rows, ["fast", "naive"], tmp_path)
    assert table.variants == ["cpu", "naive", "tiled", "fast"]
    assert table_csv(table).splitlines()[-1] == "mine,10,20,,,,1"


def test_a_variant_that_was_not_asked_for_is_not_read(tmp_path):
    keep(tmp_path, "a", FW, "naive", 1.0)
    keep(tmp_path, "a", FW, "tiled", 1.0)
    table = gather("table3", FW, published(tmp_path, PAPER), ROWS, ["naive"], tmp_path)
    assert [cell.status for cell in table.rows[0].cells] == ["not_run", "ok", "not_run"]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"variant": "tiled"}, "holds the run a floyd_warshall tiled where a floyd_warshall naive belongs"),
        ({"dataset": "b"}, "holds the run b floyd_warshall naive"),
        ({"algorithm": "dijkstra"}, "holds the run a dijkstra naive"),
        (
            {"status": "failed", "reason": "d(3) is 5 but arc 2->3 gives 4", "seconds": None, "certificate": None},
            r"the run failed \(d\(3\) is 5 but arc 2->3 gives 4\)",
        ),
        ({"seconds": 0.0}, "its time is 0 s"),
    ],
)
def test_a_record_that_may_not_enter_is_refused_by_name(tmp_path, changes, says):
    keep(tmp_path, "a", FW, "naive", 1.0, **changes)
    with pytest.raises(WarpathError, match=f"a/floyd_warshall.naive.json: {says}"):
        gather("table3", FW, published(tmp_path, PAPER), ROWS, ["naive"], tmp_path)


@pytest.mark.parametrize("certificate", [None, "subgraph"])
def test_a_time_without_a_certificate_is_refused(tmp_path, certificate):
    path = keep(tmp_path, "a", FW, "naive", 1.0)
    record = json.loads(path.read_text(encoding="utf-8"))
    record["certificate"] = certificate and {**record["certificate"], "scope": certificate}
    path.write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(FormatError, match=r"a/floyd_warshall.naive.json: .*certificate"):
        gather("table3", FW, published(tmp_path, PAPER), ROWS, ["naive"], tmp_path)


@pytest.mark.parametrize(
    ("changes", "fact"), [({"graph": graph("older", 10, 20)}, "graph"), ({"source": 3}, "source vertex")]
)
def test_records_of_one_row_must_have_solved_the_same_problem(tmp_path, changes, fact):
    keep(tmp_path, "a", FW, "naive", 1.0)
    keep(tmp_path, "a", FW, "tiled", 1.0, **changes)
    with pytest.raises(WarpathError, match=f"tiled.json: solved another {fact} than .*naive.json"):
        gather("table3", FW, published(tmp_path, PAPER), ROWS, ["naive", "tiled"], tmp_path)


def test_a_table_without_any_record_is_refused(tmp_path):
    with pytest.raises(UsageError, match="no records of floyd_warshall"):
        gather("table3", FW, published(tmp_path, PAPER), ROWS, ["naive"], tmp_path)


def test_the_command_writes_each_format(tmp_path, capsys):
    keep(tmp_path / "runs", "demo-nyc", "bellman_ford", "stride", 0.5)
    command = ["table", "table1", "--published", str(TABLE1), "--algorithm", "bellman_ford"]
    command += ["--rows", "nyc=demo-nyc", "bay", "--variants", "stride", "--records", str(tmp_path / "runs")]
    assert main(command) == 0
    assert capsys.readouterr().out.splitlines()[1] == "demo-nyc,10,20,,,0.5,"
    for form, begins in (("csv", "dataset,nodes"), ("markdown", "# Table 1: "), ("comparison", "dataset,variant,")):
        output = tmp_path / f"out/{form}"
        assert main([*command, "--format", form, "--output", str(output)]) == 0
        assert output.read_text(encoding="utf-8").startswith(begins)


@pytest.mark.parametrize("rows", [["nyc="], ["=nyc"], ["nyc", "nyc=bay"]])
def test_rows_that_do_not_parse_are_refused_and_nothing_is_written(tmp_path, capsys, rows):
    output = tmp_path / "table1.csv"
    command = ["table", "table1", "--published", str(TABLE1), "--algorithm", "bellman_ford", "--output", str(output)]
    assert main([*command, "--rows", *rows]) == 2
    assert "expected ROW=DATASET" in capsys.readouterr().err
    assert not output.exists()
