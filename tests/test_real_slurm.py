"""The profile for Slurm on a real Slurm: slurmctld and slurmd of one node, which slurm/one_node.sh starts."""

import csv
import fcntl
import os
import re
import subprocess
import time

import pytest
from checkout import REPOSITORY, Checkout

ONE_NODE = REPOSITORY / "tests/slurm/one_node.sh"
TABLE = "results/demo/table1.csv"
SMALLER = """\
suite: demo
device: host
rows: [nyc, bay, col, fla]
columns: [naive, stride]
budget_s: 0.2
cpu_budget_s: 0.2
repeats_max: 3
"""

pytestmark = [
    pytest.mark.workflow,
    pytest.mark.slow,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can install and start a Slurm"),
]


def one_node(action: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([ONE_NODE, action], capture_output=True, text=True, timeout=300)


@pytest.fixture
def slurm(tmp_path_factory):
    """A Slurm of one node with one GPU. There is one on a machine, so processes that test in parallel take turns."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    with open(folder / "slurm.lock", "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        installed = one_node("install")
        if installed.returncode:
            pytest.skip(f"Slurm's packages cannot be had: {(installed.stderr.splitlines() or ['no reason given'])[-1]}")
        started = one_node("up")
        assert started.returncode == 0, started.stderr
        yield
        one_node("down")


@pytest.fixture
def cluster(slurm, fresh: Checkout) -> Checkout:
    (fresh.root / "small.yaml").write_text(SMALLER)
    return fresh


def jobs() -> list[dict[str, str]]:
    """What Slurm knows of its jobs, by scontrol's own names."""
    known = subprocess.run(["scontrol", "-o", "show", "jobs"], capture_output=True, text=True, check=True).stdout
    return [dict(re.findall(r"(\S+?)=(\S*)", line)) for line in known.splitlines() if line.startswith("JobId=")]


def labels(table: list[list[str]]) -> list[list[str]]:
    """A table without its times."""
    return [[re.sub(r"\d+\.?\d*(e[+-]\d+)?", "#", cell) for cell in row] for row in table]


def read(checkout: Checkout) -> list[list[str]]:
    with open(checkout.root / TABLE) as file:
        return list(csv.reader(file))


def test_table_1_through_slurm_is_that_of_a_local_run_but_for_times(cluster, tmp_path):
    """Eight runs are two jobs of one GPU each: the profile is used as it stands."""
    cluster.snakemake(TABLE, profile="slurm")

    submitted = [job for job in jobs() if "run" in job.get("Comment", "")]
    assert [job["JobState"] for job in submitted] == ["COMPLETED", "COMPLETED"]
    assert {job["TresPerJob"].replace("gres/", "gres:") for job in submitted} == {"gres:gpu:1"}
    for job in submitted:
        assert job["StdOut"].startswith(f"{cluster.root}/logs/slurm/"), job["StdOut"]
        assert os.path.getsize(job["StdOut"]) > 0

    local = Checkout.make(tmp_path / "local")
    (local.root / "small.yaml").write_text(SMALLER)
    local.snakemake(TABLE)
    assert labels(read(cluster)) == labels(read(local))
    records = {str(file.relative_to(cluster.root)) for file in (cluster.root / "results/demo/runs").rglob("*.json")}
    assert records == {str(file.relative_to(local.root)) for file in (local.root / "results/demo/runs").rglob("*.json")}
    assert len(records) == 8


def test_a_cancelled_job_is_a_sentence_with_its_log_and_leaves_no_record(cluster):
    runs = [f"results/demo/runs/demo-{graph}/bellman_ford.naive.json" for graph in ("nyc", "bay")]
    command = cluster.command(*runs, "--slurm-init-seconds-before-status-checks", "1", profile="slurm")
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=cluster.root, env=cluster.environment, stdout=pipe, stderr=pipe) as snakemake:
        deadline = time.monotonic() + 60
        while not any(job["JobState"] == "RUNNING" for job in jobs()):
            assert time.monotonic() < deadline and snakemake.poll() is None
            time.sleep(0.2)
        subprocess.run(["scancel", "--user=root"], check=True)
        output = b"".join(snakemake.communicate(timeout=90)).decode()

    assert snakemake.returncode == 1, output
    assert output.count("FAILED: run bellman_ford.naive on demo-") == 2
    assert output.count("its job on the cluster ended before all its steps were done") == 2
    (log,) = set(re.findall(r"\(log: (logs/slurm/[^)]*)\)   \[", output))
    assert "CANCELLED" in (cluster.root / log).read_text()
    assert not any((cluster.root / run).exists() for run in runs)
