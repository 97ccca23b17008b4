"""What views of works make of graphs and runs: those of Katz and Kider, Safari and Ebnenasir, and Telang.

test_reference.py compares every cell of the tables that these views make of the reference records.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from drawings import assert_texts_are_readable, caption
from report_samples import H200, OUT_OF_MEMORY, SIMULATED, data, estimated, graph, keep, our_work, samples
from tiny_graphs import graph as small_graph
from tiny_graphs import named

from warpath.__main__ import main
from warpath.errors import FormatError
from warpath_study.matrix_product.product_path import path_cells
from warpath_study.record import read_record
from warpath_study.report import style
from warpath_study.report.cells import Data
from warpath_study.report.claims import claim_results
from warpath_study.report.table import markdown, published_table
from warpath_study.report.views import make
from warpath_study.works.work_file import RowFields
from warpath_study.works.works import Choice

# Katz and Kider: memory beside times, and larger graphs against the first run.

BLOCKED, TUNED = "blocked_all_pairs.blocked", "blocked_all_pairs.cpu_tuned"
REGISTER, CORE = "blocked_all_pairs.register_blocked", "blocked_all_pairs.out_of_core.device_memory_limit_mib=4096"


def of_size(nodes, run, seconds, folder, **facts):
    return keep(folder, f"katz-{nodes}", run, seconds, graph=graph(f"katz-{nodes}", nodes, 8 * nodes), **facts)


def test_times_stand_beside_the_published_ones_and_the_memory_also_where_nothing_was_measured(tmp_path):
    of_size(64, BLOCKED, 0.0007, tmp_path)
    of_size(64, "blocked_all_pairs.standard", 1.0, tmp_path)
    of_size(64, TUNED, None, tmp_path, **OUT_OF_MEMORY)
    table = make(data(our_work("katz_kider", sizes={"64": "katz-64", "128": "katz-128"}), "table1", tmp_path))
    first, second, *_, last = table.readable
    of_the_paper = ["0.000700 s (0.00140 s, 2.0x)", "not measured (0.0870 s)"]  # Blocked, and Paged beside two GPUs
    shown = [*of_the_paper, "–", "–", "out of memory (0.000290 s)", "0.000210 s"]
    assert list(first.values()) == ["64", "32.8 kB", *shown]  # Table 1 has no standard variant
    assert (second["Memory"], second["Blocked"]) == ("131 kB", "not measured (0.00250 s)")
    assert (last["Nodes"], last["Memory"]) == ("11,264", "1.02 GB")  # of both matrices, in decimal units


def larger(folder, *runs, nodes=36682):
    """The table of larger graphs of runs (run, seconds, facts) on one graph."""
    for run, seconds, *facts in runs:
        of_size(nodes, run, seconds, folder, **(facts[0] if facts else {}))
    row = RowFields(dataset=f"katz-{nodes}", columns=[run for run, *_ in runs])
    return make(data(our_work("katz_kider", larger={str(nodes): row}), "larger", folder))


def last_cells(table):
    return [[line["Time"], line["Speedup over the first"]] for line in table.readable]


ESTIMATED = estimated(5, 10)


def test_what_cannot_be_compared_has_no_ratio_and_an_estimate_makes_it_one(tmp_path):
    other_gpu = {"device": {**H200, "name": "A"}}
    for number, (first, second, cells) in enumerate(
        (
            ((REGISTER, 8.0), (CORE, 4.0, ESTIMATED), [["8.00 s", "–"], ["~4.0 s", "~2.0x"]]),
            ((CORE, 4.0, ESTIMATED), (REGISTER, 8.0), [["~4.0 s", "–"], ["8.00 s", "~0.50x"]]),
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


# Safari and Ebnenasir: degrees, costs, revised graphs, time over k.

NAME = "safari_ebnenasir"
COUNTERS = {"launches": 10, "host_reads": 4, "atomics": 99, "bytes_per_vertex": 14, "bytes_per_arc": 8}
HARISH = "label_correcting.harish.sources=2"
K4, K1 = "k=4+vertices_per_thread=2", "k=1+vertices_per_thread=2"


def work_of(settings=(K4,), **groups):
    """The work with two sources, and harish and locality with these settings in each group."""
    work = our_work(NAME, **groups)
    columns = ["label_correcting.harish", *(f"label_correcting.locality.{asked}" for asked in settings)]
    for group in groups:
        work.fields.runs[group].columns, work.fields.runs[group].sources = columns, 2
    return work


def measured(folder, datasets, settings=(K4,), counts=(264346, 733846), **facts):
    """Records of harish (mean 1 s) and of locality (0.25 s, 0.5 s, ...); iterations are 1000 and 500."""
    runs = {"label_correcting.harish": 1.0}
    runs |= {f"label_correcting.locality.{asked}": 0.25 * place for place, asked in enumerate(settings, start=1)}
    for dataset in datasets:
        for run, seconds in runs.items():
            counters = {name: [value, value] for name, value in COUNTERS.items()}
            taken = samples(0.5 * seconds, 1.5 * seconds, iterations=[1000, 500], **counters)
            name = f"{run}+sources=2" if "=" in run else f"{run}.sources=2"
            keep(folder, dataset, name, seconds, samples=taken, graph=graph(dataset, *counts), **facts)


def test_table_1_says_where_a_graph_differs_from_the_papers(tmp_path, monkeypatch):
    # A path of as many vertices as New York has.
    line = small_graph(264346, *((vertex, vertex + 1, 1) for vertex in range(264345)))
    monkeypatch.setattr(Data, "graph_file", lambda self, dataset: tmp_path / f"{dataset}.npz")
    line.save(tmp_path / "nyc.npz")
    measured(tmp_path, ["nyc", "col"])
    table = make(data(work_of(graphs={"New York": "nyc"}), "table1", tmp_path))
    compared = pd.DataFrame(table.comparison).set_index(["name", "statistic"])
    counts = ("arcs", "max_out_degree", "std_out_degree", "median_out_degree")
    assert compared.loc["New York", "agrees"].to_dict() == {"nodes": "yes", **dict.fromkeys(counts, "no")}
    assert set(compared.loc["Western", "agrees"]) == {""} and set(compared.loc["Western", "measured"]) == {""}
    assert list(table.readable[0].values()) == [
        "New York (nyc)", "264,346", "264,345 (733,846)", "1 (8)", "0.00 (1.24)", "1 (3)"
    ]  # fmt: skip
    assert list(table.lines[1].values()) == ["Colorado", "Colorado", "", "", "", "", ""]
    assert table.readable[1]["Vertices"] == "– (435,666)"
    # A graph is read only if its row was asked for.
    small_graph(3, (0, 1, 1)).save(tmp_path / "col.npz")
    (tmp_path / "nyc.npz").unlink()
    work = work_of(graphs={"New York": "nyc", "Colorado": "col"})
    table = make(data(work, "table1", tmp_path, Choice(rows=("Colorado",))))
    assert [line["name"] for line in table.lines] == ["Colorado"]
    with pytest.raises(FormatError, match=r"nyc\.npz"):
        make(data(work, "table1", tmp_path))


def test_table_2_has_a_speedup_only_beside_harish(tmp_path):
    measured(tmp_path, ["nyc"], device=SIMULATED)
    given = [data(work_of(graphs={"New York": "nyc"}), "table2", tmp_path)]
    (tmp_path / "nyc/label_correcting.harish.sources=2.json").unlink()
    given.append(data(work_of(graphs={"New York": "nyc"}), "table2", tmp_path))
    both, alone = map(make, given)
    assert [line["speedup"] for line in both.lines] == ["1", "4"]
    assert [line["Speedup over Harish"] for line in alone.readable] == ["–"]
    assert "Simulation, not GPU times" in markdown(alone)


def test_the_times_of_the_text_stand_beside_ours(tmp_path):
    measured(tmp_path, ["w"], (K4, K1), counts=(6262104, 15248146))
    given = data(work_of((K4, K1), graphs={"Western": "w"}), "figure3", tmp_path)
    lines = pd.DataFrame(published_table(given, published="figure3.csv").comparison).query("row == 'Western'")
    assert lines[["variant", "published_seconds", "ratio"]].to_numpy().tolist() == [
        ["harish", "24.7", "24.7"],
        [f"locality.{K4}", "4.9", "19.6"],
        [f"locality.{K1}", "", ""],
    ]


def drawing(given):
    """The figure, or the table."""
    with style.style_context():
        return make(given)


def test_figure_4_has_a_panel_a_graph_and_a_line_for_each_number_of_vertices(tmp_path):
    settings = (K1, K4, "k=2+vertices_per_thread=8")
    measured(tmp_path, ["nyc", "cal"], settings)
    figure = drawing(data(work_of(settings, revised={"New York": "nyc", "CalNev": "cal"}), "figure4", tmp_path))
    assert_texts_are_readable(figure)
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


def claimed(given: Data, sentence: str):
    """The finding about a claim under the work's own setting."""
    (result,) = claim_results(given, [claim for claim in given.work.claims if claim.claim == sentence])
    return result.own


