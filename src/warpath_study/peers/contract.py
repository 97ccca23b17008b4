"""The contract of a peer, and its plan, which is measured like other plans.

A module of this folder defines ``PEER`` and gives it its name, so a new peer is a new file. Every peer gets the graph
with only the lightest of parallel arcs: SciPy would add parallel arcs up, and for the others they would be additional
work.
"""

import importlib.metadata
import os
import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import Any, Literal

import numpy as np

from warpath.device import Device
from warpath.distances import UNREACHABLE
from warpath.errors import GraphError, UsageError
from warpath.graphs.csr import Graph
from warpath.graphs.weights import AS_FLOATS
from warpath.system import host_machine

from ..published.shared.plan import Plan, Solution
from ..source_order import spread_out

PREPARATIONS = 5
"""How often a graph is prepared, with a first answer each time, to measure both."""
PREPARATIONS_S = 30.0
"""After so many seconds of preparations and first answers, there is no further one."""


class MissingPeerError(UsageError):
    """A peer is not installed; the message tells how to install it."""


@dataclass(frozen=True)
class Peer:
    """A library that solves shortest paths, called by its public functions."""

    title: str
    summary: str
    version: Callable[[], str]
    """Its version; raises MissingPeerError if it is not installed, and nothing else is called then."""
    prepare: Callable[..., Any]
    """From a graph without parallel arcs, in host memory, and a device to the peer's own form; timed separately.

    Settings that ``tune`` has chosen are keywords.
    """
    solve: Callable[[Any, Any], Any]
    """From the form and a source (or an array of them if "by source") to any answer in host memory; timed."""
    distances: Callable[[Any, Any], np.ndarray]
    """From an answer and the form to distances, shape (n,) or (k, n): float64, ``inf`` where there is no path, or int32
    with UNREACHABLE."""
    tune: Callable[[Any], Mapping[str, int]] = lambda form: {}
    """Settings for the graph of a form, by trial solves that may change the form; not timed."""
    all_pairs: Literal["by source", "at once", "no"] = "no"
    """Whether all pairs are solved by ``solve``, by ``solve_all``, or not at all."""
    solve_all: Callable[[Any], Any] | None = None
    """From the form to the answer for all pairs; timed."""
    threads: Callable[[str], int] = lambda problem: 1
    """The number of threads for "sssp" or "apsp", if it is not a setting."""
    on_cpu: bool = True
    solver: Callable[[Any], str] | None = None
    """From an answer to the name of the solver that found it; only if this is warpath's own public function."""
    sources: tuple[Path, ...] = ()
    """C++ files of warpath that call the peer."""
    revision: int = 2
    """Raised when an edit of the adapter changes what is timed."""
    name: str = ""
    """Set by ``find_peer``."""

    @property
    def is_warpath(self) -> bool:
        """Whether this is warpath's own public function."""
        return self.solver is not None

    def missing(self) -> str | None:
        """The reason why the peer cannot run, in one sentence; None if it can."""
        try:
            self.version()
        except MissingPeerError as error:
            return str(error)
        return None


def without_parallel_arcs(graph: Graph) -> Graph:
    """A graph of new arrays, with only the lightest of parallel arcs; sorted by tail and head."""
    matrix = graph.to_scipy()
    return Graph(
        matrix.indptr.astype(graph.indptr.dtype),
        matrix.indices.astype(np.int32),
        matrix.data.astype(graph.weights.dtype),
    )


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


def whole(distances: np.ndarray, graph: Graph) -> np.ndarray:
    """``distances`` as int32.

    One that cannot be right becomes -1, which is always refused by the certificate. Raises GraphError if one does not
    fit 32 bits and may be right.
    """
    if distances.dtype == np.int32:
        return distances
    missing = distances == np.inf
    far = (distances >= UNREACHABLE) & ~missing
    if far.any() and graph.longest_path_bound >= UNREACHABLE:
        raise GraphError(f"a distance does not fit 32 bits; {AS_FLOATS}")
    valid = missing | ((distances >= 0) & ~far & (distances == np.floor(distances)))
    return np.where(missing, UNREACHABLE, np.where(valid, distances, -1)).astype(np.int32)


class PeerSolution(Solution):
    """Distances that are converted from a peer's answer when they are read; no predecessors."""

    def __init__(self, convert: Callable[[], np.ndarray]):
        self._convert = convert
        self.predecessors = None

    @cached_property
    def distances(self) -> np.ndarray:
        return self._convert()


class PeerPlan(Plan[Graph]):
    """The plan of a peer: a solve is its public call, and ends when the answer is in host memory.

    The graph is prepared and solved once without timing, which imports libraries, compiles kernels and chooses the
    settings, and then PREPARATIONS times with timing. All these solves begin at a vertex with most arcs, so that no
    sample has what a library does in its first search only. An iteration is a source, or the whole solve if there is
    one source or the peer solves all pairs at once. The order of sources spreads the first few evenly over all
    vertices, so that estimates are fair.
    """

    is_public_call = True

    def __init__(self, device: Device, graph: Graph, source: int | None, peer: Peer):
        super().__init__(device, graph)
        self.source, self.peer = source, peer
        self._solvers: list[str] = []
        lightest = without_parallel_arcs(graph)
        first = int(np.argmax(np.diff(lightest.indptr)))
        self.form = peer.prepare(lightest, device)
        settings = dict(peer.tune(self.form))
        first_answer = peer.solve(self.form, first)
        preparations_s: list[float] = []
        first_answers_s: list[float] = []
        while len(first_answers_s) < PREPARATIONS and sum(first_answers_s) < PREPARATIONS_S:
            again = Graph(lightest.indptr.copy(), lightest.indices.copy(), lightest.weights.copy())  # known to no cache
            self.form = first_answer = None  # freed before the clock starts
            start = perf_counter()
            self.form = peer.prepare(again, device, **settings)
            preparations_s.append(perf_counter() - start)
            first_answer = peer.solve(self.form, first)
            first_answers_s.append(perf_counter() - start)
        self.preparation_s = statistics.median(preparations_s)
        threads = settings.get("threads") or peer.threads("apsp" if source is None else "sssp")
        others = {name: value for name, value in settings.items() if name != "threads"}
        self.solved_by = {
            "name": peer.name,
            "version": peer.version(),
            "threads": threads,
            "settings": others,
            "first_answer_s": statistics.median(first_answers_s),
            "preparations_s": preparations_s,
            "first_answers_s": first_answers_s,
            "solvers": self._solvers,
        }
        self._note(first_answer)
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

    def run(self) -> None:
        self.iterate(0, self.iterations)

    def download(self) -> PeerSolution:
        answers = self.answers  # the plan may solve again before they are converted
        for _, answer in answers:
            self._note(answer)
        return PeerSolution(lambda: self._distances(answers))

    def release(self) -> None:
        self.answers = []

    def _note(self, answer: Any) -> None:
        if self.peer.solver and (name := self.peer.solver(answer)) not in self._solvers:
            self._solvers.append(name)

    def _distances(self, answers: list[tuple[np.ndarray | None, Any]]) -> np.ndarray:
        if not self.by_source:
            ((_, answer),) = answers
            return whole(self.peer.distances(answer, self.form), self.graph)
        rows = np.full((self.graph.vertices, self.graph.vertices), UNREACHABLE, np.int32)
        for sources, answer in answers:
            rows[sources] = whole(self.peer.distances(answer, self.form), self.graph)
        return rows
