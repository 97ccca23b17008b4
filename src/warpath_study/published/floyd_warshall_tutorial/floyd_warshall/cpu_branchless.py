"""Floyd-Warshall, cpu_branchless: serial, the tutorial's loops with a sum of products in place of the branch."""

from functools import partial

import numba
import numpy as np

from ...shared.matrices import grow_trees
from ...shared.plan import PlanVariant
from .cpu_branching import StepPlan


@numba.njit(cache=True)
def relax_branchless(first: int, last: int, distances: np.ndarray) -> None:
    vertices = len(distances)
    for k in range(first, last):
        for i in range(vertices):
            for j in range(vertices):
                through_k, direct = np.uint32(distances[i, k] + distances[k, j]), distances[i, j]
                distances[i, j] = np.uint32(through_k * (through_k < direct) + direct * (through_k >= direct))


VARIANT = PlanVariant(
    origin="floyd_warshall_tutorial",
    plan=partial(StepPlan, relax=relax_branchless),
    on_cpu=True,
    compiled=(relax_branchless, grow_trees),
    negative_arcs=False,
)
