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
import yaml
from checkout import REPOSITORY, Checkout

from warpath.solvers.checks.preconditions import PATHS
from warpath_study.datasets.catalog import load_catalog
from warpath_study.record import read_record
from warpath_study.works.planned import items_of, megabytes, minutes

ONE_NODE = REPOSITORY / "tests/slurm/one_node.sh"
TABLE = "results/demo/table1.csv"
# Samples are two and the budget ample: on a slow machine, too, every cell has its median, least and most.
BUDGET_S = 20
SHORTER = f"""\
suite: demo
device: simulated
budget_s: {BUDGET_S}
cpu_budget_s: {BUDGET_S}
repeats_min: 2
repeats_max: 2
"""
# A run that takes about as long as its budget.
LONG = """\
suite: demo
device: simulated
budget_s: 2
cpu_budget_s: 2
repeats_min: 1000000
repeats_max: 1000000
"""
RUNS = [f"results/demo/runs/demo-nyc/bellman_ford.{variant}.json" for variant in ("naive", "cpu", "stride")]
CHOSEN = ("--config", "rows=nyc,bay", "columns=naive")
QUICK = ("--slurm-init-seconds-before-status-checks", "1")
# As docs/cluster.md has it.
TOGETHER = ("--groups", "run=runs", "--group-components", "runs=6", "--resources", "gpu=1", "mem_mb=65536", "nodes=1")
TOGETHER += ("--set-resource-scopes", "gpu=local", "mem_mb=local", "nodes=local")

# Where these tests have to run, as in continuous integration, what is missing is a failure.
REQUIRED = os.environ.get("WARPATH_SLURM") == "required"

pytestmark = [
    pytest.mark.workflow,
    pytest.mark.slow,
    pytest.mark.skipif(os.geteuid() != 0 and not REQUIRED, reason="only root can install and start a Slurm"),
]


def one_node(action: str, accounting: str = "") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "ACCOUNTING": accounting}
    return subprocess.run([ONE_NODE, action], capture_output=True, text=True, timeout=300, env=environment)


def start(accounting: str) -> None:
    installed = one_node("install", accounting)
    if installed.returncode:
        reason = f"cannot install Slurm: {(installed.stderr.splitlines() or ['unknown error'])[-1]}"
        pytest.fail(reason) if REQUIRED else pytest.skip(reason)
    started = one_node("up", accounting)
    assert started.returncode == 0, started.stderr


