"""What the library answers: shortest paths, or which vertices can be reached, with the certificate."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..certificates.certificate import Certificate
from ..distances import UNREACHABLE, path_to
from ..errors import UsageError
from ..graphs.csr import Graph
from .given import on_host, one_index


@dataclass(frozen=True, eq=False)
class Paths:
    """Shortest paths from one source, or from k of them. ``variant`` is what solved, "label_correcting.locality", and
    ``reason`` why that one.

    ``distances`` are int32 of shape (n,), or (k, n), with UNREACHABLE (2**31 - 1) where there is no path: look at
    ``reached`` before you add to one, or take ``floats()``. Where the weights were scaled up, so are the distances.
    With targets there are t columns instead of n, in the order of ``targets``. ``predecessors`` are int32 of shape (n,)
    or (k, n), -1 for the source and unreachable vertices; None if they were not asked for. Arrays are NumPy's, or the
    device's. ``certificate`` is None if the caller declined it. ``solve_s`` and ``certify_s`` are seconds.
    """

    graph: Graph
    sources: int | np.ndarray
    targets: np.ndarray | None
    distances: Any
    predecessors: Any
    certificate: Certificate | None
    variant: str
    solve_s: float
    certify_s: float
    reason: str
    by_label: bool = False

    @property
    def reached(self) -> Any:
        """Where there is a path: bool, shape as ``distances``."""
        return self.distances != UNREACHABLE

    def floats(self) -> Any:
        """The distances as scipy has them: float64, ``inf`` where there is no path, the graph's scale undone."""
        floats = self.distances / float(self.graph.scale)
        floats[~self.reached] = np.inf
        return floats

    def by_labels(self) -> "Paths":
        """The same paths, whose ``path_to`` takes and gives labels."""
        return replace(self, by_label=True)

    def path_to(self, vertex: Any, source: Any = None) -> list[Any]:
        """The vertices of a shortest path to ``vertex``, both ends included; empty if there is none.

        ``source`` chooses among several sources. Vertices are indices, or labels where the graph was given by labels.
        Raises UsageError without predecessors, and for a source that was not asked for.
        """
        if self.predecessors is None:
            raise UsageError("there are no predecessors to follow; ask for them with predecessors=True")
        row, start = self._row(None if source is None else self._index(source))
        path = path_to(on_host(row), start, self._index(vertex))
        return [self.graph.label_of(index) for index in path] if self.by_label else path

    def _index(self, vertex: Any) -> int:
        index = self.graph.index_of(vertex) if self.by_label else one_index(self.graph, vertex, "vertex")
        if not isinstance(index, int):
            raise UsageError(f"a path leads to one vertex, not to {vertex!r}")
        return index

    def _row(self, source: int | None) -> tuple[Any, int]:
        if isinstance(self.sources, int):
            if source not in (None, self.sources):
                raise UsageError(f"these paths start at {self.sources}, not at {source}")
            return self.predecessors, self.sources
        if source is None:
            raise UsageError(f"there are paths from {len(self.sources)} sources; say from which: source=...")
        rows = np.flatnonzero(self.sources == source)
        if not len(rows):
            raise UsageError(f"{source} is not one of the {len(self.sources)} sources")
        return self.predecessors[int(rows[0])], source


@dataclass(frozen=True, eq=False)
class Reachability:
    """The transitive closure: ``reachable`` is bool, shape (n, n), true where the row's vertex has a path to the
    column's, and on the diagonal. The other fields are those of ``Paths``.
    """

    graph: Graph
    reachable: Any
    certificate: Certificate | None
    variant: str
    solve_s: float
    certify_s: float
