"""The benchmarks run; what they measure here says nothing, since the host device is no GPU."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from warpath.graphs.weights import with_random_weights
from warpath_study.datasets.generate import generate
from warpath_study.datasets.generate.road import road
from warpath_study.records.files import read_record

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[1]
BENCHMARKS = ROOT / "benchmarks"


def test_blocked_all_pairs_comes_to_its_verdict():
    command = [sys.executable, BENCHMARKS / "blocked_all_pairs.py", "kernels", "--vertices", "70", "--device", "host"]
    done = subprocess.run([*command, "--limit-mib", "1", "--certify"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "standard / register_blocked: " in done.stdout
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


def test_many_sources_come_to_times_of_certified_rows(tmp_path):
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
    done = subprocess.run([*command, "--sources", "3", "40"], capture_output=True, text=True)
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
    command = [sys.executable, BENCHMARKS / "thread_block_cluster.py", tmp_path / "small.npz", "--device", "host"]
    done = subprocess.run([*command, "--sweeps", "1", "--block", "64"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (
        done.stdout.count("  whole_grid") == 2
        and done.stdout.count("  cluster") == done.stdout.count(" us a round") == 3
    )


def gate(checkout, other, *cells):
    """Runs the gate of ``checkout``; returns its exit status and the verdict on each cell."""
    options = ["--device", "host", "--small", "--rounds", "1", "--only", *cells]
    command = [sys.executable, checkout / "benchmarks/gate.py", other, *options]
    done = subprocess.run(command, capture_output=True, text=True)
    lines = [line.split() for line in done.stdout.splitlines()]
    assert [line[1] for line in lines] == list(cells), done.stderr
    return done.returncode, ["failed" if "failed:" in line else line[-1] for line in lines]


def test_the_gate_tells_what_is_slower_and_what_fails(tmp_path):
    shutil.copytree(ROOT / "src", tmp_path / "src")
    (tmp_path / "benchmarks").mkdir()
    shutil.copy(BENCHMARKS / "gate.py", tmp_path / "benchmarks")
    ports = tmp_path / "src/warpath_study/published/bodra"
    with (ports / "floyd_warshall/tiled.py").open("a") as module:
        module.write(SLOWED)
    (ports / "dijkstra/naive.py").write_text("raise RuntimeError('no plan today')")
    assert gate(tmp_path, ROOT, "dijkstra.naive", "floyd_warshall.tiled") == (1, ["failed", "slower"])


SLOWED = """

from dataclasses import replace
from time import sleep


def slowed(*given, **settings):
    plan = FAST.plan(*given, **settings)
    run = plan.run
    plan.run = lambda: (sleep(0.5), run())
    return plan


FAST, VARIANT = VARIANT, replace(VARIANT, plan=slowed)
"""
RUNS = """\
rule of which nothing is taken
warpath generate demo-nyc --output data/graphs/demo-nyc.npz > logs/graph.log 2>&1
    warpath run data/graphs/demo-nyc.npz bellman_ford.naive {how} --output {nyc}/bellman_ford.naive.json > 1.log 2>&1
