"""What views of works make of graphs and runs: those of Katz and Kider, Safari and Ebnenasir, and Telang."""

from pathlib import Path

import msgspec
import numpy as np
import pandas as pd
import pytest
from drawings import caption
from matplotlib.backends.backend_agg import FigureCanvasAgg
from report_samples import H200, OUT_OF_MEMORY, SIMULATED, data, estimated, graph, keep, our_work, samples
from tiny_graphs import graph as small_graph
from tiny_graphs import named

from warpath.__main__ import main
from warpath.errors import FormatError, UsageError
from warpath_study.matrix_product.product_path import path_cells
from warpath_study.record import Record, read_record, write_record
from warpath_study.report import style
from warpath_study.report.cells import Data
from warpath_study.report.table import markdown, published_table
from warpath_study.report.views import make
from warpath_study.works.work_file import RowFields
from warpath_study.works.works import Choice

# Katz and Kider: memory beside times, and larger graphs against the first run.

BLOCKED, TUNED = "blocked_all_pairs.blocked", "blocked_all_pairs.cpu_tuned"
REGISTER, CORE = "blocked_all_pairs.register_blocked", "blocked_all_pairs.out_of_core.device_memory_limit_mib=4096"
ONE, TWO = (f"blocked_all_pairs.several_devices.devices={devices}" for devices in (1, 2))
OURS = "floyd_warshall.shared_rows.devices=4+predecessors=0"


def table1(folder, **rows):
    """Table 1 of these rows, graph by number of vertices."""
    return make(data(our_work("katz_kider", sizes=rows), "table1", folder))


def of_size(nodes, run, seconds, folder, **facts):
    return keep(folder, f"katz-{nodes}", run, seconds, graph=graph(f"katz-{nodes}", nodes, 8 * nodes), **facts)


def test_times_stand_beside_the_published_ones_and_the_memory(tmp_path):
    of_size(64, BLOCKED, 0.0007, tmp_path)
    of_size(64, "blocked_all_pairs.standard", 1.0, tmp_path)
    of_size(64, TUNED, None, tmp_path, **OUT_OF_MEMORY)
    of_size(512, BLOCKED, 1.0, tmp_path)
    table = table1(tmp_path, **{"64": "katz-64", "512": "katz-512"})
    assert "Standard" not in table.readable[0]  # Table 1 has other columns
    first, *_ = [line for line in table.readable if line["Nodes"] == "64"]
    assert first == {
        "Nodes": "64",
        "Memory": "32.8 kB",
        "Blocked": "0.000700 s (0.00140 s, 2.0x)",
        "Register Blocked": "–",
        "Out of Core": "–",
        "CPU, Tuned": "out of memory (0.000290 s)",
        "Han et al.": "0.000210 s",
    }
    assert [line["Memory"] for line in table.readable if line["Nodes"] == "512"] == ["2.10 MB"]
    assert table.readable[-1]["Nodes"] == "11,264"  # every row of the paper, measured or not
    assert table.readable[-1]["Memory"] == "1.02 GB"  # of both matrices, in decimal units
    assert table.notes[-1].startswith("Memory is the size of both matrices. Han et al.")
    lines = {(line["row"], line["variant"]): (line["published_seconds"], line["ratio"]) for line in table.comparison}
    assert lines["64", "blocked"] == ("0.0014", "2") and lines["64", "cpu_tuned"] == ("0.00029", "")


def test_a_graph_of_another_size_has_no_published_time_beside(tmp_path):
    keep(tmp_path, "katz-64", BLOCKED, 1.0, graph=graph("katz-64", 50, 400), device=SIMULATED)
    table = table1(tmp_path, **{"64": "katz-64"})
    assert [line["Blocked"] for line in table.readable if line["Nodes"] == "50"] == ["1.00 s"]
    assert "**Simulation, not GPU times**" in markdown(table)


def test_a_row_of_which_nothing_was_measured_has_its_published_times(tmp_path):
    of_size(64, BLOCKED, 0.0007, tmp_path)
    shown = table1(tmp_path, **{"64": "katz-64", "128": "katz-128"}).readable
    assert {name: shown[1][name] for name in ("Nodes", "Memory", "Blocked", "Han et al.")} == {
        "Nodes": "128",
        "Memory": "131 kB",
        "Blocked": "not measured (0.00250 s)",
        "Han et al.": "0.00150 s",
    }


