"""What does a source cost in all pairs, solved, certified and reduced? Prints seconds, and microseconds a source.

    python benchmarks/all_pairs.py GRAPH                            1,000, 10,000, 100,000 and all sources
    python benchmarks/all_pairs.py GRAPH --sources 1000 --nearest 0 8

The graph is prepared and on the device before, and kernels are compiled. A line is the median of a few calls of
``Solver.statistics``, by the wall clock, from the call to statistics in the host's memory; solve, certify and reduce
are those of the same call.
"""

import argparse
from collections.abc import Sequence

import warpath
from warpath.library.solver import Solver
from warpath_study.measure.heading import heading

COUNTS = (1_000, 10_000, 100_000)
WARM_UP = 512
MICROSECONDS = 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("graph", help="a graph file")
    parser.add_argument("--device", default="cuda", help="default: %(default)s")
    parser.add_argument("--sources", type=int, nargs="+", help="so many vertices, the first (default: those above)")
    parser.add_argument("--nearest", type=int, nargs="+", default=[0], help="nearest vertices kept (default: 0)")
    parser.add_argument("--calls", type=int, default=3, help="default: %(default)s")
    options = parser.parse_args()
    graph = warpath.read(options.graph).by_index
    solver = warpath.prepare(graph, options.device)
    print(heading(solver.device.name, solver.device.kind), flush=True)
    print(f"{graph.describe()}, on {solver.device.name}")
    asked = options.sources or [*COUNTS, graph.vertices]
    counts = sorted({min(count, graph.vertices) for count in asked})
    for nearest in options.nearest:
        measure(solver, counts, nearest, options.calls)


def measure(solver: Solver, counts: Sequence[int], nearest: int, calls: int) -> None:
    """Print a line for each of ``counts``."""
    solver.statistics(range(min(WARM_UP, solver.graph.vertices)), nearest=nearest)
    for count in counts:
        found = sorted(
            (solver.statistics(range(count), nearest=nearest) for _ in range(calls)),
            key=lambda each: each.seconds.whole,
        )[calls // 2]
        seconds = found.seconds
        print(
            f"    {count:,} sources by {found.variant}, {nearest} nearest: {seconds.whole:.4f} s, "
            f"solve {seconds.solve:.4f}, certify {seconds.certify:.4f}, reduce {seconds.reduce:.4f}; "
            f"{seconds.whole / count * MICROSECONDS:.3f} microseconds a source"
        )
    radius = f"{found.radius:.15g}" if found.radius is not None else "none"
    mean = f"{found.mean_distance:.6g}" if found.mean_distance is not None else "none"
    print(
        f"    {counts[-1]:,} sources: {found.pairs:,} pairs with a path, diameter {found.diameter:.15g}, "
        f"radius {radius}, mean distance {mean}; {found.certificate.verdict if found.certificate else 'not certified'}"
    )


if __name__ == "__main__":
    main()
