"""How long does an update take? Prints medians in milliseconds, until the first answer from one source is there.

    python benchmarks/updates.py [GRAPH ...] [--vertices 3598623] [--device cuda] [--updates 10]

With random new weights for all arcs, from the host and from the device, and for a thousand arcs; with a prepared solver
and with one that is not; certified. Beside each, what the update alone takes, the second answer, for which a prepared
solver makes its tables, and the third. Without a GRAPH, roads are generated. The last answer of each is compared with
that of a new solver.
"""

import argparse
from time import perf_counter
from typing import Any

import numpy as np
from first_calls import copy_of

import warpath
from warpath.device import Device, open_device
from warpath.graphs.csr import Graph
from warpath.library.solver import Solver
from warpath_study.datasets.road import road
from warpath_study.measure.heading import heading

MILLISECONDS = 1000
ARCS = 1000
EDGES_OF_A_VERTEX = 1.22


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("graphs", nargs="*", help="graph files; default: generated roads")
    parser.add_argument("--vertices", type=int, default=3_598_623, help="of generated roads; default: %(default)s")
    parser.add_argument("--device", default="cuda", help="default: %(default)s")
    parser.add_argument("--updates", type=int, default=10, help="default: %(default)s")
    parser.add_argument("--weights", default="int32", help="int32, float32 or float64; default: %(default)s")
    options = parser.parse_args()
    device = open_device(options.device)
    print(heading(device.name, device.kind), flush=True)
    graphs = (
        [warpath.read(name).by_index for name in options.graphs]
        if options.graphs
        else [road(*sizes(options.vertices), 1)]
    )
    for graph in graphs:
        if options.weights != "int32":
            graph = Graph(graph.indptr, graph.indices, graph.weights.astype(options.weights))
        print(f"{graph.describe()}, on {device.name}")
        for solver in (warpath.prepare(graph, device), Solver(graph, device, prepared=0)):
            measure(solver, options.updates)


def sizes(vertices: int) -> tuple[int, int]:
    return vertices, 2 * int(EDGES_OF_A_VERTEX * vertices)


def measure(solver: Solver, updates: int) -> None:
    graph, device = solver.graph, solver.device
    numbers = np.random.default_rng(1)
    name = "prepared" if solver.prepared else "not prepared"
    for what in ("all weights from the host", "all weights from the device", f"{ARCS} weights"):
        count = ARCS if what.startswith(str(ARCS)) else graph.arcs
        measured = []
        for _ in range(updates + 2):  # the first two compile and allocate
            given: list[Any] = [numbers.integers(1, 20_000, count).astype(graph.weights.dtype)]
            if count != graph.arcs:
                given.append(numbers.integers(0, graph.arcs, count))
            elif "device" in what:
                given = [device.upload(given[0])]
            source = int(numbers.integers(graph.vertices))
            device.synchronize()
            times = [perf_counter()]
            solver.update(*given)
            times.append(perf_counter())
            for _ in range(3):
                paths = solver.sssp(source)
                times.append(perf_counter())
            measured.append(MILLISECONDS * np.diff(times))
        update, first, second, third = np.median(measured[2:], axis=0)
        total = np.median([times[0] + times[1] for times in measured[2:]])
        print(
            f"{name}, {what}: {total:.2f} ms, update {update:.2f}, first answer {first:.2f}, second {second:.2f}",
            end=" ",
        )
        print(f"({paths.variant}), third {third:.2f}", flush=True)
    assert_right(solver.graph, device, source, paths.distances)


def assert_right(graph: Graph, device: Device, source: int, distances: np.ndarray) -> None:
    found = Solver(copy_of(graph), device, prepared=0).sssp(source)
    np.testing.assert_array_equal(found.distances, distances)


if __name__ == "__main__":
    main()
