"""The profile for Slurm on a real Slurm: slurmctld and slurmd of one node, which slurm/one_node.sh starts."""

import csv
import fcntl
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from checkout import REPOSITORY, Checkout

from warpath.solvers.limits import PATHS
from warpath_study.datasets.catalog import load_catalog
from warpath_study.measure.needs import megabytes, minutes
from warpath_study.records.files import read_record

ONE_NODE = REPOSITORY / "tests/slurm/one_node.sh"
TABLE = "results/demo/table1.csv"
# Samples are two and the budget ample: on a slow machine, too, every cell has its median, least and most.
BUDGET_S = 20
SHORTER = f"""\
suite: demo
device: host
budget_s: {BUDGET_S}
cpu_budget_s: {BUDGET_S}
repeats_min: 2
repeats_max: 2
"""
# A run that takes about as long as its budget.
LONG = """\
suite: demo
device: host
budget_s: 2
cpu_budget_s: 2
repeats_min: 1000000
repeats_max: 1000000
"""
RUNS = [f"results/demo/runs/demo-nyc/bellman_ford.{variant}.json" for variant in ("naive", "cpu", "stride")]
QUICK = ("--slurm-init-seconds-before-status-checks", "1")

# Where these tests have to run, as in continuous integration, what is missing is a failure.
REQUIRED = os.environ.get("WARPATH_SLURM") == "required"

pytestmark = [
    pytest.mark.workflow,
    pytest.mark.slow,
    pytest.mark.skipif(os.geteuid() != 0 and not REQUIRED, reason="only root can install and start a Slurm"),
]


def one_node(action: str, accounting: str = "") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "GPUS": "4", "ACCOUNTING": accounting}
    return subprocess.run([ONE_NODE, action], capture_output=True, text=True, timeout=300, env=environment)