def larger(folder, *runs, nodes=36682):
    """The table of larger graphs of runs (run, seconds, facts) on one graph."""
    for run, seconds, *facts in runs:
        of_size(nodes, run, seconds, folder, **(facts[0] if facts else {}))
    row = {"dataset": f"katz-{nodes}", "columns": [run for run, *_ in runs]}
    return make(data(with_columns({str(nodes): row}), "larger", folder))


def with_columns(rows):
    return our_work("katz_kider", larger={name: RowFields(**row) for name, row in rows.items()})


def test_larger_graphs_are_compared_with_their_first_run(tmp_path):
    for nodes, run, seconds in ((36682, REGISTER, 26.1), (36682, CORE, 10.0), (36682, TWO, 2e-2), (65536, TWO, 130.5)):
        of_size(nodes, run, seconds, tmp_path)
    rows = {
        "36682": {"dataset": "katz-36682", "columns": [REGISTER, CORE, TWO]},
        "65536": {"dataset": "katz-65536", "columns": [TWO]},
    }
    table = make(data(with_columns(rows), "larger", tmp_path))
    assert [list(line.values()) for line in table.readable] == [
        ["36,682", "10.8 GB", "Register Blocked", "26.1 s", "–"],
        ["36,682", "10.8 GB", "Out of Core, 4096 MiB", "10.0 s", "2.61x"],
        ["36,682", "10.8 GB", "Several Devices, 2 GPUs", "20.0 ms", "1,300x"],
        ["65,536", "34.4 GB", "Several Devices, 2 GPUs", "130 s", "–"],
    ]
    names = ("row", "variant", "asked", "nodes", "seconds", "samples")
    assert [[line[name] for name in names] for line in table.lines] == [
        ["36682", "register_blocked", "", "36682", "26.1", "1"],
        ["36682", "out_of_core", "device_memory_limit_mib=4096", "36682", "10", "1"],
        ["36682", "several_devices", "devices=2", "36682", "0.02", "1"],
        ["65536", "several_devices", "devices=2", "65536", "130.5", "1"],
    ]
    text = markdown(table)
    assert "- Device: NVIDIA H200, " in text and "Every answer was certified." in text
    assert "Estimated" not in text and "Simulation" not in text


def last_cells(table):
    return [[line["Time"], line["Speedup over the first"]] for line in table.readable]


ESTIMATED = estimated(5, 10)


def test_what_cannot_be_compared_has_no_ratio_and_an_estimate_makes_it_one(tmp_path):
    other_gpu = {"device": {**H200, "name": "A"}}
    for number, (first, second, cells) in enumerate(
        (
            ((REGISTER, 8.0), (CORE, 4.0, ESTIMATED), [["8.00 s", "–"], ["~4.00 s", "~2.00x"]]),
            ((CORE, 4.0, ESTIMATED), (REGISTER, 8.0), [["~4.00 s", "–"], ["8.00 s", "~0.500x"]]),
            ((REGISTER, 8.0), (CORE, None, OUT_OF_MEMORY), [["8.00 s", "–"], ["out of memory", "–"]]),
            ((CORE, None, OUT_OF_MEMORY), (REGISTER, 8.0), [["out of memory", "–"], ["8.00 s", "–"]]),
            # Times of two devices are not compared, but for the CPU beside a GPU.
            ((REGISTER, 8.0), (CORE, 4.0, {"device": SIMULATED}), [["8.00 s", "–"], ["4.00 s", "–"]]),
            ((REGISTER, 8.0), (CORE, 4.0, other_gpu), [["8.00 s", "–"], ["4.00 s", "–"]]),
            ((REGISTER, 8.0), (TUNED, 16.0), [["8.00 s", "–"], ["16.0 s", "0.500x"]]),
        )
    ):
        with named(f"{first} and {second}"):
            assert last_cells(larger(tmp_path / str(number), first, second)) == cells


def test_notes_of_larger_graphs(tmp_path):
    table = larger(tmp_path, (REGISTER, 8.0), (CORE, 4.0, ESTIMATED))
    assert "- ~ " in markdown(table)
    table = larger(tmp_path / "simulated", (REGISTER, 8.0, {"device": SIMULATED}), (TWO, 8.0))
    assert "- **Simulation, not GPU times**" in markdown(table)


