"""How much longer is a call of the library than its kernels? Prints medians in milliseconds, and the overhead.

    python benchmarks/library_calls.py GRAPH [--device cuda] [--calls 50] [--algorithm NAME ...]

A call is ``sssp`` of a prepared graph that was solved before, by the wall clock: with its certificate and without, with
arrays left on the device and brought to the host. Its kernels are the iterations and the predecessors, from the first
launch to the end of the last, by the device's clock. The overhead is the one less the other, call by call, and includes
recording the two events. Answers are dropped, but in the last line, which is of calls whose answers are all kept.
"""

import argparse
from statistics import median
from time import perf_counter
from typing import Any

import warpath
from warpath.library.solver import Solver
from warpath.solvers import find
from warpath_study.measure.heading import heading

MILLISECONDS = 1000
OVERHEAD_MS_MAX = 0.2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("graph", help="a graph file")
    parser.add_argument("--device", default="cuda", help="default: %(default)s")
    parser.add_argument("--calls", type=int, default=50, help="default: %(default)s")
    parser.add_argument("--algorithm", action="append", help="default: the library's own choice")
    options = parser.parse_args()
    graph = warpath.read(options.graph).by_index
    solver = warpath.prepare(graph, options.device)
    print(heading(solver.device.name, solver.device.kind), flush=True)
    print(f"{graph.describe()}, on {solver.device.name}")
    for algorithm in options.algorithm or [None]:
        measure(solver, algorithm, options.calls)


def measure(solver: Solver, algorithm: str | None, calls: int) -> None:
    """Print the medians of one algorithm's default variant."""
    for certify in (False, True):
        for output in ("device", "host"):
            overheads, walls = overheads_ms(solver, calls, algorithm=algorithm, output=output, certify=certify)
            name = f"{algorithm or 'default'}, arrays of the {output}{', certified' if certify else ''}"
            wanted = "" if certify else f" (at most {OVERHEAD_MS_MAX})"
            print(f"{name}: {median(walls):.3f} ms, {median(overheads):.3f} ms over its kernels{wanted}")
    answers, walls = [], []
    for _ in range(calls):
        began = perf_counter()
        answers.append(solver.sssp(0, algorithm=algorithm))
        walls.append(MILLISECONDS * (perf_counter() - began))
    print(f"{algorithm or 'default'}, arrays of the host, certified, all kept: {median(walls):.3f} ms")


def overheads_ms(solver: Solver, calls: int, **how: Any) -> tuple[list[float], list[float]]:
    """Of each call: wall time less its kernels, and wall time."""
    device, kernels = solver.device, []
    variant = solver.sssp(0, **how).variant
    used = find(*variant.split(".")).solver
    solve = used.solve

    def timed_solve(*arguments: Any) -> None:
        start = device.record()
        solve(*arguments)
        kernels.append((start, device.record()))

    used.solve = timed_solve
    walls = []
    for _ in range(calls):
        device.synchronize()
        began = perf_counter()
        solver.sssp(0, **how)
        walls.append(MILLISECONDS * (perf_counter() - began))
    used.solve = solve
    kernels_ms = [MILLISECONDS * device.seconds_between(*pair) for pair in kernels]
    return [wall - own for wall, own in zip(walls, kernels_ms, strict=True)], walls


if __name__ == "__main__":
    main()
