"""A graph made ready on a device: its copy, the kernels and the arrays stay there from one call to the next."""

from collections.abc import Callable, Mapping
from functools import cached_property
from math import floor, isinf, isnan
from time import perf_counter
from typing import Any

import numpy as np

from ..algorithms.defaults import chosen_variant
from ..algorithms.limits import (
    negative_cycle,
    refuse_negative_cycle,
    refuse_overflow,
    refuse_oversized_answer,
    refuse_weights,
)
from ..algorithms.plan import Closure, Plan, Solution
from ..algorithms.registry import Configured, Variant
from ..certificates.answers import certify_answer
from ..certificates.certificate import Certificate
from ..certificates.combined import combined
from ..certificates.on_device import DeviceJudge
from ..device import Device
from ..distances import UNREACHABLE
from ..errors import OutOfMemoryError, UsageError
from ..graphs.csr import Graph
from .delivery import Output, Rows, columns_of, moved, refuse_output, within
from .paths import Paths, Reachability
from .vertices import indices, one_index

Progress = Callable[[int, int], None]


class Solver:
    """Solves one graph on one device; made by ``warpath.prepare``.

    The first call compiles kernels and copies the graph; later calls find both there. The methods take what the
    functions of the library take, but for the graph and the device; vertices are indices. ``progress(done, all)`` is
    called after each source.
    """

    def __init__(self, graph: Graph, device: Device):
        self.graph, self.device = graph, device
        self._plans: dict[tuple, Plan] = {}

    def sssp(
        self,
        source: Any,
        *,
        targets: Any = None,
        cutoff: float | None = None,
        algorithm: str | None = None,
        variant: str | None = None,
        parameters: Mapping[str, int] | None = None,
        predecessors: bool = True,
        output: Output = "host",
        certify: bool = True,
        progress: Progress | None = None,
    ) -> Paths:
        """Shortest paths from ``source``, a vertex, or from each of several; see ``warpath.sssp``."""
        refuse_output(output)
        configured = chosen_variant("sssp", algorithm, variant).configured(parameters)
        one = one_index(self.graph, source, "source")
        sources = indices(self.graph, source, "source") if one is None else np.array([one])
        wanted = None if targets is None else indices(self.graph, targets, "target")
        limit = self._limit(cutoff)
        self._refuse(configured.variant, sources)
        width = self.graph.vertices if wanted is None else len(wanted)
        if output == "host":
            refuse_oversized_answer("sssp", len(sources), self.graph.vertices if predecessors else width)
        of_distances = Rows(self.device, len(sources), width, output)
        of_predecessors = Rows(self.device, len(sources), self.graph.vertices, output) if predecessors else None
        certificates: list[Certificate] = []
        solve_s = certify_s = 0.0
        for row, start in enumerate(sources.tolist()):
            began = perf_counter()
            solution = self._solved(self._kept_plan(configured, start), start)
            solved = perf_counter()
            if certify:
                certificates.append(self._certified(configured.variant, start, solution))
            solve_s, certify_s = solve_s + solved - began, certify_s + perf_counter() - solved
            distances, found = within(limit, solution.distances, solution.predecessors, self.graph.weight_min < 0)
            of_distances.put(row, columns_of(self.device, distances, wanted))
            if of_predecessors:
                of_predecessors.put(row, found)
            if progress:
                progress(row + 1, len(sources))
        self.device.synchronize()  # the rows are there
        several = one is None

        def answer(rows: Rows) -> Any:
            return rows.matrix if several else rows.matrix[0]

        return Paths(
            self.graph,
            sources if one is None else one,
            wanted,
            answer(of_distances),
            answer(of_predecessors) if of_predecessors else None,
            combined(certificates) if certificates else None,
            _name(configured.variant),
            solve_s,
            certify_s,
        )

    def apsp(
        self,
        *,
        targets: Any = None,
        cutoff: float | None = None,
        algorithm: str | None = None,
        variant: str | None = None,
        parameters: Mapping[str, int] | None = None,
        predecessors: bool = True,
        output: Output = "host",
        certify: bool = True,
    ) -> Paths:
        """Shortest paths between all pairs; see ``warpath.apsp``."""
        refuse_output(output)
        configured = chosen_variant("apsp", algorithm, variant).configured(parameters)
        vertices = self.graph.vertices
        wanted = None if targets is None else indices(self.graph, targets, "target")
        limit = self._limit(cutoff)
        self._refuse(configured.variant, None)
        refuse_oversized_answer("apsp", vertices, vertices)
        began = perf_counter()
        # Its arrays are handed over, so the plan is not kept.
        solution = self._solved(configured.plan(self.device, self.graph, None), None)
        solved = perf_counter()
        certificate = self._certified(configured.variant, None, solution) if certify else None
        certified = perf_counter()
        distances, found = within(limit, solution.distances, solution.predecessors, self.graph.weight_min < 0)
        return Paths(
            self.graph,
            np.arange(vertices),
            wanted,
            moved(self.device, columns_of(self.device, distances, wanted), output),
            moved(self.device, found, output) if predecessors else None,
            certificate,
            _name(configured.variant),
            solved - began,
            certified - solved,
        )

    def closure(self, *, variant: str | None = None, output: Output = "host", certify: bool = True) -> Reachability:
        """Which vertices can be reached from which; see ``warpath.closure``."""
        refuse_output(output)
        definition = chosen_variant("closure", None, variant)
        refuse_oversized_answer("closure", self.graph.vertices, self.graph.vertices)
        began = perf_counter()
        answer = self._solved(definition.configured().plan(self.device, self.graph, None), None)
        solved = perf_counter()
        certificate = self._certified(definition, None, answer) if certify else None
        certified = perf_counter()
        if output == "host":
            answer = Closure(moved(self.device, answer.cells, "host"))
        xp = np if isinstance(answer.cells, np.ndarray) else self.device.xp
        reachable = moved(self.device, answer.reachable(xp).view(bool), output)
        return Reachability(self.graph, reachable, certificate, _name(definition), solved - began, certified - solved)

    def certify(self, sources: Any, distances: Any, predecessors: Any = None) -> Certificate:
        """Certify an answer, int32 arrays of the host or the device; see ``warpath.certify``."""
        return self._judge.certify(sources, distances, predecessors)

    @cached_property
    def _judge(self) -> DeviceJudge:
        return DeviceJudge(self.device, self.graph)

    @cached_property
    def _may_overflow(self) -> bool:
        return bool(self.graph.longest_path_bound() >= UNREACHABLE)

    @cached_property
    def _has_negative_cycle(self) -> bool:
        return bool(self.graph.weight_min < 0 and negative_cycle(self.graph, None))

    def _refuse(self, variant: Variant, sources: np.ndarray | None) -> None:
        """Raise where ``variant`` cannot solve from all of ``sources``; None for all pairs."""
        refuse_weights(self.graph, variant)
        if self._has_negative_cycle:
            for source in [None] if sources is None else sources.tolist():
                refuse_negative_cycle(self.graph, source)

    def _limit(self, cutoff: float | None) -> int | None:
        """The largest distance that ``cutoff``, in the caller's unit, allows."""
        if cutoff is None:
            return None
        if not isinstance(cutoff, (int, float, np.integer, np.floating)) or isinstance(cutoff, bool) or isnan(cutoff):
            raise UsageError(f"a cutoff is a number, not {cutoff!r}")
        if isinf(cutoff):
            return None if cutoff > 0 else -int(UNREACHABLE)
        return floor(cutoff * self.graph.scale)

    def _kept_plan(self, configured: Configured, source: int) -> Plan:
        """The plan of an earlier call, or a new one."""
        key = (configured.variant.algorithm, configured.variant.name, *sorted(configured.settings.items()))
        if key not in self._plans:
            self._plans[key] = configured.plan(self.device, self.graph, source)
        return self._plans[key]

    def _solved(self, plan: Plan, source: int | None) -> Any:
        """The answer, on the device if the plan has it there; the next solve of the plan overwrites it."""
        try:
            plan.start(source)
            plan.run_until_settled()
            self.device.synchronize()
            on_device = plan.on_device()
            answer = plan.download() if on_device is None else on_device
        except BaseException as error:
            self._plans.clear()  # its arrays may be half made
            if isinstance(error, MemoryError):
                raise OutOfMemoryError(
                    f"the host is out of memory for {self.graph.vertices:,} vertices: {error}"
                ) from error
            raise
        if isinstance(answer, Solution) and self._may_overflow:
            refuse_overflow(self.graph, moved(self.device, answer.distances, "host"))
        return answer

    def _certified(self, variant: Variant, source: int | None, answer: Solution | Closure) -> Certificate:
        """Raises CertificateError if the answer is wrong. What the host's serial variants made, the host certifies."""
        if variant.on_cpu:
            return certify_answer(self.graph, source, answer)
        if isinstance(answer, Closure):
            return self._judge.certify_closure(answer.cells)
        sources = np.arange(self.graph.vertices) if source is None else source
        return self._judge.certify(sources, answer.distances, answer.predecessors)


def _name(variant: Variant) -> str:
    return f"{variant.algorithm}.{variant.name}"
