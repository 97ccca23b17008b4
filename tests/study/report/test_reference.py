"""The tracked reference results are what their tracked records say, cell by cell."""

from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from report_samples import data

from warpath_study.data_files import load_yaml
from warpath_study.record import read_record
from warpath_study.report.cells import Data
from warpath_study.report.views import write_target
from warpath_study.works.works import SUFFIXES, Choice, load_all

pytestmark = pytest.mark.slow  # pages quote many of these tables, which test_docs.py compares in `make test`
ROOT = Path(__file__).resolve().parents[3]
ON_Z = "22a1422b"  # the commit that machine Z measured
GPUS = {"reference": "NVIDIA H200", "reference-h100": "NVIDIA H100 80GB HBM3"}
"""The GPU of each suite that shows reference results."""
FOLDERS = {suite: load_yaml(ROOT / f"workflow/suites/{suite}.yaml")["reference"] for suite in GPUS}
# What the benchmarks printed.
PRINTED = {
    "reference": (
        "all_pairs.txt", "beside_listings.txt", "certificates.txt", "choice.txt", "cold_calls.txt",
        "dense_all_pairs.txt", "downloads.txt", "drawn.txt", "first_calls.txt", "growth.txt", "library_calls.txt",
        "many_sources.txt", "one_source.txt", "pairs.txt", "sanitizers.txt", "small_memory.txt",
        "solver_times/graphs.csv", "solver_times/times.csv", "thread_block_cluster.txt", "two_gpus.txt",
        "two_machines.txt", "updates.txt",
    ),
    "reference-h100": ("sanitizers.txt", "two_machines.txt"),
}  # fmt: skip
REDRAW = "snakemake works --cores 1 --configfile workflow/suites/{}.yaml"
WORKS = load_all(ROOT / "workflow" / "works")
TARGETS = [
    (suite, work.name, target.name)
    for suite in GPUS
    for work in WORKS.values()
    for target in work.targets(Choice(suite))
]
KINDS = {(suite, work, name): WORKS[work].target(name, Choice(suite)).fields for suite, work, name in TARGETS}
# The graphs are not tracked, so what is read from them cannot be made again here.
FROM_RECORDS = [target for target in TARGETS if KINDS[target].kind != "figure" and not KINDS[target].graphs]
of_each_gpu = pytest.mark.parametrize("suite", GPUS)


@pytest.fixture(autouse=True)
def in_the_root(monkeypatch):
    monkeypatch.chdir(ROOT)


def results(suite: str) -> Path:
    return Path("results/reference", FOLDERS[suite])


@cache
def data_of(suite: str, work: str, name: str) -> Data:
    return data(WORKS[work], name, results(suite) / "runs", Choice(suite))


def tracked(suite: str, work: str, name: str) -> list[Path]:
    """The files of a target, but for the pages, which are made for the report and not tracked."""
    target = WORKS[work].target(name, Choice(suite))
    base = Path("figures/reference", FOLDERS[suite]) if target.fields.kind == "figure" else results(suite)
    suffixes = [suffix for suffix in SUFFIXES[target.fields.kind] if suffix != ".html"]
    return [base / f"{WORKS[work].folder}{target.stem}{suffix}" for suffix in suffixes]


@pytest.mark.parametrize(("suite", "work", "name"), FROM_RECORDS)
def test_tables_are_what_the_records_say(suite, work, name, tmp_path):
    write_target(data_of(suite, work, name), tmp_path, tmp_path)
    for kept in tracked(suite, work, name):
        made = tmp_path / kept.relative_to(results(suite))
        assert kept.is_file(), f"{kept} is not drawn yet: {REDRAW.format(suite)}"
        ours, theirs = (file.read_text(encoding="utf-8").splitlines() for file in (made, kept))
        assert ours == theirs, f"{kept} is not redrawn yet: {REDRAW.format(suite)}"


