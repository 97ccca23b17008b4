"""What is made again: all that a change can have an effect on, and what an interrupted build has not finished."""

import json
import os
import re
import signal
import subprocess
import time

import pytest
from fuzz.interruptions import Interruptions

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

DATASETS = ("demo-nyc", "demo-bay")
VARIANTS = ("naive", "stride", "stride_flag")
FAMILY = {f"run bellman_ford.{variant} on {dataset}" for variant in VARIANTS for dataset in DATASETS}
OF_ALL = {"write runs", "write claims"}
TABLE1 = {"write table1", "draw figure5", "draw figure5_log", "draw figure5_speedup"} | OF_ALL
TABLE2 = {"write table2"} | OF_ALL
TABLE3 = {"write table3", "draw figure6", "draw figure6_log", "draw figure6_speedup"} | OF_ALL
SPARE = "\n__device__ int spare;\n"


def measured(planned: set[str]) -> set[str]:
    """The jobs among them that make a graph or a run."""
    return {job for job in planned if not job.startswith(("write", "draw"))}


def test_nothing_after_touching_every_file_and_edits_that_decide_no_run(built):
    """Comments, docstrings, a command, the headers of the simulated GPU, the other device."""
    built.edit("src/warpath_study/published/bodra/bellman_ford/relax.cuh", "// a remark\n")
    built.edit("src/warpath_study/published/bodra/bellman_ford/naive.py", '# a remark\n"""Another docstring."""\n')
    naive = built.root / "src/warpath_study/published/bodra/bellman_ford/naive.py"
    naive.write_text(naive.read_text().replace('"""Bellman-Ford, naive: ', '"""Bellman-Ford, the naive one: '))
    built.edit("src/warpath_study/cli/run.py", "SPARE = 1\n")
    built.edit("src/warpath/device/simulated/simt/kernel.h", "// a remark\n")
    built.edit("src/warpath/device/cuda.py", "SPARE = 1\n")
    for folder, _, names in os.walk(built.root):
        if ".snakemake" not in folder:
            for name in names:
                os.utime(os.path.join(folder, name))
    assert built.planned() == set()


def test_after_editing_a_kernel_only_its_runs_and_after_editing_what_it_includes_the_whole_family(built):
    kernel = built.root / "src/warpath_study/published/bodra/bellman_ford/stride_flag.cu"
    before = kernel.read_text()
    kernel.write_text(before + SPARE)
    assert built.planned() == {f"run bellman_ford.stride_flag on {dataset}" for dataset in DATASETS} | TABLE1
    kernel.write_text(before)
    included = "src/warpath_study/published/bodra/bellman_ford/relax.cuh"
    built.edit(included, SPARE)
    assert built.planned() == FAMILY | TABLE1
    said = built.snakemake("-n", profile=None)
    assert len(re.findall(r"run bellman_ford.* \(.*relax\.cuh.*\)$", said, re.MULTILINE)) == len(FAMILY)


def test_every_run_and_no_graph_after_raising_the_revision_of_the_sampling(built):
    sampling = built.root / "src/warpath_study/measure/sampling.py"
    sampling.write_text(sampling.read_text().replace("REVISION = 1", "REVISION = 2"))
    planned = built.planned()
    assert len(measured(planned)) == 3 * 2 + 2 + 2
    assert all(job.startswith("run ") for job in measured(planned))
    assert planned - measured(planned) == TABLE1 | TABLE2 | TABLE3


def test_targets_after_editing_a_report_and_graphs_without_weights_after_changing_the_seed(built):
    built.edit("src/warpath_study/report/style.py", "SPARE = 1\n")
    assert built.planned() == TABLE1 | TABLE2 | TABLE3
    runs = {
        f"run {run} on demo-gnutella04"
        for run in ("dijkstra.cpu", "dijkstra.naive", "floyd_warshall.naive", "floyd_warshall.tiled_shared")
    }
    planned = built.planned("--config", "weight_seed=7")
    assert measured(planned) == {"generate demo-gnutella04"} | runs and planned >= TABLE2 | TABLE3


def test_only_runs_that_use_changed_settings_and_only_the_graph_whose_parameters_changed(built):
    planned = built.planned("--config", "source_index=3", "cpu_budget_s=1")
    assert planned == FAMILY | {"run dijkstra.cpu on demo-gnutella04"} | TABLE1 | TABLE2
    catalog = built.root / "data/catalog.yaml"
    entries = catalog.read_text()
    for before, after in (
        ("title: Small stand-in for the San Francisco Bay Area (generated)", "title: Another"),
        ("{vertices: 600, arcs: 1666, seed: 1}", "{vertices: 600, arcs: 1666, seed: 2}"),
    ):
        assert entries.count(before) == 1
        entries = entries.replace(before, after)
    catalog.write_text(entries)
    runs = {f"run bellman_ford.{variant} on demo-nyc" for variant in VARIANTS}
    assert built.planned() == {"generate demo-nyc"} | runs | TABLE1


