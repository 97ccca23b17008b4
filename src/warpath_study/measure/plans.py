"""Plans of all that is measured: published variants have one of their own, the library's solvers get one here."""

from typing import Any

import numpy as np

from warpath.device import Device, open_device
from warpath.device.resident import resident
from warpath.graphs.csr import Graph
from warpath.library.calls import allocated
from warpath.solvers.solver import Closure, Rows
from warpath.solvers.variant import Configured, Variant

from ..published.shared.plan import Plan, PlanVariant, Solution


def plan_of(what: Configured | Variant, device: Any, graph: Any, source: int | None, **extra: Any) -> Plan:
    """A plan of a variant with its settings; ``extra`` are arguments that override them."""
    configured = what if isinstance(what, Configured) else what.configured()
    variant, settings = configured.variant, {**configured.settings, **extra}
    if isinstance(variant, PlanVariant):
        return variant.plan(device, graph, source, **settings)
    if variant.problem == "closure":
        return ClosurePlan(variant, device, graph, settings)
    return SolverPlan(variant, device, graph, source, settings)


class SolverPlan(Plan[Graph]):
    """A solver of the library in the published phases. The graph, and what is made of it, are there before.

    The rows for one source stay on the device for the next solve, as they do between calls of the library.
    """

    def __init__(self, variant: Variant, device: Device, graph: Graph, source: int | None, settings: dict[str, Any]):
        super().__init__(open_device("cpu") if variant.on_cpu else device, graph)
        self.source, self.iterations = source, 1
        self.rows_device = self.device if not variant.host_rows else open_device("cpu")
        self.resident = resident(device, graph)
        self.solver = variant.solver(self.resident, **settings)
        self.counters, self.preparation_s = self.solver.counters, self.solver.preparation_s
        self.with_predecessors = bool(settings.get("predecessors", True))
        self.rows: Rows | None = None
        self.host: Rows | None = None

    def _allocated(self, empty: Any) -> Rows:
        count = 1 if self.source is not None else self.graph.vertices
        return allocated(empty, self.graph, count, self.with_predecessors)

    def reset(self) -> None:
        if self.host is None:
            self.host = self._allocated(self.device.pinned)

    def upload(self) -> None:
        if self.rows is None:
            self.rows = self._allocated(self.rows_device.empty)

    def start(self, source: int | None) -> None:
        self.source = source
        self.upload()

    def iterate(self, first: int, last: int) -> None:
        assert self.rows
        every = np.arange(self.graph.vertices) if self.source is None else np.array([self.source])
        self.solver.solve(every.astype(np.int32), self.rows)

    def finish(self) -> None:
        self.device.synchronize()
        while not self.solver.check():
            self.device.synchronize()

    def settled(self) -> bool:
        return True

    def on_device(self) -> Solution:
        assert self.rows
        return self._solution(self.rows)

    def download(self) -> Solution:
        assert self.rows and self.host
        self.rows_device.download(self.rows.words, self.host.words)
        return self._solution(self.host)

    def _solution(self, rows: Rows) -> Solution:
        if self.source is None:
            return Solution(rows.distances, rows.predecessors)
        return Solution(rows.distances[0], rows.predecessors[0] if self.with_predecessors else None)

    def release(self) -> None:
        if self.source is None:
            self.rows = None


class ClosurePlan(Plan[Graph]):
    """A solver of closures in the published phases."""

    def __init__(self, variant: Variant, device: Device, graph: Graph, settings: dict[str, Any]):
        super().__init__(open_device("cpu") if variant.on_cpu else device, graph)
        self.iterations = 1
        self.resident = resident(device, graph)
        self.solver = variant.solver(self.resident, **settings)
        self.counters, self.closure = self.solver.counters, Closure(None)
        self.host: np.ndarray | None = None

    def upload(self) -> None:
        """Do nothing: the solver allocates."""

    def iterate(self, first: int, last: int) -> None:
        self.closure = self.solver.solve()

    def settled(self) -> bool:
        return True

    def on_device(self) -> Closure:
        return self.closure

    def download(self) -> Closure:
        cells = self.closure.cells
        if self.host is None:
            self.host = self.device.pinned(cells.shape, cells.dtype)
        self.device.download(cells, self.host)
        return Closure(self.host)

    def release(self) -> None:
        self.closure = Closure(None)
