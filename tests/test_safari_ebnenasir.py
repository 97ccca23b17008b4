"""Tables, figures and claims of Safari and Ebnenasir, from records and graphs."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest
import report_samples
import yaml
from checkout import REPOSITORY
from report_samples import H200, HOST, ROOT
from tiny_graphs import graph, grid_of

from warpath.__main__ import main
from warpath.errors import FormatError, UsageError, WarpathError
from warpath.graphs.degrees import out_degrees
from warpath.measure.record import write_record
from warpath.pipeline import Pipeline
from warpath.pipeline.safari_ebnenasir import SafariEbnenasir
from warpath.report import style
from warpath.report.comparison import comparison_text, read_comparison
from warpath.report.safari_ebnenasir import claims, figure3, figure4, runs, table1, table2
from warpath.report.safari_ebnenasir.published import read_claims, read_table1

PUBLISHED = ROOT / "data/published/safari_ebnenasir"
GRAPHS = read_table1(PUBLISHED / "table1.csv")
CLAIMS = read_claims(PUBLISHED / "claims.csv")
K4, K1 = "k=4,vertices_per_thread=2", "k=1,vertices_per_thread=2"


def keep(folder, dataset, variant, asked, seconds, arcs=733846, device=H200, seed=1, iterations=(1000, 500)):
    """Write a record of two sources whose mean is ``seconds``."""
    counters = {"launches": 10, "host_reads": 4, "atomics": 99, "bytes_per_vertex": 14, "bytes_per_arc": 8}
    samples = [
        {"source": source, "upload_s": 0.0, "solve_s": part, "download_s": 0.0, "total_s": part,
         "counters": {**counters, "iterations": iterations[source]}}
        for source, part in enumerate((0.5 * seconds, 1.5 * seconds))
    ]  # fmt: skip
    parameters = {name: int(value) for name, _, value in (part.partition("=") for part in asked.split(",") if part)}
    record = {
        **report_samples.record(dataset, "label_correcting", variant, seconds),
        "problem": "sssp",
        "source": None,
        "parameters": parameters,
        "samples": samples,
        "graph": report_samples.graph(dataset, 264346, arcs),
        "device": device,
        "measure": {"random_sources": {"count": 2, "seed": seed}, "warmup_launches": 10},
    }
    write_record(runs.run_file(folder, dataset, variant, asked), record)


def made(folder, rows, settings=(K4,), **facts):
    """Runs of harish (1 s) and of locality (0.25 s, 0.5 s, ...) on each row's dataset."""
    for dataset in rows.values():
        keep(folder, dataset, "harish", "", 1.0, **facts)
        for place, asked in enumerate(settings):
            keep(folder, dataset, "locality", asked, 0.25 * (place + 1), **facts)
    return runs.gather(folder, rows, settings)


def test_means_and_speedups(tmp_path):
    base, locality = made(tmp_path, {"New York": "nyc"})
    assert (base.seconds, base.speedup, base.asked, base.label) == (1.0, 1.0, "", "Harish")
    assert (locality.seconds, locality.speedup, locality.spread_s) == (0.25, 4.0, 0.125)
    assert (locality.iterations, locality.iterations_min, locality.sources) == (750, 500, 2)
    assert locality.label == "Locality, k = 4, vertices per thread = 2"


def test_runs_come_back_from_their_file(tmp_path):
    found = made(tmp_path, {"New York": "nyc"}, (K4, K1))
    (tmp_path / "runs.csv").write_text(runs.runs_csv(found))
    assert runs.read_runs(tmp_path / "runs.csv") == found


@pytest.mark.parametrize(
    ("text", "line"), [("row,dataset\n", 1), ("{header}\nNew York,nyc\n", 2), ("{header}\n{commas}\n", 2)]
)
def test_another_file_is_refused_with_its_line(tmp_path, text, line):
    columns = [field.name for field in dataclasses.fields(runs.Run)]
    file = tmp_path / "runs.csv"
    file.write_text(text.format(header=",".join(columns), commas="," * (len(columns) - 1)))
    with pytest.raises(FormatError, match=f"runs.csv, line {line}: .*warpath safari runs"):
        runs.read_runs(file)


def test_a_missing_run_is_named(tmp_path):
    made(tmp_path, {"New York": "nyc"})
    with pytest.raises(UsageError, match=r"label_correcting\.locality\.k=9\.json: no such record"):
        runs.gather(tmp_path, {"New York": "nyc"}, ["k=9"])


