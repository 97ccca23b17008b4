"""Answers of many rows, solved a chunk at a time, and delivered whole or in part."""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from ..certificates.certificate import Certificate, combined
from ..device import Device
from ..device.contract import Dimensions, Stream
from ..device.copies import download_in_pieces
from ..distances import NO_PREDECESSOR, unreachable
from ..errors import UsageError
from ..solvers.many_sources.costs import are_few
from ..solvers.solver import Closure, Rows
from ..system.progress import Progress
from .calls import PINNED_BYTES_MAX, Call, Outcome, Output
from .memory import in_smaller_pieces

SPREAD_BYTES = 64 << 20
"""About the size of the rows of a closure that are spread from bits at once."""

# A caller who keeps none has two answers of up to three arrays at a time, or three chunks of two: the last one, the one
# that is copied, and the one that is being solved.
_ARRAYS_AT_ONCE = 6


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


def chunks(
    call: Call,
    sources: np.ndarray,
    rows: int,
    targets: np.ndarray | None = None,
    columns: bool = False,
    into: Rows | None = None,
    to: Rows | None = None,
) -> Iterator[Chunk]:
    """Solve from ``sources``, ``rows`` at a time, into two sets of rows alternately, or into those of ``into``.

    With ``targets``, solve a table, without predecessors and certificates. With ``columns``, solve into arrays of the
    solver. ``to`` are rows in page-locked memory, to which each chunk is copied.
    """
    count, numbers, device = len(sources), sources.astype(np.int32), call.device
    starts = range(0, 0 if into or columns else min(count, 2 * rows), rows)
    sets = [_rows_of_chunk(call, min(rows, count - first), count, targets) for first in starts]
    copied: dict[int, Any] = {}  # when the copying stream has read the last chunk of each set
    for turn, first in enumerate(range(0, count, rows)):
        last = min(first + rows, count)
        if columns:
            found, outcome = call.solve_columns(numbers[first:last])
            yield Chunk(first, last, found, None, outcome)
            continue
        part = into.part(first, last) if into else sets[turn % 2].part(0, last - first)
        if targets is None:
            if turn % 2 in copied:
                device.wait(copied[turn % 2])
            own = to.part(first, last) if to else None
            outcome = call.solve(numbers[first:last], part, own, is_last=last == count)
            if to:
                copied[turn % 2] = device.copying.record()
        else:
            outcome = call.solve_table(numbers[first:last], targets, part.distances)
        yield Chunk(first, last, part.distances, part.predecessors, outcome)


def _rows_of_chunk(call: Call, rows: int, count: int, targets: np.ndarray | None) -> Rows:
    if targets is None:  # the only chunk has been copied before the caller has it, and may continue first steps
        return call.scratch(1) if count == 1 else call.new_rows(rows)
    return Rows(call.device.empty((rows, len(targets)), call.graph.weights.dtype), None)


def table_targets(call: Call, targets: np.ndarray | None) -> np.ndarray | None:
    """``targets`` if the solver solves distances of them alone, else None."""
    if targets is None or not len(targets) or not call.delivery.is_bare:
        return None
    return targets if are_few(len(targets), call.graph.vertices) and call.variant.has_tables(call.graph) else None


def answered(
    call: Call, sources: np.ndarray, targets: np.ndarray | None = None, progress: bool = True
) -> tuple[Any, Any, Outcome]:
    """Distances, shape (k, n) or (k, t), and predecessors, (k, n) or None, in new arrays where they are wanted."""
    device, graph, count, output = call.resident.device, call.graph, len(sources), call.delivery.output
    call.check(sources)
    call.check_size(count, graph.vertices if targets is None else len(targets))
    try:
        with Progress("solving", "sources", count) if progress else nullcontext() as bar:
            if targets is None and call.is_whole:
                if call.in_place and call.variant.many_sources:
                    rows = call.new_rows(count)
                    outcome = solve_all(call, sources, call.rows_at_once(count), None, bar, into=rows)
                    return rows.distances, rows.predecessors, outcome
                to = call.pinned_rows(count) if output == "host" and not call.elsewhere else None
                if to:
                    outcome = solve_all(call, sources, call.rows_at_once(count), None, bar, to=to)
                    return to.distances, to.predecessors, outcome
            of_table = table_targets(call, targets)
            width = graph.vertices if targets is None else len(targets)
            of_distances = RowBuffer(device, (count, width), graph.weights.dtype, output)
            of_trees = RowBuffer(device, (count, graph.vertices), np.int32, output) if call.predecessors else None

            def take(first: int, chunk: Chunk) -> None:
                distances, trees = cut(call, chunk, None if of_table is not None else targets)
                of_distances.put(first, distances)
                if of_trees:
                    of_trees.put(first, trees)

            rows_at_once = call.rows_at_once(count, None if of_table is None else width)
            outcome = solve_all(call, sources, rows_at_once, take, bar, of_table)
        device.synchronize()  # completes the copies
        return of_distances.matrix, of_trees.matrix if of_trees else None, outcome
    except BaseException:
        device.synchronize()  # before the memory into which copies are on their way is lent again
        raise