@pytest.mark.parametrize(("suite", "work", "name"), [target for target in TARGETS if target not in FROM_RECORDS])
def test_every_figure_is_there(suite, work, name):
    missing = [str(file) for file in tracked(suite, work, name) if not file.is_file()]
    assert not missing, f"{', '.join(missing)} not drawn yet: {REDRAW.format(suite)}"


@of_each_gpu
def test_nothing_else_lies_beside_them(suite):
    known = {file for target in TARGETS if target[0] == suite for file in tracked(*target)}
    known |= {results(suite) / name for name in PRINTED[suite]}
    bases = results(suite), Path("figures/reference", FOLDERS[suite])
    there = {file for base in bases for file in base.rglob("*") if file.is_file()}
    there = {file for file in there if file.suffix not in (".json", ".html")}
    assert sorted(map(str, there - known)) == []


@cache
def records(suite):
    return [(path, read_record(path)) for path in sorted((results(suite) / "runs").glob("*/*.json"))]


@of_each_gpu
def test_every_record_is_certified_and_stands_in_some_table(suite):
    """It is of a GPU or the CPU beside it, and of a commit without edits."""
    found = records(suite)
    assert len(found) > {"reference": 100, "reference-h100": 40}[suite]
    shown = {run.record for target in TARGETS if target[0] == suite for run in data_of(*target).measured}
    for path, record in found:
        assert record.device["kind"] in ("cuda", "cpu"), path
        assert record.device["name"] == GPUS[suite] or record.device["kind"] == "cpu", path
        if record.status != "missing":  # a peer that was not on the machine
            assert record.certificate.verdict in ("exact", "exact in float32"), path
        assert path == results(suite) / "runs" / record.dataset / f"{record.run}.json"
        assert not record.environment["git"]["dirty"], path
        assert str(path) in shown


@of_each_gpu
def test_runs_by_turns_are_of_one_joint_run_on_each_graph(suite):
    for work in WORKS.values():
        for (group, dataset), names in work.turns(Choice(suite)).items():
            files = [results(suite) / "runs" / dataset / f"{name}.json" for name in names]
            joint = {read_record(file).measure.turns for file in files if file.is_file()}
            assert len(joint) <= 1, f"{group} on {dataset}: measured apart, so that there is no verdict"


@pytest.mark.parametrize("table", ["table1", "table2", "table3"])
def test_tables_of_the_h100_are_of_one_machine_and_without_estimates_of_its_gpu(table):
    runs = data_of("reference-h100", "bodra", table).measured
    found = [read_record(Path(run.record)) for run in runs]
    usual = Counter(record.environment["machine"] for record in found).most_common(1)[0][0]
    elsewhere = [f"{record.dataset} {record.variant}" for record in found if record.environment["machine"] != usual]
    assert elsewhere == (["gnutella30 cpu"] if table == "table3" else [])
    assert {record.status for record in found if record.device["kind"] == "cuda"} == {"ok"}
    assert {record.measure.sampling.budget_s for record in found if record.device["kind"] == "cpu"} == {64}


@pytest.mark.parametrize("table", ["table1", "table2", "future_table1"])
def test_tables_of_the_h200_that_were_measured_anew_are_of_one_machine(table):
    found = [read_record(Path(run.record)) for run in data_of("reference", "bodra", table).measured]
    assert len({record.environment["machine"] for record in found}) == 1
    assert {record.environment["git"]["commit"][:8] for record in found} == {ON_Z}


@of_each_gpu
def test_times_below_a_gpu_minute_are_medians_of_three_samples(suite):
    """Below 20 s on one machine, Z of the README beside the records."""
    short = [
        str(path)
        for path, record in records(suite)
        if record.device["kind"] == "cuda" and record.status == "ok" and len(record.samples) < 3
        if record.seconds * record.parameters.get("devices", 1)
        < (20 if record.environment["git"]["commit"].startswith(ON_Z) else 60)
        # All random sources of a run have ten seconds together, or two if runs took turns on an H200.
        if not record.measure.random_sources
        or 3 * record.seconds < (2 if record.measure.turns and suite == "reference" else 10)
    ]
    assert short == []
