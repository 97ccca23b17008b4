"""How long does label_correcting.cluster take beside near_far.whole_grid, and what do its settings do? Prints medians.

    python benchmarks/thread_block_cluster.py GRAPH ... [--device cuda] [--sweeps S ...] [--block B ...] [--seconds 60]

A GRAPH is a file. Sources are the vertex with the most arcs and four random ones that have arcs; a time is the mean
over them of the median of a source. The kernel is timed by the device's clock, the whole from ``upload`` to distances
on the host by the wall clock; microseconds a round are those of the kernel, its launch included. Every distance is held
to SciPy's.
"""

import argparse
from itertools import product
from statistics import mean, median
from time import perf_counter

import numpy as np
from scipy.sparse.csgraph import dijkstra

import warpath
from warpath.device import Device, open_device
from warpath.graphs.csr import Graph
from warpath.library.arguments import distances_for
from warpath.solvers.one_source.cluster import Cluster
from warpath.solvers.one_source.near_far.whole_grid import WholeGrid
from warpath.solvers.variant import Variant
from warpath_study.measure.heading import heading
from warpath_study.measure.plans import SolverPlan, plan_of

MICROSECONDS = 1_000_000
REPEATS, WARM_UP = 30, 2
SOURCES = 5


class Case:
    """A graph, its sources, and SciPy's distances from them."""

    def __init__(self, name: str):
        self.graph: Graph = warpath.read(name)
        degrees = np.diff(self.graph.indptr)
        drawn = np.random.default_rng(1).choice(np.flatnonzero(degrees), SOURCES - 1)
        self.sources = [int(np.argmax(degrees)), *drawn.tolist()]
        self.expected = distances_for(self.graph, dijkstra(self.graph.to_scipy(), indices=self.sources))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("graph", nargs="+", help="a graph file")
    parser.add_argument("--device", default="cuda", help="default: %(default)s")
    parser.add_argument(
        "--sweeps", type=int, nargs="*", default=[1, 2, 3], help="passes over the arcs a round (default: 1 2 3)"
    )
    parser.add_argument(
        "--block", type=int, nargs="*", default=[512], help="threads a block, for each of the sweeps (default: 512)"
    )
    parser.add_argument("--seconds", type=float, default=60, help="then, what is left is left out (default: 60)")
    options = parser.parse_args()
    until = perf_counter() + options.seconds
    device = open_device(options.device)
    print(heading(device.name, device.kind, ["label_correcting.cluster", "near_far.whole_grid"]), flush=True)
    print(f"{device.name}, clusters of {device.cluster_blocks} blocks", flush=True)
    for name in options.graph:
        case = Case(name)
        print(f"{name}: {case.graph.describe()}", flush=True)
        for predecessors in (False, True):
            what = ", predecessors" * predecessors
            print_row(
                device,
                case,
                f"whole_grid{what}",
                plan_of(Variant(solver=WholeGrid), device, case.graph, 0, predecessors=predecessors),
            )
            print_row(
                device,
                case,
                f"cluster{what}",
                plan_of(Variant(solver=Cluster), device, case.graph, 0, predecessors=predecessors),
            )
        for block, sweeps in product(options.block, options.sweeps):
            title = f"cluster, SWEEPS {sweeps}, block {block}"
            if perf_counter() > until:
                print(f"  {title:44} left out: no time")
                continue
            plan = plan_of(
                Variant(solver=Cluster),
                device,
                case.graph,
                0,
                predecessors=False,
                block=(block,),
                macros={"SWEEPS": sweeps},
            )
            print_row(device, case, title, plan)


def print_row(device: Device, case: Case, title: str, plan: SolverPlan) -> None:
    found = [
        times_us(device, plan, source, expected) for source, expected in zip(case.sources, case.expected, strict=True)
    ]
    kernel_us, whole_us, rounds = (mean(column) for column in zip(*found, strict=True))
    each = f", rounds {rounds:4.1f}, {kernel_us / rounds:5.2f} us a round" if rounds else ""
    print(f"  {title:44} kernel {kernel_us:8.1f} us, whole {whole_us:8.1f} us{each}", flush=True)


def times_us(device: Device, plan: SolverPlan, source: int, expected: np.ndarray) -> tuple[float, float, int]:
    """Medians of the kernel and of the whole, in microseconds, and the rounds of a solve, 0 where none are counted."""
    plan.source = source
    kernels, wholes = [], []
    for _ in range(WARM_UP + REPEATS):
        plan.counters.clear()
        plan.reset()
        device.synchronize()
        began = perf_counter()
        plan.upload()
        plan.run()
        solution = plan.download()
        wholes.append(MICROSECONDS * (perf_counter() - began))
        if not np.array_equal(solution.distances, expected):
            raise SystemExit(f"distances from {source} differ from SciPy's")
        rounds = plan.counters["rounds"]
        start = device.record()
        plan.iterate(0, 1)
        stop = device.record()
        device.synchronize()
        kernels.append(MICROSECONDS * device.seconds_between(start, stop))
    return median(kernels[WARM_UP:]), median(wholes[WARM_UP:]), rounds


if __name__ == "__main__":
    main()
