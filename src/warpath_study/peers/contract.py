"""The contract of a peer, ``prepare``, ``solve``, ``distances``, and its plan, which is measured like ours.

A module of this folder defines ``PEER``; its name is the peer's. Adding a peer is adding a file. Every peer gets the
lightest of parallel arcs, as somebody who knows it would hand the graph over: scipy adds parallel arcs up where it
makes a CSR matrix of them, and the others only do more work for them.
"""

import importlib.metadata
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import Any, Literal

import numpy as np

from warpath.device import Device, host_machine
from warpath.distances import UNREACHABLE
from warpath.errors import UsageError
from warpath.graphs.adjacency_matrix import to_scipy
from warpath.graphs.csr import Graph
from warpath.solvers.plan import Plan, Solution

from ..source_order import spread_out


class MissingPeerError(UsageError):
    """A peer is not on this machine; the message says how to get it."""


@dataclass(frozen=True)
class Peer:
    """A solver that is not ours.

    ``version()`` raises MissingPeerError where the peer is not on this machine; the other functions are called only
    where it is. ``prepare(graph)`` brings a graph into the peer's own form; it is timed apart. ``solve(form, sources)``
    is what a table times, up to distances in host memory in whatever form the peer gives them; ``sources`` is one
    index, or an array of indices where ``all_pairs`` is "by source". ``solve_all(form)`` is the peer's own call for all
    pairs, where it has one that is faster. ``distances(answer, form)`` makes int32 of that, UNREACHABLE where there is
    no path: shape (n,) for one source, (k, n) for k of them, (n, n) for all. It is not timed.

    ``threads(problem)`` says how many threads it uses for "sssp" and for "apsp", ``settings(form)`` which values were
    chosen for this graph. ``on_cpu`` is False for a peer on a GPU. ``tried`` is False for an adapter that was written
    by the peer's documentation and has not run yet. ``sources`` are C++ files of ours around the peer; ``revision`` is
    raised when an edit of the adapter changes what is timed.
    """

    title: str
    summary: str
    version: Callable[[], str]
    prepare: Callable[[Graph], Any]
    solve: Callable[[Any, Any], Any]
    distances: Callable[[Any, Any], np.ndarray]
    all_pairs: Literal["by source", "at once", "no"] = "no"
    solve_all: Callable[[Any], Any] | None = None
    threads: Callable[[str], int] = lambda problem: 1
    settings: Callable[[Any], Mapping[str, int]] = field(default=lambda form: {})
    on_cpu: bool = True
    tried: bool = True
    sources: tuple[Path, ...] = ()
    revision: int = 1
    name: str = ""

    def missing(self) -> str | None:
        """Why the peer cannot run here, in one sentence; None if it can."""
        try:
            self.version()
        except MissingPeerError as error:
            return str(error)
        return None

    def facts(self, form: Any, problem: str) -> dict[str, Any]:
        """What a record tells of the peer: JSON values."""
        return {
            "name": self.name,
            "version": self.version(),
            "threads": self.threads(problem),
            "settings": dict(self.settings(form)),
        }


@dataclass(frozen=True)
class Arcs:
    """The lightest arc of each pair of vertices, sorted by tail and head; arrays of shape (m,), ``indptr`` of (n + 1,).

    ``tails``, ``heads`` and ``indptr`` are int32, ``weights`` float64.
    """

    vertices: int
    indptr: np.ndarray
    tails: np.ndarray
    heads: np.ndarray
    weights: np.ndarray


def lightest_arcs(graph: Graph) -> Arcs:
    """The arcs of ``graph`` without those that a parallel one makes superfluous."""
    matrix = to_scipy(graph)
    indptr = matrix.indptr.astype(np.int32)
    tails = np.repeat(np.arange(graph.vertices, dtype=np.int32), np.diff(indptr))
    return Arcs(graph.vertices, indptr, tails, matrix.indices.astype(np.int32), matrix.data)


def installed(package: str) -> Callable[[], str]:
    """A ``version`` for a Python package."""

    def version() -> str:
        try:
            return importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            raise MissingPeerError(f"{package} is not installed; pip install {package}") from None

    return version


def every_core(variable: str = "OMP_NUM_THREADS") -> int:
    """The threads of a peer that takes every core, or as many as the environment's ``variable`` allows."""
    given = os.environ.get(variable, "")
    return int(given) if given.isdecimal() and int(given) else host_machine.core_count()


def whole(distances: Any, missing_from: float) -> np.ndarray:
    """``distances``, floats or integers, as int32; UNREACHABLE from ``missing_from`` on.

    Nothing is rounded: a distance that is not whole or not in range becomes -1, which no certificate takes.
    """
    given = np.asarray(distances)
    missing = given >= missing_from
    sound = missing | ((given >= 0) & (given < UNREACHABLE) & (given == np.floor(given)))
    return np.where(missing, UNREACHABLE, np.where(sound, given, -1)).astype(np.int32)


class PeerSolution(Solution):
    """Distances that are made from a peer's answer once somebody reads them; no predecessors."""

    def __init__(self, made: Callable[[], np.ndarray]):
        self._made = made
        self.predecessors = None

    @cached_property
    def distances(self) -> np.ndarray:
        return self._made()


class PeerPlan(Plan[Graph]):
    """A peer as a variant: ``peer_sssp.scipy`` and ``peer_apsp.scipy`` are the runs of one peer.

    A table times the peer's solve alone: its graph is prepared before, and its distances become int32 after, when they
    are certified. Of one source, an iteration is the solve; of all pairs, it is a source, or all of them where the peer
    has a call. The order of the sources spreads the first few evenly over all vertices, so that an estimate sees all
    kinds.
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
