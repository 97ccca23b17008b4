"""How long do many sources in one call take, and all pairs of a sparse graph? Prints medians in milliseconds.

    python benchmarks/many_sources.py data/graphs/nyc.npz                             256 and 1,024 random sources
    python benchmarks/many_sources.py data/graphs/nyc.npz --first 10000 --chunk 1000  first sources, in chunks
    python benchmarks/many_sources.py data/graphs/gnutella04.npz --all-pairs          every pair
    python benchmarks/many_sources.py data/graphs/nyc.npz --peers scipy gapbs         also by other libraries

The graph is prepared and on the device before. A time is that of the host's clock from the call until the distances are
on the device, and beside it that of the device's own clock from the first launch to the end of the last. In chunks,
every chunk overwrites the last one's rows. Before anything is timed, distances and predecessors are certified, of all
rows or of those of the first chunk.

A peer solves in one process on each core, with one thread each and an equal share of the sources. Its time is that of
the host's clock until all of them have solved; their answers are dropped, but for the last of each, which is certified.
"""

import argparse
import multiprocessing
import os
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any, cast

import numpy as np

from warpath.certificates.certificate import certify
from warpath.certificates.on_device import DeviceCertifier
from warpath.device import Device, open_for_kernels
from warpath.device.cpu import CpuDevice
from warpath.device.resident import resident
from warpath.graphs.csr import Graph, load
from warpath.solvers import find
from warpath.solvers.solver import Rows, RowSolver
from warpath.system.host_machine import core_count
from warpath_study.measure.heading import heading
from warpath_study.peers import find_peer, peer_names
from warpath_study.peers.contract import MissingPeerError, Peer, whole, without_parallel_arcs

MILLISECONDS = 1000
RANDOM_SOURCES = (1, 256, 1024)
SEED = 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("graph", help="a graph file")
    parser.add_argument("--device", default="cuda", help="default: %(default)s")
    parser.add_argument("--calls", type=int, default=9, help="default: %(default)s")
    parser.add_argument("--sources", type=int, nargs="+", default=RANDOM_SOURCES, help="how many random sources")
    parser.add_argument("--first", type=int, help="solve from so many first vertices instead")
    parser.add_argument("--all-pairs", action="store_true", help="solve from every vertex instead")
    parser.add_argument("--chunk", type=int, help="so many rows at a time (default: all)")
    parser.add_argument("--algorithm", help="default: contraction_hierarchy, sparse_all_pairs with --all-pairs")
    parser.add_argument("--variant", help="default: sweep, narrow with --all-pairs")
    parser.add_argument("--peers", nargs="*", default=[], choices=peer_names(), help="other libraries; default: none")
    options = parser.parse_args()
    graph, device = load(options.graph), open_for_kernels(options.device)
    print(heading(device.name, device.kind), flush=True)
    print(f"{graph.describe()}, on {device.name}")
    usual = ("sparse_all_pairs", "narrow") if options.all_pairs else ("contraction_hierarchy", "sweep")
    variant = find(options.algorithm or usual[0], options.variant or usual[1])
    solver = cast(RowSolver, variant.solver(resident(device, graph)))
    print(f"{variant.algorithm}.{variant.name}, prepared in {solver.preparation_s:.2f} s")
    every = np.arange(graph.vertices, dtype=np.int32)
    if options.all_pairs or options.first:
        chosen = [every[: options.first]]
    else:
        numbers = np.random.default_rng(SEED)
        chosen = [numbers.choice(every, min(count, len(every)), replace=False) for count in options.sources]
    for sources in chosen:
        measure(device, graph, solver, sources, options.chunk or len(sources), options.calls)
    for name in options.peers:
        try:
            measure_peer(find_peer(name), graph, chosen, options.calls)
        except MissingPeerError as error:
            print(error)


def measure(device: Device, graph: Graph, solver: RowSolver, sources: np.ndarray, chunk: int, calls: int) -> None:
    """Certify, time and print the solve of ``sources``, ``chunk`` rows at a time."""
    shape = (min(chunk, len(sources)), graph.vertices)
    distances, predecessors = device.empty(shape, graph.weights.dtype), device.empty(shape, np.int32)

    def solve(trees: Any | None) -> None:
        for first in range(0, len(sources), chunk):
            part = sources[first : first + chunk]
            solver.solve(part, Rows(distances, trees).part(0, len(part)))

    first_rows = sources[:chunk]
    solver.solve(first_rows, Rows(distances, predecessors))
    device.synchronize()
    assert solver.check()
    DeviceCertifier(device, graph).certify(first_rows, distances, predecessors)
    bare, with_trees = (times_ms(device, lambda trees=trees: solve(trees), calls) for trees in (None, predecessors))  # type: ignore[misc]
    for name, (walls, clocks) in (("distances", bare), ("with predecessors", with_trees)):
        print(
            f"    {len(sources):,} sources, {name}: {median(walls):.3f} ms, {median(clocks):.3f} on the device; "
            f"{median(walls) / len(sources):.5f} ms a source"
        )


def measure_peer(peer: Peer, graph: Graph, chosen: list[np.ndarray], calls: int) -> None:
    """Time and print the solves of each array of sources, and certify some answers."""
    os.environ["OMP_NUM_THREADS"] = "1"  # of each process; trial solves obey it, too
    lightest = without_parallel_arcs(graph)
    settings = dict(peer.tune(peer.prepare(lightest, CpuDevice())))
    arrays = lightest.indptr, lightest.indices, lightest.weights
    processes = core_count()
    with multiprocessing.get_context("spawn").Pool(processes, _prepare, (peer.name, settings, *arrays)) as pool:
        for sources in chosen:
            shares, times = np.array_split(sources, min(processes, len(sources))), []
            for _ in range(calls + 1):
                began = perf_counter()
                last = pool.map(_solve, shares, chunksize=1)
                times.append(MILLISECONDS * (perf_counter() - began))
            for share, distances in zip(shares, last, strict=True):
                certify(graph, int(share[-1]), distances, None)
            wall = median(times[1:])  # the first one prepares
            print(f"    {len(sources):,} sources, {peer.title} in {len(shares)} processes: {wall:.3f} ms;", end=" ")
            print(f"{wall / len(sources):.5f} ms a source")


def _prepare(name: str, settings: dict[str, int], *arrays: np.ndarray) -> None:
    global _peer, _graph, _form
    _peer, _graph = find_peer(name), Graph(*arrays)
    _form = _peer.prepare(_graph, CpuDevice(), **settings)


def _solve(sources: np.ndarray) -> np.ndarray:
    """Solve from ``sources`` one by one; returns the distances from the last."""
    for source in sources:
        answer = _peer.solve(_form, source)
    return whole(_peer.distances(answer, _form), _graph)


def times_ms(device: Device, call: Callable[[], None], calls: int) -> tuple[list[float], list[float]]:
    """The wall clock's times of ``call`` and the device's, after one that does not count."""
    walls, clocks = [], []
    for _ in range(calls + 1):
        device.synchronize()
        began = perf_counter()
        start = device.record()
        call()
        stop = device.record()
        device.synchronize()
        walls.append(MILLISECONDS * (perf_counter() - began))
        clocks.append(MILLISECONDS * device.seconds_between(start, stop))
    return walls[1:], clocks[1:]


if __name__ == "__main__":
    main()
