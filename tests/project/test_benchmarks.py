"""The benchmarks run; what they measure here says nothing, since the simulated GPU is no GPU."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from warpath.graphs.weights import with_random_weights
from warpath_study.datasets.generate import generate
from warpath_study.datasets.road import road

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
BENCHMARKS = ROOT / "benchmarks"


def test_blocked_all_pairs_comes_to_its_verdict():
    command = [
        sys.executable,
        BENCHMARKS / "blocked_all_pairs.py",
        "kernels",
        "--vertices",
        "70",
        "--device",
        "simulated",
    ]
    done = subprocess.run([*command, "--limit-mib", "1", "--certify"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "standard / register_blocked: " in done.stdout
    assert "exact" in done.stdout


def test_certificates_come_to_their_verdicts():
    command = [sys.executable, BENCHMARKS / "certificates.py", "--small", "--device", "simulated", "--with-host"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "one source, ms: " in done.stdout and "all pairs, certify / solve: " in done.stdout


def test_dense_all_pairs_compares_its_variants():
    command = [sys.executable, BENCHMARKS / "dense_all_pairs.py", "--vertices", "70", "--device", "simulated"]
    done = subprocess.run([*command, "--solves", "1"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    solved = [line[12:].partition("   ")[0] for line in done.stdout.splitlines()[1:]]
    assert solved == ["lookahead", "lookahead, predecessors", "narrow", "narrow, predecessors", "staged, predecessors"]


def test_many_sources_come_to_times_of_certified_rows(tmp_path):
    road(120, 300, seed=1).save(tmp_path / "road.npz")
    command = [
        sys.executable,
        BENCHMARKS / "many_sources.py",
        tmp_path / "road.npz",
        "--device",
        "simulated",
        "--calls",
        "1",
    ]
    done = subprocess.run([*command, "--sources", "3", "40"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "prepared in " in done.stdout and "with predecessors: " in done.stdout and "ms a source" in done.stdout


def test_auto_names_its_choice_and_what_it_loses():
    names = ["demo-gnutella04", "demo-nyc"]
    options = ["--sources", "1", "5", "--all-pairs", "--negative", "--seconds", "0", "--device", "simulated"]
    done = subprocess.run([sys.executable, BENCHMARKS / "auto.py", *names, *options], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(": auto takes ") == 12
    assert "auto loses at most 1.00 times" in done.stdout  # no time for others
    assert "WRONG" not in done.stdout


def test_first_calls_on_families_are_compared():
    options = [
        "--families",
        "grid",
        "tree",
        "--vertices",
        "200",
        "--unprepared",
        "--seconds",
        "0",
        "--device",
        "simulated",
    ]
    done = subprocess.run([sys.executable, BENCHMARKS / "auto.py", *options], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("left out") > 2
    assert "0 rows with all alternatives" in done.stdout


def test_first_and_later_calls_are_timed(tmp_path):
    road(400, 1000, 1).save(tmp_path / "roads.npz")
    graphs = [tmp_path / "roads.npz", "geometric:300:lengths", "random, degree 4:300:exponential"]
    options = ["--calls", "2", "--device", "simulated"]
    done = subprocess.run(
        [sys.executable, BENCHMARKS / "first_calls.py", *graphs, *options], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(" near_far.") == 15


def test_pairs_are_timed_and_compared(tmp_path):
    road(400, 1000, 1).save(tmp_path / "roads.npz")
    command = [sys.executable, BENCHMARKS / "pairs.py", tmp_path / "roads.npz", "--device", "simulated"]
    done = subprocess.run([*command, "--calls", "2", "--pairs", "900"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("contraction_hierarchy.sweep") == 6


def test_libraries_are_compared_and_agree():
    options = [
        "grid:300",
        "tree:200:with zeros",
        "--types",
        "int32",
        "float64",
        "--sources",
        "3",
        "--device",
        "simulated",
    ]
    done = subprocess.run([sys.executable, BENCHMARKS / "peers.py", *options], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert sum(line.startswith("SciPy ") for line in lines) == sum(line.startswith("warpath, d") for line in lines) == 4
    assert "WRONG" not in done.stdout and " float64, on " in done.stdout


def test_small_memory_tells_answers_and_refusals():
    command = [sys.executable, BENCHMARKS / "small_memory.py", "--small", "--device", "simulated"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(", exact\n") == len(done.stdout.splitlines()) - 1 > 10


def test_near_far_tells_kernel_and_call(tmp_path):
    graph = tmp_path / "peers.npz"
    with_random_weights(generate("gnutella", vertices=300, arcs=900), 1).save(graph)
    command = [sys.executable, BENCHMARKS / "near_far.py", graph, "--sources", "2", "--device", "simulated"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "with predecessors: kernel " in done.stdout and "preparation " in done.stdout


def test_one_source_is_timed_for_each_solver(tmp_path):
    road(400, 1000, 1).save(tmp_path / "roads.npz")
    command = [sys.executable, BENCHMARKS / "one_source.py", tmp_path / "roads.npz", "--device", "simulated"]
    solvers = ["--solver", "partition.borders", "--solver", "label_correcting.locality"]
    done = subprocess.run([*command, *solvers, "--sources", "2", "--calls", "1"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("source 0 ") == done.stdout.count("predecessors on top ") == 2


def test_downloads_compares_both_ways():
    command = [sys.executable, BENCHMARKS / "downloads.py", "--vertices", "70", "2100", "--device", "simulated"]
    done = subprocess.run([*command, "--copies", "1"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(" in pieces ") == done.stdout.count(" as one ") == 2


def test_the_cluster_is_timed_beside_the_whole_grid(tmp_path):
    with_random_weights(generate("gnutella", vertices=300, arcs=900), seed=1).save(tmp_path / "small.npz")
    command = [sys.executable, BENCHMARKS / "thread_block_cluster.py", tmp_path / "small.npz", "--device", "simulated"]
    done = subprocess.run([*command, "--sweeps", "1", "--block", "64"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (
        done.stdout.count("  whole_grid") == 2
        and done.stdout.count("  cluster") == done.stdout.count(" us a round") == 3
    )


def gate(checkout, other, *cells):
    """Runs the gate of ``checkout``; returns its exit status and the verdict on each cell."""
    options = ["--device", "simulated", "--small", "--rounds", "1", "--only", *cells]
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


def test_updates_are_timed_prepared_and_not():
    command = [
        sys.executable,
        BENCHMARKS / "updates.py",
        "--vertices",
        "3000",
        "--device",
        "simulated",
        "--updates",
        "1",
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\nprepared, ") == done.stdout.count("not prepared, ") == 3


LISTINGS = """
```
 7 // each thread relaxes the arcs
      out of one vertex
 8 __global__
 9 void bellmanFordRelaxNaive(int numVertex, int* vertices, int* indices, int* edges,
   int* weights, int* old, int* distance, int* parent) {
10     int v = blockIdx.x * blockDim.x + threadIdx.x;
11     if (v < numVertex && old[v] != INF) { // reached
12         for (int j = indices[v]; j < indices[v + 1]; j++) {
```

