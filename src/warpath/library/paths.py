"""The results of the library: shortest paths and reachability, with their certificates."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..distances import path_to
from ..errors import UsageError
from ..system.arrays import on_host
from .answer import Answer, Distances

if TYPE_CHECKING:
    import pandas

    from ..typing import Array, ArrayLike, VertexLike


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Paths(Distances):
    """Shortest paths from one source, or from k sources.

    Attributes
    ----------
    sources : int, or int64 array of shape (k,)
        Indices of vertices.
    distances : array of the type of the weights, of shape (n,) or (k, n)
        As ``Distances`` says.
    predecessors : int32 array of shape (n,) or (k, n), or None
        Indices; -1 for the source and for unreachable vertices. If weights are negative, vertices beyond a cutoff keep
        theirs, because paths to nearer vertices may lead over them.
    graph, certificate, variant, reason, solve_s, certify_s
        As in ``Answer``.
    """

    sources: int | np.ndarray
    predecessors: "Array"

    def _told(self) -> str:
        if isinstance(self.sources, int):
            start = repr(self.graph.label_of(self.sources))
        else:
            start = f"{len(self.sources):,} sources"
        return f"Paths from {start} to {self.graph.vertices:,} vertices, {self.distances.dtype}"

    def to_frame(self) -> Any:
        """The paths as a data frame, with a row for each vertex that a source reaches.

        Returns
        -------
        data frame
            The columns source, vertex and distance, of ``floats``, and predecessor, if there are predecessors.
            Vertices are labels. A source has no predecessor. The frame is of the library whose frame the graph was made
            from, else of pandas.
        """
        rows, vertices = np.nonzero(np.atleast_2d(on_host(self.reached)))
        columns = {
            "source": self._named(np.atleast_1d(self.sources)[rows]),
            "vertex": self._named(vertices),
            "distance": np.atleast_2d(on_host(self.floats()))[rows, vertices],
        }
        if self.predecessors is not None:
            columns["predecessor"] = self._named(np.atleast_2d(on_host(self.predecessors))[rows, vertices])
        return self._frame(columns)

    def to_series(self, source: "VertexLike | None" = None) -> "pandas.Series":
        """The distances from one source to all vertices.

        Parameters
        ----------
        source : vertex, optional
            Required if there are several sources.

        Returns
        -------
        pandas.Series
            float64, by label, as ``floats``: ``inf`` where there is no path.
        """
        import pandas

        row = replace(self, distances=self.distances[self._row(source)])
        return pandas.Series(
            on_host(row.floats()), pandas.Index(self.graph.labels, name="vertex", tupleize_cols=False), name="distance"
        )

    def distance_to(self, vertex: "VertexLike", source: "VertexLike | None" = None) -> float:
        """The distance to ``vertex``, as ``floats`` has it: ``inf`` if there is no path.

        Parameters are those of ``path_to``.
        """
        return self._float(self._row(source), self.graph.names.one(vertex, "target"))

    def path_to(self, vertex: "VertexLike", source: "VertexLike | None" = None) -> list[Any]:
        """The vertices of a shortest path to ``vertex``, both ends included; an empty list if there is none.

        Parameters
        ----------
        vertex : vertex
            A label; an index if the graph has no labels.
        source : vertex, optional
            Required if there are several sources.

        Returns
        -------
        list of labels

        Raises
        ------
        UsageError
            There are no predecessors, or ``source`` is not one of the sources.
        """
        return self.graph.names.of_indices(self._path_to(vertex, source))

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
        trees, index, row = self._trees(), self.graph.names.one(vertex, "target"), self._row(source)
        if self._float(row, index) == np.inf:  # beyond a cutoff, it may have a predecessor
            return []
        start = self.sources if isinstance(self.sources, int) else int(self.sources[row])
        return path_to(on_host(trees[row]), start, index)

    def _trees(self) -> Any:
        if self.predecessors is None:
            raise UsageError("there are no predecessors; solve with predecessors=True")
        return self.predecessors

    def _row(self, source: Any) -> Any:
        """The position of the row from ``source`` in the arrays; ... if there is one source alone."""
        one = None if source is None else self.graph.names.one(source, "source")
        if isinstance(self.sources, int):
            if one not in (None, self.sources):
                raise UsageError(
                    f"source {source!r} is wrong; the paths start at {self.graph.label_of(self.sources)!r}"
                )
            return ...
        if one is None:
            raise UsageError(f"there are {len(self.sources)} sources; name one with source=...")
        rows = np.flatnonzero(self.sources == one)
        if not len(rows):
            raise UsageError(f"source {source!r} is not one of the {len(self.sources)} sources")
        return int(rows[0])


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Path(Answer):
    """A shortest path between two vertices.

    Attributes
    ----------
    distance : float
        In the original unit of the weights; ``inf`` if there is no path.
    vertices : list
        The labels of the vertices, both ends included; empty if there is no path.
    graph, certificate, variant, reason, solve_s, certify_s
        As in ``Answer``.
    """

    distance: float
    vertices: list[Any]

    @classmethod
    def of(cls, paths: Paths, target: "VertexLike") -> "Path":
        return cls(distance=paths.distance_to(target), vertices=paths.path_to(target), **paths.found_how())

    def _told(self) -> str:
        return f"Path of {len(self.vertices):,} vertices, distance {self.distance:.15g}"


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
