"""The works `all_pairs` and `peers` in Snakemake: parts are jobs and fill a store, and a missing peer has a cell."""

import csv
import os
import shutil
import sys
from dataclasses import dataclass

import numpy as np
import pytest
import zarr
from checkout import REPOSITORY, Checkout, made_once
from test_workflow import assert_readable

import warpath
from warpath.graphs.csr import load as load_graph
from warpath_study.parts.parts import read_part
from warpath_study.record import read_record
from warpath_study.works.works import Choice, load

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

DEMO = "workflow/suites/demo.yaml"
GNUTELLA30 = ["--config", "rows=gnutella30", "device=simulated", "scatter=2"]
TABLE = "results/demo/all_pairs/statistics.csv"
RUN = "all_pairs.reductions.nearest=8+store=1"
RECORD = f"results/demo/runs/demo-gnutella30/{RUN}.json"
FOLDER = f"results/demo/parts/demo-gnutella30/{RUN}"


@pytest.fixture
def made(tmp_path_factory, tmp_path):
    """A checkout of one's own in which the row of gnutella30 is there."""

    def make(checkout: Checkout) -> None:
        checkout.snakemake("all_pairs", *GNUTELLA30, overlay=DEMO)

    shutil.copytree(made_once(tmp_path_factory, "all_pairs", make).root, tmp_path / "warpath")
    return Checkout(tmp_path / "warpath")


def test_the_table_has_what_the_library_says(made):
    for target in load(made.root / "workflow/works/all_pairs").targets(Choice("demo", ("gnutella30",))):
        folder = "figures" if target.fields.kind == "figure" else "results"
        for suffix in target.suffixes:
            assert_readable(made.root / f"{folder}/demo/all_pairs/{target.stem}{suffix}")
    graph = load_graph(made.root / "data/graphs/demo-gnutella30.npz")
    solver = warpath.prepare(graph, "simulated")
    wanted = solver.statistics(nearest=8)
    with open(made.root / TABLE, newline="") as file:
        (line,) = csv.DictReader(file)
    assert (int(line["pairs"]), float(line["diameter"]), line["radius"]) == (wanted.pairs, wanted.diameter, "")
    assert (line["parts"], line["status"]) == ("2", "simulated")
    found = read_part(made.root / f"{FOLDER}/all.npz").statistics
    np.testing.assert_array_equal(found.rows.nearest, wanted.rows.nearest)
    (store,) = (made.root / FOLDER).glob("rows-*.zarr")
    rows = zarr.open(store, mode="r")["distances"]
    np.testing.assert_array_equal(rows[:], solver.apsp(predecessors=False).distances)
    record = read_record(made.root / RECORD)
    assert (record.reductions.parts, record.certificate.sources) == (2, graph.vertices)
    assert made.planned("all_pairs", *GNUTELLA30, overlay=DEMO) == set()
    listed = made.run(sys.executable, "-m", "warpath", "records", "results/demo/runs")
    assert listed.returncode == 0 and RUN in listed.stdout


def test_a_part_that_is_lost_is_made_again_from_its_shards(made):
    for name in (f"{FOLDER}/2-of-2.npz", RECORD, TABLE):
        (made.root / name).unlink()
    output = made.snakemake(TABLE, *GNUTELLA30, overlay=DEMO)
    assert f"statistics of part 2 of 2 of {RUN}" in output and "statistics of part 1 of 2" not in output
    log = (made.root / f"logs/{FOLDER}/2-of-2.log").read_text()
    assert "156 rows found, 0 rows written" in log


@pytest.mark.nightly
def test_an_edit_of_the_kernel_makes_parts_again_in_another_store(made):
    kernel = made.root / "src/warpath/statistics/rows.cu"
    kernel.write_text(kernel.read_text() + "// a comment\n")
    assert made.planned(TABLE, *GNUTELLA30, overlay=DEMO) == set()
    kernel.write_text(kernel.read_text().replace("#define COPIES 4", "#define COPIES 2"))
    planned = made.planned(TABLE, *GNUTELLA30, overlay=DEMO)
    parts = {f"statistics of part {number} of 2 of {RUN} on demo-gnutella30" for number in (1, 2)}
    assert parts <= planned
    made.snakemake(TABLE, *GNUTELLA30, overlay=DEMO)
    assert len(list((made.root / FOLDER).glob("rows-*.zarr"))) == 2


