"""What Safari and Ebnenasir's own views make of graphs and runs: degrees, costs, revised graphs, time over k."""

import pandas as pd
import pytest
from drawings import caption
from report_samples import H200, SIMULATED, data, graph, keep, our_work, samples
from tiny_graphs import graph as small_graph

from warpath.errors import FormatError, UsageError
from warpath_study.provenance.facts import Code
from warpath_study.report import style
from warpath_study.report.cells import Data
from warpath_study.report.table import markdown, published_table
from warpath_study.report.views import make
from warpath_study.works.works import Choice

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
    assert compared.loc["New York", "agrees"].to_dict() == {
        "nodes": "yes",
        "arcs": "no",
        "max_out_degree": "no",
        "std_out_degree": "no",
        "median_out_degree": "no",
    }
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
    with pytest.raises(FormatError, match=r"nyc\.npz: no such file"):
        make(data(work, "table1", tmp_path))


def test_table_2_counts_what_one_run_takes_and_does(tmp_path):
    measured(tmp_path, ["nyc"])
    table = make(data(work_of(graphs={"New York": "nyc"}), "table2", tmp_path))
    harish, locality = table.lines
    assert locality == {
        "row": "New York",
        "dataset": "nyc",
        "method": "Locality",
        "bytes_per_vertex": "14",
        "bytes_per_arc": "8",
        "launches": "10",
        "launches_per_iteration": "0.0133333",
        "host_reads": "4",
        "host_reads_per_iteration": "0.00533333",
        "atomics": "99",
        "atomics_per_arc": "0.000134906",
        "speedup": "4",
        "seconds": "0.25",
        "std_s": "0.125",
        "min_s": "0.125",
        "max_s": "0.375",
        "samples": "2",
        "weights": "",
    }
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


def test_table_2_warns_of_several_gpus_and_versions_of_the_code(tmp_path):
    measured(tmp_path, ["nyc"], code=Code({}, {}, {"variant": 1}, "0" * 64))
    measured(tmp_path, ["cal"], code=Code({}, {}, {"variant": 2}, "0" * 64), device={**H200, "name": "A"})
    table = make(data(work_of(graphs={"New York": "nyc", "CalNev": "cal"}), "table2", tmp_path))
    assert [note for note in table.notes if "Warning" in note] == [
        "**Warning**: times come from different devices (A and NVIDIA H200) and cannot be compared.",
        "**Warning**: the runs of Harish used different versions of its code.",
        "**Warning**: the runs of Locality used different versions of its code.",
    ]


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
    keep(
        tmp_path,
        "nyc-revised",
        "label_correcting.harish.sources=2",
        1.0,
        samples=samples(1.0, 1.0, iterations=[1, 1]),
        graph=graph("nyc-revised", 264346, 733846, weights=weights),
    )
    table = make(data(work_of(revised={"New York": "nyc-revised", "CalNev": "cal-revised"}), "table3", tmp_path))
    assert table.lines == [
        {
            "graph": "New York City",
            "acronym": "NY",
            "dataset": "nyc-revised",
            "vertices": "264346",
            "arcs": "733846",
            "weights": "Random weights in [1, 10], seed 1",
        }
    ]
    assert list(table.readable[0].values())[:5] == [
        "New York City",
        "NY",
        "nyc-revised",
        "264,346",
        "733,846",
    ]


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


def test_figure_4_of_a_simulation_says_so(tmp_path):
    measured(tmp_path, ["nyc"], device=SIMULATED)
    figure = drawing(data(work_of(revised={"New York": "nyc"}), "figure4", tmp_path))
    assert figure.axes[0].get_ylabel().endswith(", simulation")
    assert any("simulation" in text.get_text().lower() for text in figure.texts)


def test_figure_4_needs_a_run_of_locality(tmp_path):
    measured(tmp_path, ["nyc"], ())
    given = data(work_of(revised={"New York": "nyc"}), "figure4", tmp_path)
    with pytest.raises(UsageError, match="figure4: there is no time on a GPU or its simulation to draw"):
        drawing(given)
