"""How long does one source take, from call to distances on the device? Prints medians in milliseconds.

    python benchmarks/one_source.py GRAPH [GRAPH ...] [--solver partition.borders ...] [--device cuda] [--sources 100]

For each graph file and solver: preparation, once; from source 0; the mean of so many random sources, of each the median
of its calls; what predecessors take on top, from source 0. A call is ``sssp`` of a prepared graph by the wall clock,
``output="device"``, without certificate. Before it is timed, the answer from each source is certified.
"""

import argparse
from collections.abc import Sequence
from statistics import mean, median
from time import perf_counter

import numpy as np

import warpath
from warpath.device import open_device
from warpath.errors import WarpathError
from warpath.library.solver import Solver
from warpath.solvers.choice.choose import MANY, choices, named
from warpath.solvers.costs import Wanted
from warpath_study.measure.heading import heading

MILLISECONDS = 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("graphs", nargs="+", metavar="GRAPH", help="a graph file")
    parser.add_argument("--solver", action="append", help="FAMILY.VARIANT; default: the library's own choice")
    parser.add_argument("--device", default="cuda", help="default: %(default)s")
    parser.add_argument("--sources", type=int, default=100, help="random sources; default: %(default)s")
    parser.add_argument("--calls", type=int, default=9, help="from each source; default: %(default)s")
    parser.add_argument("--seed", type=int, default=1, help="of the random sources; default: %(default)s")
    options = parser.parse_args()
    device = open_device(options.device)
    print(heading(device.name, device.kind), flush=True)
    for name in options.graphs:
        graph = warpath.read(name).by_index
        print(graph.describe())
        sources = np.random.default_rng(options.seed).integers(0, graph.vertices, options.sources)
        for solver in options.solver or [None]:
            try:
                measure(warpath.prepare(graph, device), solver, sources.tolist(), options.calls)
            except WarpathError as error:
                print(f"  {solver}: {error}")


def measure(solver: Solver, name: str | None, sources: Sequence[int], calls: int) -> None:
    """Print one solver's medians on one graph."""
    algorithm, _, variant = (name or "").partition(".")
    names = algorithm or None, variant or None
    chosen = named("sssp", solver.device, *names) or next(choices(solver.resident, Wanted(1, trees=True), MANY))
    prepared = chosen.solver(solver.resident)
    how = {"algorithm": names[0], "variant": names[1], "output": "device"}

    def once(source: int, predecessors: bool) -> float:
        solver.device.synchronize()
        began = perf_counter()
        solver.sssp(source, predecessors=predecessors, certify=False, **how)
        solver.device.synchronize()
        return MILLISECONDS * (perf_counter() - began)

    def typical(source: int, predecessors: bool = False) -> float:
        return median(once(source, predecessors) for _ in range(calls))

    for source in (0, *sources):
        found = solver.sssp(source, **how)  # certified
    for predecessors in (True, False):
        once(0, predecessors)
    from_zero = typical(0)
    others = [typical(source) for source in sources]
    on_top = typical(0, predecessors=True) - from_zero
    print(
        f"  {found.variant} on {solver.device.name}: source 0 {from_zero:.3f} ms, {len(sources)} random sources "
        f"{mean(others):.3f} ms ({min(others):.3f} to {max(others):.3f}), predecessors on top {on_top:.3f} ms; "
        f"preparation {prepared.preparation_s:.3f} s"
    )


if __name__ == "__main__":
    main()