COLUMNS = "warpath,cluster,sparse_all_pairs.narrow.predecessors=0,scipy,gapbs,rustworkx"
GNUTELLA04 = ["--config", "rows=gnutella04", f"columns={COLUMNS}", "device=simulated", "repeats_max=3"]


@dataclass
class WithoutGapbs(Checkout):
    """A checkout whose steps find no gapbs, whatever the user's own environment has."""

    @property
    def environment(self) -> dict[str, str]:
        return {**super().environment, "WARPATH_GAPBS": ""}


def measure(checkout: Checkout) -> None:
    WithoutGapbs(checkout.root).snakemake("peers", *GNUTELLA04, overlay=DEMO)


@pytest.fixture
def measured(tmp_path_factory, tmp_path) -> WithoutGapbs:
    """A checkout of one's own in which the work's row of gnutella04 is there."""
    shutil.copytree(made_once(tmp_path_factory, "peers", measure).root, tmp_path / "warpath")
    return WithoutGapbs(tmp_path / "warpath")


def test_every_file_of_the_work_is_made(measured):
    work = load(measured.root / "workflow/works/peers")
    targets = work.targets(Choice("demo", ("gnutella04",), tuple(COLUMNS.split(","))))
    assert {target.fields.kind for target in targets} == {"runs", "table", "figure", "claims"}
    for target in targets:
        folder = "figures" if target.fields.kind == "figure" else "results"
        for suffix in target.suffixes:
            assert_readable(measured.root / f"{folder}/demo/peers/{target.stem}{suffix}")
    assert measured.planned("peers", *GNUTELLA04, overlay=DEMO) == set()


def test_a_missing_peer_has_a_cell_and_the_others_their_times(measured):
    with open(measured.root / "results/demo/peers/one_source.csv", newline="") as file:
        lines = {line["solver"]: line for line in csv.DictReader(file)}
    assert (lines["gapbs"]["time"], lines["gapbs"]["status"]) == ("", "missing")
    assert float(lines["scipy"]["time"]) > 0 and float(lines["warpath"]["time"]) > 0
    assert lines["scipy"]["ratio"] == "", "a simulated time is compared with nothing"
    page = (measured.root / "results/demo/peers/one_source.md").read_text()
    assert "gapbs, not available: gapbs is not installed; clone sbeamer/gapbs" in page and "Simulation" in page


def test_a_peer_that_arrives_is_measured_by_turns_with_the_others_of_its_row(measured):
    stub = REPOSITORY / "tests/gapbs_stub"
    arrived = [*GNUTELLA04, f"gapbs={stub}"]
    runs = {job for job in measured.planned("peers", *arrived, overlay=DEMO) if job.startswith("run ")}
    assert runs == {f"run peers.{group} on demo-gnutella04 by turns" for group in ("one_source", "any_source")}
    folder = "results/demo/runs/demo-gnutella04"
    before = turns_of(measured, "sources")
    measured.snakemake(f"{folder}/peer_sssp.gapbs.sources=3.json", *arrived, overlay=DEMO)
    record = read_record(measured.root / folder / "peer_sssp.gapbs.sources=3.json")
    assert record.status == "ok" and record.solved_by.name == "gapbs"
    assert os.environ.get("WARPATH_GAPBS") != str(stub)
    assert record.measure.turns not in before
    made_with_it = read_record(
        measured.root / "results/demo/turns/demo-gnutella04/peers.any_source/peer_sssp.scipy.sources=3.json"
    )
    assert made_with_it.measure.turns == record.measure.turns


def test_the_runs_of_a_row_took_turns(measured):
    of_one, of_any = (turns_of(measured, name) for name in ("sources_with_arcs", "sources"))
    assert len(of_one) == len(of_any) == 1 and None not in of_one | of_any and of_one != of_any


def turns_of(checkout: Checkout, sources: str) -> set[str | None]:
    """The joint runs of all records from random sources."""
    files = (checkout.root / "results/demo/runs/demo-gnutella04").glob(f"*{sources}=3.json")
    records = [read_record(file) for file in files]
    return {record.measure.turns for record in records if sources in record.name_parameters}