@pytest.fixture
def slurm(request, tmp_path_factory):
    """A Slurm of one node with four GPUs; with the parameter "accounting", it has a database of its jobs.

    There is one on a machine, so processes that test in parallel take turns.
    """
    accounting = getattr(request, "param", "")
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    with open(folder / "slurm.lock", "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        installed = one_node("install", accounting)
        if installed.returncode:
            why = f"Slurm's packages cannot be had: {(installed.stderr.splitlines() or ['no reason given'])[-1]}"
            pytest.fail(why) if REQUIRED else pytest.skip(why)
        started = one_node("up", accounting)
        assert started.returncode == 0, started.stderr
        yield
        one_node("down")


@pytest.fixture
def cluster(slurm, fresh: Checkout) -> Checkout:
    (fresh.root / "small.yaml").write_text(SHORTER)
    (fresh.root / "long.yaml").write_text(LONG)
    return fresh


def jobs() -> list[dict[str, str]]:
    """What Slurm knows of its jobs, by scontrol's own names."""
    known = subprocess.run(["scontrol", "-od", "show", "jobs"], capture_output=True, text=True, check=True).stdout
    return [dict(re.findall(r"(\S+?)=(\S*)", line)) for line in known.splitlines() if line.startswith("JobId=")]


def until(condition: Callable[[], object], patience_s: float = 60) -> None:
    deadline = time.monotonic() + patience_s
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def begun(cluster: Checkout, *arguments: str) -> subprocess.Popen[str]:
    """Snakemake that has three long runs to do."""
    command = cluster.command(*RUNS, *QUICK, *arguments, profile="slurm", overlay="long.yaml")
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    return subprocess.Popen(command, cwd=cluster.root, env=cluster.environment, **streams)


@contextmanager
def started(cluster: Checkout, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Snakemake at work on three long runs in one job, from when the first one is done and the others are not."""
    with begun(cluster, *arguments) as snakemake:
        until(lambda: snakemake.poll() is not None or kept(cluster))
        assert snakemake.poll() is None, snakemake.communicate()
        yield snakemake
        if snakemake.poll() is None:
            snakemake.kill()


def kept(cluster: Checkout) -> dict[str, str]:
    """When the runs of an unfinished job were measured, by name."""
    return measured(cluster, ".snakemake/measured/results/demo/runs")


def measured(cluster: Checkout, folder: str = "results/demo/runs") -> dict[str, str]:
    files = (cluster.root / folder).rglob("*.json")
    return {file.name: read_record(file).finished for file in files if not file.name.startswith(".")}


def slurm_does(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True, text=True)


def labels(table: list[list[str]]) -> list[list[str]]:
    """A table without its times."""
    return [[re.sub(r"\d+\.?\d*(e[+-]\d+)?", "#", cell) for cell in row] for row in table]


def read(checkout: Checkout) -> list[list[str]]:
    with open(checkout.root / TABLE) as file:
        return list(csv.reader(file))


def test_table_1_through_slurm_is_that_of_a_local_run_but_for_times(cluster, tmp_path):
    """Its 24 runs are four jobs of one GPU each: the profile is used as it stands."""
    cluster.snakemake(TABLE, profile="slurm")

    submitted = [job for job in jobs() if "run" in job.get("Comment", "")]
    assert [job["JobState"] for job in submitted] == ["COMPLETED"] * 4
    hours, left = divmod(6 * minutes(BUDGET_S), 60)
    assert {job["TimeLimit"] for job in submitted} == {f"{hours:02}:{left:02}:00"}
    graphs = [load_catalog()[f"demo-{name}"] for name in ("nyc", "bay", "col", "fla", "ne", "e")]
    memory = {f"{megabytes(PATHS, 1, graph.vertices, graph.arcs)}M" for graph in graphs}
    for job in submitted:
        assert job["JOB_GRES"] == "gpu:1"
        assert job["MinMemoryNode"] in memory
        assert job["StdOut"].startswith(f"{cluster.root}/logs/slurm/"), job["StdOut"]
        assert os.path.getsize(job["StdOut"]) > 0

    local = Checkout.make(tmp_path / "local")
    (local.root / "small.yaml").write_text(SHORTER)
    local.snakemake(TABLE)
    assert labels(read(cluster)) == labels(read(local))
    records = {str(file.relative_to(cluster.root)) for file in (cluster.root / "results/demo/runs").rglob("*.json")}
    assert records == {str(file.relative_to(local.root)) for file in (local.root / "results/demo/runs").rglob("*.json")}
    assert len(records) == 24 and not kept(cluster)


def test_a_cancelled_job_is_a_sentence_with_its_log_and_loses_no_record(cluster):
    with started(cluster, "--retries", "0") as snakemake:
        before = kept(cluster)
        slurm_does("scancel", "--user=root")
        output, _ = snakemake.communicate(timeout=90)

    assert snakemake.returncode == 1, output
    assert (
        len(re.findall(r"FAILED: run bellman_ford\.\w+ on demo-nyc and run bellman_ford\.\w+ on demo-nyc ", output))
        == 1
    )
    (job,) = jobs()
    assert f"        Slurm job {job['JobId']} was cancelled before this was done\n" in output
    assert "        done and kept for the next attempt: run bellman_ford." in output
    (log,) = re.findall(r"\(log: (logs/slurm/[^)]*)\)   \[", output)
    assert "CANCELLED" in (cluster.root / log).read_text()
    assert kept(cluster) == before and not measured(cluster)


def test_a_job_out_of_memory_gets_another_one_that_asks_for_more(cluster):
    """Slurm ends it by what its processes use, as a node without cgroups does. The matrices take 946 MB."""
    record = "results/demo/runs/standin-gnutella04/floyd_warshall.cpu.json"
    memory = ("--set-resources", "run:mem_mb=800*2**(attempt-1)")
    output = cluster.snakemake(record, *QUICK, *memory, profile="slurm")
    first, second = jobs()
    assert f"        Slurm job {first['JobId']} used more memory than it had asked for before this was done\n" in output
    assert (first["MinMemoryNode"], second["MinMemoryNode"]) == ("800M", "1600M")
    assert read_record(cluster.root / record).status == "estimated"


def start_again(job: str) -> None:
    """Begin a job that Slurm put back into the queue, once the node is rid of it; Slurm would wait for two minutes."""
    until(lambda: jobs()[0]["JobState"] == "PENDING")
    until(lambda: not any(f"slurmstepd: [{job}." in command for _, command in commands()))
    time.sleep(2)  # slurmd notices the end a moment later, and would refuse the job
    slurm_does("scontrol", "update", f"JobId={job}", "StartTime=now")


def commands() -> Iterator[tuple[int, str]]:
    """The numbers and command lines of all processes."""
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            yield int(file.parent.name), file.read_text(errors="replace")


def test_a_job_that_slurm_starts_again_goes_on_where_it_was(cluster):
    """First its node is lost, then it is preempted."""
    node = os.uname().nodename.partition(".")[0]
    with started(cluster) as snakemake:
        first = kept(cluster)
        (job,) = (job["JobId"] for job in jobs())
        slurm_does("scontrol", "update", f"NodeName={node}", "State=DOWN", "Reason=test")
        subprocess.run(["scontrol", "update", f"NodeName={node}", "State=RESUME"], capture_output=True)
        start_again(job)
        until(lambda: len(kept(cluster)) == 2)
        second = kept(cluster)
        slurm_does("scontrol", "requeue", job)
        start_again(job)
        output, _ = snakemake.communicate(timeout=120)

    assert snakemake.returncode == 0, output
    assert output.count("measured before an interruption") == 2
    assert measured(cluster).items() > second.items() > first.items()
    assert [(job["JobState"], job["Restarts"]) for job in jobs()] == [("COMPLETED", "2")]


@contextmanager
def at_rest(cluster: Checkout) -> Iterator[None]:
    """All processes that work in the checkout are stopped, and go on afterwards."""
    stopped = [number for number, command in commands() if str(cluster.root) in command]
    for number in stopped:
        os.kill(number, signal.SIGSTOP)
    try:
        yield
    finally:
        for number in stopped:
            os.kill(number, signal.SIGCONT)


def test_after_a_kill_the_same_command_awaits_what_it_left_and_takes_it(cluster):
    with started(cluster) as snakemake:
        snakemake.send_signal(signal.SIGKILL)
    with at_rest(cluster):  # else the job could end before the next Snakemake has begun
        (left,) = jobs()
        assert left["JobState"] == "RUNNING"
        again = begun(cluster)
        waits = "waiting for what an interrupted Snakemake left in the queue, to take its records: "
        told = any(f"{waits}Slurm job {left['JobId']} " in line for line in again.stdout)
    output, _ = again.communicate(timeout=300)
    assert told and again.returncode == 0, output
    assert output.count("measured before an interruption") == 3
    first, second = jobs()
    assert (first["JobState"], second["JobState"]) == ("COMPLETED", "COMPLETED")
    assert "kept_runs" in second["Comment"]
    for moment in measured(cluster).values():
        assert moment <= f"{first['EndTime']}+00:00", "the second job measured nothing"

    cluster.edit("src/warpath_study/published/bodra/bellman_ford/naive.cu", "static const int another = 1;\n")
    planned = cluster.planned(*RUNS, profile="slurm", overlay="long.yaml")
    assert planned == {"run bellman_ford.naive on demo-nyc"}, "what was taken is noted: an edit measures it again"


def test_a_run_on_several_gpus_is_granted_as_many(cluster):
    run = "results/demo/runs/katz-64/blocked_all_pairs.several_devices.devices={}.json"
    cluster.snakemake(run.format(2), run.format(4), *QUICK, profile="slurm")
    assert {job["JOB_GRES"] for job in jobs()} == {"gpu:2", "gpu:4"}
    assert {job["NumNodes"] for job in jobs()} == {"1"}
    assert read_record(cluster.root / run.format(4)).parameters["devices"] == 4


@pytest.mark.parametrize("slurm", ["accounting"], indirect=True)
def test_with_accounting_sacct_tells_the_state_of_jobs_and_an_unknown_account_is_a_sentence(cluster):
    cluster.snakemake(RUNS[1], *QUICK, "--slurm-status-command", "sacct", profile="slurm")
    command = ["sacct", "--allocations", "--noheader", "--parsable2", "--format=State,Account"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert told.splitlines() == ["COMPLETED|my_account"]

    profile = cluster.root / "workflow/profiles/slurm/config.yaml"
    profile.write_text(profile.read_text().replace("slurm_account: my_account", "slurm_account: nobody"))
    output = cluster.snakemake(*RUNS, profile="slurm", status=1)
    assert output.splitlines()[1:] == [
        "snakemake: error: Slurm takes no job with --account=nobody --partition=gpu: allocation failure: "
        "Invalid account or account/partition combination specified; mend the profile"
    ]
