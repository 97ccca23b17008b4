"""Claims: each verdict, what a claim rests on, that every work measures all that it claims, and ``warpath claims``."""

import os
import random
from dataclasses import replace
from pathlib import Path

import pytest
from drawings import ESTIMATED, UNSETTLED, run_line
from markdown_page import tables
from report_samples import written_work
from tiny_graphs import named

from warpath.__main__ import main
from warpath.errors import FormatError, UsageError
from warpath_study.report.cells import Data
from warpath_study.report.claims import claims_table, target_claims, verdict_of
from warpath_study.report.published import PublishedClaim, read_claims
from warpath_study.report.table import markdown
from warpath_study.works import works

ROOT = Path(__file__).resolve().parents[3]
WORKS = sorted(path.parent for path in ROOT.glob("workflow/works/*/work.yaml"))
SIZES = {"small": (10, 20), "large": (100, 200)}

WORK = """
title: A work
citation: Somebody
hardware: an old GPU
runs:
  rows:
    columns: [bellman_ford.cpu, bellman_ford.naive, bellman_ford.stride]
    rows: {small: g-small, large: g-large}
targets:
  table: {kind: table, runs: [rows]}
  figure: {kind: figure, runs: [rows]}
  claims: {kind: claims, runs: [rows], title: Claims}
"""
STANDIN = "datasets: {g-small: standin-small}"
VIEWS = """
from warpath_study.works.claims import claim

@claim(
    "naive is faster",
    runs="rows",
    setting="each graph",
    best=lambda t: t.seconds("cpu") / t.best("naive", "stride"),
    best_setting="the faster one",
    printed="table.csv",
    about=["table"],
)
def _(t):
    return t.seconds("cpu") / t.seconds("naive")

@claim("vertices", runs="rows", setting="the larger graph", printed="table.csv", timing=False)
def _(t):
    return t.fact("vertices", "naive").at("large")
"""
CLAIMS = "claim,low,high,unit,where\nnaive is faster,4,6,x,section 1\nvertices,100,,vertices,section 2\n"
TABLE = "dataset,nodes,edges,cpu,naive,stride\nsmall,10,20,8,2,\nlarge,100,200,30,>5,\n"
SECONDS = {"cpu": 10.0, "naive": 2.0, "stride": 1.0}


@pytest.fixture
def folder(tmp_path) -> Path:
    path = tmp_path / "works" / "some_work"
    written_work(path, WORK, {"standin": STANDIN}, claims=CLAIMS, table=TABLE)
    (path / "views.py").write_text(VIEWS)
    return path


def data(folder: Path, seconds: dict | None = None, without=(), suite="paper", target="claims", **changes) -> Data:
    """The work with its runs; ``seconds`` gives the times of (row, variant), ``changes`` replace facts of every run."""
    work, choice = works.load(folder), works.Choice(suite)
    cells = [
        replace(
            run_line(run, (seconds or {}).get((run.row, run.variant), SECONDS[run.variant])),
            vertices=SIZES[run.row][0],
            device=run.variant,
            date="2026-03-01",
            **{"arcs": SIZES[run.row][1], **(changes if run.variant != "cpu" else {})},
        )
        for run in work.requests(["rows"], choice)
        if (run.row, run.variant) not in without
    ]
    return Data(work, work.target(target, choice), choice, cells)


def lines(given: Data) -> list[dict[str, str]]:
    return claims_table(given).lines


def test_the_whole_range_is_compared_and_an_open_bound_is_met_by_anything_on_its_side():
    claim = PublishedClaim("", 60, 130, "x", "")
    sides = [verdict_of(claim, *ends) for ends in ((1664, 1664), (60, 130), (2, 59.9), (59, 60), (100, 131), (1, 1000))]
    assert sides == ["above", "within", "below", "below to within", "within to above", "below to above"]
    assert verdict_of(PublishedClaim("", 1, None, "x", ""), 0.5, 1e9) == "below to within"
    assert verdict_of(PublishedClaim("", None, 1.1, "x", ""), -5, 1.2) == "within to above"
    assert verdict_of(PublishedClaim("", 4, 4, "steps", ""), 3, 3) == "below"


def test_a_claim_has_a_verdict_under_its_own_setting_and_under_the_best(folder):
    line = lines(data(folder, {("large", "naive"): 1.25}))[0]
    assert (line["measured"], line["measured_high"], line["verdict"]) == ("5", "8", "within to above")
    assert (line["best"], line["best_high"], line["best_verdict"]) == ("10", "10", "above")
    assert (line["low"], line["high"], line["unit"], line["setting"]) == ("4", "6", "x", "each graph")
    assert "least in small, most in large, of 2" in line["remark"]
    assert line["best_setting"] == "the faster one"
    assert line["remark"].endswith("; best setting: stride is the fastest")
    assert (line["printed"], line["printed_high"]) == ("4", "4")  # of the larger graph a bound is printed, and no time


