"""The results of the library: shortest paths and reachability, with their certificates."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..distances import path_to
from ..errors import UsageError
from ..system.arrays import on_host
from .answer import Answer, Distances
from .arguments import one_index

if TYPE_CHECKING:
    import pandas

    from ..typing import Array, VertexLike


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Paths(Distances):
    """Shortest paths from one source, or from k sources.

    Attributes
    ----------
    sources : int, or int64 array of shape (k,)
    distances : array of the type of the weights, of shape (n,) or (k, n)
        As ``Distances`` says.
    predecessors : int32 array of shape (n,) or (k, n), or None
        -1 for the source and for unreachable vertices.
    graph, certificate, variant, reason, solve_s, certify_s, by_label
        As in ``Answer``.
    """

    sources: int | np.ndarray
    predecessors: "Array"

    def _told(self) -> str:
        if isinstance(self.sources, int):
            start = repr(self.graph.label_of(self.sources)) if self.by_label else self.sources
        else:
            start = f"{len(self.sources):,} sources"
        return f"Paths from {start} to {self.graph.vertices:,} vertices, {self.distances.dtype}"

    def to_frame(self) -> "pandas.DataFrame":
        """The paths as a data frame, with a row for each vertex that a source reaches.

        Returns
        -------
        pandas.DataFrame
            The columns source, vertex and distance, of ``floats``, and predecessor, if there are predecessors.
            Vertices are as the caller names them. A source has no predecessor.
        """
        import pandas

        sources = np.atleast_1d(np.asarray(self.sources))
        rows, vertices = np.nonzero(np.atleast_2d(on_host(self.reached)))
        frame = pandas.DataFrame({"source": self._named(sources[rows]), "vertex": self._named(vertices)})
        frame["distance"] = np.atleast_2d(on_host(self.floats()))[rows, vertices]
        if self.predecessors is not None:
            frame["predecessor"] = self._named(np.atleast_2d(on_host(self.predecessors))[rows, vertices])
        return frame

    def path_to(self, vertex: "VertexLike", source: "VertexLike | None" = None) -> list[Any]:
        """The vertices of a shortest path to ``vertex``, both ends included; an empty list if there is none.

        Parameters
        ----------
        vertex : vertex
            An index; a node of a NetworkX graph; a value of a data frame.
        source : vertex, optional
            Required if there are several sources.

        Returns
        -------
        list of vertices

        Raises
        ------
        UsageError
            There are no predecessors, or ``source`` is not one of the sources.
        """
        if self.predecessors is None:
            raise UsageError("there are no predecessors; solve with predecessors=True")
        row, start = self._row(None if source is None else self._index(source))
        path = path_to(on_host(row), start, self._index(vertex))
        return [self.graph.label_of(index) for index in path] if self.by_label else path

    def _index(self, vertex: Any) -> int:
        index = self.graph.index_of(vertex) if self.by_label else one_index(self.graph, vertex, "vertex")
        if not isinstance(index, int):
            raise UsageError(f"{vertex!r} is not one vertex")
        return index

    def _row(self, source: int | None) -> tuple[Any, int]:
        if isinstance(self.sources, int):
            if source not in (None, self.sources):
                raise UsageError(f"source {source} is wrong; the paths start at {self.sources}")
            return self.predecessors, self.sources
        if source is None:
            raise UsageError(f"there are {len(self.sources)} sources; name one with source=...")
        rows = np.flatnonzero(self.sources == source)
        if not len(rows):
            raise UsageError(f"source {source} is not one of the {len(self.sources)} sources")
        return self.predecessors[int(rows[0])], source


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Reachability(Answer):
    """A transitive closure.

    Attributes
    ----------
    reachable : bool array of shape (n, n)
        True where the vertex of the row has a path to the vertex of the column, and on the diagonal.
    graph, certificate, variant, reason, solve_s, certify_s
        As in ``Answer``.
    """

    reachable: "Array"

    def _told(self) -> str:
        return f"Reachability of {self.graph.vertices:,} vertices"
