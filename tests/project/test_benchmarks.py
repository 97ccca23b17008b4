"""The benchmarks run; what they measure here says nothing, since the simulated GPU is no GPU."""

import importlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tiny_graphs import named

from warpath.graphs.weights import with_random_weights
from warpath_study.datasets.generate import generate
from warpath_study.datasets.road import road
from warpath_study.measure.heading import headings

pytestmark = pytest.mark.nightly
ROOT = Path(__file__).resolve().parents[2]
BENCHMARKS = ROOT / "benchmarks"


def started(program: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    device = [] if program == "convert" else ["--device", "simulated"]
    command = [sys.executable, BENCHMARKS / f"{program}.py", *map(str, arguments), *device]
    return subprocess.run(command, capture_output=True, text=True)


def printed(command: str) -> str:
    """What a benchmark prints that ends well; ``command`` is its name and its options, with & for a blank."""
    done = started(*(word.replace("&", " ") for word in command.split()))
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def graphs(tmp_path, monkeypatch):
    """The working directory has the graphs roads.npz and peers.npz."""
    road(400, 1000, seed=1).save(tmp_path / "roads.npz")
    with_random_weights(generate("gnutella", vertices=300, arcs=900), seed=1).save(tmp_path / "peers.npz")
    monkeypatch.chdir(tmp_path)


# What each prints so often.
ONCE = {
    # The limit is for the full size; on this graph, starting Python on a busy machine takes all the time.
    "convert --vertices 100 --arcs 300 --seconds-max 100": {"100 vertices, 300 arcs": 1, "kept\n": 1, "NOT": 0},
    "blocked_all_pairs kernels --vertices 70 --limit-mib 1 --certify": {"standard / register_blocked: ": 1},
    "certificates --small --with-host": {"one source, ms: ": 1, "all pairs, certify / solve: ": 1},
    "first_calls roads.npz geometric:300:lengths --calls 2": {"    first call ": 2, "    prepared, first ": 2},
    "pairs roads.npz --calls 2 --pairs 900": {"(contraction_hierarchy.sweep)": 6, "pandana ": 1},
    "near_far peers.npz --sources 2": {"with predecessors: kernel ": 1, "preparation ": 1},
    "one_source roads.npz --solver partition.borders --solver label_correcting.locality --sources 2 --calls 1": {
        "source 0 ": 2,
        "predecessors on top ": 2,
    },
    "downloads --vertices 70 2100 --copies 1": {" in pieces ": 2, " as one ": 2},
    "thread_block_cluster peers.npz --sweeps 1 --block 64": {"  whole_grid": 2, "  cluster": 3, " us a round": 3},
    "solver_times recorded --families grid --vertices 40 50 --weights floats": {"grid, floats, 40: ": 1},
    "peers grid:300 tree:200:with&zeros --types int32 float64 --sources 3": {
        "\n    SciPy ": 4,
        "\n    warpath, d": 4,
        "\n    warpath, c": 4,
        "\n    warpath, f": 4,
        "DIFFERS": 0,
    },
}


def test_a_ratio_to_another_library_is_above_1_where_warpath_is_faster(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    peers = importlib.import_module("peers")
    ours, other = (peers.Call(title, False, int, int, int) for title in ("ours", "other"))
    for source in range(9):
        ours.times[source], other.times[source] = 1 + source, 3 * (1 + source)
    found = peers.ratio_of("graph", ours, other)
    assert (found.value, found.interval) == (3, (3, 3)) and found.told().endswith("faster")
    assert peers.ratio_of("graph", other, ours).told().endswith("slower")


@pytest.mark.parametrize("command", ONCE)
def test_a_benchmark_comes_to_its_end(graphs, command):
    said = printed(command)
    if not command.startswith(("convert", "solver_times")):
        (heading,) = headings(said)
        assert said.startswith(f"{heading}\n") and heading.code and heading.changed("simulated") == []
    for text, count in ONCE[command].items():
        with named(text):
            assert said.count(text) == count, said


def test_updates_are_of_solvers_that_differ_if_one_is_prepared():
    lines = printed("updates --vertices 3000 --updates 1").splitlines()[2:]
    solvers = [re.search(r"\((.*)\)", line)[1] for line in lines]
    are_prepared = [line.startswith("prepared") for line in lines]
    assert are_prepared == [True] * 3 + [False] * 3
    assert set(solvers[:3]).isdisjoint(solvers[3:])


def test_answers_are_certified_or_refused(graphs):
    said = printed("dense_all_pairs --vertices 70 --solves 1")
    solved = [line[12:].partition("   ")[0] for line in said.splitlines()[2:]]
    assert solved == ["lookahead", "lookahead, predecessors", "narrow", "narrow, predecessors", "staged, predecessors"]
    said = printed("many_sources roads.npz --calls 1 --sources 3 40 --peers scipy gapbs")
    assert "prepared in " in said and "with predecessors: " in said and said.count(", SciPy in ") == 2
    assert said.count(", gapbs in ") + 2 * said.count("gapbs is not installed") == 2
    said = printed("small_memory --small")
    assert said.count(", exact\n") == len(said.splitlines()) - 2 > 10


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
from warpath_study.measure.plans import plan_of


def slowed(*given, **settings):
    plan = plan_of(FAST, *given, **settings)
    run = plan.run
    plan.run = lambda: (sleep(0.5), run())
    return plan


FAST, VARIANT = VARIANT, replace(VARIANT, plan=slowed)
"""


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
28 __global__
29 void floydWarshallNaive(int numVertex, int k, int* distance, int* parent) {
30     int i = blockIdx.x * blockDim.x + threadIdx.x;
31     for (int j = 0; i < numVertex && j < numVertex; j++) {
32         int left = distance[i * numVertex + k], right = distance[k * numVertex + j];
33         if (left != INF && right != INF && left + right < distance[i * numVertex + j])
34             distance[i * numVertex + j] = left + right;
35     }
36 }

Listing 2: two.cu
"""


def test_listings_are_found_in_a_text_and_stand_beside_the_port(graphs):
    """In the text, a page break has swallowed a brace of the first function, and doubled one of the second."""
    for port, before, after, verdict in (
        ("bellman_ford.naive", "Listing 1", "Listing 1", "agree"),
        ("bellman_ford.naive", "+ weights[j]", "+ 2 * weights[j]", "DIFFER"),
        ("bellman_ford.naive", "bellmanFordRelax", "relax", None),
        ("floyd_warshall.naive", "Listing 2", "Listing 2", "agree"),
        ("floyd_warshall.naive", "+ right <", "- right <", "DIFFER"),
    ):
        Path("text").write_text(LISTINGS.replace(before, after))
        done = started("beside_listings", "text", "roads.npz", "--samples", "1", "--only", port)
        if verdict is None:
            assert done.returncode == 1 and "bellmanFordRelaxNaive" in done.stderr and "Traceback" not in done.stderr
        else:
            assert done.returncode == 0, done.stderr
            assert done.stdout.splitlines()[-1].split()[-1] == verdict