def test_other_sources_are_not_compared(tmp_path):
    made(tmp_path, {"New York": "nyc"})
    keep(tmp_path, "nyc", "locality", K4, 0.25, seed=2)
    with pytest.raises(WarpathError, match="solved other sources than"):
        runs.gather(tmp_path, {"New York": "nyc"}, [K4])


def test_a_record_of_one_source_is_refused(tmp_path):
    made(tmp_path, {"New York": "nyc"})
    one = report_samples.record("nyc", "label_correcting", "harish", 1.0)
    write_record(runs.run_file(tmp_path, "nyc", "harish", ""), {**one, "problem": "sssp", "source": 0})
    with pytest.raises(FormatError, match="from random sources belongs"):
        runs.gather(tmp_path, {"New York": "nyc"}, [K4])


def test_out_degrees_by_hand():
    found = out_degrees(graph(4, (0, 1, 1), (0, 2, 1), (0, 3, 1), (1, 1, 1)))
    assert (found.vertices, found.arcs, found.maximum, found.median) == (4, 4, 3, 0.5)
    assert found.deviation == pytest.approx(np.sqrt(1.5))
    assert out_degrees(graph(1)).maximum == 0


def test_table_1_says_where_it_differs():
    measured = {"New York": out_degrees(grid_of(264346, 1))}
    compared = table1.compare(GRAPHS, measured)
    agrees = {line.statistic: line.agrees for line in compared if line.name == "New York"}
    assert agrees == {
        "nodes": "yes",
        "arcs": "no",
        "max_out_degree": "no",
        "std_out_degree": "no",
        "median_out_degree": "no",
    }
    assert all(line.agrees == "" and line.measured is None for line in compared if line.name == "Western")
    markdown = table1.table1_markdown(compared, {"New York": "nyc"})
    assert "| New York (nyc) | 264,346 | 528,690 (733,846) | 2 (8) | 0.00 (1.24) | 2 (3) |" in markdown
    lines = table1.table1_csv(table1.statistics(GRAPHS, measured)).splitlines()
    assert lines[0] == (PUBLISHED / "table1.csv").read_text().splitlines()[0]
    assert lines[2] == "Colorado,Colorado,,,,,"


def test_table_2_counts_a_run(tmp_path):
    text = table2.table2_markdown(made(tmp_path, {"New York": "nyc"}))
    assert "14 V + 8 A | 10 (0.01 an iteration) | 4 (0.01 an iteration) | 99 (0.00 an arc) | 4.00x |" in text
    assert "Host simulation" not in text
    assert table2.table2_csv(made(tmp_path, {"New York": "nyc"})).count("\n") == 3


def test_the_times_of_the_text_stand_beside_ours(tmp_path):
    found = made(tmp_path, {"Western": "w"}, (K4, K1), arcs=15248146)
    entries = figure3.entries_of(found, GRAPHS, CLAIMS)
    assert [entry.published_seconds for entry in entries] == ["24.7", "4.9", ""]
    assert [entry.ratio for entry in entries] == [24.7, pytest.approx(4.9 / 0.25), None]
    (tmp_path / "figure3.csv").write_text(comparison_text(entries))
    assert [entry.seconds for entry in read_comparison(tmp_path / "figure3.csv")] == [1.0, 0.25, 0.5]


def claim(checked, words):
    return next(line for line in checked if line.claim.startswith(words))


def paper_runs(folder, names, settings=(K4,), **facts):
    """Runs on graphs as large as the paper's; 100 sources, which are the paper's, take the place of two."""
    found = []
    for name in names:
        found += made(folder, {name: name.lower()}, settings, **{"arcs": GRAPHS[name].arcs, **facts})
    return [dataclasses.replace(run, sources=100) for run in found]


def sped_up(found, name, speedup):
    """The same runs, but that of locality on one graph as much faster than harish."""
    return [
        dataclasses.replace(run, speedup=speedup, seconds=1 / speedup)
        if (run.row, run.variant) == (name, "locality")
        else run
        for run in found
    ]


FIGURE4 = ["New York", "CalNev", "Western"]
AROUND = [f"k={k},vertices_per_thread={vertices}" for vertices in (2, 1, 4) for k in (4, 1, 2, 3, 5)]


