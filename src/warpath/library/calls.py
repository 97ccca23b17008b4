"""The one way from sources to an answer: a solver fills rows, which are certified and delivered.

While the kernels run, the certificate is begun, the answer is copied, and the rows of the next call are allocated. What
is certified is what the caller gets: nothing writes into rows between the solve and their copy.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple, cast

import numpy as np

from ..certificates.certificate import Certificate, certify_each, combined, load_certificate
from ..certificates.judges import ArcEnds
from ..certificates.on_device import DeviceCertifier
from ..certificates.on_host import HostCertifier
from ..device import open_device
from ..device.contract import Dimensions
from ..device.resident import Resident
from ..distances import UNREACHABLE, Columns
from ..errors import CertificateError
from ..graphs.csr import Graph
from ..solvers.checks.preconditions import Overflow, check_no_negative_cycle, check_weights, negative_cycle
from ..solvers.choice.auto import SOLVERS, Choice
from ..solvers.shared.lengths import words_of
from ..solvers.solver import Rows, RowSolver
from ..solvers.variant import Variant
from ..system.arrays import on_host
from ..system.host_machine import core_count
from .memory import OUT_OF_MEMORY, forget_all, in_smaller_pieces

# The size of a chunk on the device. At this size, a launch takes milliseconds, so a larger chunk saves nothing.
CHUNK_BYTES = 256 << 20
# Columns stay in the memory of their solver. It has more work for each launch.
COLUMNS_BYTES = 1 << 30
# On the CPU, a chunk takes a fraction of a second, so that progress moves.
_STEPS_OF_CHUNK = 1 << 23
# Labels of all vertices are certified for one source to so many vertices; for fewer, whole rows take less time.
_VERTICES_A_SOURCE = 64


class Outcome(NamedTuple):
    """The certificate of an answer, or None, and the seconds for solving and certifying."""

    certificate: Certificate | None
    solve_s: float
    certify_s: float


@dataclass
class Chunk:
    """Rows ``first`` to ``last - 1`` of an answer: arrays of shape (rows, n), or (rows, t) of a table.

    ``distances`` are ``Columns`` if these were asked for. Arrays are where the solver runs. The chunk after the next
    one overwrites them.
    """

    first: int
    last: int
    distances: Any
    predecessors: Any
    outcome: Outcome


def certifier_of(resident: Resident) -> DeviceCertifier | HostCertifier:
    """What certifies answers for a graph on a device."""
    device, graph = resident.device, resident.graph

    def make() -> DeviceCertifier | HostCertifier:
        if device.kind == "cpu":
            return HostCertifier(graph)
        return DeviceCertifier(device, graph, ends=resident.of_arcs("arc ends", lambda: ArcEnds(device, graph)))

    return resident.of_weights("certifier", make)


def overflow_of(resident: Resident) -> Overflow:
    return resident.of_weights("overflow", lambda: Overflow(resident.device, resident.graph))


@dataclass(eq=False)
class Call:
    """A solver for sources of a graph, and what is checked of its answers.

    ``certify``: whether they are exact. ``overflow``: whether no distance was too large for 32 bits; within a cutoff,
    larger distances do not matter.
    """

    resident: Resident
    choice: Choice
    predecessors: bool
    certify: bool
    overflow: bool = True

    def __post_init__(self) -> None:
        variant, device = self.choice.variant, self.resident.device
        self.variant: Variant = variant
        # A solver on the CPU may serve a GPU.
        self.elsewhere = variant.on_cpu and device.xp is not np
        self.device = open_device("cpu") if self.elsewhere else device

    @property
    def graph(self) -> Graph:
        return self.resident.graph

    @property
    def solver(self) -> RowSolver:
        return self.choice.solver(self.resident, self.predecessors)

    def check(self, sources: np.ndarray | None) -> None:
        """Raise GraphError if the variant cannot solve from all of ``sources``, or all pairs if it is None."""
        resident, graph = self.resident, self.graph
        check_weights(graph, self.variant)
        if graph.weight_min < 0 and resident.fact("negative cycle", lambda: bool(negative_cycle(graph, None))):
            for source in [None] if sources is None else sources.tolist():
                check_no_negative_cycle(graph, source)

    def solve(
        self, sources: np.ndarray, into: Rows, meanwhile: Callable[[], None] | None = None, is_last: bool = True
    ) -> Outcome:
        """Solve from ``sources``, int32 of shape (k,), and certify the rows of ``into``. A failure drops all solvers.

        ``meanwhile`` is called once the solve is enqueued. Copies to the host are waited for after the last chunk.
        """
        device = self.device
        with dropping_solvers_on_failure(self.resident):
            began = perf_counter()
            solver = self.solver
            solver.solve(sources, into)
            if meanwhile:
                meanwhile()
            end = self._begin_certificate(sources, into) if self.certify else None
            device.synchronize(copies=is_last)
            solver.check()
            solved = perf_counter()
            certificate = self._checked(end, sources, into, solver.sums_fit)
            return Outcome(certificate, solved - began, perf_counter() - solved)

    def _begin_certificate(self, sources: np.ndarray, into: Rows) -> Callable[[], Certificate]:
        if self.variant.on_cpu:
            return HostCertifier(self.graph).begin(sources, into.distances, into.predecessors)
        return certifier_of(self.resident).begin(sources, into.distances, into.predecessors)

    def _checked(
        self, end: Callable[[], Certificate] | None, sources: np.ndarray, into: Rows, sums_fit: bool
    ) -> Certificate | None:
        """The certificate that ``end`` gives, or None.

        Raises GraphError if a distance does not fit 32 bits, NegativeCycleError if sums of floats fall around a cycle.
        """
        resident, graph, distances = self.resident, self.graph, into.distances
        if end is None:
            self._check_rounded_cycles(sources)
            if self.overflow and not sums_fit:
                overflow_of(resident).check(distances)
            return None
        try:
            return end()
        except OUT_OF_MEMORY:
            if len(sources) == 1:
                raise
            return certified_in_pieces(resident, sources, distances, into.predecessors)
        except CertificateError:
            self._check_rounded_cycles(sources)
            if self.overflow or not overflow_of(resident).is_possible:
                overflow_of(resident).check(distances)
                raise
        trees = None if into.predecessors is None else on_host(into.predecessors)
        return certify_each(graph, sources.tolist(), on_host(distances), trees, far_is_unreachable=True)

    def _check_rounded_cycles(self, sources: np.ndarray) -> None:
        """Raise NegativeCycleError if one of ``sources`` reaches a cycle that ``check`` did not find.

        Whether the sum of floats falls around a cycle may depend on the distance at which it begins.
        """
        if self.graph.has_floats and self.graph.weight_min < 0:
            for source in sources.tolist():
                check_no_negative_cycle(self.graph, source)

    def solve_columns(self, sources: np.ndarray) -> tuple[Columns | Any, Outcome]:
        """Solve from ``sources`` into columns of the solver, and certify them. All weights are above 0."""
        with dropping_solvers_on_failure(self.resident):
            began = perf_counter()
            solver = self.solver
            columns = solver.solve_columns(sources)
            self.device.synchronize()
            solver.check()
            solved = perf_counter()
            certificate = cast(DeviceCertifier, certifier_of(self.resident)).certify_columns(sources, columns)
            if certificate is None:  # the certificate of rows says what is wrong
                by_vertex = columns.cells[:, self.device.upload(columns.positions)]
                rows = by_vertex.transpose(0, 2, 1).reshape(-1, self.graph.vertices)
                into = Rows(self.device.xp.ascontiguousarray(rows[: len(sources)]), None)
                certificate = self._checked(self._begin_certificate(sources, into), sources, into, False)
            return columns, Outcome(certificate, solved - began, perf_counter() - solved)

    def solve_table(self, sources: np.ndarray, targets: np.ndarray, distances: Any) -> Outcome:
        """Solve from each source to each target, without a certificate, for variants with tables."""
        with dropping_solvers_on_failure(self.resident):
            began = perf_counter()
            solver = self.solver
            solver.solve_table(sources, targets, distances)
            self.device.synchronize()
            solver.check()
            solved = perf_counter()
            self.check_table(sources, distances)
            return Outcome(None, solved - began, perf_counter() - solved)

    def solve_pairs(self, sources: np.ndarray, targets: np.ndarray, distances: Any) -> Outcome | None:
        """Solve from each source to the target at the same position, for variants with tables.

        There is at least one pair. Returns None if the labels take too much memory for a certificate.
        """
        with dropping_solvers_on_failure(self.resident):
            began = perf_counter()
            solver = self.solver
            labels = solver.labels_of_all() if self.certify else None
            if self.certify and labels is None:
                return None
            solver.solve_pairs(sources, targets, distances)
            self.device.synchronize()
            solver.check()
            solved = perf_counter()
        if labels is None:
            self.check_table(sources, distances[:, None])
            return Outcome(None, solved - began, 0.0)
        certifier = cast(DeviceCertifier, certifier_of(self.resident))
        certificate = certifier.certify_pairs(labels, sources, targets, distances)
        return Outcome(certificate, solved - began, perf_counter() - solved)

    def check_table(self, sources: np.ndarray, table: Any) -> None:
        """Raise GraphError if a distance of a table does not fit 32 bits. Whole rows show why one is unreachable."""
        if self.overflow and overflow_of(self.resident).is_possible and table.size and int(table.max()) == UNREACHABLE:
            unreached = np.unique(sources[on_host((table == UNREACHABLE).any(axis=1))])
            whole = replace(self, certify=False)
            for chunk in whole.chunks(unreached, whole.rows_at_once(len(unreached))):
                del chunk  # it has been checked

    def rows_at_once(self, count: int, width: int | None = None, chunk_bytes: int = CHUNK_BYTES) -> int:
        """The default number of rows, of ``width`` distances (by default of all vertices), of a chunk."""
        graph, variant = self.graph, self.variant
        if not variant.many_sources:
            return 1
        if variant.on_cpu:
            count = min(count, core_count() * max(1, _STEPS_OF_CHUNK // (graph.vertices + graph.arcs)))
        cell_bytes = graph.weights.itemsize + 4 * self.predecessors
        return max(1, min(count, chunk_bytes // max(1, (graph.vertices if width is None else width) * cell_bytes)))

    def chunks(
        self,
        sources: np.ndarray,
        rows: int,
        targets: np.ndarray | None = None,
        into: Rows | None = None,
        begin_copy: Callable[[int, Rows], None] | None = None,
    ) -> Iterator[Chunk]:
        """Solve from ``sources``, ``rows`` at a time, into two sets of rows alternately, or into those of ``into``.

        With ``targets``, solve a table, without predecessors and certificates. ``begin_copy(first, rows)`` is called
        for each chunk of rows once its solve is enqueued.
        """
        graph, count = self.graph, len(sources)
        numbers = sources.astype(np.int32)
        if self.variant.on_cpu and self.certify and count:
            load_certificate(graph, self.predecessors)
        sets = [into] if into else [self._scratch(min(rows, count), targets, n) for n in range(1 + (rows < count))]
        for turn, first in enumerate(range(0, count, rows)):
            last = min(first + rows, count)
            part = into.part(first, last) if into else sets[turn % len(sets)].part(0, last - first)
            if targets is None:
                meanwhile = partial(begin_copy, first, part) if begin_copy else None
                outcome = self.solve(numbers[first:last], part, meanwhile, last == count)
            else:
                outcome = self.solve_table(numbers[first:last], targets, part.distances)
            yield Chunk(first, last, part.distances, part.predecessors, outcome)

    def chunks_in_columns(self, sources: np.ndarray, rows: int) -> Iterator[Chunk]:
        """As ``chunks``, with distances in columns of the solver. All weights are above 0."""
        for first in range(0, len(sources), rows):
            last = min(first + rows, len(sources))
            columns, outcome = self.solve_columns(sources[first:last])
            yield Chunk(first, last, columns, None, outcome)

    def _scratch(self, rows: int, targets: np.ndarray | None, number: int) -> Rows:
        """Rows that a call overwrites; those of one source are kept for later calls."""
        if targets is not None:
            return Rows(self.device.empty((rows, len(targets)), self.graph.weights.dtype), None)
        if rows > 1 or self.variant.on_cpu:
            return self.new_rows(rows)
        return self.resident.of_weights(("scratch", number, self.predecessors), lambda: self.new_rows(1))

    def new_rows(self, count: int) -> Rows:
        """Rows where the solver runs."""
        return allocated(self.device.empty, self.graph, count, self.predecessors)


def certifies_pairs(resident: Resident, sources: int) -> bool:
    """Whether certificates of pairs with so many different sources are about labels, not about whole rows."""
    graph = resident.graph
    if resident.device.kind == "cpu" or graph.weight_min <= 0 or overflow_of(resident).is_possible:
        return False
    known = cast(DeviceCertifier, certifier_of(resident)).knows_labels
    return known or _VERTICES_A_SOURCE * sources >= graph.vertices


def allocated(empty: Callable[[Dimensions, Any], Any], graph: Graph, count: int, predecessors: bool) -> Rows:
    """Rows for ``count`` sources, views of one allocation: each takes as long as a small solve."""
    cells = count * graph.vertices
    lengths = words_of(graph.weights.dtype) * cells
    words = empty((lengths + predecessors * cells,), np.int32)
    shape = count, graph.vertices
    distances = words[:lengths].view(graph.weights.dtype).reshape(shape)
    return Rows(distances, words[lengths:].reshape(shape) if predecessors else None)


@contextmanager
def dropping_solvers_on_failure(resident: Resident) -> Iterator[None]:
    """A failure may leave arrays of a solver incomplete."""
    try:
        yield
    except BaseException:
        resident.forget_of_weights(SOLVERS)
        raise


def certified(resident: Resident, sources: np.ndarray, distances: Any, predecessors: Any) -> Certificate:
    """Certify on the device, a few rows at a time if memory is short. Raises CertificateError."""
    try:
        return certifier_of(resident).certify(sources, distances, predecessors)
    except OUT_OF_MEMORY:
        if len(sources) == 1:
            raise
    return certified_in_pieces(resident, sources, distances, predecessors)


def certified_in_pieces(resident: Resident, sources: np.ndarray, distances: Any, predecessors: Any) -> Certificate:
    """Certify on the device, a few rows at a time, after memory has run out for all of them."""
    forget_all(resident.device)
    certificates: list[Certificate] = []

    def certify(first: int, rows: int) -> Iterator[tuple]:
        for begin in range(first, len(sources), rows):
            part = slice(begin, begin + rows)
            trees = None if predecessors is None else predecessors[part]
            certificates.append(certifier_of(resident).certify(sources[part], distances[part], trees))
            yield (sources[part],)

    for _ in in_smaller_pieces(resident.device, len(sources), len(sources) // 2, certify):
        pass
    return combined(certificates)
