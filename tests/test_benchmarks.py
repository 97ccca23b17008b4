"""The benchmarks run; what they measure here says nothing, since the host device is no GPU."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from warpath.graphs.generate import generate
from warpath.graphs.generate.road import road
from warpath.graphs.weights import with_random_weights
from warpath.measure.record import read_record

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"


@pytest.mark.parametrize(
    ("what", "verdict"),
    [
        ("kernels", "standard / register_blocked: "),
        ("out-of-core", "out of core / in core: "),
        ("devices", "1 device / 4 devices: "),
    ],
)
def test_blocked_all_pairs_comes_to_its_verdict(what, verdict):
    command = [sys.executable, BENCHMARKS / "blocked_all_pairs.py", what, "--vertices", "70", "--device", "host"]
    done = subprocess.run([*command, "--limit-mib", "1", "--certify"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert verdict in done.stdout
    assert "exact" in done.stdout


def test_certificates_come_to_their_verdicts():
    command = [sys.executable, BENCHMARKS / "certificates.py", "--small", "--device", "host", "--with-host"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "one source, ms: " in done.stdout and "all pairs, certify / solve: " in done.stdout


def test_dense_all_pairs_compares_its_variants():
    command = [sys.executable, BENCHMARKS / "dense_all_pairs.py", "--vertices", "70", "--device", "host"]
    done = subprocess.run([*command, "--solves", "1"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    solved = [line[12:].partition("   ")[0] for line in done.stdout.splitlines()[1:]]
    assert solved == ["lookahead", "lookahead, predecessors", "narrow", "narrow, predecessors", "staged, predecessors"]


def test_shared_rows_compares_numbers_of_devices():
    command = [sys.executable, BENCHMARKS / "shared_rows.py", "--vertices", "70", "--device", "host"]
    options = ["--devices", "3", "1", "--beside", "lookahead"]
    done = subprocess.run([*command, *options], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("certified in ") == done.stdout.count(" pairs are connected") == 3
    assert "n =      70  3 devices are " in done.stdout


@pytest.mark.parametrize("how", [["--sources", "3", "40"], ["--first", "50", "--chunk", "20"], ["--all-pairs"]])
def test_many_sources_come_to_times_of_certified_rows(how, tmp_path):
    road(120, 300, seed=1).save(tmp_path / "road.npz")
    command = [
        sys.executable,
        BENCHMARKS / "many_sources.py",
        tmp_path / "road.npz",
        "--device",
        "host",
        "--calls",
        "1",
    ]
    done = subprocess.run([*command, *how], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "prepared in " in done.stdout and "with predecessors: " in done.stdout and "ms a source" in done.stdout


def test_auto_names_its_choice_and_what_it_loses():
    names = ["demo-gnutella04", "demo-nyc"]
    options = ["--sources", "1", "5", "--all-pairs", "--negative", "--seconds", "0", "--device", "host"]
    done = subprocess.run([sys.executable, BENCHMARKS / "auto.py", *names, *options], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(": auto takes ") == 12
    assert "auto loses at most 1.00 times" in done.stdout  # no time for others
    assert "WRONG" not in done.stdout


def test_near_far_tells_kernel_and_call(tmp_path):
    graph = tmp_path / "peers.npz"
    with_random_weights(generate("gnutella", vertices=300, arcs=900), 1).save(graph)
    command = [sys.executable, BENCHMARKS / "near_far.py", graph, "--sources", "2", "--device", "host"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "with predecessors: kernel " in done.stdout and "preparation " in done.stdout


def test_one_source_is_timed_for_each_solver(tmp_path):
    road(400, 1000, 1).save(tmp_path / "roads.npz")
    command = [sys.executable, BENCHMARKS / "one_source.py", tmp_path / "roads.npz", "--device", "host"]
    solvers = ["--solver", "partition.borders", "--solver", "label_correcting.locality"]
    done = subprocess.run([*command, *solvers, "--sources", "2", "--calls", "1"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("source 0 ") == done.stdout.count("predecessors on top ") == 2


def test_downloads_compares_both_ways():
    command = [sys.executable, BENCHMARKS / "downloads.py", "--vertices", "70", "2100", "--device", "host"]
    done = subprocess.run([*command, "--copies", "1"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(" in pieces ") == done.stdout.count(" as one ") == 2


def test_the_cluster_is_timed_beside_the_whole_grid(tmp_path):
    with_random_weights(generate("gnutella", vertices=300, arcs=900), seed=1).save(tmp_path / "small.npz")
    command = [sys.executable, BENCHMARKS / "cluster.py", tmp_path / "small.npz", "--device", "host"]
    done = subprocess.run([*command, "--sweeps", "1", "--block", "64"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (
        done.stdout.count("  whole_grid") == 2
        and done.stdout.count("  cluster") == done.stdout.count(" us a round") == 3
    )


RUNS = """\
rule of which nothing is taken
warpath generate demo-nyc --output data/graphs/demo-nyc.npz > logs/graph.log 2>&1
    warpath run data/graphs/demo-nyc.npz bellman_ford.naive {how} --output {nyc}/bellman_ford.naive.json > 1.log 2>&1
