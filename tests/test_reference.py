"""The tracked reference results are what their tracked records say, and the README quotes them rightly."""

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pandas as pd
import pytest
from drawings import assert_texts_are_readable

from warpath.__main__ import main
from warpath.measure.record import read_record
from warpath.report import style
from warpath.report.comparison import read_comparison

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = Path("results/reference/nvidia-h200")
ALGORITHMS = {"table1": "bellman_ford", "table2": "dijkstra", "table3": "floyd_warshall"}


@pytest.fixture(autouse=True)
def in_the_root(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("table", ALGORITHMS)
@pytest.mark.parametrize(("form", "suffix"), [("csv", ".csv"), ("markdown", ".md"), ("comparison", "_comparison.csv")])
def test_tables_follow_from_their_records(table, form, suffix, tmp_path):
    written = tmp_path / table
    published = f"data/published/bodra/{table}.csv"
    options = ["--published", published, "--algorithm", ALGORITHMS[table], "--records", str(REFERENCE / "runs")]
    assert main(["table", table, *options, "--format", form, "--output", str(written)]) == 0
    assert written.read_text() == (REFERENCE / f"{table}{suffix}").read_text()


def test_figures_follow_from_their_tables(tmp_path):
    drawn = tmp_path / "figure6_log.svg"
    command = [sys.executable, "-m", "warpath", "plot", "figure6_log", "--output", str(drawn)]
    subprocess.run([*command, "--table", str(REFERENCE / "table3_comparison.csv")], check=True)
    lines = drawn.read_text().count("\n")
    tracked = (ROOT / "figures/reference/nvidia-h200/figure6_log.svg").read_text().count("\n")
    assert abs(lines - tracked) < 0.2 * tracked  # another Matplotlib may draw the same a little differently


DRAWN = [
    *(
        (figure, f"{folder}table1_comparison.csv")
        for figure in ("figure5", "figure5_log")
        for folder in ("", "standin/")
    ),
    *((figure, "table3_comparison.csv") for figure in ("figure6", "figure6_log")),
    ("figure5_log", "future_work/table1_comparison.csv"),
    ("figure6_log", "future_work/table3_comparison.csv"),
    ("figure_vertices", "floyd_warshall_tutorial/times_comparison.csv"),
    ("safari_ebnenasir.figure3", "safari_ebnenasir/figure3_comparison.csv"),
    *((f"katz_kider.figure{number}", f"katz_kider/figure{number}_comparison.csv") for number in (5, 6, 7, 8)),
]


@pytest.mark.parametrize(("figure", "table"), DRAWN)
def test_figures_are_readable(figure, table):
    entries = read_comparison(REFERENCE / table)
    with style.applied():
        drawing = import_module(f"warpath.report.{figure}").draw(entries)
    assert_texts_are_readable(drawing)
    long_names = table.startswith(("standin", "safari"))
    assert drawing.get_figwidth() == (7.16 if long_names else 3.5)


def test_claims_follow_from_their_records(tmp_path):
    work = REFERENCE / "safari_ebnenasir"
    for table in ("runs.csv", "sweep.csv"):
        runs = pd.read_csv(work / table)
        rows = (runs.row + "=" + runs.dataset).unique()
        settings = runs.asked.dropna().unique()
        options = ["--records", str(work / "runs"), "--rows", *rows, "--settings", *settings]
        assert main(["safari", "runs", *options, "--output", str(tmp_path / table)]) == 0
        assert (tmp_path / table).read_text() == (work / table).read_text()
    tables = ["--runs", str(tmp_path / "runs.csv"), "--sweep", str(tmp_path / "sweep.csv")]
    for form, name in (("csv", "claims.csv"), ("markdown", "claims.md")):
        assert main(["safari", "claims", *tables, "--format", form, "--output", str(tmp_path / name)]) == 0
        assert (tmp_path / name).read_text() == (work / name).read_text()


def asked_of(runs):
    """The options by which ``warpath katz runs`` was asked for the lines of a table, graph by graph."""
    options = []
    for (row, dataset), lines in runs.groupby(["row", "dataset"], sort=False):
        columns = [
            ".".join(filter(None, cells)) for cells in zip(lines.algorithm, lines.variant, lines.asked, strict=True)
        ]
        options += ["--rows", f"{row}={dataset}", "--columns", *columns]
    return options


@pytest.mark.parametrize("table", ["sizes.csv", "runs.csv", "larger.csv"])
def test_runs_of_katz_and_kider_follow_from_their_records(table, tmp_path):
    work = REFERENCE / "katz_kider"
    runs = pd.read_csv(work / table, dtype=str, keep_default_na=False)
    options = ["--records", str(work / "runs"), *asked_of(runs), "--output", str(tmp_path / table)]
    assert main(["katz", "runs", *options]) == 0
    assert (tmp_path / table).read_text() == (work / table).read_text()
    graphs = {"sizes.csv": 10, "runs.csv": 11, "larger.csv": 2}
    assert runs.dataset.nunique() == graphs[table]
    if table == "sizes.csv":
        assert set(runs[runs.variant == "several_devices"].asked) == {"devices=2"}
        assert set(runs.groupby("dataset").size()) == {11}


@pytest.mark.parametrize(
    ("what", "runs", "form", "written"),
    [
        ("table1", "sizes", "csv", "table1_comparison.csv"),
        ("table1", "sizes", "markdown", "table1.md"),
        ("claims", "runs", "csv", "claims.csv"),
        ("claims", "runs", "markdown", "claims.md"),
        ("larger", "larger", "markdown", "larger.md"),
        *((f"figure{number}", "sizes", "csv", f"figure{number}_comparison.csv") for number in (5, 6, 7, 8)),
    ],
)
def test_tables_of_katz_and_kider_follow_from_their_runs(what, runs, form, written, tmp_path):
    work = REFERENCE / "katz_kider"
    options = ["--runs", str(work / f"{runs}.csv"), "--format", form, "--output", str(tmp_path / written)]
    assert main(["katz", what, *options]) == 0
    assert (tmp_path / written).read_text() == (work / written).read_text()


@pytest.mark.parametrize(("folder", "least"), [("runs", 40), ("katz_kider/runs", 100)])
def test_every_record_is_of_a_gpu_or_the_cpu_beside_it_and_certified(folder, least):
    records = [read_record(path) for path in sorted((REFERENCE / folder).glob("*/*.json"))]
    assert len(records) > least
    for record in records:
        assert record["device"]["kind"] in ("cuda", "cpu")
        assert record["certificate"]["verdict"] == "exact"
        assert record["device"]["name"] == "NVIDIA H200" or record["device"]["kind"] == "cpu"


def test_gpu_columns_of_the_real_graphs_are_in_full():
    for table, graphs in {"table1": ["nyc", "bay"], "table2": ["gnutella04"], "table3": None}.items():
        cells = pd.read_csv(REFERENCE / f"{table}_comparison.csv")
        cells = cells[(cells.variant != "cpu") & (cells.dataset.isin(graphs) if graphs else True)]
        assert set(cells.status) == {"ok"}


@pytest.mark.parametrize("work", ["safari_ebnenasir", "floyd_warshall_tutorial", "future_work", "katz_kider"])
def test_every_record_that_a_table_names_is_there(work):
    named = [
        record
        for table in sorted((REFERENCE / work).glob("*_comparison.csv"))
        for record in pd.read_csv(table).get("record", pd.Series(dtype=str)).dropna()
    ]
    assert named
    assert all(Path(record).is_file() for record in named)


def test_the_readme_quotes_the_reference_tables():
    readme = (ROOT / "README.md").read_text()
    for table in ALGORITHMS:
        cells = pd.read_csv(REFERENCE / f"{table}_comparison.csv").dropna(subset=["seconds"])
        for cell in cells[cells.variant != "cpu"].itertuples():
            row = next(line for line in readme.splitlines() if re.match(rf"\| {cell.dataset} ", line))
            quoted = "\n".join(line for line in readme.splitlines() if line.startswith(f"| {cell.dataset} "))
            assert row and f"{cell.seconds:.3g}" in quoted, (cell.dataset, cell.variant)


def test_the_readme_names_what_is_slower_than_published():
    tables = [
        pd.read_csv(file)
        for file in (*REFERENCE.glob("table?_comparison.csv"), REFERENCE / "standin/table1_comparison.csv")
    ]
    cells = pd.concat(tables)
    slower = cells[(cells.ratio < 1) & (cells.variant != "cpu")]
    assert set(slower.variant) == {"stride_flag"}
    assert set(slower.dataset.str.removeprefix("standin-")) == {"nyc", "bay", "col"}
    round_us = [1e6 * cell.seconds / (cell.nodes - 1) for cell in slower.itertuples()]
    assert min(round_us) > 18 and max(round_us) < 20
    assert "all but `stride_flag` on the networks of nyc, bay and col" in (ROOT / "README.md").read_text()


def test_the_readme_quotes_the_times_beyond_the_paper():
    readme = " ".join((ROOT / "README.md").read_text().split())
    cells = pd.read_csv(REFERENCE / "future_work/table3_comparison.csv")
    staged, tiled, cpu = (cells[cells.variant == name].seconds.to_numpy() for name in ("staged", "tiled_shared", "cpu"))
    ratios = sorted(tiled / staged)
    assert "(`staged`) takes {:.3g}, {:.3g} and {:.3g} s on the three".format(*staged) in readme
    assert f"{ratios[0]:.1f} to {ratios[-1]:.1f} times less than `tiled_shared`" in readme
    for graph, seconds in zip(cells.dataset.unique(), cpu, strict=True):
        assert f"| {graph} | ~{seconds:,.0f} " in readme


def test_the_readme_quotes_locality():
    readme = " ".join((ROOT / "README.md").read_text().split())
    runs = pd.read_csv(REFERENCE / "safari_ebnenasir/runs.csv", keep_default_na=False)
    here = runs[runs.asked == "k=2,vertices_per_thread=1"].set_index("row")
    base = runs[runs.variant == "harish"].set_index("row").seconds * 1e3
    assert f"takes {here.seconds['New York'] * 1e3:.3g} ms on New York, `harish` {base['New York']:.3g} ms" in readme
    others = here.speedup.drop("New York")
    assert len(others) == 6 and f"it is {others.min():.1f} to {others.max():.1f} times less" in readme
    western = here.seconds["Western"] * 1e3
    assert f"on Western's {western:.3g} ms where `harish` takes {base['Western']:.3g} ms" in readme
    sweep = pd.read_csv(REFERENCE / "safari_ebnenasir/sweep.csv")
    assert len(sweep) == 3 * 21
    best = sweep.loc[sweep.groupby("row").seconds.idxmin()].asked
    assert set(best.str[:3]) == {"k=2", "k=3"} and "the best k is 2 or 3" in readme


def test_the_readme_quotes_katz_and_kider():
    lines = (ROOT / "README.md").read_text().splitlines()
    runs = pd.read_csv(REFERENCE / "katz_kider/sizes.csv", keep_default_na=False)
    published = pd.read_csv("data/published/katz_kider/table1.csv").set_index("nodes").loc[11264]
    printed = {"blocked": published.single_gpu, "several_devices": published.dual_gpu}
    closure = next(at for at, line in enumerate(lines) if line.startswith("| transitive closure "))
    quoted = ("standard", "blocked", "register_blocked", "several_devices", "cpu_tuned", "naive", "bitset")
    for run in runs[(runs.nodes == 11264) & runs.variant.isin(quoted)].itertuples():
        table = lines[closure:] if run.algorithm == "transitive_closure" else lines[closure - 5 : closure]
        line = next(line for line in table if f"| `{run.variant}`" in line)
        time = f"{'~' if run.status == 'estimated' else ''}{run.seconds:.3g}"
        if run.algorithm == "blocked_all_pairs" and run.variant in printed:
            time += f" ({printed[run.variant]:,.0f})"
        assert line.endswith(f" | {time} |"), (line, time)


def test_the_readme_quotes_larger_graphs():
    readme = (ROOT / "README.md").read_text()
    runs = pd.read_csv(REFERENCE / "katz_kider/larger.csv", keep_default_na=False)
    firsts = runs.groupby("dataset").seconds.first()
    for run in runs.itertuples():
        ratio = firsts[run.dataset] / run.seconds
        end = f"| {run.seconds:#.3g} | {'' if ratio == 1 else f'{ratio:.3g} '}|"
        beginning = rf"\| {run.nodes:,} \| `{run.variant}`, "
        assert re.search(rf"^{beginning}.* {re.escape(end)}$", readme, re.MULTILINE), (run.record, end)


def test_the_readme_says_how_many_claims_hold():
    claims = pd.read_csv(REFERENCE / "katz_kider/claims.csv")
    assert len(claims) == 7 and set(claims.holds) == {"yes"}
    assert "All seven [claims of their text]" in (ROOT / "README.md").read_text()