def test_claims_that_hold_and_that_do_not(tmp_path):
    measured = paper_runs(tmp_path, ["New York", "CalNev", "California", "Western"])
    measured = sped_up(sped_up(measured, "CalNev", 3.5), "California", 5)
    sweep = paper_runs(tmp_path / "sweep", FIGURE4, AROUND)
    checked = claims.check(CLAIMS, GRAPHS, claims.Runs(measured, sweep))
    assert len(checked) == len(CLAIMS) == 9
    expected = {
        "speedup over Harish lowest": (3.5, "yes"),
        "speedup over Harish highest": (5.0, "no"),
        "Western USA locality-based": (0.25, "yes"),
        "Western USA Harish": (1.0, "yes"),
        "CalNev locality-based": (1 / 3.5, "yes"),
        "best k": (4.0, "yes"),
        "best vertices per thread": (2.0, "yes"),
        "gain of locality": (50.0, "yes"),
        "Harish minimum iterations": (500.0, "no"),
    }
    for words, (number, holds) in expected.items():
        line = claim(checked, words)
        assert (line.measured, line.holds) == (number, holds), words
    text = claims.claims_markdown(checked, claims.Runs(measured, sweep))
    assert "| best k | figure 4 | 4 steps | 4 steps | yes |" in text
    assert claim(checked, "speedup over Harish lowest").remark.endswith("lowest of 4 of the paper's 7 graphs")


def test_new_york_alone_says_nothing_of_other_graphs(tmp_path):
    alone = paper_runs(tmp_path, ["New York"], AROUND, iterations=(900, 440))
    checked = claims.check(CLAIMS, GRAPHS, claims.Runs(alone, alone))
    expected = {
        "speedup over Harish lowest": "no runs of harish and locality on CalNev",
        "speedup over Harish highest": "no runs of harish and locality on California",
        "Western USA locality-based": "no run of locality on Western",
        "Western USA Harish": "no run of harish on Western",
        "CalNev locality-based": "no run of locality on CalNev",
        "best k": "no runs with the weights of Figure 4 on CalNev and Western",
        "best vertices per thread": "no runs with the weights of Figure 4 on CalNev and Western",
        "gain of locality": "no runs with the weights of Figure 4 on CalNev and Western",
    }
    for words, remark in expected.items():
        line = claim(checked, words)
        assert (line.measured, line.holds, line.remark) == (None, "not measured", remark), words
    assert claim(checked, "Harish minimum").holds == "yes"


def test_a_speedup_is_lowest_or_highest_only_beside_others(tmp_path):
    alone = paper_runs(tmp_path, ["CalNev"])
    line = claim(claims.check(CLAIMS, GRAPHS, claims.Runs(alone, alone)), "speedup over Harish lowest")
    assert (line.measured, line.holds) == (None, "not measured")
    assert line.remark == "runs on CalNev only; lowest needs another of the paper's graphs beside it"
    both = sped_up(paper_runs(tmp_path, ["CalNev", "Colorado"]), "Colorado", 3.9)
    line = claim(claims.check(CLAIMS, GRAPHS, claims.Runs(both, both)), "speedup over Harish lowest")
    assert (line.measured, line.holds) == (4.0, "no")
    assert line.remark.endswith("lowest of 2 of the paper's 7 graphs is 3.9 on colorado")


def test_a_best_value_needs_values_on_both_sides(tmp_path):
    up_to_4 = [setting for setting in AROUND if "k=5" not in setting and "thread=4" not in setting]
    sweep = paper_runs(tmp_path, FIGURE4, up_to_4)
    checked = claims.check(CLAIMS, GRAPHS, claims.Runs([], sweep))
    for words, remark in (("best k", "no runs of k above 4"), ("best vertices", "no runs of vertices_per_thread abo")):
        line = claim(checked, words)
        assert (line.measured, line.holds) == (None, "not measured") and line.remark.startswith(remark)
    without_4 = paper_runs(tmp_path, FIGURE4, [setting for setting in AROUND if "k=4" not in setting])
    assert claim(claims.check(CLAIMS, GRAPHS, claims.Runs([], without_4)), "best k").remark == "no runs of k = 4"
    # Another value that is faster refutes the claim, whatever lies beyond.
    slow_4 = paper_runs(tmp_path, FIGURE4, ["k=1,vertices_per_thread=2", K4])
    line = claim(claims.check(CLAIMS, GRAPHS, claims.Runs([], slow_4)), "best k")
    assert (line.measured, line.holds) == (1.0, "no")