def cut(call: Call, chunk: Chunk, targets: np.ndarray | None) -> tuple[Any, Any]:
    """Distances of the targets, and distances and predecessors up to the limit; predecessors may be None."""
    distances, predecessors, limit = chunk.distances, chunk.predecessors, call.delivery.limit
    if limit is not None and predecessors is not None and call.graph.weight_min >= 0:
        predecessors = predecessors.copy()
        predecessors[distances > limit] = NO_PREDECESSOR
    if targets is not None:
        is_on_host = isinstance(distances, np.ndarray)
        distances = distances[..., targets if is_on_host else call.device.upload(targets)]
    if limit is not None:
        distances = distances.copy()
        distances[distances > limit] = unreachable(distances.dtype)
    return distances, predecessors


def streamed(call: Call, sources: np.ndarray, rows: int, targets: np.ndarray | None) -> Iterator[tuple[Any, ...]]:
    """Yield the sources of each chunk, and copies of their distances and, if they are wanted, predecessors.

    A chunk is copied while the next one is solved, unless it has to be in ordinary memory.
    """
    device, of_table = call.resident.device, table_targets(call, targets)
    rows = rows if call.variant.many_sources else 1
    call.check_size(min(rows, len(sources)), call.graph.vertices if targets is None else len(targets))
    output = call.delivery.output
    copying = device.stream()
    waiting: tuple[Any, ...] | None = None
    try:
        for chunk in chunks(call, sources, rows, of_table):
            copying.synchronize()  # the previous copy is complete, so its source may be overwritten
            of_chunk = cut(call, chunk, None if of_table is not None else targets)
            copying.follow()
            stream = copying if output == "host" else None
            copies = []
            for array in of_chunk:
                if array is not None:
                    buffer = RowBuffer(device, array.shape, array.dtype, output)
                    buffer.put(0, array, stream)
                    copies.append(buffer.matrix)
            if waiting:
                yield waiting
            waiting = (sources[chunk.first : chunk.last], *copies)
        if waiting:
            device.synchronize()
            yield waiting
    finally:
        copying.synchronize()  # if the caller stops early, a copy must not write to freed memory


def solve_all(
    call: Call,
    sources: np.ndarray,
    rows: int,
    take: Callable[[int, Chunk], None] | None,
    progress: Progress | None = None,
    targets: np.ndarray | None = None,
    columns: bool = False,
    into: Rows | None = None,
    to: Rows | None = None,
) -> Outcome:
    """Solve as ``chunks`` does, with fewer rows at a time if memory is short.

    Calls ``take(first, chunk)`` with each chunk and the number of sources before it.
    """
    certificates: list[Certificate] = []
    solve_s = certify_s = 0.0

    def solve(start: int, rows: int) -> Iterator[tuple]:
        nonlocal solve_s, certify_s
        rest = sources[start:]
        own = [None if array is None else array.part(start, len(sources)) for array in (into, to)]
        for chunk in chunks(call, rest, rows, targets, columns, *own):
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


class RowBuffer:
    """An array of one or two dimensions on the host or the device that is filled a few rows at a time."""

    def __init__(self, device: Device, shape: Dimensions, dtype: Any, output: Output, pinned: bool = True):
        self.device = device
        self.matrix: Any = None
        if output == "device":
            self.matrix = device.empty(shape, dtype)
        elif pinned and np.dtype(dtype).itemsize * prod(shape) <= PINNED_BYTES_MAX:
            self.matrix = device.pinned_answer(shape, dtype, _ARRAYS_AT_ONCE)
        self.pageable = self.matrix is None
        if self.pageable:
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


def moved(device: Device, array: Any, output: Output) -> Any:
    """``array`` on the host or the device, as ``output`` says; the same array if it is already there."""
    if isinstance(array, np.ndarray) == (output == "host") or device.xp is np:
        return array
    if output == "device":
        return device.upload(array)
    buffer = RowBuffer(device, array.shape, array.dtype, output)
    buffer.put(0, array)
    device.synchronize()
    return buffer.matrix


def closure_rows(device: Device, closure: Closure, output: Output) -> Any:
    """``closure.reachable`` on the host or the device, a few rows at a time, spread from bits where these are."""
    vertices, is_on_host = len(closure.cells), isinstance(closure.cells, np.ndarray)
    buffer, count = RowBuffer(device, (vertices, vertices), np.uint8, output), max(1, SPREAD_BYTES // vertices)
    for first in range(0, vertices, count):
        rows = closure.reachable(np if is_on_host else device.xp, slice(first, first + count))
        buffer.put(first, device.upload(rows) if is_on_host and output == "device" else rows)
    device.synchronize()
    return buffer.matrix


def check_output(output: str) -> None:
    if output not in ("host", "device"):
        raise UsageError(f"output={output!r} is unknown; choose 'host' or 'device'")