warpath run data/graphs/demo-nyc.npz bellman_ford.nothing --output {nyc}/bellman_ford.nothing.json > 2.log 2>&1
warpath generate katz-64 --output data/graphs/katz-64.npz > logs/graph.log 2>&1
warpath run data/graphs/katz-64.npz {several} {how} --output results/runs/katz-64/{several}.json > logs/3.log 2>&1
warpath report bodra table1 --suite demo --output results/demo/table1.csv
"""


@pytest.mark.parametrize("stay", [[], ["--stay"]])
def test_runs_of_a_dry_run_are_measured_in_lanes(stay, tmp_path):
    several = "blocked_all_pairs.several_devices.devices=2"
    how = "--device host --budget-s 600.0 --repeats-min 3 --repeats-max 3 --spread 0.02"
    commands = RUNS.format(how=how, several=several, nyc="results/runs/demo-nyc")
    (tmp_path / "commands.txt").write_text(commands, encoding="utf-8")
    command = [sys.executable, BENCHMARKS / "reference.py", "commands.txt", "--lanes", "2", *stay]

    def measured(*options):
        return subprocess.run([*command, *options], capture_output=True, text=True, cwd=tmp_path)

    done = measured("--seconds", "0")
    assert done.returncode == 0 and "0 done, 0 failed, 3 left" in done.stdout
    done = measured("--seconds", "90")
    assert done.returncode == 1 and "2 done, 1 failed, 0 left" in done.stdout, done.stdout + done.stderr
    lines = [line.partition("  GPU ")[2].split() for line in done.stdout.splitlines() if "  GPU " in line]
    assert {(line[0], line[3]) for line in lines} >= {("0+1", f"katz-64/{several}:")} and len(lines) == 3
    assert "demo-nyc/bellman_ford.nothing: warpath: error: bellman_ford has no variant 'nothing'" in done.stdout
    kept = tmp_path / "results/runs/demo-nyc/bellman_ford.naive.json"
    assert len(read_record(kept).samples) == 3
    assert len(read_record(tmp_path / f"results/runs/katz-64/{several}.json").samples) == 3

    # What is there stays; a run is sampled by its earlier record, and one that is not chosen is not done.
    record = kept.rename(tmp_path / "naive.json")
    slow = json.loads(record.read_text(encoding="utf-8"))
    for sample in slow["samples"]:
        sample["phases"]["solve_s"] += 100
        sample["total_s"] = sum(sample["phases"].values())
    slow["seconds"] = sorted(sample["total_s"] for sample in slow["samples"])[1]
    (tmp_path / "earlier/demo-nyc").mkdir(parents=True)
    (tmp_path / "earlier/demo-nyc/bellman_ford.naive.json").write_text(json.dumps(slow), encoding="utf-8")
    done = measured("--earlier", "earlier", "--only", "naive")
    assert done.returncode == 0 and "1 done, 0 failed, 0 left" in done.stdout, done.stdout + done.stderr
    assert len(read_record(kept).samples) == 1
