"""Compiles, on all cores, what most tests need: else the processes that test side by side each compile the same.

Where everything has been compiled before, it takes two or three seconds.
"""

import os
from concurrent.futures import ProcessPoolExecutor

from tiny_graphs import TINY

from warpath.certificates.certificate import certify
from warpath.device import open_device
from warpath.errors import WarpathError
from warpath.solvers import find, variants
from warpath_study.measure.plans import plan_of

GRAPH = TINY["path of 33"]


def solve(algorithm: str, name: str) -> None:
    """Solve and certify by a variant, as it is and in its smallest blocks; what fails, fails in its tests."""
    variant = find(algorithm, name)
    source = 0 if variant.problem == "sssp" else None
    for settings in ({}, variant.smallest):
        try:
            solution = plan_of(variant, open_device("simulated"), GRAPH, source, **settings).solve()
            if variant.problem != "closure":
                certify(GRAPH, source, solution.distances, solution.predecessors)
        except WarpathError:
            continue


if __name__ == "__main__":
    chosen = [variant for variant in variants() if variant.problem in ("sssp", "apsp", "closure")]
    with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as processes:
        list(processes.map(solve, *zip(*((variant.algorithm, variant.name) for variant in chosen), strict=True)))
