"""Solves and certifies many sources, one chunk of rows at a time, and copies the rows to the caller's arrays."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import prod
from time import perf_counter
from typing import Any, Literal, NamedTuple

import numpy as np

from ..certificates.certificate import Certificate
from ..device import Device
from ..device.contract import Dimensions, Stream
from ..device.copies import download_in_pieces
from ..distances import NO_PREDECESSOR, unreachable
from ..errors import UsageError
from ..graphs.csr import Graph
from ..solvers.plan import Plan, RowsPlan
from ..solvers.variant import Variant
from ..system.host_machine import core_count

Output = Literal["host", "device"]

# Copies to page-locked memory are several times as fast, but other programs cannot use this memory.
PINNED_BYTES_MAX = 64 << 20

# The size of a chunk on the device. At this size, a launch takes milliseconds, so a larger chunk saves nothing.
CHUNK_BYTES = 256 << 20
# Columns stay in the memory of their solver. It has more work for each launch.
COLUMNS_BYTES = 1 << 30
# On the CPU, a chunk takes a fraction of a second, so that progress moves.
_STEPS_OF_CHUNK = 1 << 23

Certify = Callable[[np.ndarray, Any, Any, bool], Certificate | None]
"""Takes sources, distances, predecessors, and whether the plan has found that sums fit."""


class Checks(NamedTuple):
    """What is checked of an answer: whether it is exact, and whether no distance was too large for 32 bits.

    Within a cutoff, larger distances do not matter.
    """

    certify: bool
    overflow: bool = True


class Outcome(NamedTuple):
    """The certificate of an answer, or None, and the seconds for solving and certifying."""

    certificate: Certificate | None
    solve_s: float
    certify_s: float


@dataclass
class Chunk:
    """Rows ``first`` to ``last`` - 1 of an answer: arrays of shape (rows, n), or (rows, t) of a table.

    ``distances`` are ``Columns`` if these were asked for. Arrays are on the device, or on the host for solvers of the
    CPU. The chunk after the next one overwrites them; if they are not ``lasting``, the next one does.
    """

    first: int
    last: int
    distances: Any
    predecessors: Any
    certificate: Certificate | None
    solve_s: float
    certify_s: float
    lasting: bool = True


def rows_at_once(
    variant: Variant, graph: Graph, width: int, predecessors: bool, count: int, chunk_bytes: int = CHUNK_BYTES
) -> int:
    """The default number of rows, of ``width`` distances, of a chunk."""
    if not variant.many_sources:
        return 1
    if variant.on_cpu:
        count = min(count, core_count() * max(1, _STEPS_OF_CHUNK // (graph.vertices + graph.arcs)))
    cell_bytes = graph.weights.itemsize + 4 * predecessors
    return max(1, min(count, chunk_bytes // max(1, width * cell_bytes)))


def solves_elsewhere(variant: Variant, device: Device) -> bool:
    """Whether ``variant`` solves on the CPU, but ``device`` is a GPU."""
    return variant.on_cpu and device.xp is not np


def chunks_of_rows(
    device: Device,
    find: Callable[[], RowsPlan],
    sources: np.ndarray,
    rows: int,
    certify: Certify,
    predecessors: bool,
    waiting: Stream,
    into: tuple[Any, Any] | None = None,
    targets: np.ndarray | None = None,
    columns: bool = False,
) -> Iterator[Chunk]:
    """Solve from ``sources``, ``rows`` at a time, into two sets of arrays alternately, or into ``into``.

    With ``targets``, solve a table without predecessors; with ``columns``, into arrays of the plan.

    ``find`` returns the plan for each chunk, since other calls may use the plan between two chunks, and drop it if they
    fail. ``into`` are device arrays for the whole answer: distances, and predecessors or None. ``waiting`` is a stream
    of the device without other work.
    """
    graph = find().graph
    shape = (rows, graph.vertices if targets is None else len(targets))
    sets: list[tuple[Any, Any]] = []
    if into is None and not columns:
        for _ in range(1 if rows >= len(sources) else 2):
            distances = device.empty(shape, graph.weights.dtype)
            sets.append((distances, device.empty(shape, np.int32) if predecessors else None))
    for number, first in enumerate(range(0, len(sources), rows)):
        last = min(first + rows, len(sources))
        whole, begin = (into, first) if into else (sets[number % len(sets)] if sets else (None, None), 0)
        distances, trees = (None if array is None else array[begin : begin + last - first] for array in whole)
        plan = find()
        began = perf_counter()
        if columns:
            distances = plan.solve_columns(sources[first:last])
        elif targets is None:
            plan.solve_rows(sources[first:last].astype(np.int32), distances, trees)
        else:
            plan.solve_table(sources[first:last], targets, distances)
        # Wait for the solve only; copies of the previous chunk continue.
        waiting.wait(device.record())
        waiting.synchronize()
        plan.check_finished()
        solve_s = perf_counter() - began
        certificate = certify(sources[first:last], distances, trees, plan.sums_fit)
        yield Chunk(first, last, distances, trees, certificate, solve_s, perf_counter() - began - solve_s)


def chunks_of_one(
    solve: Callable[[Plan, int], Any],
    find: Callable[[], Plan],
    sources: np.ndarray,
    certify: Certify,
    predecessors: bool,
) -> Iterator[Chunk]:
    """Solve one source at a time. Each solve overwrites the previous answer. ``chunks_of_rows`` explains ``find``."""
    for row, source in enumerate(sources.tolist()):
        plan = find()
        began = perf_counter()
        solution = solve(plan, source)
        distances = solution.distances[None]
        trees = solution.predecessors[None] if predecessors else None
        solve_s = perf_counter() - began
        of_source = None if solution.predecessors is None else solution.predecessors[None]
        certificate = certify(sources[row : row + 1], distances, of_source, plan.sums_fit)
        times = solve_s + plan.begun_s, perf_counter() - began - solve_s
        yield Chunk(row, row + 1, distances, trees, certificate, *times, lasting=False)


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
    def checks(self) -> Checks:
        return Checks(self.certify, overflow=self.limit is None)

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
            on_host = isinstance(distances, np.ndarray)
            distances = distances[..., self.targets if on_host else self.device.upload(self.targets)]
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
                stream = copying if chunk.lasting and self.output == "host" else None
                copying.wait(self.device.record())
                copied = [self.copied(array, stream, pinned=True) for array in in_flight]
                if waiting:
                    yield waiting
                waiting = (sources[chunk.first : chunk.last], *copied)
            if waiting:
                self.device.synchronize()
                yield waiting
        finally:
            copying.synchronize()  # if the caller stops early, a copy must not write to freed memory

    def copied(self, array: Any, stream: Stream | None = None, pinned: bool | None = None) -> Any:
        """A copy of ``array`` where it is wanted. In pageable memory it is complete, else once the stream is."""
        rows = RowBuffer(self.device, array.shape, array.dtype, self.output, pinned)
        rows.put(0, array, stream)
        return rows.matrix


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
