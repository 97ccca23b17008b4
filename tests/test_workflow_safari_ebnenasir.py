"""The rules of Safari and Ebnenasir's work: all of it from one target, and what an edit re-runs."""

import pytest

pytestmark = [pytest.mark.workflow, pytest.mark.xdist_group("workflow")]

OVERLAY = """\
suite: demo
device: host
safari_ebnenasir:
  sources: 2
  rows: {New York: demo-nyc, Colorado: null, Pennsylvania: null, Northwest: null, CalNev: null, California: null,
         Western: null}
  settings: ["k=4,vertices_per_thread=2"]
  revised: [New York]
  k: [1]
  vertices_per_thread: [2]
"""
WRITTEN = {
    f"write {name} of Safari and Ebnenasir" for name in ("runs", "sweep", "table2", "claims", "figure3 comparison")
}
DRAWN = {f"draw {name} of Safari and Ebnenasir" for name in ("figure3", "figure4")}


def test_all_of_the_work_and_what_an_edit_runs_again(fresh):
    (fresh.root / "safari.yaml").write_text(OVERLAY)
    fresh.snakemake("safari_ebnenasir", overlay="safari.yaml")
    results, figures = fresh.root / "results/demo/safari_ebnenasir", fresh.root / "figures/demo/safari_ebnenasir"
    for name in (
        "table1.csv",
        "table1.md",
        "table1_comparison.csv",
        "table2.csv",
        "table2.md",
        "claims.csv",
        "claims.md",
    ):
        assert (results / name).stat().st_size > 0
    for figure in ("figure3", "figure4"):
        for suffix in ("png", "svg", "pdf"):
            assert (figures / f"{figure}.{suffix}").stat().st_size > 0
    assert fresh.planned("safari_ebnenasir", overlay="safari.yaml") == set()

    fresh.edit("src/warpath/algorithms/label_correcting/locality.cu", "// another thought\n")
    runs = {
        "run label_correcting locality.k=4,vertices_per_thread=2 on demo-nyc",
        "run label_correcting locality.k=1,vertices_per_thread=2 on demo-nyc-revised",
    }
    assert fresh.planned("safari_ebnenasir", overlay="safari.yaml") == runs | WRITTEN | DRAWN


def test_the_suites_know_all_steps(fresh):
    for suite, fetched, runs in (("paper", 7, 7 * 4 + 3 * 21), ("standin", 0, 7 * 4 + 3 * 21), ("demo", 0, 7 * 2 + 7)):
        planned = fresh.planned("safari_ebnenasir", overlay=f"workflow/suites/{suite}.yaml")
        assert sum(job.startswith("fetch ") for job in planned) == fetched
        assert sum(job.startswith("run label_correcting ") for job in planned) == runs
