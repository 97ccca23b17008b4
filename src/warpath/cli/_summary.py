"""What commands say of an answer, line by line, and of what is done until then."""

import sys
import time
from collections.abc import Iterator

import numpy as np

from ..certificates.certificate import Certificate
from ..distances import UNREACHABLE
from ..graphs.csr import Graph
from ..library.paths import Paths
from ._answers import cost

_REDRAW_S = 0.1


class Counter:
    """What is done, on standard error if that is a terminal. A context manager; leaving it erases the line."""

    def __init__(self, label: str):
        self._label = label
        self._visible = sys.stderr.isatty()
        self._drawn = 0.0

    def __enter__(self) -> "Counter":
        return self

    def __exit__(self, *_exception: object) -> None:
        if self._visible:
            sys.stderr.write("\r\x1b[K")

    def report(self, done: int, whole: int) -> None:
        now = time.monotonic()
        if not self._visible or now - self._drawn < _REDRAW_S:
            return
        self._drawn = now
        sys.stderr.write(f"\r{self._label}: {done:,} of {whole:,}\x1b[K")
        sys.stderr.flush()

    def say(self, text: str) -> None:
        """Show ``text`` in place of a count, where what is done cannot be counted."""
        if self._visible:
            sys.stderr.write(f"\r{self._label}: {text}\x1b[K")
            sys.stderr.flush()


def printed(lines: dict[str, str]) -> str:
    """Each line with its name before it."""
    width = max(map(len, lines))
    return "\n".join(f"{name:{width}}  {text}" for name, text in lines.items())


def starts(graph: Graph, sources: int | np.ndarray | None) -> str:
    """Where paths begin: "from 17", "from 100 sources", "between all pairs" for None."""
    if sources is None:
        return "between all pairs"
    several = np.atleast_1d(sources)
    return f"from {graph.label_of(int(several[0]))}" if len(several) == 1 else f"from {len(several):,} sources"


def reached(paths: Paths) -> str:
    """How many vertices, or pairs of a source and a vertex, have a path."""
    count = sum(int(np.count_nonzero(row != UNREACHABLE)) for row in np.atleast_2d(paths.distances))
    pairs = paths.distances.size
    what = "vertices" if len(np.atleast_1d(paths.sources)) == 1 else "pairs of a source and a vertex"
    return f"{count:,} of {pairs:,} {what}"


def farthest(paths: Paths) -> str:
    """The reached vertex with the greatest distance; of several sources, the farthest pair."""
    sources = np.atleast_1d(paths.sources)
    best: tuple[int, int, int] | None = None
    for row, distances in enumerate(np.atleast_2d(paths.distances)):
        found = np.where(distances == UNREACHABLE, np.iinfo(np.int32).min, distances)
        vertex = int(np.argmax(found))
        if best is None or found[vertex] > best[0]:
            best = int(found[vertex]), row, vertex
    assert best is not None  # a graph has a vertex, and an answer a source
    distance, row, vertex = best
    label = paths.graph.label_of
    pair = f"{label(vertex)}" if len(sources) == 1 else f"{label(vertex)} from {label(int(sources[row]))}"
    return f"{pair}, at distance {cost(distance, paths.graph.scale)}"


def certificate(of: Certificate | None) -> str:
    if of is None:
        return "none; left out by --no-certify"
    return f"{of.verdict}: every distance and predecessor, {arcs_checked(of)}"


def arcs_checked(of: Certificate) -> str:
    """How many arcs a certificate looked at, each once a source."""
    return "1 arc checked" if of.arcs_checked == 1 else f"{of.arcs_checked:,} arcs checked"


def paths_to(paths: Paths, targets: list[int]) -> Iterator[str]:
    """A line for each source and target: the cost and the labels of a shortest path, or that there is none."""
    label, scale = paths.graph.label_of, paths.graph.scale
    distances = np.atleast_2d(paths.distances)
    for row, source in enumerate(np.atleast_1d(paths.sources).tolist()):
        for target in targets:
            ends = f"from {label(source)} to {label(target)}"
            if distances[row, target] == UNREACHABLE:
                yield f"no path {ends}"
            else:
                steps = " ".join(str(label(step)) for step in paths.path_to(target, source))
                yield f"path {ends}, cost {cost(int(distances[row, target]), scale)}: {steps}"
