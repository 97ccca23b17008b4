"""The work `peers` in Snakemake: what it makes, what a missing peer does to it, and what measures a peer again."""

import csv
import os
import shutil
from dataclasses import dataclass

import pytest
from checkout import REPOSITORY, Checkout, made_once
from test_workflow import assert_readable

from warpath_study.record import read_record
from warpath_study.works.works import Choice, load

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

COLUMNS = "warpath,cluster,sparse_all_pairs.narrow.predecessors=0,scipy,gapbs,rustworkx"
CHOSEN = ["--config", "rows=gnutella04", f"columns={COLUMNS}", "device=simulated", "repeats_max=3"]
DEMO = "workflow/suites/demo.yaml"


@dataclass
class WithoutGapbs(Checkout):
    """A checkout whose steps find no gapbs, whatever the user's own environment has."""

    @property
    def environment(self) -> dict[str, str]:
        return {**super().environment, "WARPATH_GAPBS": ""}


def measure(checkout: Checkout) -> None:
    WithoutGapbs(checkout.root).snakemake("peers", *CHOSEN, overlay=DEMO)


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
    assert measured.planned("peers", *CHOSEN, overlay=DEMO) == set()


def test_a_missing_peer_has_a_cell_and_the_others_their_times(measured):
    with open(measured.root / "results/demo/peers/one_source.csv", newline="") as file:
        lines = {line["solver"]: line for line in csv.DictReader(file)}
    assert (lines["gapbs"]["time"], lines["gapbs"]["status"]) == ("", "missing")
    assert float(lines["scipy"]["time"]) > 0 and float(lines["warpath"]["time"]) > 0
    assert lines["scipy"]["ratio"] == "", "a simulated time is compared with nothing"
    page = (measured.root / "results/demo/peers/one_source.md").read_text()
    assert "gapbs, not available: gapbs is not installed; clone sbeamer/gapbs" in page and "Simulation" in page


def test_a_peer_that_arrives_is_measured_and_no_other(measured):
    stub = REPOSITORY / "tests/gapbs_stub"
    arrived = [*CHOSEN, f"gapbs={stub}"]
    runs = {job for job in measured.planned("peers", *arrived, overlay=DEMO) if job.startswith("run ")}
    assert runs == {f"run peer_sssp.gapbs.{name}=3 on demo-gnutella04" for name in ("sources", "sources_with_arcs")}
    file = "results/demo/runs/demo-gnutella04/peer_sssp.gapbs.sources=3.json"
    measured.snakemake(file, *arrived, overlay=DEMO)
    record = read_record(measured.root / file)
    assert record.status == "ok" and record.solved_by.name == "gapbs"
    assert os.environ.get("WARPATH_GAPBS") != str(stub)
