"""Solvers of the library in the phases of a plan, for tests of one class."""

from typing import Any

import numpy as np

from warpath.solvers.solver import Rows
from warpath.solvers.variant import Variant
from warpath_study.measure.plans import SolverPlan


class Planned(SolverPlan):
    """``solve()`` is a whole solve from the source; other attributes are those of the solver."""

    def __getattr__(self, name: str) -> Any:
        if name == "solver":  # not yet made
            raise AttributeError(name)
        return getattr(self.solver, name)


def planned(made: Any, device: Any, graph: Any, source: int | None = 0, *given: Any, **settings: Any) -> Planned:
    """A plan of the class ``made``. ``given`` are positional settings: predecessors, and what follows."""
    names = ("predecessors", "delta")
    return Planned(Variant(solver=made), device, graph, source, {**dict(zip(names, given, strict=False)), **settings})


def solve_rows(plan: SolverPlan, sources: Any, distances: Any, predecessors: Any | None) -> None:
    """Solve from ``sources`` into rows of the caller, wait, and check."""
    plan.solver.solve(np.asarray(sources, np.int32), Rows(distances, predecessors))
    plan.finish()