def test_a_variant_that_is_there_twice_has_its_parameters(tmp_path):
    table = larger(tmp_path, (ONE, 8.0), (TWO, 4.0))
    assert [line["Run"] for line in table.readable] == ["Several Devices, 1 GPU", "Several Devices, 2 GPUs"]
    assert last_cells(table) == [["8.00 s", "–"], ["4.00 s", "2.00x"]]


def test_the_memory_without_predecessors_is_half(tmp_path):
    table = larger(tmp_path, (ONE, 8.0), (OURS, 2.0), (TWO, 4.0))
    assert [[line[name] for name in ("Memory", "Run", "Speedup over the first")] for line in table.readable] == [
        ["10.8 GB", "Several Devices, 1 GPU", "–"],
        ["5.38 GB", "Shared Rows, 4 GPUs", "–"],  # compared with none that finds predecessors
        ["10.8 GB", "Several Devices, 2 GPUs", "2.00x"],
    ]
    assert "or of the distances alone in a run without predecessors" in markdown(table)


# Safari and Ebnenasir: degrees, costs, revised graphs, time over k.

NAME = "safari_ebnenasir"
COUNTERS = {"launches": 10, "host_reads": 4, "atomics": 99, "bytes_per_vertex": 14, "bytes_per_arc": 8}
K4, K1 = "k=4+vertices_per_thread=2", "k=1+vertices_per_thread=2"


def work_of(settings=(K4,), **groups):
    """The work with two sources, and harish and locality with these settings in each group."""
    work = our_work(NAME, **groups)
    columns = ["label_correcting.harish", *(f"label_correcting.locality.{asked}" for asked in settings)]
    for group in groups:
        work.fields.runs[group].columns, work.fields.runs[group].sources = columns, 2
    return work


def measured(folder, datasets, settings=(K4,), arcs=733846, **facts):
    """Records of harish (mean 1 s) and of locality (0.25 s, 0.5 s, ...); iterations are 1000 and 500."""
    runs = {"label_correcting.harish": 1.0}
    runs |= {f"label_correcting.locality.{asked}": 0.25 * place for place, asked in enumerate(settings, start=1)}
    for dataset in datasets:
        for run, seconds in runs.items():
            counters = {name: [value, value] for name, value in COUNTERS.items()}
            taken = samples(0.5 * seconds, 1.5 * seconds, iterations=[1000, 500], **counters)
            name = f"{run}+sources=2" if "=" in run else f"{run}.sources=2"
            keep(folder, dataset, name, seconds, samples=taken, graph=graph(dataset, 264346, arcs), **facts)


def test_table_1_says_where_a_graph_differs_from_the_papers(tmp_path, monkeypatch):
    # A path of as many vertices as New York has.
    line = small_graph(264346, *((vertex, vertex + 1, 1) for vertex in range(264345)))
    monkeypatch.setattr(Data, "graph_file", lambda self, dataset: tmp_path / f"{dataset}.npz")
    line.save(tmp_path / "nyc.npz")
    keep(tmp_path, "nyc", "label_correcting.harish.sources=2", 1.0, samples=samples(1.0, 1.0, iterations=[1, 1]))
    table = make(data(work_of(graphs={"New York": "nyc"}), "table1", tmp_path))
    compared = pd.DataFrame(table.comparison).set_index(["name", "statistic"])
    counts = ("arcs", "max_out_degree", "std_out_degree", "median_out_degree")
    assert compared.loc["New York", "agrees"].to_dict() == {"nodes": "yes", **dict.fromkeys(counts, "no")}
    assert set(compared.loc["Western", "agrees"]) == {""} and set(compared.loc["Western", "measured"]) == {""}
    assert list(table.readable[0].values()) == [
        "New York (nyc)", "264,346", "264,345 (733,846)", "1 (8)", "0.00 (1.24)", "1 (3)"
    ]  # fmt: skip
    assert list(table.lines[0]) == [
        "graph", "name", "nodes", "arcs", "max_out_degree", "std_out_degree", "median_out_degree"
    ]  # fmt: skip
    assert list(table.lines[1].values()) == ["Colorado", "Colorado", "", "", "", "", ""]
    assert table.readable[1]["Vertices"] == "– (435,666)"


def test_table_1_keeps_to_the_rows_asked_for_and_needs_their_graphs(tmp_path, monkeypatch):
    monkeypatch.setattr(Data, "graph_file", lambda self, dataset: tmp_path / f"{dataset}.npz")
    measured(tmp_path, ["nyc", "col"])
    work = work_of(graphs={"New York": "nyc", "Colorado": "col"})
    small_graph(3, (0, 1, 1)).save(tmp_path / "col.npz")
    table = make(data(work, "table1", tmp_path, Choice(rows=("Colorado",))))
    assert pd.DataFrame(table.lines)["name"].tolist() == ["Colorado"]
    with pytest.raises(FormatError, match=r"nyc\.npz"):
        make(data(work, "table1", tmp_path))


