"""The results of the library: shortest paths and reachability, with their certificates."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..certificates.certificate import Certificate
from ..distances import path_to, unreachable
from ..errors import UsageError
from ..graphs.csr import Graph
from ..system.arrays import on_host
from .arguments import one_index
from .units import as_floats, how_solved, named

if TYPE_CHECKING:
    import pandas

    from ..typing import Array, VertexLike


@dataclass(frozen=True, eq=False, repr=False)
class Paths:
    """Shortest paths from one source, or from k sources.

    Attributes
    ----------
    graph : Graph
    sources : int, or int64 array of shape (k,)
    distances : array of the type of the weights, of shape (n,) or (k, n)
        Where there is no path, int32 has UNREACHABLE (2**31 - 1), floats have ``inf``. Check ``reached`` before adding
        to whole distances, or use ``floats``. If the weights were scaled, so are the distances.
    predecessors : int32 array of shape (n,) or (k, n), or None
        -1 for the source and for unreachable vertices.
    certificate : Certificate or None
        None with ``certify=False``.
    variant, reason : str
        The solver, such as "near_far.whole_grid", and why it was chosen. "host.search" is a search on the host, for a
        source that reaches few vertices.
    solve_s, certify_s : float
        Seconds. On a GPU, the kernels that certify one source of a small graph run in ``solve_s``.
    """

    graph: Graph
    sources: int | np.ndarray
    distances: "Array"
    predecessors: "Array"
    certificate: Certificate | None
    variant: str
    solve_s: float
    certify_s: float
    reason: str
    by_label: bool = False

    def __repr__(self) -> str:
        if isinstance(self.sources, int):
            start = repr(self.graph.label_of(self.sources)) if self.by_label else self.sources
        else:
            start = f"{len(self.sources):,} sources"
        return f"<Paths from {start} to {self.graph.vertices:,} vertices, {self.distances.dtype}, {how_solved(self)}>"

    @property
    def weight(self) -> str | None:
        """The name of the weights that were summed, such as "weight"; None if arcs were counted."""
        return self.graph.weight_name

    @property
    def reached(self) -> "Array":
        """bool array of the shape of ``distances``: where there is a path."""
        return self.distances != unreachable(self.distances.dtype)

    def floats(self) -> "Array":
        """The distances as float64, ``inf`` where there is no path, in the original unit of the weights."""
        return as_floats(self.graph, self.distances)

    def to_frame(self) -> "pandas.DataFrame":
        """The paths as a data frame, with a row for each vertex that a source reaches.

        Returns
        -------
        pandas.DataFrame
            The columns source, vertex and distance, of ``floats``, and predecessor, if there are predecessors.
            Vertices are as the caller names them. A source has no predecessor.
        """
        import pandas

        names = self.graph if self.by_label else None
        sources = np.atleast_1d(np.asarray(self.sources))
        rows, vertices = np.nonzero(np.atleast_2d(on_host(self.reached)))
        frame = pandas.DataFrame({"source": named(names, sources[rows]), "vertex": named(names, vertices)})
        frame["distance"] = np.atleast_2d(on_host(self.floats()))[rows, vertices]
        if self.predecessors is not None:
            frame["predecessor"] = named(names, np.atleast_2d(on_host(self.predecessors))[rows, vertices])
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


@dataclass(frozen=True, eq=False, repr=False)
class Reachability:
    """A transitive closure.

    Attributes
    ----------
    reachable : bool array of shape (n, n)
        True where the vertex of the row has a path to the vertex of the column, and on the diagonal.
    graph, certificate, variant, solve_s, certify_s
        As in ``Paths``.
    """

    graph: Graph
    reachable: "Array"
    certificate: Certificate | None
    variant: str
    solve_s: float
    certify_s: float

    def __repr__(self) -> str:
        return f"<Reachability of {self.graph.vertices:,} vertices, {how_solved(self)}>"