@pytest.mark.parametrize(("most", "verdict"), [(250, "above"), (249, "within")])
def test_iterations_times_k_are_compared_with_the_longest_shortest_path_found(tmp_path, most, verdict):
    for run, iterations in ((HARISH, [600, 999]), (f"label_correcting.locality.{K4}+sources=2", [most, 200])):
        keep(tmp_path, "nyc", run, 1.0, samples=samples(1.0, 1.0, iterations=iterations))
    given = data(work_of(graphs={"New York": "nyc"}), "claims", tmp_path)
    found = claimed(given, "conjecture: iterations at most the diameter over k")
    assert found.low == pytest.approx(4 * most / 998) and found.verdict == verdict


# Telang: times and pictures.

RUN = "matrix_path.frontier"


@pytest.fixture(scope="module")
def records(tmp_path_factory) -> Path:
    """A record of matrices of 24 rows, made on the host."""
    folder = tmp_path_factory.mktemp("records")
    matrices = str(folder / "matrices-24.npz")
    assert main(["generate", "--kind", "matrices", "--size", "24", "--seed", "4", "--output", matrices]) == 0
    output = str(folder / "matrices-24" / f"{RUN}.json")
    assert main(["run", matrices, RUN, "--device", "simulated", "--budget-s", "1", "--output", output]) == 0
    return folder