def test_a_setting_that_one_graph_lacks_does_not_win(tmp_path):
    sweep = paper_runs(tmp_path, FIGURE4, AROUND)
    lacking = [run for run in sweep if run.row == "New York" or run.asked != AROUND[1]]
    line = claim(claims.check(CLAIMS, GRAPHS, claims.Runs([], lacking)), "best k")
    assert (line.measured, line.holds) == (4.0, "yes")
    without_harish = [run for run in sweep if (run.row, run.variant) != ("Western", "harish")]
    line = claim(claims.check(CLAIMS, GRAPHS, claims.Runs([], without_harish)), "best k")
    assert (line.holds, line.remark) == ("not measured", "no runs with the weights of Figure 4 on Western")


def test_a_gain_that_is_too_small_needs_every_k_below_5(tmp_path):
    def gain(settings):
        sweep = paper_runs(tmp_path, FIGURE4, [f"k={k},vertices_per_thread=2" for k in settings])
        return claim(claims.check(CLAIMS, GRAPHS, claims.Runs([], sweep)), "gain of locality")

    assert (gain([4, 1]).measured, gain([4, 1]).holds) == (50.0, "yes")
    assert (gain([1, 2]).holds, gain([1, 2]).remark) == ("not measured", "no runs of k = 3 and 4")
    assert (gain([1, 2, 3, 4]).measured, gain([1, 2, 3, 4]).holds) == (-100.0, "no")
    assert (gain([2, 3, 4]).holds, gain([2, 3, 4]).remark) == ("not measured", "no runs of k = 1")


def test_the_run_whose_iterations_come_nearer_counts(tmp_path):
    given = paper_runs(tmp_path, ["New York"], iterations=(900, 595))
    revised = paper_runs(tmp_path / "sweep", ["New York"], iterations=(434, 700))
    line = claim(claims.check(CLAIMS, GRAPHS, claims.Runs(given, revised)), "Harish minimum")
    assert (line.measured, line.holds) == (434.0, "yes")
    assert line.remark.startswith("595 on new york and 434 on new york, 100 sources")


def test_least_iterations_need_all_sources_and_both_weights(tmp_path):
    far = paper_runs(tmp_path, ["New York"], iterations=(900, 595))
    line = claim(claims.check(CLAIMS, GRAPHS, claims.Runs(far, [])), "Harish minimum")
    assert (line.holds, line.remark) == ("not measured", "no run of harish with the weights of Figure 4 on New York")
    line = claim(claims.check(CLAIMS, GRAPHS, claims.Runs([], far)), "Harish minimum")
    assert (line.holds, line.remark) == ("not measured", "no run of harish with the roads' own weights on New York")
    few = [dataclasses.replace(run, sources=99, iterations_min=440) for run in far]
    line = claim(claims.check(CLAIMS, GRAPHS, claims.Runs(few, few)), "Harish minimum")
    assert (line.holds, line.remark) == ("not measured", "no run of harish from 100 sources on New York")


def test_a_host_and_other_graphs_decide_nothing(tmp_path):
    on_host = paper_runs(tmp_path, list(GRAPHS), AROUND, device=HOST)
    checked = claims.check(CLAIMS, GRAPHS, claims.Runs(on_host, on_host))
    assert {line.holds for line in checked[:-1]} == {"no GPU"}
    assert claim(checked, "Harish minimum").holds == "no"  # a count does not need a GPU
    smaller = paper_runs(tmp_path, list(GRAPHS), AROUND, arcs=10)
    checked = claims.check(CLAIMS, GRAPHS, claims.Runs(smaller, smaller))
    assert {line.holds for line in checked} == {"other graph"}
    # The graph that a claim names is the paper's, but not those that it is compared with.
    mixed = paper_runs(tmp_path, ["CalNev"]) + [run for run in smaller if run.row != "CalNev"]
    assert claim(claims.check(CLAIMS, GRAPHS, claims.Runs(mixed, [])), "speedup over Harish lowest").holds == (
        "other graph"
    )


def test_a_claim_that_nobody_checks_is_not_measured(tmp_path):
    found = made(tmp_path, {"New York": "nyc"})
    unknown = dataclasses.replace(CLAIMS[0], claim="faster than light")
    line = claims.check([unknown], GRAPHS, claims.Runs(found, found))[0]
    assert (line.holds, line.remark) == ("not measured", "no check of this claim is known")