def test_table_2_counts_what_one_run_takes_and_does(tmp_path):
    measured(tmp_path, ["nyc"])
    table = make(data(work_of(graphs={"New York": "nyc"}), "table2", tmp_path))
    harish, locality = table.lines
    facts = {"row": "New York", "dataset": "nyc", "method": "Locality", "bytes_per_vertex": "14", "bytes_per_arc": "8"}
    facts |= {"launches": "10", "launches_per_iteration": "0.0133333", "host_reads": "4"}
    facts |= {"host_reads_per_iteration": "0.00533333", "atomics": "99", "atomics_per_arc": "0.000134906"}
    facts |= {"speedup": "4", "seconds": "0.25", "std_s": "0.125", "min_s": "0.125", "max_s": "0.375", "samples": "2"}
    assert locality == {**facts, "weights": ""}
    assert (harish["method"], harish["speedup"], harish["seconds"]) == ("Harish", "1", "1")
    assert list(table.readable[1].values()) == [
        "nyc", "Locality", "14 V + 8 A", "10, 0.01 an iteration (1)", "4, 0.01 an iteration (< 1)", "99, 0.00 an arc",
        "4.00x", "0.250 s",
    ]  # fmt: skip
    assert table.readable[0]["Launches"] == "10, 0.01 an iteration (2)"
    text = markdown(table)
    assert "- In brackets: the paper's Table 2. There, harish takes 4 V + 2 A words of four bytes; " in text
    assert "locality takes 4 V + 2 A words of four bytes and is 3.36x to 5.77x as fast.\n" in text
    assert "- Means over 2 random sources; every answer was certified.\n" in text
    assert "Simulation" not in text


def test_table_2_without_harish_has_no_speedup(tmp_path):
    measured(tmp_path, ["nyc"], device=SIMULATED)
    (tmp_path / "nyc/label_correcting.harish.sources=2.json").unlink()
    table = make(data(work_of(graphs={"New York": "nyc"}), "table2", tmp_path))
    assert pd.DataFrame(table.lines)["speedup"].tolist() == [""] and pd.DataFrame(table.readable)[
        "Speedup over Harish"
    ].tolist() == ["–"]
    assert "Simulation, not GPU times" in markdown(table)


def test_table_3_lists_the_graphs_with_other_weights(tmp_path):
    weights = {"kind": "random", "min": 1, "max": 10, "seed": 1}
    revised = graph("nyc-revised", 264346, 733846, weights=weights)
    taken = samples(1.0, 1.0, iterations=[1, 1])
    keep(tmp_path, "nyc-revised", "label_correcting.harish.sources=2", 1.0, samples=taken, graph=revised)
    table = make(data(work_of(revised={"New York": "nyc-revised", "CalNev": "cal-revised"}), "table3", tmp_path))
    (line,) = table.lines
    drawn = "Random weights in [1, 10], seed 1"
    assert list(line.values()) == ["New York City", "NY", "nyc-revised", "264346", "733846", drawn]
    shown = list(table.readable[0].values())
    assert shown[:5] == ["New York City", "NY", "nyc-revised", "264,346", "733,846"]


def test_the_times_of_the_text_stand_beside_ours(tmp_path):
    measured(tmp_path, ["w"], (K4, K1))
    for file in tmp_path.glob("w/*.json"):
        text = file.read_text()
        for of_nyc, of_w in ((1467692, 30496292), (733846, 15248146), (528692, 12524208), (264346, 6262104)):
            text = text.replace(str(of_nyc), str(of_w))
        file.write_text(text)
    given = data(work_of((K4, K1), graphs={"Western": "w"}), "figure3", tmp_path)
    lines = pd.DataFrame(published_table(given, published="figure3.csv").comparison).query("row == 'Western'")
    assert lines[["variant", "published_seconds", "ratio"]].to_numpy().tolist() == [
        ["harish", "24.7", "24.7"],
        [f"locality.{K4}", "4.9", "19.6"],
        [f"locality.{K1}", "", ""],
    ]


def drawing(given):
    with style.style_context():
        return make(given)


