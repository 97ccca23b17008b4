"""Reduces the rows of a range of sources, and writes them to a store if there is one."""

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from time import perf_counter

import numpy as np

from warpath.device import Device
from warpath.device.resident import resident
from warpath.graphs.csr import Graph
from warpath.library.chunks import RowBuffer
from warpath.library.statistics import statistics_of
from warpath.solvers.choice.choose import MANY
from warpath.statistics.statistics import Statistics
from warpath.system.host_machine import core_count
from warpath.system.progress import Progress

from ..provenance.environment import now, software_and_machine
from ..provenance.facts import Code, GraphFacts
from .parts import Part, merged, part_of
from .store import Store

# Threads that compress and write a shard each, while the next shard is solved.
WRITERS_MAX = 16


class Job:
    """One part of all pairs: sources ``first`` to ``last`` - 1. All jobs have the sources 0 to ``of`` - 1."""

    def __init__(self, graph: Graph, device: Device, first: int, last: int, of: int, nearest: int, code: Code):
        self._resident, self._of, self._nearest, self._code = resident(device, graph), of, nearest, code
        self._first, self._last = first, last
        self._environment = software_and_machine()
        self._device_facts = device.describe()

    def reduce(self) -> Part:
        """Solve, certify and reduce. Raises the errors of ``Solver.statistics``."""
        started = now()
        sources = np.arange(self._first, self._last)
        with Progress("solving", "sources", len(sources)) as progress:
            statistics = statistics_of(
                self._resident, MANY, sources, self._nearest, progress=progress, count_of_all=self._of
            )
        return self._part(statistics, self._first, self._last, started)

    def reduce_into(self, store: Store) -> tuple[Part, int]:
        """Solve, certify, reduce, and write all rows to ``store``, except those that are already there.

        Returns the part, and the number of rows that were there. Also raises the errors of ``Store.done`` and
        ``Store.write``. Shards that are complete before an error remain.
        """
        began, started = perf_counter(), now()
        parts: list[Part] = []
        rows_done = 0
        writers = min(WRITERS_MAX, core_count())
        waiting: deque[Future[Part]] = deque()
        count = self._last - self._first
        with ThreadPoolExecutor(writers) as pool, Progress("solving", "sources", count) as progress:
            for first, last in store.shards(self._first, self._last):
                done = store.done(first, last)
                if done:
                    parts.append(done)
                    rows_done += last - first
                else:
                    if len(waiting) >= writers:
                        parts.append(waiting.popleft().result())
                    part, rows = self._solved(first, last)
                    waiting.append(pool.submit(_written, store, part, rows))
                progress(last - self._first)
            parts += [future.result() for future in waiting]
        parts.sort(key=lambda part: part.facts.first)
        if not parts:
            return self.reduce(), 0
        statistics = merged([part.statistics for part in parts])
        before = sum(part.statistics.seconds.whole for part in parts if part.facts.started < started)
        seconds = replace(statistics.seconds, whole=before + perf_counter() - began)
        earliest = min(started, *(part.facts.started for part in parts))
        return self._part(replace(statistics, seconds=seconds), self._first, self._last, earliest), rows_done

    def _solved(self, first: int, last: int) -> tuple[Part, np.ndarray]:
        started = now()
        graph = self._resident.graph
        rows = RowBuffer(
            self._resident.device, (last - first, graph.vertices), graph.weights.dtype, "host", pinned=False
        )
        sources = np.arange(first, last)
        statistics = statistics_of(self._resident, MANY, sources, self._nearest, rows.put, count_of_all=self._of)
        return self._part(statistics, first, last, started), rows.matrix

    def _part(self, statistics: Statistics, first: int, last: int, started: str) -> Part:
        graph = self._resident.graph
        return part_of(
            statistics,
            first,
            last,
            of=self._of,
            graph=GraphFacts(graph.vertices, graph.arcs, graph.sha256, graph.metadata),
            device=self._device_facts,
            environment=self._environment,
            code=self._code,
            started=started,
            finished=max(started, now()),
        )


def _written(store: Store, part: Part, rows: np.ndarray) -> Part:
    part.facts.shard = store.write(part.facts.first, rows)
    store.mark_done(part)
    return part