def test_only_the_new_runs_after_adding_a_variant_to_a_work(built):
    work = built.root / "workflow/works/bodra/work.yaml"
    columns = "columns: [bellman_ford.cpu, bellman_ford.naive, bellman_ford.stride, bellman_ford.stride_flag]"
    assert work.read_text().count(columns) == 1
    work.write_text(work.read_text().replace(columns, columns.replace("]", ", bellman_ford.ell]")))
    planned = built.planned()
    assert measured(planned) == {f"run bellman_ford.ell on {dataset}" for dataset in DATASETS}
    assert planned >= TABLE1


# Whatever ends a build: a failing cell, Ctrl-C, kill -9.


def records(checkout) -> dict[str, int]:
    """All records by name, with the time of their last change."""
    return {
        f"{file.parent.name}/{file.stem}": file.stat().st_mtime_ns
        for file in (checkout.root / "results/demo/runs").glob("*/*.json")
    }


def test_a_failing_cell_leaves_all_others_intact(built):
    kernel = built.root / "src/warpath_study/published/bodra/bellman_ford/stride.cu"
    good = kernel.read_text()
    before = records(built)
    kernel.write_text(good + "\nthis does not compile\n")
    gone = built.record("demo-nyc", "bellman_ford.naive")
    gone.unlink()

    output = built.snakemake(status=1)

    assert "stride.cu" in output and "Traceback" not in output
    after = records(built)
    assert {name for name in before if name not in after} == {f"{name}/bellman_ford.stride" for name in DATASETS}
    assert {name for name in after if after[name] != before[name]} == {"demo-nyc/bellman_ford.naive"}

    kernel.write_text(good)
    resumed = {f"run bellman_ford.stride on {name}" for name in DATASETS}
    figures = {"draw figure5", "draw figure5_log", "draw figure5_speedup"}
    assert built.planned() == resumed | figures | {"write table1", "write claims", "write runs"}


def test_what_a_failed_run_or_a_user_left_without_a_record_is_measured(built):
    """Also where what failed has been mended, and all that is newer than the table is the graph."""
    only = "results/demo/table2.csv", "--config", "columns=naive"
    built.snakemake(*only)
    kernel = built.root / "src/warpath_study/published/bodra/dijkstra/naive.cu"
    good = kernel.read_text()
    kernel.write_text(good + "\nthis does not compile\n")
    of_another_seed = *only, "weight_seed=7"
    built.snakemake(*of_another_seed, status=1)
    kernel.write_text(good)
    assert built.planned(*of_another_seed) == {"run dijkstra.naive on demo-gnutella04", "write table2"}
    built.snakemake(*of_another_seed)
    assert "seed 7" in (built.root / "results/demo/table2.md").read_text()
    assert measured(built.planned(*of_another_seed)) == set()

    built.record("demo-bay", "bellman_ford.naive").unlink()
    assert built.planned("results/demo/table1.csv") == {"run bellman_ford.naive on demo-bay", "write table1"}


@pytest.mark.parametrize(("blow", "profile"), [(signal.SIGINT, "local"), (signal.SIGKILL, None)])
def test_an_interrupted_build_goes_on_where_it_was(built, blow, profile):
    lost = [built.record(dataset, "bellman_ford.naive") for dataset in DATASETS]
    # Snakemake makes a missing record again only if something that is wanted misses it.
    table = "results/demo/table1.csv"
    for file in [*lost, built.root / table]:
        file.unlink()
    before = records(built)

    with subprocess.Popen(
        built.command(table, profile=profile),
        cwd=built.root,
        env=built.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        deadline = time.monotonic() + 120
        while not any(file.exists() for file in lost) and time.monotonic() < deadline:
            time.sleep(0.01)
        os.killpg(process.pid, blow)
    assert process.returncode != 0

    finished = records(built)
    assert set(before) < set(finished) and len(finished) < len(before) + len(lost)
    for file in (built.root / "results").rglob("*.json"):
        json.loads(file.read_text())

    if blow == signal.SIGKILL:
        assert "snakemake --unlock" in built.snakemake(table, profile=profile, status=1)
        built.snakemake("--unlock", profile=profile)
    built.snakemake(table, profile=profile)
    after = records(built)
    assert len(after) == len(before) + len(lost)
    # The last one may have been finished, but not yet been noted as finished, when the blow came.
    assert sum(after[name] != time_ns for name, time_ns in finished.items()) <= 1
    assert {name for name in before if after[name] != before[name]} == set()
    assert built.planned(table) == set()


@pytest.mark.nightly
def test_random_interruptions_leave_nothing_that_the_same_command_does_not_mend(tmp_path):
    build = Interruptions(tmp_path / "warpath")
    for number in range(2):
        build.case(11, number)