warpath run data/graphs/demo-nyc.npz bellman_ford.nothing --output {nyc}/bellman_ford.nothing.json > 2.log 2>&1
warpath generate katz-64 --output data/graphs/katz-64.npz > logs/graph.log 2>&1
warpath run data/graphs/katz-64.npz {several} {how} --output results/runs/katz-64/{several}.json > logs/3.log 2>&1
warpath report bodra table1 --suite demo --output results/demo/table1.csv
"""
SEVERAL = "blocked_all_pairs.several_devices.devices=2"


@pytest.fixture
def measured(tmp_path):
    """Runs reference.py in ``tmp_path`` on the list of runs above, with further options."""

    def measured(*options, repeats=3, **variables):
        how = f"--device host --budget-s 600.0 --repeats-min {repeats} --repeats-max {repeats} --spread 0.02"
        commands = RUNS.format(how=how, several=SEVERAL, nyc="results/runs/demo-nyc")
        (tmp_path / "commands.txt").write_text(commands, encoding="utf-8")
        command = [sys.executable, BENCHMARKS / "reference.py", "commands.txt", *options]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=os.environ | variables)

    return measured


def earlier(record, folder, **edits):
    """A copy of the record ``record`` for ``--earlier``, with ``edits``."""
    changed = json.loads(record.read_text(encoding="utf-8")) | edits
    changed["finished"] = changed["started"]
    changed["seconds"] = sorted(sample["total_s"] for sample in changed["samples"])[len(changed["samples"]) // 2]
    (folder / "demo-nyc").mkdir(parents=True)
    (folder / "demo-nyc/bellman_ford.naive.json").write_text(json.dumps(changed), encoding="utf-8")


@pytest.mark.parametrize("stay", [[], ["--stay"]])
def test_runs_of_a_dry_run_are_measured_on_several_gpus(stay, measured, tmp_path):
    done = measured("--gpus", "2", "--seconds", "0", *stay)
    assert done.returncode == 0 and "0 done, 0 failed, 3 left" in done.stdout
    done = measured("--gpus", "2", "--seconds", "90", *stay)
    assert done.returncode == 1 and "2 done, 1 failed, 0 left" in done.stdout, done.stdout + done.stderr
    lines = [line.partition("  GPU ")[2].split() for line in done.stdout.splitlines() if "  GPU " in line]
    assert {(line[0], line[3]) for line in lines} >= {("0+1", f"katz-64/{SEVERAL}:")} and len(lines) == 3
    assert "demo-nyc/bellman_ford.nothing: warpath: error: bellman_ford has no variant 'nothing'" in done.stdout
    kept = tmp_path / "results/runs/demo-nyc/bellman_ford.naive.json"
    assert len(read_record(kept).samples) == 3
    assert len(read_record(tmp_path / f"results/runs/katz-64/{SEVERAL}.json").samples) == 3


def test_a_run_is_sampled_by_its_earlier_record(measured, tmp_path):
    assert measured("--only", "naive").returncode == 0
    kept = tmp_path / "results/runs/demo-nyc/bellman_ford.naive.json"
    assert "0 runs to do" in measured("--only", "naive").stdout  # what is there stays
    record = kept.rename(tmp_path / "naive.json")
    samples = json.loads(record.read_text(encoding="utf-8"))["samples"]
    for sample in samples:
        sample["phases"]["solve_s"] += 100
        sample["total_s"] = sum(sample["phases"].values())
    earlier(record, tmp_path / "slow", samples=samples)
    done = measured("--earlier", "slow", "--only", "naive")
    assert done.returncode == 0 and "1 done, 0 failed, 0 left" in done.stdout, done.stdout + done.stderr
    assert len(read_record(kept).samples) == 1


def test_a_run_that_is_not_done_in_time_is_left(measured, tmp_path):
    assert measured("--only", "naive").returncode == 0
    record = (tmp_path / "results/runs/demo-nyc/bellman_ford.naive.json").rename(tmp_path / "naive.json")
    earlier(record, tmp_path / "quick")
    done = measured("--earlier", "quick", "--only", "naive", "--seconds", "5", repeats=10**9)
    assert done.returncode == 0 and "0 done, 0 failed, 1 left" in done.stdout, done.stdout + done.stderr
    assert "demo-nyc/bellman_ford.naive: not done, out of time" in done.stdout


def test_a_process_that_does_not_start_is_told(measured, tmp_path):
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken/numba.py").write_text("raise ImportError('no numba today')")
    done = measured("--only", "naive", PYTHONPATH=f"{tmp_path}/broken{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    assert done.returncode == 1 and "no numba today" in done.stderr
    assert "GPU 0: its process does not start" in done.stdout and "0 done, 0 failed, 1 left" in done.stdout


def test_only_gpus_that_one_may_use_are_used(measured):
    done = measured("--gpus", "2", CUDA_VISIBLE_DEVICES="3")
    assert done.returncode == 1 and "--gpus 2: CUDA_VISIBLE_DEVICES names 1" in done.stderr
    assert "  GPU 3  " in measured("--only", "naive", CUDA_VISIBLE_DEVICES="3,5").stdout
