"""What is finished stays finished, whatever ends the rest: a failing cell, Ctrl-C, kill -9."""

import json
import os
import signal
import subprocess
import time

import pytest
from fuzz.interruptions import Interruptions

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

FAILING = {"demo-nyc", "demo-bay"}
_SEED = 11


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
    assert {name for name in before if name not in after} == {f"{name}/bellman_ford.stride" for name in FAILING}
    assert {name for name in after if after[name] != before[name]} == {"demo-nyc/bellman_ford.naive"}

    kernel.write_text(good)
    resumed = {f"run bellman_ford.stride on {name}" for name in FAILING}
    figures = {"draw figure5", "draw figure5_log", "draw figure5_speedup"}
    assert built.planned() == resumed | figures | {"write table1", "write claims", "write runs"}


@pytest.mark.parametrize(("blow", "profile"), [(signal.SIGINT, "local"), (signal.SIGKILL, None)])
def test_an_interrupted_build_goes_on_where_it_was(built, blow, profile):
    lost = [built.record(dataset, "bellman_ford.naive") for dataset in FAILING]
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


def test_random_interruptions_leave_nothing_that_the_same_command_does_not_mend(tmp_path):
    build = Interruptions(tmp_path / "warpath")
    for number in range(2):
        build.case(_SEED, number)
