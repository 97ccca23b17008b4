"""The work `all_pairs` in Snakemake: its parts are jobs, what is done stays done, and a store is filled where it is."""

import csv
import shutil
import sys

import numpy as np
import pytest
import zarr
from checkout import Checkout, made_once
from test_workflow import assert_readable

import warpath
from warpath.graphs.csr import load as load_graph
from warpath_study.parts.parts import read_part
from warpath_study.record import read_record
from warpath_study.works.works import Choice, load

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

CHOSEN = ["--config", "rows=gnutella30", "device=simulated", "scatter=2"]
DEMO = "workflow/suites/demo.yaml"
TABLE = "results/demo/all_pairs/statistics.csv"
RUN = "all_pairs.reductions.nearest=8+store=1"
RECORD = f"results/demo/runs/demo-gnutella30/{RUN}.json"
FOLDER = f"results/demo/parts/demo-gnutella30/{RUN}"


@pytest.fixture
def made(tmp_path_factory, tmp_path):
    """A checkout of one's own in which the row of gnutella30 is there."""
    once = made_once(
        tmp_path_factory, "all_pairs", lambda checkout: checkout.snakemake("all_pairs", *CHOSEN, overlay=DEMO)
    )
    shutil.copytree(once.root, tmp_path / "warpath")
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
    assert made.planned("all_pairs", *CHOSEN, overlay=DEMO) == set()
    listed = made.run(sys.executable, "-m", "warpath", "records", "results/demo/runs")
    assert listed.returncode == 0 and RUN in listed.stdout


def test_a_part_that_is_lost_is_made_again_from_its_shards(made):
    for name in (f"{FOLDER}/2-of-2.npz", RECORD, TABLE):
        (made.root / name).unlink()
    output = made.snakemake(TABLE, *CHOSEN, overlay=DEMO)
    assert f"statistics of part 2 of 2 of {RUN}" in output and "statistics of part 1 of 2" not in output
    log = (made.root / f"logs/{FOLDER}/2-of-2.log").read_text()
    assert "156 rows found, 0 rows written" in log


def test_an_edit_of_the_kernel_makes_parts_again_in_another_store(made):
    kernel = made.root / "src/warpath/statistics/rows.cu"
    kernel.write_text(kernel.read_text() + "// a comment\n")
    assert made.planned(TABLE, *CHOSEN, overlay=DEMO) == set()
    kernel.write_text(kernel.read_text().replace("#define COPIES 4", "#define COPIES 2"))
    planned = made.planned(TABLE, *CHOSEN, overlay=DEMO)
    parts = {f"statistics of part {number} of 2 of {RUN} on demo-gnutella30" for number in (1, 2)}
    assert parts <= planned
    made.snakemake(TABLE, *CHOSEN, overlay=DEMO)
    assert len(list((made.root / FOLDER).glob("rows-*.zarr"))) == 2
