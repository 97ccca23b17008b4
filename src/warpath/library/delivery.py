"""Answers where the caller wants them: whole or in part, on the host or the device."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial
from math import prod
from typing import Any, Literal

import numpy as np

from ..certificates.certificate import Certificate, combined
from ..device import Device
from ..device.contract import Dimensions, Stream
from ..device.copies import download_in_pieces
from ..device.resident import Resident
from ..distances import NO_PREDECESSOR, unreachable
from ..errors import UsageError
from ..solvers.checks.preconditions import size_of_paths
from ..solvers.choice.auto import are_few
from ..solvers.solver import Rows
from ..system.progress import Progress
from .calls import Call, Chunk, Outcome, allocated
from .choosing import Request, chosen
from .memory import OUT_OF_MEMORY, in_smaller_pieces

Output = Literal["host", "device"]

# Copies to page-locked memory are several times as fast, but other programs cannot use this memory.
PINNED_BYTES_MAX = 64 << 20


@dataclass(frozen=True)
class Delivery:
    """What to return of an answer: the columns ``targets`` (None for all), distances up to ``limit``, and where.

    Vertices farther than ``limit`` become unreachable and lose their predecessor. ``through_far`` keeps predecessors:
    with negative arcs, the path to a near vertex may lead through a far one.
    """

    device: Device
    targets: np.ndarray | None
    limit: float | None
    through_far: bool
    predecessors: bool
    certify: bool
    output: Output

    @property
    def is_whole(self) -> bool:
        """Whether the answer is returned without a change."""
        return self.targets is None and self.limit is None

    def cut(self, distances: Any, predecessors: Any) -> tuple[Any, Any]:
        """Distances of the targets, and distances and predecessors up to the limit; predecessors may be None."""
        if self.limit is not None and predecessors is not None and not self.through_far:
            predecessors = predecessors.copy()
            predecessors[distances > self.limit] = NO_PREDECESSOR
        if self.targets is not None:
            is_on_host = isinstance(distances, np.ndarray)
            distances = distances[..., self.targets if is_on_host else self.device.upload(self.targets)]
        if self.limit is not None:
            distances = distances.copy()
            distances[distances > self.limit] = unreachable(distances.dtype)
        return distances, predecessors

    def stream(self, chunks: Iterable[Chunk], sources: np.ndarray) -> Iterator[tuple[Any, ...]]:
        """Yield the sources of each chunk, and copies of their distances and, if there are any, predecessors.

        A chunk is copied while the next one is solved.
        """
        copying = self.device.stream()
        waiting: tuple[Any, ...] | None = None
        try:
            for chunk in chunks:
                copying.synchronize()  # the previous copy is complete, so its source may be overwritten
                in_flight = [array for array in self.cut(chunk.distances, chunk.predecessors) if array is not None]
                stream = copying if self.output == "host" else None
                copying.wait(self.device.record())
                copied = [self._copied(array, stream) for array in in_flight]
                if waiting:
                    yield waiting
                waiting = (sources[chunk.first : chunk.last], *copied)
            if waiting:
                self.device.synchronize()
                yield waiting
        finally:
            copying.synchronize()  # if the caller stops early, a copy must not write to freed memory

    def _copied(self, array: Any, stream: Stream | None) -> Any:
        rows = RowBuffer(self.device, array.shape, array.dtype, self.output, pinned=True)
        rows.put(0, array, stream)
        return rows.matrix


class RowBuffer:
    """An array of one or two dimensions on the host or the device that is filled a few rows at a time."""

    def __init__(self, device: Device, shape: Dimensions, dtype: Any, output: Output, pinned: bool | None = None):
        self.device = device
        if pinned is None:
            pinned = np.dtype(dtype).itemsize * prod(shape) <= PINNED_BYTES_MAX
        self.pageable = output == "host" and not pinned
        if output == "device":
            self.matrix = device.empty(shape, dtype)
        elif pinned:
            self.matrix = device.pinned(shape, dtype, pooled=True)
        else:
            self.matrix = np.empty(shape, dtype)

    def put(self, first: int, array: Any, stream: Stream | None = None) -> None:
        """Copy ``array``, on the host or the device, to the rows from ``first`` on.

        The copy is asynchronous unless the matrix is in pageable memory.
        """
        rows = self.matrix[first : first + len(array)]
        are_on_host = isinstance(array, np.ndarray) and isinstance(rows, np.ndarray)
        if are_on_host and self.device.xp is not np:  # a solver on the CPU has served a GPU
            np.copyto(rows, array)
        elif self.pageable:
            download_in_pieces(self.device, array, rows)
        else:
            self.device.copy(array, rows, stream)


def may_be_a_table(vertices: int, sources: int, delivery: Delivery) -> bool:
    """Whether the distances of a few targets are all that is wanted."""
    targets = delivery.targets
    if targets is None or not len(targets) or delivery.predecessors or delivery.certify:
        return False
    return are_few(len(targets), sources, vertices)


def for_table(call: Call, sources: int, delivery: Delivery) -> tuple[np.ndarray | None, Delivery]:
    """The targets if the solver solves a table, else None; and how to deliver what it solves."""
    if not (call.variant.has_tables(call.graph) and may_be_a_table(call.graph.vertices, sources, delivery)):
        return None, delivery
    return delivery.targets, replace(delivery, targets=None)


def call_for(resident: Resident, request: Request, sources: np.ndarray, delivery: Delivery) -> Call:
    """The solver for ``request``, and what is checked of its answer."""

    def rows() -> Rows:
        device, graph, trees = resident.device, resident.graph, delivery.predecessors
        in_place = delivery.is_whole and delivery.output == "device"
        key = ("next rows", trees) if in_place else ("scratch", 0, trees)
        return resident.of_weights(key, lambda: allocated(device.empty, graph, 1, trees))

    choice = chosen(resident, request, sources, delivery.predecessors, rows)
    return Call(resident, choice, delivery.predecessors, delivery.certify, overflow=delivery.limit is None)


def answered(call: Call, sources: np.ndarray, delivery: Delivery, progress: bool = True) -> tuple[Any, Any, Outcome]:
    """Distances, shape (k, n) or (k, t), and predecessors, (k, n) or None, in new arrays where they are wanted."""
    device, graph, count = call.resident.device, call.graph, len(sources)
    call.check(sources)
    width = graph.vertices if delivery.targets is None else len(delivery.targets)
    of_table, delivery = for_table(call, count, delivery)
    if delivery.output == "host":
        size = size_of_paths(delivery.predecessors, graph.weights.itemsize)
        size.check(count, graph.vertices if delivery.predecessors else width)
    bar = Progress("solving", "sources", count) if progress else None
    with bar or nullcontext():
        is_whole = delivery.is_whole and of_table is None
        if is_whole and (call.variant.on_cpu if delivery.output == "host" else not call.elsewhere):
            into = _next_rows(call, count)
            allocate = partial(_allocate_next, call) if count == 1 else None
            rows = count if call.variant.many_sources else 1
            outcome = solve_all(call, sources, rows, None, bar, into=into, begin_copy=allocate)
            return into.distances, into.predecessors, outcome
        if is_whole and graph.weights.itemsize * count * width <= PINNED_BYTES_MAX and not call.elsewhere:
            answer = allocated(partial(device.pinned, pooled=True), graph, count, delivery.predecessors)
            copying = call.resident.of_weights("copying", device.stream)

            def begin_copy(first: int, rows: Rows) -> None:
                copying.wait(device.record())
                last = first + len(rows.distances)
                device.copy(rows.distances, answer.distances[first:last], copying)
                if rows.predecessors is not None:
                    device.copy(rows.predecessors, answer.predecessors[first:last], copying)

            outcome = solve_all(call, sources, call.rows_at_once(count), None, bar, begin_copy=begin_copy)
            return answer.distances, answer.predecessors, outcome
        return _in_part(call, sources, delivery, of_table, width, bar)


def _in_part(
    call: Call, sources: np.ndarray, delivery: Delivery, of_table: np.ndarray | None, width: int, bar: Progress | None
) -> tuple[Any, Any, Outcome]:
    """As ``answered``, with a copy of each chunk once it is certified."""
    device, graph, count = call.resident.device, call.graph, len(sources)
    of_distances = RowBuffer(device, (count, width), graph.weights.dtype, delivery.output)
    of_trees = RowBuffer(device, (count, graph.vertices), np.int32, delivery.output) if delivery.predecessors else None

    def take(first: int, chunk: Chunk) -> None:
        distances, trees = delivery.cut(chunk.distances, chunk.predecessors)
        of_distances.put(first, distances)
        if of_trees:
            of_trees.put(first, trees)

    rows = call.rows_at_once(count, None if of_table is None else width)
    outcome = solve_all(call, sources, rows, take, bar, of_table)
    device.synchronize()  # completes the copies
    return of_distances.matrix, of_trees.matrix if of_trees else None, outcome


def _next_rows(call: Call, count: int) -> Rows:
    """Rows that the caller will own; those for one source have been allocated while the last call was solved."""
    if count > 1 or call.variant.on_cpu:
        return call.new_rows(count)
    key = "next rows", call.predecessors
    rows: Rows = call.resident.of_weights(key, lambda: call.new_rows(1))
    call.resident.forget_of_weights(key)
    return rows


def _allocate_next(call: Call, first: int, rows: Rows) -> None:
    with suppress(*OUT_OF_MEMORY):
        call.resident.of_weights(("next rows", call.predecessors), lambda: call.new_rows(1))


def solve_all(
    call: Call,
    sources: np.ndarray,
    rows: int,
    take: Callable[[int, Chunk], None] | None,
    progress: Progress | None = None,
    targets: np.ndarray | None = None,
    columns: bool = False,
    into: Rows | None = None,
    begin_copy: Callable[[int, Rows], None] | None = None,
) -> Outcome:
    """Solve as ``Call.chunks`` does, with fewer rows at a time if memory is short.

    Calls ``take(first, chunk)`` with each chunk and the number of sources before it.
    """
    certificates: list[Certificate] = []
    solve_s = certify_s = 0.0

    def solve(start: int, rows: int) -> Iterator[tuple]:
        nonlocal solve_s, certify_s
        rest = sources[start:]
        if columns:
            chunks = call.chunks_in_columns(rest, rows)
        else:
            rest_of_answer = into.part(start, len(sources)) if into else None
            copy = partial(_shifted, begin_copy, start) if begin_copy else None
            chunks = call.chunks(rest, rows, targets, rest_of_answer, copy)
        for chunk in chunks:
            if take:
                take(start + chunk.first, chunk)
            if chunk.outcome.certificate:
                certificates.append(chunk.outcome.certificate)
            solve_s, certify_s = solve_s + chunk.outcome.solve_s, certify_s + chunk.outcome.certify_s
            if progress:
                progress(start + chunk.last)
            yield (rest[chunk.first : chunk.last],)

    for _ in in_smaller_pieces(call.resident.device, len(sources), rows, solve):
        pass
    return Outcome(combined(certificates) if certificates else None, solve_s, certify_s)


def _shifted(begin_copy: Callable[[int, Rows], None], start: int, first: int, rows: Rows) -> None:
    begin_copy(start + first, rows)


def moved(device: Device, array: Any, output: Output) -> Any:
    """``array`` on the host or the device, as ``output`` says; the same array if it is already there."""
    if isinstance(array, np.ndarray) == (output == "host") or device.xp is np:
        return array
    if output == "device":
        return device.upload(array)
    out = np.empty(array.shape, array.dtype)
    download_in_pieces(device, array, out)
    return out


def check_output(output: str) -> None:
    if output not in ("host", "device"):
        raise UsageError(f"output={output!r} is unknown; choose 'host' or 'device'")
