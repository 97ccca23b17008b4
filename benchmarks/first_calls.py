"""How long does a call take on a graph that the library has not seen before, and how long do later calls take?

    python benchmarks/first_calls.py [FAMILY:VERTICES[:WEIGHTS] | GRAPH ...] [--calls 16] [--seed 1] [--device cuda]

A GRAPH is a file; families and weights are those of ``families.py``. Each first call has a Graph object of its own and
another random source with arcs. Its arrays are on the device before, which takes the time of the column "upload"; all
else counts. The first of all calls, which loads the kernels, is left out. A call is ``warpath.sssp`` without
predecessors and certificate, until the distances are on the device. Prints medians, and the least and greatest time.
"""

import argparse
from statistics import median
from time import perf_counter

import numpy as np
from families import make

import warpath
from warpath.device import Device, open_device
from warpath.device.copies import copy_on
from warpath.graphs.csr import Graph

DEFAULT = [
    "grid:1000000:1 to 100",
    "geometric:500000:lengths",
    "random, degree 4:1048576:1 to 1,000,000",
    "road:3598623",
    "road:23947347",
    "R-MAT:16777216:1 to 100",
]
MILLISECONDS = 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("graph", nargs="*", default=DEFAULT, help="FAMILY:VERTICES[:WEIGHTS], or a file")
    parser.add_argument("--calls", type=int, default=16, help="first calls of each graph (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of graphs and sources (default: %(default)s)")
    parser.add_argument("--device", default="cuda", help="default: %(default)s")
    options = parser.parse_args()
    device = open_device(options.device)
    print(f"{device.name}, {options.calls} sources, milliseconds: median (least to greatest)")
    print(f"{'graph':44} {'vertices':>10} {'arcs':>11}  {'first call':30} {'later calls':30} {'upload':>8}  solver")
    for name in options.graph:
        family, _, rest = name.partition(":")
        vertices, _, weights = rest.partition(":")
        graph = make(family, int(vertices), weights or "1 to 100", options.seed) if rest else warpath.read(name)
        first, later, upload, solver = timed(graph, device, options.calls, options.seed)
        row = f"{name:44} {graph.vertices:10,} {graph.arcs:11,}  {spread(first):30} {spread(later):30}"
        print(f"{row} {median(upload):8.1f}  {solver}", flush=True)


def timed(graph: Graph, device: Device, calls: int, seed: int) -> tuple[list[float], list[float], list[float], str]:
    """Milliseconds of first calls, of a later call each, and of uploads; and the solver that the library chose."""
    sources = np.random.default_rng(seed).choice(np.flatnonzero(np.diff(graph.indptr)), calls + 1)
    first, later, upload, solver = [], [], [], ""
    for source in sources.tolist():
        fresh = Graph(graph.indptr, graph.indices, graph.weights)
        began = perf_counter()
        copy = copy_on(device, fresh)
        device.synchronize()
        upload.append(MILLISECONDS * (perf_counter() - began))
        for times in (first, later):
            device.synchronize()
            began = perf_counter()
            paths = warpath.sssp(fresh, source, predecessors=False, certify=False, output="device", device=device)
            device.synchronize()
            times.append(MILLISECONDS * (perf_counter() - began))
            solver = paths.variant
            del paths
        del copy
    return first[1:], later[1:], upload[1:], solver


def spread(times: list[float]) -> str:
    return f"{median(times):.3f} ({min(times):.3f} to {max(times):.3f})"


if __name__ == "__main__":
    main()
