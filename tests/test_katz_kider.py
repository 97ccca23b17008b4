"""Table, figures and claims of Katz and Kider's work, from runs made here and by hand."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from tiny_graphs import graph

from warpath.__main__ import main
from warpath.errors import FormatError, UsageError
from warpath.graphs import csr
from warpath.graphs.generate import generate
from warpath.graphs.selection import first_vertices
from warpath.report import style
from warpath.report.comparison import read_comparison
from warpath.report.katz_kider import claims, figure8, larger, runs, table1
from warpath.report.katz_kider.entries import FIGURES, entries_of, figure_entries
from warpath.report.katz_kider.published import Claim, read_claims, read_table1
from warpath.report.katz_kider.runs import ALL_PAIRS, CAIDA, CLOSURE, Run

ROOT = Path(__file__).parents[1]
PUBLISHED = ROOT / "data" / "published" / "katz_kider"


def run(row, variant, seconds, algorithm=ALL_PAIRS, nodes=None, kind="cuda", status="ok", asked=""):
    nodes = int(row) if nodes is None else nodes
    return Run(
        row, f"katz-{row}", algorithm, variant, asked, nodes, 8, seconds, status, kind, "H", "2026-01-02", "r.json"
    )


def test_published_values_are_read():
    printed = read_table1(PUBLISHED / "table1.csv")
    assert list(printed) == [64, 128, 256, 512, 1024, 2048, 4096, 9216, 10240, 11264]
    assert printed[11264] == {
        "single_gpu": "1015.7", "dual_gpu": "353.78", "cpu_tuned_authors": "", "cpu_tuned_han": ""
    }  # fmt: skip
    assert read_claims(PUBLISHED / "claims.csv")[2] == Claim(
        "speedup over standard GPU (Harish and Narayanan)", 5.0, 6.5, "x", "figure 6"
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("x,y\n", "line 1: expected the columns"),
        ("claim,low,high,unit,where\na,b,c,d,e\n", "line 2: could not convert"),
    ],
)
def test_published_files_that_are_broken_are_named(tmp_path, text, sentence):
    file = tmp_path / "claims.csv"
    file.write_text(text)
    with pytest.raises(FormatError, match=sentence):
        read_claims(file)


def test_every_claim_has_a_check_that_can_fail():
    stated = read_claims(PUBLISHED / "claims.csv")
    fast = [run("64", "blocked", 1.0), run("64", "blocked", 1.0, CLOSURE)]
    slow = [run("64", name, 1e3) for name in ("cpu", "cpu_blocked", "standard", "cpu_tuned")]
    caida = [run(CAIDA, name, 1e-4, nodes=1000) for name in ("standard", "blocked")]
    made = [*fast, *slow, run("64", "naive", 1e3, CLOSURE), *caida]
    assert [line.holds for line in claims.check(stated, made)] == ["yes"] * 7
    worse = [run(line.row, line.variant, 2.0, line.algorithm, line.nodes) for line in made]
    assert [line.holds for line in claims.check(stated, worse)] == ["no"] * 7
    assert [line.holds for line in claims.check(stated, [])] == ["not measured"] * 7


def test_a_claim_is_checked_on_the_largest_graph_and_says_so():
    claim = Claim("speedup over standard GPU (Harish and Narayanan)", 5.0, 6.5, "x", "figure 6")
    made = [
        run("64", "blocked", 1.0), run("64", "standard", 9.0), run("128", "blocked", 1.0), run("128", "standard", 6.0)
    ]  # fmt: skip
    (line,) = claims.check([claim], made)
    assert (line.measured, line.holds) == (6.0, "yes")
    assert line.remark == "standard over blocked at 128 vertices; most, 9, at 64"
    (line,) = claims.check([claim], [run("64", "blocked", 1.0, kind="host"), run("64", "standard", 9.0, kind="host")])
    assert line.holds == "no GPU"
    (line,) = claims.check([claim], [run("64", "blocked", 1.0, nodes=50), run("64", "standard", 9.0, nodes=50)])
    assert line.holds == "other graph"
    assert "| 5 to 6.5 x | 9 x | other graph |" in claims.claims_markdown([line], made)


def test_large_ratios_are_printed_without_an_exponent():
    claim = Claim("speedup over standard CPU", 60, 130, "x", "introduction")
    made = [run("64", "blocked", 0.001), run("64", "cpu", 16.644), run("128", "blocked", 1.0), run("128", "cpu", 40.0)]
    (line,) = claims.check([claim], made)
    assert line.remark == "cpu over blocked at 128 vertices; most, 16,600, at 64"
    (line,) = claims.check([claim], made[:2])
    assert "| 60 to 130 x | 16,640 x | yes |" in claims.claims_markdown([line], made)


def test_times_stand_beside_the_published_ones():
    made = [
        run("64", "blocked", 0.0007),
        run("64", "standard", 1.0),
        run("64", "cpu_tuned", None, status="out_of_memory"),
    ]
    entries = entries_of(made, read_table1(PUBLISHED / "table1.csv"), ALL_PAIRS, table1.VARIANTS)
    assert [(entry.variant, entry.published_seconds, entry.ratio) for entry in entries] == [
        ("blocked", "0.0014", 2.0),
        ("cpu_tuned", "0.00029", None),
    ]
    text = table1.table1_markdown(made, read_table1(PUBLISHED / "table1.csv"))
    assert "| 64 | 32.8 kB | 700.0 µs (0.0014 s) | out of memory (0.00029 s) | (0.00021 s) |" in text
    assert "Memory is that of both matrices. In brackets what the paper prints: Blocked on a Quadro FX 5600; " in text
    assert "| 512 | 2.10 MB | " in table1.table1_markdown([run("512", "blocked", 1.0)], {})


def test_a_figure_says_of_how_many_devices_and_of_how_much_memory_it_is():
    made = [
        run("64", "blocked", 1.0),
        run("64", "register_blocked", 1.0),
        run("64", "several_devices", 1.0, asked="devices=2"),
        run("64", "out_of_core", 1.0, asked="device_memory_limit_mib=512"),
    ]
    entries = figure_entries("figure8", made, read_table1(PUBLISHED / "table1.csv"))
    with style.applied():
        legend = figure8.draw(entries).legends[0]
    assert [text.get_text() for text in legend.get_texts()] == [
        "Blocked", "Register Blocked", "Several Devices (2)", "Out of Core (512 MiB)", "Published"
    ]  # fmt: skip


def larger_run(variant, seconds, nodes=36682, **more):
    return run(str(nodes), variant, seconds, **more)


def test_larger_graphs_are_compared_with_their_first_run():
    made = [
        larger_run("register_blocked", 26.1),
        larger_run("out_of_core", 10.0, asked="device_memory_limit_mib=4096"),
        larger_run("several_devices", 2e-2, asked="devices=2"),
        larger_run("several_devices", 130.5, nodes=65536, asked="devices=2"),
    ]
    text = larger.larger_markdown(made)
    assert text.splitlines()[2:8] == [
        "| Nodes | Memory | Variant | Parameters | Time | Against the first |",
        "| ---: | ---: | --- | --- | ---: | ---: |",
        "| 36,682 | 10.8 GB | Register Blocked | – | 26.10 s | – |",
        "| 36,682 | 10.8 GB | Out of Core | device_memory_limit_mib=4096 | 10.00 s | 2.61× |",
        "| 36,682 | 10.8 GB | Several Devices | devices=2 | 20.00 ms | 1,300× |",
        "| 65,536 | 34.4 GB | Several Devices | devices=2 | 130.5 s | – |",
    ]
    assert "- H, 2026-01-02.\n" in text and "Every answer was certified." in text
    assert "Estimated" not in text and "Host simulation" not in text


def lines_of(*made):
    """The last two cells of each run."""
    table = larger.larger_markdown(list(made)).splitlines()[4 : 4 + len(made)]
    return [tuple(line.strip("| ").split(" | ")[-2:]) for line in table]


def test_an_estimate_makes_the_ratio_one_and_a_missing_time_makes_none():
    exact, estimated = larger_run("blocked", 8.0), larger_run("standard", 4.0, status="estimated")
    failed = larger_run("out_of_core", None, status="out_of_memory")
    assert lines_of(exact, estimated) == [("8.000 s", "–"), ("~4.000 s", "~2.00×")]
    assert lines_of(estimated, exact) == [("~4.000 s", "–"), ("8.000 s", "~0.500×")]
    assert lines_of(exact, failed) == [("8.000 s", "–"), ("out of memory", "–")]
    assert lines_of(failed, exact) == [("out of memory", "–"), ("8.000 s", "–")]
    assert "- ~ Estimated from the first iterations" in larger.larger_markdown([exact, estimated])


def test_times_of_different_devices_are_not_compared():
    first, cpu = larger_run("blocked", 8.0), larger_run("cpu", 16.0, kind="cpu")
    other = dataclasses.replace(first, device="A", device_kind="host")
    assert lines_of(first, other) == [("8.000 s", "–"), ("8.000 s", "–")]
    assert lines_of(first, dataclasses.replace(cpu, device="X"))[1] == ("16.00 s", "0.500×")
    assert "- H and A, 2026-01-02." in larger.larger_markdown([first, other])
    assert "- **Host simulation, not GPU times**.\n" in larger.larger_markdown([first, other])


def test_each_graph_has_columns_of_its_own(tmp_path, capsys):
    made = {"katz-64": f"{ALL_PAIRS}.register_blocked", "katz-128": f"{ALL_PAIRS}.several_devices.devices=2"}
    groups = []
    for (dataset, column), vertices in zip(made.items(), (64, 128), strict=True):
        generate("random", vertices=vertices, arcs=8 * vertices).save(tmp_path / "graph.npz")
        algorithm, variant, asked = (*column.split(".", 2), "")[:3]
        command = ["run", "--graph", str(tmp_path / "graph.npz"), "--dataset", dataset, "--algorithm", algorithm]
        command += ["--variant", variant, "--device", "host", "--budget-s", "1", "--repeats-max", "3"]
        command += ["--parameters", asked] if asked else []
        assert main([*command, "--output", str(runs.run_file(tmp_path / "runs", dataset, column))]) == 0
        groups += ["--rows", f"{vertices}={dataset}", "--columns", column]
    file, table = str(tmp_path / "larger.csv"), tmp_path / "larger.md"
    assert main(["katz", "runs", "--records", str(tmp_path / "runs"), *groups, "--output", file]) == 0
    assert [(line.row, line.dataset, line.variant, line.asked) for line in runs.read_runs(file)] == [
        ("64", "katz-64", "register_blocked", ""),
        ("128", "katz-128", "several_devices", "devices=2"),
    ]
    assert main(["katz", "larger", "--runs", file, "--format", "markdown", "--output", str(table)]) == 0
    assert "| 128 | 131 kB | Several Devices | devices=2 | " in table.read_text()
    assert "**Host simulation, not GPU times**" in table.read_text()
    capsys.readouterr()
    for wrong, sentence in (
        (["runs", "--records", str(tmp_path), *groups[:-2]], "runs needs --columns as often as --rows"),
        (["larger", "--runs", file], "larger is written as markdown"),
    ):
        assert main(["katz", *wrong]) != 0
        assert sentence in capsys.readouterr().err


def test_from_runs_to_figures_by_the_commands(tmp_path):
    datasets = {"64": "katz-64"}
    generate("random", vertices=40, arcs=320).save(tmp_path / "katz-64.npz")
    columns = [
        f"{ALL_PAIRS}.standard", f"{ALL_PAIRS}.blocked", f"{ALL_PAIRS}.cpu", f"{ALL_PAIRS}.several_devices.devices=2",
        f"{CLOSURE}.naive", f"{CLOSURE}.bitset",
    ]  # fmt: skip
    for column in columns:
        algorithm, variant, asked = (*column.split(".", 2), "")[:3]
        command = ["run", "--graph", str(tmp_path / "katz-64.npz"), "--dataset", "katz-64", "--algorithm", algorithm]
        command += ["--variant", variant, "--device", "host", "--budget-s", "1", "--repeats-max", "3"]
        command += ["--parameters", asked] if asked else []
        assert main([*command, "--output", str(runs.run_file(tmp_path / "runs", "katz-64", column))]) == 0
    rows = [f"{row}={dataset}" for row, dataset in datasets.items()]
    file = str(tmp_path / "runs.csv")
    gathered = ["katz", "runs", "--records", str(tmp_path / "runs"), "--rows", *rows, "--columns", *columns]
    assert main([*gathered, "--output", file]) == 0
    assert [line.asked for line in runs.read_runs(file)] == ["", "", "", "devices=2", "", ""]
    for figure in FIGURES:
        comparison, picture = tmp_path / f"{figure}.csv", tmp_path / f"{figure}.svg"
        assert main(["katz", figure, "--published", str(PUBLISHED), "--runs", file, "--output", str(comparison)]) == 0
        assert all(not entry.comparable for entry in read_comparison(comparison))
        assert main(["plot", f"katz_kider.{figure}", "--table", str(comparison), "--output", str(picture)]) == 0
        assert picture.stat().st_size > 1000
    for what in ("table1", "claims"):
        output = tmp_path / f"{what}.md"
        options = ["--published", str(PUBLISHED), "--runs", file, "--format", "markdown", "--output", str(output)]
        assert main(["katz", what, *options]) == 0
        assert "Host simulation" in output.read_text()


def test_a_run_that_is_missing_is_named(tmp_path):
    with pytest.raises(UsageError, match=r"katz-64/blocked_all_pairs.blocked.json: no such record"):
        runs.gather(tmp_path, {"64": "katz-64"}, [f"{ALL_PAIRS}.blocked"])


@pytest.mark.parametrize(
    "arguments",
    [["runs"], ["runs", "--rows", "x=y"], ["table1"], ["part", "--graph"], ["figure5", "--format", "markdown"]],
)
def test_what_is_missing_on_the_command_line_is_said(arguments, capsys):
    with pytest.raises(SystemExit) if arguments[-1] == "--graph" else _nothing():
        assert main(["katz", *arguments]) != 0
    assert capsys.readouterr().err


def _nothing():
    import contextlib

    return contextlib.nullcontext()


def test_the_first_vertices_keep_the_arcs_of_one_weight():
    whole = graph(4, (0, 1, 1), (1, 0, -1), (1, 2, 1), (2, 3, 1), (0, 2, 0))
    part = first_vertices(whole, 3, 1)
    assert (part.vertices, part.sources().tolist(), part.indices.tolist()) == (3, [0, 1], [1, 2])
    assert part.weights.tolist() == [1, 1]
    for vertices, weight, words in (
        (0, 1, "choose from 1 to 4$"),
        (5, 1, "choose from 1 to 4$"),
        (3, 7, "no arc between the first 3 vertices has weight 7; there are -1, 0, 1$"),
        (1, 1, "there is no arc between the first 1 vertices; choose more$"),
    ):
        with pytest.raises(UsageError, match=words):
            first_vertices(whole, vertices, weight)
    many = graph(9, *[(0, 1 + weight % 8, weight) for weight in range(10)])
    with pytest.raises(UsageError, match=r"has weight 12; there are 0, 1, 2, 3, 4, 5, 6, 7, \.\.\.$"):
        first_vertices(many, 9, 12)


def test_a_part_of_a_graph_file(tmp_path, capsys):
    graph(3, (0, 1, 1), (1, 2, 1), (1, 0, -1)).save(tmp_path / "whole.npz")
    options = ["--graph", str(tmp_path / "whole.npz"), "--vertices", "2", "--weight", "1"]
    assert main(["katz", "part", *options, "--output", str(tmp_path / "part.npz")]) == 0
    assert "2 vertices, 1 arcs" in capsys.readouterr().out
    assert csr.load(tmp_path / "part.npz").arcs == 1


def test_random_digraphs_count_arcs():
    one = generate("random", vertices=50, arcs=400, seed=3)
    assert (one.vertices, one.arcs, one.weight_min, one.weight_max) == (50, 400, 1, 1)
    assert not np.any(one.sources() == one.indices)
    assert one.sha256 == generate("random", vertices=50, arcs=400, seed=3).sha256
    assert one.sha256 != generate("random", vertices=50, arcs=400, seed=4).sha256
    assert generate("random", vertices=1, arcs=0).arcs == 0
    for vertices, arcs in ((0, 0), (1, 1), (5, -1)):
        with pytest.raises(UsageError, match="cannot be made"):
            generate("random", vertices=vertices, arcs=arcs)
