"""Reduces the rows of a range of sources, and keeps them in a store if there is one: what one job does."""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from time import perf_counter

import numpy as np

from ..device import Device
from ..device.host_machine import core_count
from ..environment import software_and_machine
from ..facts import Code, GraphFacts
from ..graphs.csr import Graph
from ..library.chunks import Rows
from ..library.plan_cache import PlanCache
from ..library.solver import reduced
from ..reductions.reductions import Reductions, merged
from .parts import Part, facts_of, now
from .store import Store

Progress = Callable[[int, int], None]
# Shards that are compressed and written at the same time, each by a thread, while the next is solved.
WRITERS_MAX = 16


class Job:
    """The rows of sources ``first`` to ``last`` - 1, of 0 to ``of`` - 1 in all jobs; ``code`` is what runs."""

    def __init__(self, graph: Graph, device: Device, first: int, last: int, of: int, nearest: int, code: Code):
        self._kept, self._of, self._nearest, self._code = PlanCache(graph, device), of, nearest, code
        self._first, self._last = first, last
        self._environment = software_and_machine()
        self._device_facts = device.describe()

    def reduce(self, progress: Progress | None = None) -> Part:
        """Solve, certify and reduce. Errors as of ``Solver.reductions``."""
        started = now()
        found = reduced(
            self._kept, True, np.arange(self._first, self._last), self._nearest, progress=progress, of=self._of
        )
        return self._part(found, self._first, self._last, started)

    def reduce_into(self, store: Store, progress: Progress | None = None) -> tuple[Part, int]:
        """The same, with all rows kept in ``store``; what is done there is taken, and how many rows that were returned.

        Raises also what ``Store.done`` and ``Store.write`` do. What was done before an error stays done.
        """
        began, started = perf_counter(), now()
        parts: list[Part] = []
        taken = 0
        writers = min(WRITERS_MAX, core_count())
        waiting: deque[Future[Part]] = deque()
        with ThreadPoolExecutor(writers) as pool:
            for first, last in store.shards(self._first, self._last):
                done = store.done(first, last)
                if done:
                    parts.append(done)
                    taken += last - first
                else:
                    if len(waiting) >= writers:
                        parts.append(waiting.popleft().result())
                    part, rows = self._solved(first, last)
                    waiting.append(pool.submit(_kept, store, part, rows))
                if progress:
                    progress(last - self._first, self._last - self._first)
            parts += [future.result() for future in waiting]
        parts.sort(key=lambda part: part.facts.first)
        if not parts:
            return self.reduce(), 0
        found = merged([part.reductions for part in parts])
        before = sum(part.reductions.seconds.whole for part in parts if part.facts.started < started)
        found = replace(found, seconds=replace(found.seconds, whole=before + perf_counter() - began))
        return self._part(found, self._first, self._last, min(started, *(part.facts.started for part in parts))), taken

    def _solved(self, first: int, last: int) -> tuple[Part, np.ndarray]:
        started = now()
        rows = Rows(self._kept.device, last - first, self._kept.graph.vertices, "host", pinned=False)
        found = reduced(self._kept, True, np.arange(first, last), self._nearest, rows.put, of=self._of)
        return self._part(found, first, last, started), rows.matrix

    def _part(self, found: Reductions, first: int, last: int, started: str) -> Part:
        graph = self._kept.graph
        facts = facts_of(
            found,
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
        return Part(facts, found)


def _kept(store: Store, part: Part, rows: np.ndarray) -> Part:
    part.facts.shard = store.write(part.facts.first, rows)
    store.mark_done(part)
    return part
