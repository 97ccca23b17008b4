"""How long do the distances of many pairs take? Prints medians in milliseconds, until the distances are on the device.

    python benchmarks/pairs.py [GRAPH ...] [--vertices 264346] [--pairs 1000000] [--calls 10] [--device cuda]

The ends of the pairs are random. The solver is prepared. Beside calls of ``Solver.pairs`` with pairs on the host and on
the device stand the first one, which finds the labels of all vertices, after one of a single pair, which eliminates
the vertices of the graph; and calls with certificates and with paths. For each kind, some distances are compared with
those of another solver. pandana follows if it is installed, a contraction hierarchy on all cores; its time ends when
the answer is in host memory. Without a GRAPH, roads are generated.
"""

import argparse
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

import warpath
from warpath.device import open_device
from warpath.distances import UNREACHABLE
from warpath.graphs.csr import Graph
from warpath.library.solver import Solver
from warpath.system.arrays import on_host
from warpath_study.datasets.road import road
from warpath_study.measure.heading import heading

MILLISECONDS = 1000
ARCS_A_VERTEX = 2.776  # as in New York
COMPARED_SOURCES = 8
LATER_CALLS_MAX = 3  # of kinds that take seconds
PANDANA_UNITS = 1000  # in a length; inside, lengths are unsigned integers of 32 bits
PANDANA_UNREACHABLE = 2**32 - 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("graphs", nargs="*", help="graph files; default: generated roads")
    parser.add_argument("--vertices", type=int, default=264_346, help="of generated roads; default: %(default)s")
    parser.add_argument("--pairs", type=int, default=1_000_000, help="default: %(default)s")
    parser.add_argument("--calls", type=int, default=10, help="default: %(default)s")
    parser.add_argument("--device", default="cuda", help="default: %(default)s")
    parser.add_argument("--alone", action="store_true", help="neither certificates nor paths, which take longer")
    options = parser.parse_args()
    device = open_device(options.device)
    print(heading(device.name, device.kind), flush=True)
    sizes = options.vertices, 2 * int(ARCS_A_VERTEX * options.vertices / 2)
    for graph in [warpath.read(name).by_index for name in options.graphs] if options.graphs else [road(*sizes, 1)]:
        print(f"{graph.describe()}, {options.pairs:,} pairs, on {device.name}")
        measure(Solver(graph, device), options.pairs, options.calls, options.alone)


def measure(solver: Solver, pairs: int, calls: int, alone: bool) -> None:
    device, vertices = solver.device, solver.graph.vertices
    sources, targets = np.random.default_rng(1).integers(0, vertices, (2, pairs))
    solver.pairs(sources[:1], targets[:1], certify=False)  # eliminates the vertices and compiles the kernels

    def timed(title: str, ask: Callable[[], Any], count: int) -> None:
        times = []
        for _ in range(count):
            device.synchronize()
            began = perf_counter()
            found = ask()
            device.synchronize()
            times.append(MILLISECONDS * (perf_counter() - began))
        solve_ms, certify_ms = MILLISECONDS * found.solve_s, MILLISECONDS * found.certify_s
        print(f"{title}: {median(times):.2f} ms ({min(times):.2f} to {max(times):.2f}),", end=" ")
        print(f"last solved in {solve_ms:.2f}, certified in {certify_ms:.2f} ({found.variant})", flush=True)
        assert_right(solver, found)

    bare: dict[str, Any] = {"certify": False, "output": "device"}
    timed("first call", lambda: solver.pairs(sources, targets, **bare), 1)
    timed("pairs on the host", lambda: solver.pairs(sources, targets, **bare), calls)
    on_device = device.upload(sources), device.upload(targets)
    timed("pairs on the device", lambda: solver.pairs(*on_device, **bare), calls)
    few = sources[:1000], targets[:1000]
    timed(f"{len(few[0]):,} pairs", lambda: solver.pairs(*few, **bare), calls)
    if not alone:
        some = min(calls, LATER_CALLS_MAX)
        timed("certified", lambda: solver.pairs(sources, targets, output="device"), some)
        timed(f"{len(few[0]):,} paths, certified", lambda: solver.pairs(*few, output="device", paths=True), some)
    measure_pandana(solver.graph, solver.pairs(sources, targets, certify=False), calls)


def measure_pandana(graph: Graph, found: Any, calls: int) -> None:
    """Print the times of pandana for the pairs of ``found``, and how many distances differ."""
    try:
        import pandana
        import pandas
    except ImportError:
        print("pandana is not installed; pip install pandana")
        return
    nowhere = pandas.Series(np.zeros(graph.vertices))
    # It multiplies each length by 1,000 and drops what is behind the point.
    lengths = pandas.DataFrame({"length": (graph.weights + 0.5) / PANDANA_UNITS})
    began = perf_counter()
    ends = pandas.Series(graph.tails()), pandas.Series(graph.indices)
    network = pandana.Network(nowhere, nowhere, *ends, lengths, twoway=False)
    prepared_s, times = perf_counter() - began, []
    for _ in range(calls):
        began = perf_counter()
        answer = network.shortest_path_lengths(found.sources, found.targets)
        times.append(MILLISECONDS * (perf_counter() - began))
    distances = np.rint(PANDANA_UNITS * np.asarray(answer))
    differ = np.count_nonzero(np.where(distances == PANDANA_UNREACHABLE, UNREACHABLE, distances) != found.distances)
    print(f"pandana {pandana.__version__}: {median(times):.2f} ms ({min(times):.2f} to {max(times):.2f}),", end=" ")
    print(f"prepared in {prepared_s:.2f} s, {differ} of {len(distances):,} distances differ")


def assert_right(solver: Solver, found: Any) -> None:
    """Compare the distances from some sources with those of another solver."""
    chosen = np.unique(found.sources[:COMPARED_SOURCES])
    of_chosen = np.flatnonzero(np.isin(found.sources, chosen))
    rows = Solver(solver.graph, solver.device, prepared=0).sssp(chosen, predecessors=False)
    expected = rows.distances[np.searchsorted(chosen, found.sources[of_chosen]), found.targets[of_chosen]]
    distances = on_host(found.distances)[of_chosen]
    np.testing.assert_array_equal(distances, expected)


if __name__ == "__main__":
    main()