def test_figure_4_has_a_panel_a_graph_and_a_line_for_each_number_of_vertices(tmp_path):
    settings = (K1, K4, "k=2+vertices_per_thread=8")
    measured(tmp_path, ["nyc", "cal"], settings)
    figure = drawing(data(work_of(settings, revised={"New York": "nyc", "CalNev": "cal"}), "figure4", tmp_path))
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["nyc", "cal"]
    for axes in figure.axes:
        first, second = [line for line in axes.lines if line.get_linestyle() == "-"]
        assert [round(k) for k in first.get_xdata()] == [1, 4] and list(first.get_ydata()) == [0.25, 0.5]
        assert [round(k) for k in second.get_xdata()] == [2] and list(second.get_ydata()) == [0.75]
        assert axes.get_ylim()[0] == 0
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        "2 vertices per thread",
        "8 vertices per thread",
    ]


@pytest.mark.parametrize(("settings", "best"), [((K4, K1), K4), ((K1, K4), K1)], ids=["as published", "another"])
def test_figure_4_says_whether_the_papers_setting_is_the_fastest_on_its_own_graph(tmp_path, settings, best):
    measured(tmp_path, ["nyc"], settings)
    words = caption(drawing(data(work_of(settings, revised={"New York": "nyc"}), "figure4", tmp_path)))
    assert f"the paper's graph nyc, k = {best[2]} with 2 vertices per thread is fastest" in words
    assert ("as in the paper" in words) == (best == K4) and "k = 4 with 2 vertices per thread" in words


def test_figure_4_of_a_simulation_says_so_and_needs_a_run_of_locality(tmp_path):
    measured(tmp_path, ["nyc"], device=SIMULATED)
    figure = drawing(data(work_of(revised={"New York": "nyc"}), "figure4", tmp_path))
    assert figure.axes[0].get_ylabel().endswith(", simulation")
    assert any("simulation" in text.get_text().lower() for text in figure.texts)
    measured(tmp_path / "harish", ["nyc"], ())
    with pytest.raises(UsageError, match="figure4"):
        drawing(data(work_of(revised={"New York": "nyc"}), "figure4", tmp_path / "harish"))


# Telang: results, the printed text and the pictures.

RUN = "matrix_path.frontier"
PUBLISHED = our_work("telang_grid").published_file("results.csv")


@pytest.fixture(scope="module")
def records(tmp_path_factory) -> Path:
    """A record of matrices of 24 rows, made on the host."""
    folder = tmp_path_factory.mktemp("records")
    matrices = str(folder / "matrices-24.npz")
    assert main(["generate", "--kind", "matrices", "--size", "24", "--seed", "4", "--output", matrices]) == 0
    output = str(folder / "matrices-24" / f"{RUN}.json")
    assert main(["run", matrices, RUN, "--device", "simulated", "--budget-s", "1", "--output", output]) == 0
    return folder


@pytest.fixture(scope="module")
def record(records) -> Record:
    return read_record(records / "matrices-24" / f"{RUN}.json")


@pytest.fixture
def made(records):
    """A function that makes a target of these rows."""

    def of(target, rows=None):
        with style.style_context():
            return make(data(our_work("telang_grid", sizes=rows or {"24": "matrices-24"}), target, records))

    return of


def test_the_results_have_the_published_columns_and_then_what_they_are(made, record):
    table = made("results")
    published = PUBLISHED.read_text().splitlines()[0].split(",")
    assert list(table.lines[0]) == [*published, "seconds", "status", "samples", "min_s", "max_s"]
    (line,) = table.lines
    answer = record.answer
    assert (line["size"], line["status"], line["samples"]) == ("24", "simulated", str(len(record.samples)))
    assert line["minimum"] == f"{answer['minimum']['value']:f}"
    assert (line["minimum_row"], line["minimum_col"]) == tuple(str(answer["minimum"][at]) for at in ("row", "column"))
    assert line["second_minimum"] == f"{answer['second_minimum']['value']:f}"
    assert line["path_weight"] == f"{answer['path']['weight']:f}"
    assert float(line["min_s"]) <= float(line["seconds"]) <= float(line["max_s"])


def test_the_published_row_stands_below_with_its_own_scale_free_numbers(made):
    shown = made("results").readable
    assert [line["Size"] for line in shown] == ["24", "1,024 (published)"]
    assert shown[1]["Smallest entry"] == "790.078186" and shown[1]["Row, column"] == "407, 976"
    assert shown[1]["Second smallest"] == "791.253235" and shown[1]["Path weight"] == "582,969.8125"
    assert shown[1]["Steps"] == shown[1]["Product"] == ""