def test_a_claim_about_several_rows_is_not_measured_while_one_is_missing(folder):
    line = lines(data(folder, without=[("large", "naive")]))[0]
    assert (line["measured"], line["measured_high"], line["verdict"]) == ("", "", "not measured")
    assert "missing: g-large bellman_ford.naive; 5x without them" in line["remark"]
    assert line["best_verdict"] == "not measured"
    # An estimate is told.
    settled, rough = (lines(data(folder, **facts))[0]["remark"] for facts in (ESTIMATED, UNSETTLED))
    assert "naive" in settled and "naive" in rough and settled != rough


def test_the_notes_are_of_all_runs_that_a_claim_or_its_remark_rests_on(folder):
    """Runs of two groups may have the same row and the same name."""
    others = "  others: {columns: [bellman_ford.naive], rows: {small: h-small}}\n"
    (folder / "work.yaml").write_text(WORK.replace("targets:", f"{others}targets:"))
    views = ["from warpath_study.works.claims import claim"]
    for name, group in (("naive is faster", "rows"), ("vertices", "others")):
        views.append(f'@claim("{name}", runs="{group}", setting="the largest graph", timing=False)\ndef _(t):')
        views.append('    return t.fact("vertices", "naive").largest()')
    (folder / "views.py").write_text("\n".join(views))
    work, choice = works.load(folder), works.Choice()
    days = {"g-small": "2026-03-01", "g-large": "2026-03-02", "h-small": "2026-03-03"}
    cells = [
        run_line(run, 2.0, vertices=SIZES[run.row][0], date=days[run.dataset])
        for run in work.requests(["rows", "others"], choice)
    ]
    text = markdown(claims_table(Data(work, work.target("claims", choice), choice, cells)))
    assert "10 to 100 over 2 rows" in text and "2026-03-01 to 2026-03-03" in text


def test_a_simulation_says_nothing_about_time_and_another_graph_nothing_at_all(folder):
    first, second = lines(data(folder, arcs=21))
    assert (first["verdict"], second["verdict"]) == ("other graph", "other graph")
    first, second = lines(data(folder, device_kind="simulated"))
    assert (first["verdict"], first["best_verdict"], second["verdict"]) == ("no GPU", "no GPU", "within")
    assert "Simulation, not GPU times" in markdown(claims_table(data(folder, device_kind="simulated")))


def test_a_graph_from_another_file_is_compared_and_named_and_a_generated_one_is_not_compared(folder):
    table = claims_table(data(folder, suite="standin"))
    assert [line["verdict"] for line in table.lines] == ["within", "within"]
    generated = claims_table(data(folder, suite="standin", generator="road"))
    assert [line["verdict"] for line in generated.lines] == ["within", "within"]  # the large one is the work's own
    assert [("small" in line["remark"]) for line in generated.lines] == [True, False]
    assert "Graphs in place of the work's own: standin-small for small." in table.notes


def test_a_speedup_that_waits_for_launches_limit_is_told_to_be(folder):
    waits = "hardware: an old GPU\nwaits: [bellman_ford.naive]"
    (folder / "work.yaml").write_text(WORK.replace("hardware: an old GPU", waits))
    given = data(folder, {("small", "naive"): 10.0, ("large", "naive"): 10.0})  # 1x, of 4 to 6x
    for cost_s, told in ((0.006, True), (0.004, False)):
        costs = {"launches": 1000, "launch_and_wait_s": cost_s}
        cells = [replace(cell, more=costs if cell.variant == "naive" else {}) for cell in given.runs]
        (line, _) = claims_table(replace(given, runs=cells)).lines
        assert line["verdict"] == "below" and ("60 % of naive" in line["remark"]) == told
        within = replace(given, runs=[replace(cell, seconds=SECONDS[cell.variant]) for cell in cells])
        assert "% of naive" not in claims_table(within).lines[0]["remark"]


