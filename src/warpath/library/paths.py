"""The results of the library: shortest paths and reachability, with their certificates."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..distances import path_to
from ..errors import UsageError
from ..system.arrays import on_host
from .answer import Answer, Distances
from .arguments import one_index

if TYPE_CHECKING:
    import pandas

    from ..typing import Array, ArrayLike, VertexLike


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
        path = self._path_to(vertex, source)
        return [self.graph.label_of(index) for index in path] if self.by_label else path

    def arcs_to(self, vertex: "VertexLike", source: "VertexLike | None" = None) -> np.ndarray:
        """The arcs of the path that ``path_to`` has, from the source on.

        Of parallel arcs, it is the lightest; of equally light ones, that of the lowest row.

        Parameters
        ----------
        vertex, source : vertex
            As for ``path_to``.

        Returns
        -------
        int32 array of shape (arcs of the path,)
            Positions in ``graph.indices``. ``graph.rows`` of them are rows of a data frame, edges of NetworkX and so
            on, in the order of the path. Empty if there is no path.

        Raises
        ------
        UsageError
            As for ``path_to``.

        Examples
        --------
        >>> import pandas, warpath
        >>> roads = pandas.DataFrame({"source": ["a", "b", "a"], "target": ["b", "c", "b"], "weight": [5, 4, 3]})
        >>> paths = warpath.sssp(roads, "a", device="cpu")
        >>> roads.iloc[paths.graph.rows[paths.arcs_to("c")]]
          source target  weight
        2      a      b       3
        1      b      c       4
        """
        path = np.array(self._path_to(vertex, source), np.int32)
        return self.graph.lightest.between(path[:-1], path[1:])

    @cached_property
    def arcs(self) -> np.ndarray:
        """The arc to each vertex from its predecessor: int32 of the shape of ``predecessors``, on the host.

        Positions in ``graph.indices``; -1 where there is no predecessor. Of parallel arcs, it is the lightest; of
        equally light ones, that of the lowest row. Raises UsageError if there are no predecessors.
        """
        trees = on_host(self._trees())
        arcs = [self.graph.lightest.of_tree(tree) for tree in np.atleast_2d(trees)]
        return np.array(arcs, np.int32).reshape(trees.shape)

    def along(self, values: "ArrayLike") -> np.ndarray:
        """Sums of ``values`` along the path to each vertex.

        Parameters
        ----------
        values : numbers of shape (rows,)
            An array, or a column of a data frame, with a number for each row, edge or stored entry that the graph was
            made from, in their order. ``graph.rows`` says which of them belongs to an arc.

        Returns
        -------
        float64 array of the shape of ``distances``
            On the host: 0 at the source, and ``inf`` where there is no path. Sums are from the source on, as those of
            distances.

        Raises
        ------
        UsageError
            There are no predecessors, or ``values`` are not so many numbers.

        Examples
        --------
        >>> import warpath
        >>> graph = warpath.from_arcs(3, [0, 0, 1], [2, 1, 2], [9, 4, 4])
        >>> warpath.sssp(graph, 0, device="cpu").along([1.5, 0.5, 0.25])
        array([0.  , 0.5 , 0.75])
        """
        from .along import of_arcs, sum_along_tree

        trees, sums = on_host(self._trees()), np.empty(self.distances.shape)
        arcs, of_graph = self.arcs, of_arcs(self.graph, values)
        for row in range(len(np.atleast_2d(trees))):
            tree, to, into = (np.atleast_2d(array)[row] for array in (trees, arcs, sums))
            sum_along_tree(tree, to, of_graph, into)
        sums[~on_host(self.reached)] = np.inf
        return sums

    def _path_to(self, vertex: Any, source: Any) -> list[int]:
        trees = self._trees()
        row, start = self._row(None if source is None else self._index(source))
        return path_to(on_host(trees if row is None else trees[row]), start, self._index(vertex))

    def _trees(self) -> Any:
        if self.predecessors is None:
            raise UsageError("there are no predecessors; solve with predecessors=True")
        return self.predecessors

    def _index(self, vertex: Any) -> int:
        index = self.graph.index_of(vertex) if self.by_label else one_index(self.graph, vertex, "vertex")
        if not isinstance(index, int):
            raise UsageError(f"{vertex!r} is not one vertex")
        return index

    def _row(self, source: int | None) -> tuple[int | None, int]:
        """The row of the answer from ``source``, None if there is one source, and the source."""
        if isinstance(self.sources, int):
            if source not in (None, self.sources):
                raise UsageError(f"source {source} is wrong; the paths start at {self.sources}")
            return None, self.sources
        if source is None:
            raise UsageError(f"there are {len(self.sources)} sources; name one with source=...")
        rows = np.flatnonzero(self.sources == source)
        if not len(rows):
            raise UsageError(f"source {source} is not one of the {len(self.sources)} sources")
        return int(rows[0]), source


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