def test_figures_are_drawn(tmp_path):
    sweep = made(tmp_path, {"New York": "nyc", "CalNev": "cal"}, (K1, K4, "k=2,vertices_per_thread=8"))
    with style.applied():
        drawing = figure4.draw(sweep)
        assert len(drawing.axes) == 2
        first, second = drawing.axes[0].lines
        assert first.get_xdata().tolist() == [1, 4] and first.get_ydata().tolist() == [250.0, 500.0]
        assert second.get_xdata().tolist() == [2]
        bars = figure3.draw(figure3.entries_of(sweep, GRAPHS, CLAIMS))
        assert len(bars.axes[0].patches) == 2 * 4
    with pytest.raises(UsageError, match="no run of locality"):
        figure4.draw([run for run in sweep if run.variant == "harish"])


def test_the_commands(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    records = tmp_path / "records"
    made(records, {"New York": "nyc"})
    file, drawing = tmp_path / "runs.csv", tmp_path / "figure4.png"
    rows = ["--records", str(records), "--rows", "New York=nyc", "--settings", K4]
    assert main(["safari", "runs", *rows, "--output", str(file)]) == 0
    assert main(["safari", "claims", "--runs", str(file), "--sweep", str(file), "--format", "markdown"]) == 0
    assert "| best k |" in capsys.readouterr().out
    assert main(["plot", "safari_ebnenasir.figure4", "--table", str(file), "--output", str(drawing)]) == 0
    assert drawing.stat().st_size > 1000
    for wrong, sentence in (
        (["safari", "table2"], "table2 needs --runs"),
        (["safari", "runs", *rows, "--format", "markdown"], "runs is written as csv, not as markdown"),
        (["safari", "table1", "--rows", "Paris=x.npz"], "the paper has no graph 'Paris'"),
        (["safari", "table1", "--rows", "Paris"], "expected ROW=NAME"),
        (["safari", "table1"], "table1 needs --rows"),
    ):
        assert main(wrong) == 2
        assert sentence in capsys.readouterr().err


@pytest.fixture
def config(monkeypatch):
    monkeypatch.chdir(REPOSITORY)
    return yaml.safe_load((REPOSITORY / "config.yaml").read_text())


def safari(config) -> SafariEbnenasir:
    return SafariEbnenasir(Pipeline(config, "workflow/schemas/config.schema.yaml"))


def test_the_config_names_the_runs(config):
    config["safari_ebnenasir"].update(
        rows={"New York": "nyc", "Colorado": None},
        settings=[K4],
        revised=["New York"],
        k=[1, 2],
        vertices_per_thread=[2],
    )
    work = safari(config)
    folder = "results/safari_ebnenasir/runs"
    assert work.records("runs") == [
        f"{folder}/nyc/label_correcting.harish.json",
        f"{folder}/nyc/label_correcting.locality.{K4}.json",
    ]
    assert work.records("sweep")[1:] == [
        f"{folder}/nyc-revised/label_correcting.locality.k={k},vertices_per_thread=2.json" for k in (1, 2)
    ]
    assert work.pipeline.parameters_option(SimpleNamespace(settings=f".{K4}")) == f"--parameters {K4}"
    assert work.pipeline.parameters_option(SimpleNamespace(settings="")) == ""
    assert any(file.endswith("locality.cu") for file in work.run_sources(SimpleNamespace(variant="locality")))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"rows": {"Paris": "nyc"}}, "safari_ebnenasir.rows: unknown name 'Paris'"),
        ({"rows": {"New York": "newyork"}}, "safari_ebnenasir.rows.New York: unknown name 'newyork'"),
        ({"revised": ["Florida"]}, "safari_ebnenasir.revised: unknown name 'Florida'"),
        ({"settings": ["k=0"]}, "safari_ebnenasir.settings: k of label_correcting locality must be a whole number"),
        ({"k": [0]}, "0 is less than the minimum of 1"),
        (
            {"vertices_per_thread": [33]},
            "safari_ebnenasir.k, vertices_per_thread: vertices_per_thread of label_correcting",
        ),
        (
            {"revised_weight_min": 9, "revised_weight_max": 3},
            "config: safari_ebnenasir.revised_weight_min, revised_weight_max: weights cannot be drawn from 9..3",
        ),
        (
            {"k": [17]},
            "config: safari_ebnenasir.k, vertices_per_thread: k of label_correcting locality must be a whole",
        ),
    ],
)
def test_a_wrong_config_is_refused(config, changes, sentence):
    config["safari_ebnenasir"].update(changes)
    with pytest.raises(UsageError) as refused:
        safari(config)
    assert sentence in str(refused.value)
