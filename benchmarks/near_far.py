"""How long does near_far.whole_grid take from one source, and what of that is its kernel? Prints medians.

    python benchmarks/near_far.py GRAPH ... [--device cuda] [--sources 1] [--delta D ...] [--piece P ...]

A GRAPH is a file. The call is from ``start`` to distances on the device, by the wall clock; the kernel is timed by the
device's clock. With --sources N, each is the mean over N sources, spread over all vertices, of the median of a source.
Every answer is certified.
"""

import argparse
from statistics import mean, median
from time import perf_counter

import numpy as np

import warpath
from warpath.certificates.on_device import DeviceCertifier
from warpath.device import Device, open_for_kernels
from warpath.solvers.one_source.near_far.whole_grid import PIECE, WholeGrid
from warpath.solvers.variant import Variant
from warpath_study.measure.heading import heading
from warpath_study.measure.plans import SolverPlan, plan_of

MICROSECONDS = 1_000_000
CALLS = 15


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("graph", nargs="+", help="a graph file")
    parser.add_argument("--device", default="cuda", help="default: %(default)s")
    parser.add_argument("--sources", type=int, default=1, help="vertex 0, or so many vertices (default: 1)")
    parser.add_argument("--delta", type=int, nargs="*", help="first steps of the threshold (default: chosen)")
    parser.add_argument("--piece", type=int, nargs="*", default=[PIECE], help="arcs of a row (default: %(default)s)")
    options = parser.parse_args()
    device = open_for_kernels(options.device)
    print(heading(device.name, device.kind), flush=True)
    for name in options.graph:
        graph = warpath.read(name)
        judge = DeviceCertifier(device, graph)
        print(f"{name}: {graph.describe()}, on {device.name}")
        for delta in options.delta or [None]:
            for piece in options.piece:
                for predecessors in (False, True):
                    plan = plan_of(
                        Variant(solver=WholeGrid), device, graph, 0, predecessors=predecessors, delta=delta, piece=piece
                    )
                    sources = np.linspace(0, graph.vertices, options.sources, endpoint=False, dtype=np.int64)
                    times = [times_us(device, plan, judge, source) for source in sources.tolist()]
                    kernel_us, call_us = (mean(column) for column in zip(*times, strict=True))
                    how = "with" if predecessors else "without"
                    what = f"delta {'chosen' if delta is None else delta}, piece {piece}, {how} predecessors"
                    print(f"    {what}: kernel {kernel_us:.1f} us, call {call_us:.1f} us", flush=True)
        print(f"    preparation {plan.preparation_s:.3f} s")


def times_us(device: Device, plan: SolverPlan, judge: DeviceCertifier, source: int) -> tuple[float, float]:
    """Medians of the kernel and of the call, in microseconds."""
    kernels, calls = [], []
    for _ in range(CALLS + 1):  # the first one does not count
        device.synchronize()
        began = perf_counter()
        plan.start(source)
        start = device.record()
        plan.iterate(0, 1)
        stop = device.record()
        plan.finish()
        device.synchronize()
        calls.append(MICROSECONDS * (perf_counter() - began))
        kernels.append(MICROSECONDS * device.seconds_between(start, stop))
    solution = plan.on_device()
    if solution.predecessors is not None:
        judge.certify([source], solution.distances[None], solution.predecessors[None])
    return median(kernels[1:]), median(calls[1:])


if __name__ == "__main__":
    main()
