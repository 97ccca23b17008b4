"""The tracked reference results are what their tracked records say, and the README quotes them rightly."""

import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from warpath.__main__ import main
from warpath.measure.record import read_record

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


def test_claims_follow_from_their_records(tmp_path):
    work = REFERENCE / "safari_ebnenasir"
    for row, table in (("New York=nyc", "runs.csv"), ("New York=nyc-revised", "sweep.csv")):
        settings = pd.read_csv(work / table).asked.dropna()
        options = ["--records", str(work / "runs"), "--rows", row, "--settings", *settings]
        assert main(["safari", "runs", *options, "--output", str(tmp_path / table)]) == 0
        assert (tmp_path / table).read_text() == (work / table).read_text()
    tables = ["--runs", str(tmp_path / "runs.csv"), "--sweep", str(tmp_path / "sweep.csv")]
    for form, name in (("csv", "claims.csv"), ("markdown", "claims.md")):
        assert main(["safari", "claims", *tables, "--format", form, "--output", str(tmp_path / name)]) == 0
        assert (tmp_path / name).read_text() == (work / name).read_text()


def test_every_record_is_of_a_gpu_or_the_cpu_beside_it_and_certified():
    records = [read_record(path) for path in sorted((REFERENCE / "runs").glob("*/*.json"))]
    assert len(records) > 40
    for record in records:
        assert record["device"]["kind"] in ("cuda", "cpu")
        assert record["certificate"]["verdict"] == "exact"
        assert record["device"]["name"] == "NVIDIA H200" or record["device"]["kind"] == "cpu"


def test_gpu_columns_of_the_real_graphs_are_in_full():
    for table, graphs in {"table1": ["nyc", "bay"], "table2": ["gnutella04"], "table3": None}.items():
        cells = pd.read_csv(REFERENCE / f"{table}_comparison.csv")
        cells = cells[(cells.variant != "cpu") & (cells.dataset.isin(graphs) if graphs else True)]
        assert set(cells.status) == {"ok"}


@pytest.mark.parametrize("work", ["safari_ebnenasir", "floyd_warshall_tutorial", "future_work"])
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
