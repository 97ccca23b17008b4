"""How long do warpath and other libraries take on graphs of many families, sizes and types of weights?

    python benchmarks/peers.py [FAMILY:VERTICES[:WEIGHTS] | GRAPH ...] [--peers NAME ...] [--types int32 float64]
                               [--sources 16] [--seed 1] [--seconds 10] [--device cuda] [--cache FOLDER] [--make]

A GRAPH is a file; families and weights are those of ``families.py``. Graphs are kept in FOLDER, if it is named; with
``--make`` nothing is measured. Times are of public calls by the wall clock, in milliseconds, until the answer is in
host memory; every library gets the CSR arrays in host memory, without parallel arcs. "first answer" is from these
arrays, with preparation; "a call" is the median over random sources with arcs, with the 10th and 90th percentile; "new
weights" is the median time from other weights for all arcs to the first answer, for which libraries that cannot change
weights prepare the graph again. SECONDS limit the time for the sources of one library, so that a slow one has fewer of
them. float64 weights are thirds of the whole ones. All answers are compared with each other.
"""

import argparse
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from first_calls import copy_of, graph_of, with_weights_of

from warpath.device import Device, open_device
from warpath.distances import UNREACHABLE
from warpath.errors import WarpathError
from warpath.graphs.csr import Graph
from warpath_study.measure.heading import heading
from warpath_study.peers import find_peer, peer_names
from warpath_study.peers.contract import Peer, without_parallel_arcs

MILLISECONDS = 1000
UPDATES = 3
DEFAULT = [
    "road:1048576",
    "grid:1048576",
    "grid 3D:1048576",
    "geometric:524288:lengths",
    "small world:1048576",
    "random, degree 4:1048576",
    "R-MAT:1048576",
    "tree:1048576",
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("graph", nargs="*", default=DEFAULT, help="FAMILY:VERTICES[:WEIGHTS], or a file")
    parser.add_argument("--peers", nargs="*", default=peer_names(), choices=peer_names(), help="default: all")
    parser.add_argument("--types", nargs="*", default=["int32"], choices=["int32", "float64"])
    parser.add_argument("--sources", type=int, default=16, help="random sources (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of sources and families' graphs (default: 1)")
    parser.add_argument("--seconds", type=float, default=10, help="for the sources of one library (default: 10)")
    parser.add_argument("--device", default="cuda", help="default: %(default)s")
    parser.add_argument("--cache", type=Path, help="a folder for generated graphs")
    parser.add_argument("--make", action="store_true", help="only make the graphs")
    options = parser.parse_args()
    device = None if options.make else open_device(options.device)
    if device is not None:
        print(heading(device.name, device.kind), flush=True)
    for name in options.graph:
        graph = graph_of(name, options.seed, options.cache)
        if device is None:
            continue
        graph = without_parallel_arcs(graph)
        for kind in options.types:
            print(f"{name}: {graph.vertices:,} vertices, {graph.arcs:,} arcs, {kind}, on {device.name}", flush=True)
            compare(with_weights_of(graph, kind), device, options)


def compare(graph: Graph, device: Device, options: argparse.Namespace) -> None:
    """Print a line for each library."""
    random = np.random.default_rng(options.seed)
    sources = random.choice(np.flatnonzero(np.diff(graph.indptr)), options.sources).tolist()
    others = [random.permutation(graph.weights) for _ in range(UPDATES)]
    expected: dict[str, np.ndarray] = {}
    print(f"    {'':24}first answer    a call (10 % to 90 %)             new weights")
    for name in options.peers:
        peer = find_peer(name)
        if graph.weights.dtype != np.int32 and name == "routingkit":  # which would need whole weights
            continue
        try:
            peer.version()
            line, answers = measured(peer, graph, device, sources, others, options.seconds)
        except (WarpathError, MemoryError) as error:
            line, answers = f"{error}", {}
        for title, answer in answers.items():
            if not np.array_equal(expected.setdefault(title, answer), answer):
                line += f"  WRONG from {title}"
        print(f"    {peer.title:22}{line}", flush=True)


def measured(
    peer: Peer, graph: Graph, device: Device, sources: list[int], others: list[np.ndarray], seconds: float
) -> tuple[str, dict[str, np.ndarray]]:
    """The times of one library, and its answers from the first source, with the old and the last weights."""
    form = peer.prepare(copy_of(graph), device)
    settings = dict(peer.tune(form))
    peer.solve(form, sources[0])
    del form
    fresh, began = copy_of(graph), perf_counter()
    form = peer.prepare(fresh, device, **settings)
    answer = peer.solve(form, sources[0])
    first_s = perf_counter() - began
    answers = {"the first source": numbers(peer.distances(answer, form))}
    del answer
    times: list[float] = []
    for source in sources:
        if times and sum(times) + times[-1] > seconds:
            break
        began = perf_counter()
        answer = peer.solve(form, source)
        times.append(perf_counter() - began)
        del answer
    updates = []
    for weights in others:
        fresh, began = Graph(graph.indptr.copy(), graph.indices.copy(), weights), perf_counter()
        if peer.update:
            peer.update(form, weights)
        else:
            form = peer.prepare(fresh, device, **settings)
        answer = peer.solve(form, sources[0])
        updates.append(perf_counter() - began)
    answers["the first source with new weights"] = numbers(peer.distances(answer, form))
    low, middle, high = (MILLISECONDS * time for time in np.quantile(times, (0.1, 0.5, 0.9)))
    line = f"{MILLISECONDS * first_s:14.3f} {middle:12.3f} ({low:.3f} to {high:.3f})".ljust(50)
    line += f"{MILLISECONDS * median(updates):12.3f}"
    line += f"  {len(times)} sources" * (len(times) < len(sources))
    return line + "".join(f"  {name} {value}" for name, value in settings.items()), answers


def numbers(distances: Any) -> np.ndarray:
    """Distances as float64, ``inf`` where there is no path."""
    return np.where(distances == UNREACHABLE, np.inf, distances) if distances.dtype == np.int32 else distances


if __name__ == "__main__":
    main()