@pytest.fixture
def slurm(request, tmp_path_factory):
    """A Slurm of one node with GPUs; with the parameter "accounting", it has a database of its jobs.

    A machine has one at a time. Tests in several processes share it, and tests that need the other kind wait. A file
    names the kind that is up. Each user of that Slurm holds a shared lock on the file; starting and stopping take an
    exclusive one.
    """
    accounting = getattr(request, "param", "")
    kind = accounting or "plain"
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    file = folder / "slurm.lock"
    with open(file, "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        # Another process may take the file's lock while this one exchanges its own, so the kind is read again.
        while file.read_text() != kind:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if file.read_text() != kind:
                stop(file)
                start(accounting)
                file.write_text(kind)
            fcntl.flock(lock, fcntl.LOCK_SH)
        yield
        with suppress(BlockingIOError):  # another process still uses it
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            stop(file)


def stop(file: Path) -> None:
    if file.read_text():
        one_node("down")
        file.write_text("")


@pytest.fixture
def cluster(slurm, fresh: Checkout) -> Iterator[Checkout]:
    (fresh.root / "small.yaml").write_text(SHORTER)
    (fresh.root / "long.yaml").write_text(LONG)
    edit_profile(fresh)
    yield fresh
    cancel(fresh)


def jobs(cluster: Checkout) -> list[dict[str, str]]:
    """The jobs that were submitted in this checkout, by scontrol's own names."""
    shown = subprocess.run(["scontrol", "-od", "show", "jobs"], capture_output=True, text=True, check=True).stdout
    found = [dict(re.findall(r"(\S+?)=(\S*)", line)) for line in shown.splitlines() if line.startswith("JobId=")]
    return [job for job in found if job["WorkDir"] == str(cluster.root)]


def cancel(cluster: Checkout) -> None:
    if active := [job["JobId"] for job in jobs(cluster) if job["JobState"] in ("PENDING", "RUNNING", "COMPLETING")]:
        # A job may have ended in the meantime.
        subprocess.run(["scancel", *active], capture_output=True)


def until(condition: Callable[[], object], patience_s: float = 60) -> None:
    deadline = time.monotonic() + patience_s
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def states(cluster: Checkout) -> list[str]:
    return [job["JobState"] for job in jobs(cluster)]


def begun(cluster: Checkout, *arguments: str) -> subprocess.Popen[str]:
    """Snakemake that has three long runs to do."""
    command = cluster.command(*RUNS, *QUICK, *arguments, profile="slurm", overlay="long.yaml")
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    return subprocess.Popen(command, cwd=cluster.root, env=cluster.environment, **streams)


@contextmanager
def started(cluster: Checkout, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Snakemake at work on three long runs, a job each, from when the first one is done and the others are not."""
    with begun(cluster, *arguments) as snakemake:
        until(lambda: snakemake.poll() is not None or "COMPLETED" in states(cluster), 120)
        assert snakemake.poll() is None, snakemake.communicate()
        yield snakemake
        if snakemake.poll() is None:
            snakemake.kill()


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
    """Its runs are as many jobs of one GPU each."""
    cluster.snakemake(TABLE, *QUICK, *CHOSEN, profile="slurm")

    submitted = jobs(cluster)
    assert [job["JobState"] for job in submitted] == ["COMPLETED"] * 2
    hours, left = divmod(minutes(BUDGET_S), 60)
    assert {job["TimeLimit"] for job in submitted} == {f"{hours:02}:{left:02}:00"}
    graphs = [load_catalog()[f"demo-{name}"] for name in ("nyc", "bay")]
    memory = [f"{megabytes(items_of(graph), PATHS.bytes_per_pair * graph.vertices)}M" for graph in graphs]
    assert sorted(job["MinMemoryNode"] for job in submitted) == sorted(memory)
    for job in submitted:
        assert (job["Partition"], job["TresPerJob"], job["CPUs/Task"]) == ("gpu", "gres:gpu:1", "4")
        assert job["StdOut"].startswith(f"{cluster.root}/logs/slurm/"), job["StdOut"]
        assert os.path.getsize(job["StdOut"]) > 0

    local = Checkout.make(tmp_path / "local")
    (local.root / "small.yaml").write_text(SHORTER)
    local.snakemake(TABLE, *CHOSEN)
    assert labels(read(cluster)) == labels(read(local))
    records = {str(file.relative_to(cluster.root)) for file in (cluster.root / "results/demo/runs").rglob("*.json")}
    assert records == {str(file.relative_to(local.root)) for file in (local.root / "results/demo/runs").rglob("*.json")}
    assert len(records) == 2


def test_a_cancelled_job_is_told_with_its_log_and_the_others_keep_their_records(cluster):
    with started(cluster, "--retries", "0") as snakemake:
        cancel(cluster)
        output, _ = snakemake.communicate(timeout=90)

    assert snakemake.returncode == 1, output
    ends = states(cluster)
    assert output.count("FAILED: run bellman_ford.") == ends.count("CANCELLED") > 0
    assert len(measured(cluster)) == ends.count("COMPLETED") > 0
    for log in re.findall(r"(logs/slurm/[^ ,)]*)\)   \[", output):
        assert "CANCELLED" in (cluster.root / log).read_text()


def test_a_job_out_of_memory_gets_another_one_that_asks_for_more(cluster):
    """Slurm ends it by what its processes use, as a node without cgroups does. The matrices take 946 MB."""
    record = "results/demo/runs/standin-gnutella04/floyd_warshall.cpu.json"
    memory = ("--set-resources", "run:mem_mb=800*2**(attempt-1)")
    output = cluster.snakemake(record, *QUICK, *memory, profile="slurm", overlay="long.yaml")
    first, second = jobs(cluster)
    assert "FAILED: run floyd_warshall.cpu" in output
    assert (first["MinMemoryNode"], second["MinMemoryNode"]) == ("800M", "1600M")
    assert read_record(cluster.root / record).status == "estimated"


def test_several_runs_in_one_job_and_a_failed_run_in_a_second_job_that_asks_for_more(cluster):
    """The job of several runs asks for one GPU, and the lock of the machine makes them take turns."""
    cluster.snakemake(*RUNS[:2], *QUICK, *TOGETHER, profile="slurm")
    (together,) = jobs(cluster)
    assert together["TresPerJob"] == "gres:gpu:1" and len(measured(cluster)) == 2

    cluster.edit("src/warpath_study/published/bodra/bellman_ford/stride.cu", "this does not compile\n")
    other = "results/demo/runs/demo-bay/bellman_ford.cpu.json"
    output = cluster.snakemake(RUNS[2], other, *QUICK, profile="slurm", status=1)
    assert output.count("FAILED: run bellman_ford.stride") == 2 and "stride.cu:" in output
    assert (cluster.root / other).exists(), output
    failed = [job for job in jobs(cluster) if job["JobState"] == "FAILED"]
    first, second = sorted(failed, key=lambda job: int(job["JobId"]))
    memory, twice = (int(job["MinMemoryNode"].removesuffix("M")) for job in (first, second))
    assert twice == 2 * memory and second["TimeLimit"] > first["TimeLimit"]


def commands() -> Iterator[str]:
    """The command lines of all processes."""
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            yield file.read_text(errors="replace")


def start_again(cluster: Checkout, job: str) -> None:
    """Begin a job that Slurm put back into the queue, once the node is rid of it; Slurm would wait for two minutes."""
    until(lambda: any(each["JobId"] == job and each["JobState"] == "PENDING" for each in jobs(cluster)))
    until(lambda: not any(f"slurmstepd: [{job}." in command for command in commands()))
    time.sleep(2)  # slurmd notices the end a moment later, and would refuse the job
    slurm_does("scontrol", "update", f"JobId={job}", "StartTime=now")


def test_a_job_that_slurm_starts_again_begins_again(cluster):
    with started(cluster) as snakemake:
        job = next(each for each in jobs(cluster) if each["JobState"] == "RUNNING")
        # The job may have written its record and be about to end.
        first = {name: time for name, time in measured(cluster).items() if Path(name).stem not in job["StdOut"]}
        slurm_does("scontrol", "requeue", job["JobId"])
        start_again(cluster, job["JobId"])
        output, _ = snakemake.communicate(timeout=120)
    assert snakemake.returncode == 0, output
    assert first and len(measured(cluster)) == 3 and measured(cluster).items() >= first.items()
    assert sorted(each["Restarts"] for each in jobs(cluster)) == ["0", "0", "1"]


def test_after_a_kill_the_unlocked_folder_goes_on(cluster):
    with started(cluster) as snakemake:
        snakemake.send_signal(signal.SIGKILL)
    cancel(cluster)
    until(lambda: set(states(cluster)) <= {"COMPLETED", "CANCELLED"})
    done = cluster.run(*cluster.command(*RUNS, *QUICK, profile="slurm", overlay="long.yaml"))
    assert done.returncode == 1 and "snakemake --unlock" in done.stdout
    cluster.snakemake("--unlock", profile="slurm", overlay="long.yaml")
    cluster.snakemake(*RUNS, *QUICK, profile="slurm", overlay="long.yaml")
    assert len(measured(cluster)) == 3
    assert cluster.planned(*RUNS, profile="slurm", overlay="long.yaml") == set()


def edit_profile(cluster: Checkout, account: str | None = "physics", **of_rules: dict[str, str]) -> None:
    """Give the profile of the checkout another account, or none, and further resources for jobs with a GPU."""
    profile = cluster.root / "profiles/slurm/config.yaml"
    settings = yaml.safe_load(profile.read_text())
    del settings["default-resources"]["slurm_account"]
    settings["default-resources"] |= {"slurm_account": account} if account else {}
    for rule, resources in of_rules.items():
        settings["set-resources"][rule] = settings["set-resources"][rule] | resources
    profile.write_text(yaml.safe_dump(settings))


def test_sites_with_types_of_gpus_or_features_of_nodes_and_without_accounts(cluster):
    """A graph of unknown size is a job without a GPU, and a run on several GPUs is granted as many in one node."""
    (cluster.root / "data/raw").mkdir(parents=True)
    (cluster.root / "data/raw/mine.txt").write_text("3 2\n0 1 4\n1 2 1\n")
    cluster.edit("data/catalog.yaml", "mine: {kind: edges, file: mine.txt}\n")
    edit_profile(cluster, account=None, run={"gpu_model": "h100"}, statistics={"constraint": "h100"})
    run = "results/demo/runs/mine/blocked_all_pairs.several_devices.devices=4.json"
    cluster.snakemake(run, "results/demo/parts/mine/all_pairs.reductions/1-of-1.npz", *QUICK, profile="slurm")

    by_rule = {re.match("rule_([a-z_]+)_wildcards", job["Comment"])[1]: job for job in jobs(cluster)}
    requests = {
        rule: [job.get(key) for key in ("Partition", "TresPerJob", "Features")] for rule, job in by_rule.items()
    }
    assert requests == {
        "convert_large": ["cpu", None, "(null)"],
        "run": ["gpu", "gres:gpu:h100:4", "(null)"],
        "statistics": ["gpu", "gres:gpu:1", "h100"],
    }
    assert {(job["Account"], job["JobState"]) for job in by_rule.values()} == {("(null)", "COMPLETED")}
    assert by_rule["run"]["NumNodes"] == "1"
    assert read_record(cluster.root / run).parameters["devices"] == 4


@pytest.mark.parametrize("slurm", ["accounting"], indirect=True)
def test_a_site_that_requires_an_account_and_a_qos(cluster):
    """There, sacct tells the state of jobs."""
    edit_profile(cluster, run={"qos": "my_qos"})
    cluster.snakemake(RUNS[1], *QUICK, "--slurm-status-command", "sacct", profile="slurm")
    command = ["sacct", "--allocations", "--noheader", "--parsable2", "--format=State,Account,QOS,Partition"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert listed.splitlines() == ["COMPLETED|physics|my_qos|gpu"]

    edit_profile(cluster, account="nobody")
    # The machine that submits needs no GPU.
    output = cluster.snakemake(RUNS[0], *QUICK, "--config", "device=cuda", profile="slurm", status=1)
    assert "nobody" in output and "physics" in output  # the one that is wrong, and those that there are
