"""How long does a call take on a graph that the library has not seen before, and how long do later calls take?

    python benchmarks/first_calls.py [FAMILY:VERTICES[:WEIGHTS] | GRAPH ...] [--calls 16] [--seed 1] [--device cuda]
                                     [--cache FOLDER] [--make] [--types int32 float64]

A GRAPH is a file; families and weights are those of ``families.py``. Graphs are kept in FOLDER, if it is named; with
``--make`` nothing is measured. Each first call has a Graph object of its own and another random source with arcs. Its
arrays are on the device before, which takes the time of the column "upload"; all else counts. Left out are a round of
all calls on the first graph, for the start of the process, and the first call on each graph, for its kernels. A call is
``warpath.sssp`` without predecessors and certificate, until the distances are on the device. "second call" may make
what the first one left out, and "later calls" are third ones, all from the same source. "prepared, first" is
``warpath.prepare`` with such a call of its solver; "prepared" is a later one. Weights of a float type are thirds of the
whole ones. Prints medians, and the least and greatest time.
"""

import argparse
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from families import make

import warpath
from warpath.device import Device, open_device
from warpath.device.resident import Resident, resident
from warpath.graphs.csr import Graph
from warpath_study.measure.heading import heading

DEFAULT = [
    "grid:1000000:1 to 1,000",
    "geometric:500000:lengths",
    "random, degree 4:1048576:1 to 1,000,000",
    "R-MAT:4194304:1 to 100",
    "road:3598623",
    "road:23947347",
]
MILLISECONDS = 1000
PREPARED_MAX = 4  # fresh graphs that are prepared, since this may take seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("graph", nargs="*", default=DEFAULT, help="FAMILY:VERTICES[:WEIGHTS], or a file")
    parser.add_argument("--calls", type=int, default=16, help="first calls of each graph (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of graphs and sources (default: %(default)s)")
    parser.add_argument("--device", default="cuda", help="default: %(default)s")
    parser.add_argument("--cache", type=Path, help="keep graphs in this folder")
    parser.add_argument("--types", nargs="+", default=["int32"], help="int32, float32 or float64 (default: int32)")
    parser.add_argument("--make", action="store_true", help="make the graphs only")
    options = parser.parse_args()
    if options.make:
        for name in options.graph:
            graph_of(name, options.seed, options.cache)
        return
    device = open_device(options.device)
    print(heading(device.name, device.kind), flush=True)
    print(f"{device.name}, {options.calls} sources, milliseconds: median (least to greatest)")
    for name in options.graph:
        graph = graph_of(name, options.seed, options.cache)
        if name == options.graph[0]:
            timed(graph, device, 1, options.seed)
        for kind in options.types:
            print(f"{name}: {graph.vertices:,} vertices, {graph.arcs:,} arcs" + (kind != "int32") * f", {kind}")
            typed = with_weights_of(graph, kind)
            for title, (times, solver) in timed(typed, device, options.calls, options.seed).items():
                print(f"    {title:16} {spread(times):34} {solver}", flush=True)


def with_weights_of(graph: Graph, kind: str) -> Graph:
    if kind == "int32":
        return graph
    # Thirds, since whole numbers may be solved as int32.
    return Graph(graph.indptr, graph.indices, (graph.weights / 3).astype(kind))


def graph_of(name: str, seed: int, cache: Path | None) -> Graph:
    family, _, rest = name.partition(":")
    if not rest:
        return warpath.read(name)
    kept = cache and cache / f"{name}, seed {seed}.npz"
    if kept and kept.exists():
        return warpath.read(kept)
    vertices, _, weights = rest.partition(":")
    graph = make(family, int(vertices), weights or "1 to 100", seed)
    if kept:
        graph.save(kept)
    return graph


def copy_of(graph: Graph) -> Graph:
    """A graph of arrays that no library knows."""
    return Graph(graph.indptr.copy(), graph.indices.copy(), graph.weights.copy())


def uploaded(device: Device, graph: Graph) -> Resident:
    """``graph`` with its arrays on ``device``, as long as what is returned is kept."""
    found = resident(device, graph)
    assert found.arguments
    return found


def timed(graph: Graph, device: Device, calls: int, seed: int) -> dict[str, tuple[list[float], str]]:
    """Milliseconds of each kind of call, and of uploads, with the solver that the library chose."""
    sources = np.random.default_rng(seed).choice(np.flatnonzero(np.diff(graph.indptr)), calls + 1)
    times: dict[str, list[float]] = defaultdict(list)
    solvers: dict[str, str] = {}

    def measure(title: str, call: Callable[[], Any]) -> Any:
        device.synchronize()
        began = perf_counter()
        result = call()
        device.synchronize()
        times[title].append(MILLISECONDS * (perf_counter() - began))
        solvers[title] = getattr(result, "variant", "")
        return result

    options: dict[str, Any] = {"predecessors": False, "certify": False, "output": "device"}
    for number, source in enumerate(sources.tolist()):
        fresh = copy_of(graph)
        kept = measure("upload", lambda fresh=fresh: uploaded(device, fresh))
        for title in ("first call", "second call", "later calls"):
            measure(title, lambda fresh=fresh, source=source: warpath.sssp(fresh, source, device=device, **options))
        if number > PREPARED_MAX:
            continue
        fresh = copy_of(graph)
        kept = uploaded(device, fresh)
        measure(
            "prepared, first", lambda fresh=fresh, source=source: warpath.prepare(fresh, device).sssp(source, **options)
        )
        solver = warpath.prepare(fresh, device)
        for later in sources[1:].tolist() if number else ():
            measure("prepared", lambda solver=solver, later=later: solver.sssp(later, **options))
        del kept, solver
    return {
        title: (found if title == "prepared" else found[1:], solvers[title])  # without the call that loads the kernels
        for title, found in times.items()
    }


def spread(times: list[float]) -> str:
    return f"{median(times):.3f} ({min(times):.3f} to {max(times):.3f})"


if __name__ == "__main__":
    main()
