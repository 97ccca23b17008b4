"""A peer as a variant: its solve is timed, certified and recorded like ours.

What a table times is the peer's solve alone: its graph is prepared before, and its distances become int32 after, when
they are certified. ``peer_sssp.scipy`` and ``peer_apsp.scipy`` are the runs of one peer.
"""

from collections.abc import Callable
from functools import cached_property
from time import perf_counter
from typing import Any

import numpy as np

from warpath.device import Device
from warpath.distances import UNREACHABLE
from warpath.graphs.csr import Graph
from warpath.solvers.plan import Plan, Solution

from ..source_order import spread_out
from .contract import Peer


class PeerSolution(Solution):
    """Distances that are made from a peer's answer once somebody reads them; no predecessors."""

    def __init__(self, made: Callable[[], np.ndarray]):
        self._made = made
        self.predecessors = None

    @cached_property
    def distances(self) -> np.ndarray:
        return self._made()


class PeerPlan(Plan[Graph]):
    """Of one source, an iteration is the solve; of all pairs, it is a source, or all of them where the peer has a call.

    The order of the sources spreads the first few evenly over all vertices, so that an estimate sees all kinds.
    """

    def __init__(self, device: Device, graph: Graph, source: int | None, peer: Peer):
        super().__init__(device, graph)
        self.source, self.peer = source, peer
        began = perf_counter()
        self.form = peer.prepare(graph)
        self.preparation_s = perf_counter() - began
        peer.solve(self.form, 0)  # neither timed nor counted, so that none that is timed is the first of its kind
        self.solved_by = peer.facts(self.form, "apsp" if source is None else "sssp")
        self.by_source = source is None and peer.all_pairs == "by source"
        self.order = spread_out(graph.vertices) if self.by_source else np.empty(0, np.int64)
        self.iterations = graph.vertices if self.by_source else 1

    def upload(self) -> None:
        self.answers: list[tuple[np.ndarray | None, Any]] = []

    def iterate(self, first: int, last: int) -> None:
        if self.by_source:
            sources = self.order[first:last]
            self.answers.append((sources, self.peer.solve(self.form, sources)))
        elif self.source is None:
            assert self.peer.solve_all is not None  # a peer that solves all pairs at once has it
            self.answers.append((None, self.peer.solve_all(self.form)))
        else:
            self.answers.append((None, self.peer.solve(self.form, self.source)))

    def download(self) -> PeerSolution:
        answers = self.answers  # of this solve, whatever the plan does next
        return PeerSolution(lambda: self._distances(answers))

    def release(self) -> None:
        self.answers = []

    def _distances(self, answers: list[tuple[np.ndarray | None, Any]]) -> np.ndarray:
        if not self.by_source:
            ((_, answer),) = answers
            return self.peer.distances(answer, self.form)
        rows = np.full((self.graph.vertices, self.graph.vertices), UNREACHABLE, np.int32)
        for sources, answer in answers:
            rows[sources] = self.peer.distances(answer, self.form)
        return rows
