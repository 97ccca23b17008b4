"""The contract of a peer, and its plan, which is measured like other plans.

A module of this folder defines ``PEER`` and gives it its name, so a new peer is a new file. Every peer gets only the
lightest of parallel arcs: SciPy would add parallel arcs up, and for the others they would be additional work.
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
from warpath.graphs.csr import Graph
from warpath.solvers.plan import Plan, Solution

from ..source_order import spread_out


class MissingPeerError(UsageError):
    """A peer is not installed; the message tells how to install it."""


@dataclass(frozen=True)
class Peer:
    """Another library that solves shortest paths."""

    title: str
    summary: str
    version: Callable[[], str]
    """Its version; raises MissingPeerError if it is not installed, and nothing else is called then."""
    prepare: Callable[[Graph], Any]
    """From a graph to the peer's own form; timed separately."""
    solve: Callable[[Any, Any], Any]
    """From the form and a source (or an array of them if "by source") to any answer in host memory; timed."""
    distances: Callable[[Any, Any], np.ndarray]
    """From an answer and the form to int32 distances, shape (n,) or (k, n); UNREACHABLE without a path."""
    all_pairs: Literal["by source", "at once", "no"] = "no"
    """Whether all pairs are solved by ``solve``, by ``solve_all``, or not at all."""
    solve_all: Callable[[Any], Any] | None = None
    """From the form to the answer for all pairs; timed."""
    threads: Callable[[str], int] = lambda problem: 1
    """The number of threads for "sssp" or "apsp"."""
    settings: Callable[[Any], Mapping[str, int]] = field(default=lambda form: {})
    """Values that were chosen for the graph of a form."""
    on_cpu: bool = True
    tried: bool = True
    """Whether the adapter has ever run."""
    sources: tuple[Path, ...] = ()
    """C++ files of warpath that call the peer."""
    revision: int = 1
    """Raised when an edit of the adapter changes what is timed."""
    name: str = ""
    """Set by ``find_peer``."""

    def missing(self) -> str | None:
        """The reason why the peer cannot run, in one sentence; None if it can."""
        try:
            self.version()
        except MissingPeerError as error:
            return str(error)
        return None

    def facts(self, form: Any, problem: str) -> dict[str, Any]:
        """The description of the peer in a record."""
        return {
            "name": self.name,
            "version": self.version(),
            "threads": self.threads(problem),
            "settings": dict(self.settings(form)),
        }


@dataclass(frozen=True)
class Arcs:
    """The lightest arc of each pair of vertices, sorted by tail and head: int32, and float64 weights, shape (m,).

    ``indptr`` is int32, shape (n + 1,).
    """

    indptr: np.ndarray
    tails: np.ndarray
    heads: np.ndarray
    weights: np.ndarray


def lightest_arcs(graph: Graph) -> Arcs:
    """The arcs of ``graph``, only the lightest of parallel ones."""
    matrix = graph.to_scipy()
    indptr = matrix.indptr.astype(np.int32)
    tails = np.repeat(np.arange(graph.vertices, dtype=np.int32), np.diff(indptr))
    return Arcs(indptr, tails, matrix.indices.astype(np.int32), matrix.data)


def installed(package: str) -> Callable[[], str]:
    """A ``version`` for a Python package."""

    def version() -> str:
        try:
            return importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            raise MissingPeerError(f"{package} is not installed; pip install {package}") from None

    return version


def every_core(variable: str = "OMP_NUM_THREADS") -> int:
    """The number of threads of a peer that uses every core, or as many as the environment ``variable`` allows."""
    limit = os.environ.get(variable, "")
    return int(limit) if limit.isdecimal() and int(limit) else host_machine.core_count()


def whole(distances: Any, missing_from: float) -> np.ndarray:
    """``distances`` as int32; UNREACHABLE if they are at least ``missing_from``.

    A distance that is not whole or out of range becomes -1, which is always refused by the certificate.
    """
    array = np.asarray(distances)
    missing = array >= missing_from
    valid = missing | ((array >= 0) & (array < UNREACHABLE) & (array == np.floor(array)))
    return np.where(missing, UNREACHABLE, np.where(valid, array, -1)).astype(np.int32)


class PeerSolution(Solution):
    """Distances that are converted from a peer's answer when they are read; no predecessors."""

    def __init__(self, convert: Callable[[], np.ndarray]):
        self._convert = convert
        self.predecessors = None

    @cached_property
    def distances(self) -> np.ndarray:
        return self._convert()


class PeerPlan(Plan[Graph]):
    """The plan of a peer. Only its solve is timed; the graph is prepared before, and distances are converted after.

    An iteration is a source, or the whole solve if there is one source or the peer solves all pairs at once. The order
    of sources spreads the first few evenly over all vertices, so that estimates are fair.
    """

    def __init__(self, device: Device, graph: Graph, source: int | None, peer: Peer):
        super().__init__(device, graph)
        self.source, self.peer = source, peer
        start = perf_counter()
        self.form = peer.prepare(graph)
        self.preparation_s = perf_counter() - start
        peer.solve(self.form, 0)  # a warm-up
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
            assert self.peer.solve_all is not None  # "at once"
            self.answers.append((None, self.peer.solve_all(self.form)))
        else:
            self.answers.append((None, self.peer.solve(self.form, self.source)))

    def download(self) -> PeerSolution:
        answers = self.answers  # the plan may solve again before they are converted
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
