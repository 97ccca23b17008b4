"""Answers from many sources, a chunk of rows at a time: solved, certified, and given on."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from ..certificates.certificate import Certificate
from ..device import Device
from ..device.contract import Stream
from ..solvers.plan import Plan, RowsPlan
from ..solvers.registry import Variant

# Distances and predecessors of a chunk on the device, one set of two. A larger chunk saves nothing: at this size a
# launch takes milliseconds.
CHUNK_BYTES = 256 << 20

Judge = Callable[[np.ndarray, Any, Any], Certificate | None]


@dataclass
class Chunk:
    """Rows ``first`` to ``last`` - 1 of an answer: arrays of shape (rows, n), int32.

    They are the device's, or the host's where a plan has its answer there. The next chunk but one overwrites them, or
    the next one if they are not ``lasting``.
    """

    first: int
    last: int
    distances: Any
    predecessors: Any
    certificate: Certificate | None
    solve_s: float
    certify_s: float
    lasting: bool = True


def rows_at_once(variant: Variant, vertices: int, predecessors: bool, count: int) -> int:
    """How many rows a chunk has, where the caller does not say."""
    if not variant.many_sources:
        return 1
    return max(1, min(count, CHUNK_BYTES // max(1, vertices * (8 if predecessors else 4))))


def chunks_of_rows(
    device: Device,
    find: Callable[[], RowsPlan],
    sources: np.ndarray,
    rows: int,
    judge: Judge,
    predecessors: bool,
    waiting: Stream,
    into: tuple[Any, Any] | None = None,
) -> Iterator[Chunk]:
    """Solve from ``sources``, ``rows`` of them at a time, into two sets of arrays in turn, or into ``into``.

    ``find`` gives the plan for each chunk: between two of them, other calls may use it, and drop it where they fail.
    ``into`` are device arrays for the whole answer: distances, and predecessors or None. ``judge`` looks at each chunk.
    ``waiting`` is a stream of the device with nothing else in it.
    """
    shape = (rows, find().graph.vertices)
    sets: list[tuple[Any, Any]] = []
    if into is None:
        for _ in range(1 if rows >= len(sources) else 2):
            sets.append((device.empty(shape, np.int32), device.empty(shape, np.int32) if predecessors else None))
    for number, first in enumerate(range(0, len(sources), rows)):
        last = min(first + rows, len(sources))
        whole, begin = (sets[number % len(sets)], 0) if into is None else (into, first)
        distances, trees = (None if array is None else array[begin : begin + last - first] for array in whole)
        plan = find()
        began = perf_counter()
        plan.solve_rows(sources[first:last].astype(np.int32), distances, trees)
        # Waits for the solve alone, not for the copies of the chunk before, which go on meanwhile.
        waiting.wait(device.record())
        waiting.synchronize()
        plan.refuse_unfinished()
        solve_s = perf_counter() - began
        certificate = judge(sources[first:last], distances, trees)
        yield Chunk(first, last, distances, trees, certificate, solve_s, perf_counter() - began - solve_s)


def chunks_of_one(
    solve: Callable[[Plan, int], Any], find: Callable[[], Plan], sources: np.ndarray, judge: Judge, predecessors: bool
) -> Iterator[Chunk]:
    """Solve from one source after the other; ``solve`` gives the answer, which the next solve overwrites.

    ``find`` as for ``chunks_of_rows``.
    """
    for row, source in enumerate(sources.tolist()):
        plan = find()
        began = perf_counter()
        solution = solve(plan, source)
        distances = solution.distances[None]
        trees = solution.predecessors[None] if predecessors else None
        solve_s = perf_counter() - began
        of_source = None if solution.predecessors is None else solution.predecessors[None]
        certificate = judge(sources[row : row + 1], distances, of_source)
        times = solve_s, perf_counter() - began - solve_s
        yield Chunk(row, row + 1, distances, trees, certificate, *times, lasting=False)
