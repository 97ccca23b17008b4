"""What does a certificate on the device cost beside the solve? Prints medians, and each limit with its verdict.

    python benchmarks/certificates.py                   the sizes of New York and of Gnutella, generated
    python benchmarks/certificates.py --with-host       the certificates on the host as well
    python benchmarks/certificates.py --road data/graphs/nyc.npz --peers data/graphs/gnutella04.npz

Times are of the host's clock, around calls that wait for the device: launches and reading the verdict are included,
copies of answers between host and device are not. Compiling and the judge's copy of the graph come before.
"""

import argparse
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

from warpath.certificates.certificate import Certificate, certify, certify_each
from warpath.certificates.closure import certify_closure
from warpath.certificates.on_device import DeviceCertifier
from warpath.device import Device, open_for_kernels
from warpath.graphs.csr import Graph, load
from warpath.graphs.weights import with_random_weights
from warpath.solvers.registry import default_algorithm, variant_for
from warpath_study.datasets.generate import generate
from warpath_study.measure.heading import heading
from warpath_study.measure.plans import plan_of
from warpath_study.published.shared.plan import Closure, Plan

ONE_SOURCE_MS_MAX = 0.1
ALL_PAIRS_RATIO_MAX = 0.25
SOURCES = 100


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--road", metavar="FILE", help="graph for one source and several (default: New York's size)")
    parser.add_argument("--peers", metavar="FILE", help="graph for all pairs and closures (default: Gnutella's size)")
    parser.add_argument("--small", action="store_true", help="generate small graphs instead")
    parser.add_argument("--device", default="cuda", help="default: %(default)s")
    parser.add_argument("--with-host", action="store_true", help="time the certificates on the host, too")
    options = parser.parse_args()
    device = open_for_kernels(options.device)
    print(heading(device.name, device.kind, ["certificates"]), flush=True)
    for measure, graph in (
        (one_source_and_several, load(options.road) if options.road else road(options.small)),
        (all_pairs_and_closure, load(options.peers) if options.peers else peers(options.small)),
    ):
        print(f"{graph.vertices:,} vertices, {graph.arcs:,} arcs")
        measure(device, graph, options.with_host)


def road(small: bool) -> Graph:
    return generate("road", vertices=300 if small else 264_346, arcs=830 if small else 733_846, seed=1)


def peers(small: bool) -> Graph:
    sizes = {"vertices": 150, "arcs": 500} if small else {"vertices": 10_876, "arcs": 39_994}
    return with_random_weights(generate("gnutella", **sizes, seed=1), 1, 1, 100)


def one_source_and_several(device: Device, graph: Graph, with_host: bool) -> None:
    judge = DeviceCertifier(device, graph)
    plan = plan_of(variant_for("sssp", default_algorithm("sssp")), device, graph, 0)
    vertices, sources = graph.vertices, np.linspace(0, graph.vertices - 1, SOURCES).astype(int).tolist()
    rows = [device.empty((SOURCES, vertices), np.int32) for _ in range(2)]
    solve_s = []
    for row, source in enumerate(sources):
        seconds, answer = solved(device, plan, source)
        solve_s.append(seconds)
        for matrix, array in zip(rows, (answer.distances, answer.predecessors), strict=True):
            device.copy(array, matrix[row])
    device.synchronize()
    print_time("solve, one source", float(np.median(solve_s)))
    one = tuple(matrix[:1] for matrix in rows)
    seconds = print_median("certify, one source", 50, lambda: judge.certify([0], *one))
    verdict("one source, ms", 1e3 * seconds, ONE_SOURCE_MS_MAX)
    print_median("certify, one source without predecessors", 50, lambda: judge.certify([0], one[0]))
    print_median(f"certify, {SOURCES} sources", 10, lambda: judge.certify(sources, *rows))
    print_median(f"certify, {SOURCES} sources without predecessors", 10, lambda: judge.certify(sources, rows[0]))
    on_host = [downloaded(device, matrix) for matrix in rows]
    print_median(f"certify, {SOURCES} sources, arrays of the host", 3, lambda: judge.certify(sources, *on_host))
    if with_host:
        first = tuple(matrix[0] for matrix in on_host)
        print_median("host's certificate, one source", 5, lambda: certify(graph, 0, *first))
        print_median(f"host's certificate, {SOURCES} sources", 1, lambda: certify_each(graph, sources, *on_host))


def all_pairs_and_closure(device: Device, graph: Graph, with_host: bool) -> None:
    judge, everything = DeviceCertifier(device, graph), range(graph.vertices)
    plan = plan_of(variant_for("apsp", default_algorithm("apsp")), device, graph, None)
    solve_s, answer = solved(device, plan, None)
    print_time("solve, all pairs", solve_s)
    arrays = answer.distances, answer.predecessors
    seconds = print_median("certify, all pairs", 5, lambda: judge.certify(everything, *arrays))
    verdict("all pairs, certify / solve", seconds / solve_s, ALL_PAIRS_RATIO_MAX)
    print_median("certify, all pairs without predecessors", 5, lambda: judge.certify(everything, arrays[0]))
    print_median("certify, all pairs, rows in global memory", 2, spread(device, graph, everything, arrays))
    if with_host:
        on_host = [downloaded(device, matrix) for matrix in arrays]
        print_median("host's certificate, all pairs", 1, lambda: certify(graph, None, *on_host))
    plan.release()
    plan = plan_of(variant_for("closure", default_algorithm("closure")), device, graph, None)
    solve_s, answer = solved(device, plan, None)
    print_time("solve, closure", solve_s)
    began = perf_counter()
    judge.certify_closure(answer.cells)
    print_time("certify, closure, components and compiling included", perf_counter() - began)
    seconds = print_median("certify, closure", 5, lambda: judge.certify_closure(answer.cells))
    print(f"  closure, certify / solve: {seconds / solve_s:.3f}")
    if with_host:
        closure = Closure(downloaded(device, answer.cells))
        print_median("host's certificate, closure", 1, lambda: certify_closure(graph, closure))


def spread(device: Device, graph: Graph, sources: range, arrays: tuple[Any, Any]) -> Callable[[], Certificate]:
    judge = DeviceCertifier(device, graph, shared_bytes_max=0)
    return lambda: judge.certify(sources, *arrays)


def solved(device: Device, plan: Plan, source: int | None) -> tuple[float, Any]:
    """The seconds of the second of two solves, and its answer, on the device if the plan leaves it there."""
    for _ in range(2):
        plan.start(source)
        device.synchronize()
        began = perf_counter()
        plan.run_until_settled()
        device.synchronize()
        seconds = perf_counter() - began
    answer = plan.on_device()
    return seconds, plan.download() if answer is None else answer


def downloaded(device: Device, array: Any) -> np.ndarray:
    copy = np.empty(array.shape, array.dtype)
    device.download(array, copy)
    return copy


def print_median(label: str, samples: int, certify: Callable[[], Certificate]) -> float:
    """The median seconds of ``certify`` after one call that does not count."""
    seconds = []
    for _ in range(samples + 1):
        began = perf_counter()
        certify()
        seconds.append(perf_counter() - began)
    print_time(label, float(np.median(seconds[1:])))
    return float(np.median(seconds[1:]))


def print_time(label: str, seconds: float) -> None:
    print(f"{label:56} {1e3 * seconds:12.4f} ms", flush=True)


def verdict(label: str, number: float, at_most: float) -> None:
    print(f"  {label}: {number:.3f} (at most {at_most}: {'holds' if number <= at_most else 'MISSED'})", flush=True)


if __name__ == "__main__":
    main()