def test_times_are_of_each_part_and_in_a_simulation_said_to_be(made):
    table = made("results")
    assert all(table.readable[0][part].endswith(("s", "h")) for part in ("Product", "Minima", "Path"))
    text = markdown(table)
    assert "Simulation, not GPU times" in text and "exact in float32" in text


def test_only_what_does_not_depend_on_the_matrices_is_compared(records, record, tmp_path):
    answer = record.answer
    for name, size in (("matrices-24", "24"), ("matrices-1024", "1024")):
        # As if the matrices had been of the published size.
        vertices, arcs = int(size) ** 2, 4 * int(size) * (int(size) - 1)
        changed = msgspec.structs.replace(
            record,
            dataset=name,
            graph=msgspec.structs.replace(record.graph, vertices=vertices, arcs=arcs),
            certificate=msgspec.structs.replace(
                record.certificate, vertices=vertices, arcs_checked=arcs, reached=vertices
            ),
        )
        write_record(tmp_path / name / f"{RUN}.json", changed)
    work = our_work("telang_grid", sizes={"24": "matrices-24", "1024": "matrices-1024"})
    lines = pd.DataFrame(make(data(work, "results", tmp_path)).comparison).set_index(["size", "quantity"])
    assert set(lines.loc["24", "published"]) == {""} and set(lines.loc["24", "comparable"]) == {"no"}
    published = lines.loc["1024", "published"].to_dict()
    assert published == {
        "minimum": "790.078",
        "second_minimum": "791.253",
        "cells_apart": "691",
        "path_weight": "582970",
        "second_over_minimum": "1.00149",
        "step_over_minimum": "1.06782",
    }
    assert lines.loc["1024", "comparable"].to_dict() == {
        **dict.fromkeys(published, "no"),
        "second_over_minimum": "yes",
        "step_over_minimum": "yes",
    }
    second = answer["second_minimum"]["value"] / answer["minimum"]["value"]
    assert float(lines.loc[("1024", "second_over_minimum"), "measured"]) == pytest.approx(second, rel=1e-5)


def test_the_text_is_as_the_works_program_prints_it(made, record):
    lines = made("printed").splitlines()
    minimum, second = record.answer["minimum"], record.answer["second_minimum"]
    assert lines[0] == "The input size is 24"
    assert lines[1] == f"The minimum Value is {minimum['value']:.6f} at index {minimum['row']}, {minimum['column']}"
    assert f"{second['value']:.6f} at index {second['row']}, {second['column']}" in lines[2]
    assert lines[3].startswith("The weight of the path to get to the second min value from the first min value is ")
    assert lines[3].endswith(f"{record.answer['path']['weight']:.6f}.")


@pytest.mark.parametrize("picture", ["path", "heat"])
def test_pictures_show_the_path_between_a_red_and_a_white_cell(made, record, picture):
    drawing = made(f"{picture}_24")
    axes = drawing.axes[0]
    line, source, destination = axes.lines
    found = record.answer["path"]
    assert line.get_color() == "#ffa500"
    assert list(zip(line.get_ydata(), line.get_xdata(), strict=True)) == path_cells(found)
    assert (source.get_color(), destination.get_color()) == ("#ff0000", "#ffffff")
    assert [source.get_ydata()[0], source.get_xdata()[0]] == list(found["source"])
    assert [destination.get_ydata()[0], destination.get_xdata()[0]] == list(found["destination"])
    assert axes.get_ylim() == (23.5, -0.5)
    if picture == "path":
        assert axes.get_facecolor() == (0, 0, 0, 1)
    else:
        np.testing.assert_allclose(axes.images[0].get_array().min(), record.answer["minimum"]["value"], rtol=1e-5)
    assert "{row}" not in drawing.get_suptitle() and "24" in drawing.get_suptitle()
    renderer = FigureCanvasAgg(drawing).get_renderer()
    for text in drawing.texts:
        box = text.get_window_extent(renderer)
        assert box.x0 >= 0 and box.x1 <= drawing.bbox.width and box.y0 >= 0
    (caption,) = [text.get_text() for text in drawing.texts if "weight" in text.get_text()]
    assert f"in {len(found['moves'])} steps" in " ".join(caption.split()) and "Simulation" in caption
