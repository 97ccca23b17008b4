"""A call to a solver: it fills rows of an answer, which are certified, and copied to where they are wanted.

While the kernels run, the certificate is begun, the answer is copied, and the rows of the next call are allocated. What
is certified is what the caller gets: nothing writes into rows between the solve and their copy.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from time import perf_counter
from typing import Any, Literal, NamedTuple, TypeVar, cast

import numpy as np

from ..certificates.certificate import Certificate, certify_each, combined, load_certificate
from ..certificates.on_device import DeviceCertifier
from ..certificates.on_host import HostCertifier
from ..device import open_device
from ..device.contract import Dimensions
from ..device.copies import download_in_pieces
from ..device.resident import Resident
from ..distances import UNREACHABLE, Columns, Labels
from ..errors import CertificateError
from ..graphs.csr import Graph
from ..solvers.checks.preconditions import (
    Overflow,
    check_no_negative_cycle,
    check_weights,
    negative_cycle,
    size_of_paths,
)
from ..solvers.choice.choose import Choice, drop_solvers
from ..solvers.solver import Rows, RowSolver
from ..system.arrays import on_host
from ..system.host_machine import LARGE_BYTES, core_count
from .memory import OUT_OF_MEMORY, forget_all, in_smaller_pieces

Output = Literal["host", "device"]
_Result = TypeVar("_Result")

# Copies to page-locked memory are several times as fast, but other programs cannot use this memory.
PINNED_BYTES_MAX = 256 << 20
# A caller who keeps no answer has two at a time: the last one, and the one that is being computed.
_ANSWERS_AT_ONCE = 2
# The size of a chunk on the device. At this size, a launch takes milliseconds, so a larger chunk saves nothing.
CHUNK_BYTES = 256 << 20
# Columns stay in the memory of their solver. It has more work for each launch.
COLUMNS_BYTES = 1 << 30
# On the CPU, a chunk takes a fraction of a second, so that progress moves.
_STEPS_OF_CHUNK = 1 << 23
# Labels of all vertices are certified for one source to so many vertices; for fewer, whole rows take less time.
_VERTICES_A_SOURCE = 64


class Delivery(NamedTuple):
    """What to return of an answer, and where: predecessors, a certificate, and distances up to ``limit``.

    Vertices farther than ``limit`` become unreachable and lose their predecessor, unless weights are negative: then the
    path to a near vertex may lead through a far one.
    """

    predecessors: bool = True
    certify: bool = True
    output: Output = "host"
    limit: float | None = None

    @property
    def is_bare(self) -> bool:
        """Distances alone are wanted, so that those of some targets suffice."""
        return not self.predecessors and not self.certify


class Outcome(NamedTuple):
    """The certificate of an answer, or None, and the seconds for solving and certifying."""

    certificate: Certificate | None
    solve_s: float
    certify_s: float


def certifier_of(resident: Resident) -> DeviceCertifier | HostCertifier:
    """What certifies answers for a graph on a device."""
    device, graph = resident.device, resident.graph

    def make() -> DeviceCertifier | HostCertifier:
        if device.kind == "cpu":
            return HostCertifier(graph)
        return DeviceCertifier(device, graph)

    return resident.of_weights("certifier", make)


def overflow_of(resident: Resident) -> Overflow:
    return resident.of_weights("overflow", lambda: Overflow(resident.device, resident.graph))


def after_failure(resident: Resident) -> None:
    """Drop all solvers: a solve may have left their arrays incomplete. First wait for work that uses these, or rows."""
    try:
        resident.device.synchronize()
    finally:
        drop_solvers(resident)


class Call:
    """The solver for a request, and how its answers are checked and delivered. Raises GraphError if it cannot solve.

    Distances beyond 32 bits matter only without a limit. ``begun_s`` are seconds that the first solve has taken.
    """

    def __init__(self, resident: Resident, choice: Choice, delivery: Delivery, begun_s: float = 0.0):
        self.resident, self.choice, self.delivery, self.begun_s = resident, choice, delivery, begun_s
        self.graph, self.variant = resident.graph, choice.variant
        # A solver on the CPU may serve a GPU.
        self.elsewhere = self.variant.on_cpu and resident.device.xp is not np
        self.device = open_device("cpu") if self.elsewhere else resident.device
        self.predecessors, self.is_whole = delivery.predecessors, delivery.limit is None
        self.in_place = self.variant.on_cpu if delivery.output == "host" else not self.elsewhere
        self._row_bytes = self.graph.vertices * (self.graph.weights.itemsize + 4 * delivery.predecessors)
        check_weights(self.graph, self.variant)
        if self.variant.on_cpu and delivery.certify:
            loaded = partial(load_certificate, self.graph, delivery.predecessors)
            resident.fact(("certificate", delivery.predecessors), loaded)

    @property
    def solver(self) -> RowSolver:
        return self.choice.solver(self.resident)

    def check(self, sources: np.ndarray | None) -> None:
        """Raise if one of ``sources``, or of all vertices if it is None, reaches a cycle of negative weight.

        Raises OutOfMemoryError if the host has no room for the answer.
        """
        graph = self.graph
        if graph.weight_min < 0 and self.resident.fact("negative cycle", lambda: bool(negative_cycle(graph, None))):
            for source in [None] if sources is None else sources.tolist():
                check_no_negative_cycle(graph, source)

    def check_size(self, rows: int, width: int) -> None:
        """Raise OutOfMemoryError if the host cannot hold an answer of so many rows."""
        if self.delivery.output == "host" and rows * self._row_bytes >= LARGE_BYTES:
            size = size_of_paths(self.predecessors, self.graph.weights.itemsize)
            size.check(rows, self.graph.vertices if self.predecessors else width)

    def pinned_rows(self, count: int) -> Rows | None:
        """Rows for an answer in page-locked memory, or None if it has to be in ordinary memory."""
        graph, predecessors = self.graph, self.predecessors
        if count * self._row_bytes > PINNED_BYTES_MAX:
            return None
        words = self.device.pinned_answer(_shape_of_words(graph, count, predecessors), np.int32, _ANSWERS_AT_ONCE)
        return None if words is None else _rows_in(words, graph)

    def whole(self, sources: np.ndarray) -> tuple[Rows, Outcome]:
        """All rows at once, in new arrays where they are wanted. ``sources`` are int32 of shape (k,)."""
        count = len(sources)
        if self.in_place:
            into = self._next_rows(count)
            return into, self.solve(sources, into)
        into = self.scratch(count)
        if self.delivery.output == "device":  # a solver on the CPU serves a GPU
            outcome = self.solve(sources, into)
            return _rows_in(self.resident.device.upload(into.words), self.graph), outcome
        to = self.pinned_rows(count)
        if to is None:
            to = allocated(np.empty, self.graph, count, self.predecessors)
            outcome = self.solve(sources, into)
            download_in_pieces(self.device, into.words, to.words)
            return to, outcome
        return to, self.solve(sources, into, to)

    def solve(self, sources: np.ndarray, into: Rows, to: Rows | None = None, is_last: bool = True) -> Outcome:
        """Solve from ``sources``, int32 of shape (k,), and certify the rows of ``into``. A failure drops all solvers.

        The rows are copied to those of ``to``, in page-locked memory. After the last chunk, copies are waited for.
        """
        device, resident, delivery = self.device, self.resident, self.delivery
        try:
            solver = self.solver
            began, self.begun_s = perf_counter() - self.begun_s, 0.0
            solver.solve(sources, into)
            certifier = end = None
            if delivery.certify:
                certifier = HostCertifier(self.graph) if self.variant.on_cpu else certifier_of(resident)
            is_complete = False
            while not is_complete:
                if to is not None and is_last:  # that of another chunk would delay the verdict, and the next solve
                    self._begin_copy(into, to)
                if certifier:
                    end = certifier.begin(sources, into.distances, into.predecessors)
                if to is not None and not is_last:
                    self._begin_copy(into, to)
                elif to is None and self.in_place:
                    self._allocate_next(len(sources))
                device.synchronize(copies=is_last)
                is_complete = solver.check()
            solved = perf_counter()
            certificate = self._checked(end, sources, into, solver.sums_fit)
            return Outcome(certificate, solved - began, perf_counter() - solved)
        except BaseException:
            after_failure(resident)
            raise

    def _begin_copy(self, into: Rows, to: Rows) -> None:
        device, copying = self.device, self.device.copying
        copying.follow()
        if into.words is not None and to.words is not None:
            device.copy(into.words, to.words, copying)
            return
        device.copy(into.distances, to.distances, copying)
        if to.predecessors is not None:
            device.copy(into.predecessors, to.predecessors, copying)

    def _checked(
        self, end: Callable[[], Certificate] | None, sources: np.ndarray, into: Rows, sums_fit: bool
    ) -> Certificate | None:
        """The certificate that ``end`` gives, or None.

        Raises GraphError if a distance does not fit 32 bits, NegativeCycleError if sums of floats fall around a cycle.
        """
        if end is not None:
            try:
                return end()
            except OUT_OF_MEMORY:
                if len(sources) == 1:
                    raise
                return certified_in_pieces(self.resident, sources, into.distances, into.predecessors)
            except CertificateError:
                self._check_rounded_cycles(sources)
                if self.is_whole or not overflow_of(self.resident).is_possible:
                    overflow_of(self.resident).check(into.distances)
                    raise
            trees = None if into.predecessors is None else on_host(into.predecessors)
            return certify_each(self.graph, sources.tolist(), on_host(into.distances), trees, far_is_unreachable=True)
        self._check_rounded_cycles(sources)
        if self.is_whole and not sums_fit:
            overflow_of(self.resident).check(into.distances)
        return None

    def _check_rounded_cycles(self, sources: np.ndarray) -> None:
        """Raise NegativeCycleError if one of ``sources`` reaches a cycle that ``check`` did not find.

        Whether the sum of floats falls around a cycle may depend on the distance at which it begins.
        """
        if self.graph.has_floats and self.graph.weight_min < 0:
            for source in sources.tolist():
                check_no_negative_cycle(self.graph, source)

    def solve_columns(self, sources: np.ndarray) -> tuple[Columns, Outcome]:
        """Solve from ``sources`` into columns of the solver, and certify them. All weights are above 0."""
        try:
            solver = self.solver
            began = perf_counter()
            columns = solver.solve_columns(sources)
            self.device.synchronize()
            solver.check()
            solved = perf_counter()
            certificate = cast(DeviceCertifier, certifier_of(self.resident)).certify_columns(sources, columns)
            if certificate is None:  # the certificate of rows says what is wrong
                by_vertex = columns.cells[:, self.device.upload(columns.positions)]
                rows = by_vertex.transpose(0, 2, 1).reshape(-1, self.graph.vertices)
                into = Rows(self.device.xp.ascontiguousarray(rows[: len(sources)]), None)
                end = certifier_of(self.resident).begin(sources, into.distances, None)
                self.device.synchronize()
                certificate = self._checked(end, sources, into, False)
            return columns, Outcome(certificate, solved - began, perf_counter() - solved)
        except BaseException:
            after_failure(self.resident)
            raise

    def solve_table(self, sources: np.ndarray, targets: np.ndarray, distances: Any) -> Outcome:
        """Solve from each source to each target, without a certificate, for variants with tables."""
        _, solve_s = self._ended(lambda solver: solver.solve_table(sources, targets, distances))
        began = perf_counter()
        self._check_table(sources, distances)
        return Outcome(None, solve_s, perf_counter() - began)

    def solve_pairs(self, sources: np.ndarray, targets: np.ndarray, distances: Any) -> Outcome | None:
        """Solve from each source to the target at the same position, for variants with tables.

        There is at least one pair. Returns None if the labels take too much memory for a certificate.
        """

        def solve(solver: RowSolver) -> Labels | None:
            labels = solver.labels_of_all() if self.delivery.certify else None
            if labels is not None or not self.delivery.certify:
                solver.solve_pairs(sources, targets, distances)
            return labels

        labels, solve_s = self._ended(solve)
        if not self.delivery.certify:
            self._check_table(sources, distances[:, None])
            return Outcome(None, solve_s, 0.0)
        if labels is None:
            return None
        began = perf_counter()
        certifier = cast(DeviceCertifier, certifier_of(self.resident))
        certificate = certifier.certify_pairs(labels, sources, targets, distances)
        return Outcome(certificate, solve_s, perf_counter() - began)

    def _ended(self, enqueue: Callable[[RowSolver], _Result]) -> tuple[_Result, float]:
        """What ``enqueue`` returns, once its work has ended, and the seconds. A failure drops all solvers."""
        try:
            solver = self.solver
            began = perf_counter()
            result = enqueue(solver)
            self.device.synchronize()
            solver.check()
            return result, perf_counter() - began
        except BaseException:
            after_failure(self.resident)
            raise

    def _check_table(self, sources: np.ndarray, table: Any) -> None:
        """Raise GraphError if a distance of a table does not fit 32 bits. Whole rows show why one is unreachable."""
        if self.is_whole and overflow_of(self.resident).is_possible and table.size and int(table.max()) == UNREACHABLE:
            unreached = np.unique(sources[on_host((table == UNREACHABLE).any(axis=1))]).astype(np.int32)
            rows = Call(self.resident, self.choice, self.delivery._replace(certify=False, predecessors=False))
            for first in range(0, len(unreached), at_once := rows.rows_at_once(len(unreached))):
                part = unreached[first : first + at_once]
                rows.solve(part, rows.scratch(len(part)))

    def rows_at_once(self, count: int, width: int | None = None, chunk_bytes: int = CHUNK_BYTES) -> int:
        """The default number of rows, of ``width`` distances (by default of all vertices), of a chunk."""
        graph, variant = self.graph, self.variant
        if not variant.many_sources:
            return 1
        if variant.on_cpu:
            count = min(count, core_count() * max(1, _STEPS_OF_CHUNK // (graph.vertices + graph.arcs)))
        cell_bytes = graph.weights.itemsize + 4 * self.predecessors
        return max(1, min(count, chunk_bytes // max(1, (graph.vertices if width is None else width) * cell_bytes)))

    def scratch(self, count: int) -> Rows:
        """Rows that are not read after the call, where the solver runs; those of one source are kept for later ones."""
        if count > 1 or self.variant.on_cpu:
            return self.new_rows(count)
        return self.resident.of_weights(("scratch", self.predecessors), partial(self.new_rows, 1))

    def new_rows(self, count: int) -> Rows:
        """Rows where the solver runs, or in host memory if no device has room for all of its rows."""
        empty = np.empty if self.variant.host_rows else self.device.empty
        return allocated(empty, self.graph, count, self.predecessors)

    def _next_rows(self, count: int) -> Rows:
        """Rows that the caller will own; those for one source have been allocated while the last call was solved."""
        rows = self.resident.made.pop(("next rows", self.predecessors), None) if self._allocates_next(count) else None
        return rows or self.new_rows(count)

    def _allocates_next(self, count: int) -> bool:
        """Whether the next call from one source finds its rows where this one would have them: on the device."""
        return count == 1 and not (self.variant.on_cpu or self.variant.host_rows)

    def _allocate_next(self, count: int) -> None:
        if self._allocates_next(count):
            with suppress(*OUT_OF_MEMORY):  # the next call frees some
                self.resident.made["next rows", self.predecessors] = self.new_rows(1)

    def first_rows(self) -> Rows:
        """The rows into which the next call from one source will solve."""
        if not (self.in_place and self.is_whole):
            return self.scratch(1)
        return self.resident.of_weights(("next rows", self.predecessors), partial(self.new_rows, 1))


def allocated(empty: Callable[[Dimensions, Any], Any], graph: Graph, count: int, predecessors: bool) -> Rows:
    """Rows for ``count`` sources, views of one allocation: each takes as long as a small solve."""
    return _rows_in(empty(_shape_of_words(graph, count, predecessors), np.int32), graph)


def _shape_of_words(graph: Graph, count: int, predecessors: bool) -> Dimensions:
    return graph.weights.itemsize // 4 + predecessors, count, graph.vertices


def _rows_in(words: Any, graph: Graph) -> Rows:
    """Rows that are views of ``words``, an int32 array of the shape above."""
    lengths = graph.weights.itemsize // 4
    distances = words[0]
    if graph.has_floats:
        distances = words[:lengths].reshape(-1).view(graph.weights.dtype).reshape(words.shape[1:])
    return Rows(distances, words[lengths] if len(words) > lengths else None, words)


def certifies_pairs(resident: Resident, sources: int) -> bool:
    """Whether certificates of pairs with so many different sources are about labels, not about whole rows."""
    graph = resident.graph
    if resident.device.kind == "cpu" or graph.weight_min <= 0 or overflow_of(resident).is_possible:
        return False
    known = cast(DeviceCertifier, certifier_of(resident)).knows_labels
    return known or _VERTICES_A_SOURCE * sources >= graph.vertices


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