@pytest.fixture
def made(records):
    """A function that makes a target of this row."""

    def of(target):
        return drawing(data(our_work("telang_grid", sizes={"24": "matrices-24"}), target, records))

    return of


def test_times_are_of_each_part_and_in_a_simulation_said_to_be(made):
    table = made("results")
    assert all(table.readable[0][part].endswith(("s", "h")) for part in ("Product", "Minima", "Path"))
    text = markdown(table)
    assert "Simulation, not GPU times" in text and "exact in float32" in text


@pytest.mark.parametrize("picture", ["path", "heat"])
def test_pictures_show_the_path_between_a_red_and_a_white_cell(made, records, picture):
    drawing = made(f"{picture}_24")
    axes = drawing.axes[0]
    line, source, destination = axes.lines
    record = read_record(records / "matrices-24" / f"{RUN}.json")
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
    assert_texts_are_readable(drawing)
    (caption,) = [text.get_text() for text in drawing.texts if "weight" in text.get_text()]
    assert f"in {len(found['moves'])} steps" in " ".join(caption.split()) and "Simulation" in caption


def test_a_step_of_the_path_is_compared_with_the_smallest_entry(records):
    given = data(our_work("telang_grid", sizes={"1024": "matrices-24"}), "claims", records)
    found = claimed(given, "weight of a step of the path over the smallest entry at 1024 x 1024")
    answer = read_record(records / "matrices-24" / f"{RUN}.json").answer
    ends = [answer["path"][end] for end in ("source", "destination")]
    apart = sum(abs(one - other) for one, other in zip(*ends, strict=True))
    assert found.low == pytest.approx(answer["path"]["weight"] / apart / answer["minimum"]["value"])