13             atomicMin(&distance[edges[j]], old[v] + weights[j]);
14         }
15     }
16 __global__
17 void bellmanFordUpdateDistanceNaive(int numVertex, int* old, int* distance)
18 {
19     int v = blockIdx.x * blockDim.x + threadIdx.x;
20     int end = numVertex;
21     if (v >= end) {
22         return;
23     }
24     }
```
25     old[v] = distance[v];
26 }
27 void run(int numVertex) { launch(); }

Listing 1: one.cu
"""


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [("", "", "agree"), ("+ weights[j]", "+ 2 * weights[j]", "DIFFER"), ("bellmanFordRelax", "relax", None)],
)
def test_listings_are_found_in_a_text_and_stand_beside_the_port(tmp_path, before, after, verdict):
    """In the text, a page break has swallowed a brace of the first function, and doubled one of the second."""
    (tmp_path / "text").write_text(LISTINGS.replace(before, after) if before else LISTINGS)
    road(120, 300, seed=1).save(tmp_path / "road.npz")
    options = ["--device", "simulated", "--samples", "1", "--only", "bellman_ford.naive"]
    command = [sys.executable, BENCHMARKS / "beside_listings.py", tmp_path / "text", tmp_path / "road.npz", *options]
    done = subprocess.run(command, capture_output=True, text=True)
    if verdict is None:
        assert done.returncode == 1 and "bellmanFordRelaxNaive" in done.stderr and "Traceback" not in done.stderr
    else:
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[-1].split()[-1] == verdict