def test_claims_stand_beside_the_targets_that_they_are_about_and_a_target_needs_their_runs(folder):
    (beside,) = target_claims(data(folder, target="table"))
    assert beside["Claim"] == "naive is faster"
    assert target_claims(data(folder, target="figure")) == []
    path = folder / "work.yaml"
    more = "  other: {columns: [bellman_ford.naive], rows: {small: g-small}}\n"
    path.write_text(WORK.replace("runs:\n", f"runs:\n{more}", 1))
    (folder / "views.py").write_text(VIEWS.replace("best_setting=", 'best_runs="other", best_setting='))
    work, choice = works.load(folder), works.Choice()
    assert work.needs(work.target("table", choice)) == work.needs(work.target("claims", choice)) == ["rows", "other"]
    assert work.needs(work.target("figure", choice)) == ["rows"]


def test_a_fault_is_told_with_its_place(folder):
    path = folder / "views.py"
    for old, new, says in (
        ('"stride")', '"strid")', "'strid'"),
        ('at("large")', "values", "quantity"),
        ('"vertices", runs="rows"', '"vertices", runs="row"', "'row'"),
        ("timing=", "timed_by=", "TypeError"),
    ):
        path.write_text(VIEWS.replace(old, new))
        with named(new), pytest.raises(UsageError) as refused:
            claims_table(data(folder))
        assert says in str(refused.value) and "\n" not in str(refused.value)
        assert str(path) in str(refused.value)


def test_a_published_claim_that_nobody_measures_is_refused(folder):
    (folder / "published/claims.csv").write_text(CLAIMS + "another,1,2,x,section 3\n")
    with pytest.raises(FormatError, match="'another'"):
        claims_table(data(folder))


@pytest.mark.parametrize("path", WORKS, ids=lambda path: path.name)
def test_every_claim_of_a_work_is_measured_and_nothing_else_is(path):
    work = works.load(path)
    file = work.published_file("claims.csv")
    claims = list(read_claims(file)) if file.is_file() else []
    assert sorted(claim.claim for claim in work.claims) == sorted(claims)
    targets = [target for target in work.fields.targets.values() if target.kind == "claims"]
    assert len(targets) == bool(claims)
    for claim in work.claims:
        work.published_file(claim.printed).read_text() if claim.printed else None
        assert not set(claim.about) - {target.name for target in work.targets(works.Choice())}


@pytest.mark.parametrize("path", WORKS, ids=lambda path: path.name)
def test_claims_without_any_measurement_are_not_measured(path):
    """In the paper's suite, and in one of the others that show them."""
    work = works.load(path)
    others = [suite for suite in works.suites([work]) if suite != works.PAPER]
    for suite in (works.PAPER, random.Random(os.environ["WARPATH_TEST_SEED"]).choice(sorted(others))):
        choice = works.Choice(suite)
        if any(target.name == "claims" for target in work.targets(choice)):  # a suite may have none of the work's rows
            table = claims_table(Data(work, work.target("claims", choice), choice, []))
            assert all(line["verdict"] == "not measured" for line in table.lines)
            assert all(line["remark"].startswith("missing: ") for line in table.lines)
        else:
            assert suite != works.PAPER or not work.claims


# The command.


def test_the_claims_of_a_work_are_those_of_its_table(capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    for work, where, folder in (
        ("katz_kider", ("--records", "results/reference/nvidia-h200/runs"), "nvidia-h200/katz_kider"),
        ("bodra", ("--suite", "reference"), "nvidia-h200"),
    ):
        assert main(["claims", work, *where]) == 0
        heading, *lines = capsys.readouterr().out.splitlines()
        assert heading.split("  ")[0] == "Claim" and heading.endswith("  Verdict")
        (printed,) = tables((ROOT / f"results/reference/{folder}/claims.md").read_text(encoding="utf-8"))
        of_columns = [printed.header.index(name) for name in ("Claim", "Measured", "Verdict")]
        for line, row in zip(lines, printed.rows, strict=True):
            claim, measured, verdict = (row[place] for place in of_columns)
            assert line.startswith(claim) and line.endswith(f"  {measured}  {verdict}")


def test_a_fault_of_the_command_is_one_sentence(capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    for arguments, says in ((["bodar"], "bodra?"), (["bodra", "--records", "nowhere"], "nowhere")):
        assert main(["claims", *arguments]) == 2
        said = capsys.readouterr()
        assert said.out == "" and says in said.err and said.err.count("\n") == 1


@pytest.mark.slow
def test_the_command_shows_all_works_with_their_names(capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert main(["claims", "--suite", "reference"]) == 0
    heading, *lines = capsys.readouterr().out.splitlines()
    assert heading.split()[:2] == ["Work", "Claim"]
    assert {"bodra", "katz_kider", "telang_grid"} <= {line.split()[0] for line in lines}
