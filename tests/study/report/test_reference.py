"""The tracked reference results are what their tracked records say, cell by cell."""

from functools import cache
from pathlib import Path

import pytest
from report_samples import data

from warpath_study.data_files import load_yaml
from warpath_study.measure.runs import code_of, find
from warpath_study.record import read_record
from warpath_study.report.cells import Data
from warpath_study.report.views import write_target
from warpath_study.works.works import SUFFIXES, Choice, load_all

pytestmark = pytest.mark.slow  # pages quote many of these tables, which test_docs.py compares in `make test`
ROOT = Path(__file__).resolve().parents[3]
SUITE = "reference"
OF_20_S = ("22a1422b", "29510bd9", "8ec731b5", "2de8bcc7")  # the commits that machines Z, W, U and V measured
# What the benchmarks printed.
PRINTED = (
    "all_pairs.txt", "beside_listings.txt", "certificates.txt", "choice.txt", "cold_calls.txt", "dense_all_pairs.txt",
    "downloads.txt", "drawn.txt", "first_calls.txt", "growth.txt", "library_calls.txt", "many_sources.txt",
    "one_source.txt", "pairs.txt", "sanitizers.txt", "small_memory.txt", "solver_times/graphs.csv",
    "solver_times/times.csv", "thread_block_cluster.txt", "two_gpus.txt", "two_machines.txt", "updates.txt",
)  # fmt: skip
REDRAW = f"snakemake works --cores 1 --configfile workflow/suites/{SUITE}.yaml"
FOLDER = load_yaml(ROOT / f"workflow/suites/{SUITE}.yaml")["reference"]
RESULTS, FIGURES = (Path(base, "reference", FOLDER) for base in ("results", "figures"))
WORKS = load_all(ROOT / "workflow" / "works")
TARGETS = [(work.name, target.name) for work in WORKS.values() for target in work.targets(Choice(SUITE))]
KINDS = {(work, name): WORKS[work].target(name, Choice(SUITE)).fields for work, name in TARGETS}
# The graphs are not tracked, so what is read from them cannot be made again here.
FROM_RECORDS = [target for target in TARGETS if KINDS[target].kind != "figure" and not KINDS[target].graphs]


@pytest.fixture(autouse=True)
def in_the_root(monkeypatch):
    monkeypatch.chdir(ROOT)


@cache
def data_of(work: str, name: str) -> Data:
    return data(WORKS[work], name, RESULTS / "runs", Choice(SUITE))


def tracked(work: str, name: str) -> list[Path]:
    """The files of a target, but for the pages, which are made for the report and not tracked."""
    target = WORKS[work].target(name, Choice(SUITE))
    base = FIGURES if target.fields.kind == "figure" else RESULTS
    suffixes = [suffix for suffix in SUFFIXES[target.fields.kind] if suffix != ".html"]
    return [base / f"{WORKS[work].folder}{target.stem}{suffix}" for suffix in suffixes]


@pytest.mark.parametrize(("work", "name"), FROM_RECORDS)
def test_tables_are_what_the_records_say(work, name, tmp_path):
    write_target(data_of(work, name), tmp_path, tmp_path)
    for kept in tracked(work, name):
        made = tmp_path / kept.relative_to(RESULTS)
        assert kept.is_file(), f"{kept} is not drawn yet: {REDRAW}"
        ours, theirs = (file.read_text(encoding="utf-8").splitlines() for file in (made, kept))
        assert ours == theirs, f"{kept} is not redrawn yet: {REDRAW}"


@pytest.mark.parametrize(("work", "name"), [target for target in TARGETS if target not in FROM_RECORDS])
def test_every_figure_is_there(work, name):
    missing = [str(file) for file in tracked(work, name) if not file.is_file()]
    assert not missing, f"{', '.join(missing)} not drawn yet: {REDRAW}"


def test_nothing_else_lies_beside_them():
    known = {file for target in TARGETS for file in tracked(*target)}
    known |= {RESULTS / name for name in PRINTED}
    there = {file for base in (RESULTS, FIGURES) for file in base.rglob("*") if file.is_file()}
    there = {file for file in there if file.suffix not in (".json", ".html")}
    assert sorted(map(str, there - known)) == []


@cache
def records():
    return [(path, read_record(path)) for path in sorted((RESULTS / "runs").glob("*/*.json"))]


def test_every_record_is_certified_and_stands_in_some_table():
    """It is of a GPU or the CPU beside it, and of a commit without edits."""
    found = records()
    assert len(found) > 100
    shown = {run.record for target in TARGETS for run in data_of(*target).measured}
    for path, record in found:
        assert record.device["kind"] in ("cuda", "cpu"), path
        assert record.device["name"] == "NVIDIA H200" or record.device["kind"] == "cpu", path
        if record.status != "missing":  # a peer that was not on the machine
            assert record.certificate.verdict in ("exact", "exact in float32"), path
        assert path == RESULTS / "runs" / record.dataset / f"{record.run}.json"
        assert not record.environment["git"]["dirty"], path
        assert str(path) in shown


def test_runs_by_turns_are_of_one_joint_run_on_each_graph():
    for work in WORKS.values():
        for (group, dataset), names in work.turns(Choice(SUITE)).items():
            files = [RESULTS / "runs" / dataset / f"{name}.json" for name in names]
            joint = {read_record(file).measure.turns for file in files if file.is_file()}
            assert len(joint) <= 1, f"{group} on {dataset}: measured apart, so that there is no verdict"


def test_what_differs_from_todays_code_of_shared_rows_did_not_run():
    today = code_of(find("floyd_warshall", "shared_rows"), "cuda").kernels
    found = [record for path, record in records() if record.variant == "shared_rows"]
    assert len(found) == 6 and all(record.parameters["predecessors"] == 0 for record in found)
    assert {record.code.kernels["shared_rows.cu"] for record in found} == {today["shared_rows.cu"]}


@pytest.mark.parametrize("table", ["table1", "table2", "table3", "future_table1", "future_table3"])
def test_tables_1_to_3_are_of_one_machine(table):
    found = [read_record(Path(run.record)) for run in data_of("bodra", table).measured]
    assert len({record.environment["machine"] for record in found}) == 1
    (commit,) = {record.environment["git"]["commit"][:8] for record in found}
    assert commit == OF_20_S["table3" in table]
    estimates = {record.dataset for record in found if record.device["kind"] == "cuda" and record.status != "ok"}
    assert estimates == ({"standin-e"} if "table1" in table else set())
    budgets = {record.measure.sampling.budget_s for record in found if record.device["kind"] == "cpu"}
    assert budgets == {32 if "table1" in table else 16}


def test_every_run_was_alone_on_its_machine():
    """As the README beside the records says."""
    assert [run.record for target in TARGETS for run in data_of(*target).measured if run.beside] == []


def test_times_below_a_gpu_minute_are_medians_of_three_samples():
    """Below 20 s on the machines Z, W, U and V of the README beside the records."""
    short = [
        str(path)
        for path, record in records()
        if record.device["kind"] == "cuda" and record.status == "ok" and len(record.samples) < 3
        if record.seconds * record.parameters.get("devices", 1)
        < (20 if record.environment["git"]["commit"].startswith(OF_20_S) else 60)
        # All random sources of a run have ten seconds together, or two if runs took turns.
        if not record.measure.random_sources or 3 * record.seconds < (2 if record.measure.turns else 10)
    ]
    assert short == []
