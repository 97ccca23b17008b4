"""Distances and paths of pairs of a source and a target.

A solver that joins labels finds each distance by itself. Its certificate is about the labels of all vertices. For a few
sources, for paths, and with other solvers, each different source is solved for all vertices, and the distances of its
targets are kept. A certificate then is about all vertices, too.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..device import Device
from ..device.resident import Resident
from ..distances import Columns, unreachable
from ..errors import UsageError
from ..graphs.csr import Graph
from ..graphs.objects import frames
from ..solvers.choice.choose import Choice
from ..solvers.costs import Wanted
from ..system.arrays import on_host
from ..system.progress import Progress
from .answer import Distances
from .calls import CHUNK_BYTES, COLUMNS_BYTES, Call, Delivery, Outcome, Output, certifies_pairs
from .choosing import Request, call_for, calls_of, wanted_of
from .chunks import Chunk, moved, solve_all

if TYPE_CHECKING:
    from ..typing import ArrayLike

ENDS = "source", "target"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Pairs(Distances):
    """Distances of p pairs of a source and a target, and their paths if these were asked for.

    Attributes
    ----------
    sources, targets : int64 array of shape (p,)
        Indices of vertices.
    distances : array of the type of the weights, of shape (p,)
        As ``Distances`` says.
    path_starts, path_vertices : int64 array of shape (p + 1,), int32 array; or None
        The path of pair i has the vertices ``path_vertices[path_starts[i]:path_starts[i + 1]]``, both ends included.
        On the host.
    graph, certificate, variant, reason, solve_s, certify_s
        As in ``Answer``.
    """

    sources: np.ndarray
    targets: np.ndarray
    path_starts: np.ndarray | None = None
    path_vertices: np.ndarray | None = None
    frame: Any = None

    def _told(self) -> str:
        return f"Pairs: {len(self):,} distances, {self.distances.dtype}"

    def __len__(self) -> int:
        return len(self.sources)

    def path(self, pair: int) -> list[Any]:
        """The vertices of a shortest path, both ends included; an empty list if there is none.

        Parameters
        ----------
        pair : int
            The position of the pair.

        Returns
        -------
        list of vertices

        Raises
        ------
        UsageError
            There are no paths.
        """
        _, vertices = self._paths()
        return self.graph.names.of_indices(vertices[slice(*self._bounds(pair))])

    @cached_property
    def path_arcs(self) -> np.ndarray:
        """The arc that leads to each of ``path_vertices``, -1 at the source of a path; int32, on the host.

        Positions in ``graph.indices``. Of parallel arcs, it is the lightest; of equally light ones, that of the lowest
        row. Raises UsageError if there are no paths.
        """
        starts, vertices = self._paths()
        is_later = np.ones(len(vertices), bool)
        is_later[starts[:-1][np.diff(starts) > 0]] = False
        later = np.flatnonzero(is_later)
        arcs = np.full(len(vertices), -1, np.int32)
        arcs[later] = self.graph.lightest.between(vertices[later - 1], vertices[later])
        return arcs

    def arcs(self, pair: int) -> np.ndarray:
        """The arcs of the path that ``path`` has, from the source on.

        Parameters
        ----------
        pair : int
            The position of the pair.

        Returns
        -------
        int32 array of shape (arcs of the path,)
            Positions in ``graph.indices``. ``graph.rows`` of them are rows of a data frame, edges of NetworkX and so
            on, in the order of the path. Empty if there is no path.

        Raises
        ------
        UsageError
            There are no paths.
        """
        begin, end = self._bounds(pair)
        return self.path_arcs[begin + 1 : end]

    def along(self, values: "ArrayLike") -> np.ndarray:
        """Sums of ``values`` along the path of each pair.

        Parameters
        ----------
        values : numbers of shape (rows,)
            As for ``Paths.along``: a number for each row that the graph was made from.

        Returns
        -------
        float64 array of shape (p,)
            On the host: 0 from a vertex to itself, and ``inf`` where there is no path. Sums are from the source on, as
            those of distances.

        Raises
        ------
        UsageError
            There are no paths, or ``values`` are not so many numbers.

        Examples
        --------
        >>> import warpath
        >>> graph = warpath.from_arcs(3, [0, 0, 1], [2, 1, 2], [9, 4, 4])
        >>> pairs = warpath.pairs(graph, [0, 2], [2, 0], paths=True, device="cpu")
        >>> pairs.along([1.5, 0.5, 0.25])
        array([0.75,  inf])
        >>> pairs.graph.rows[pairs.arcs(0)]
        array([1, 2], dtype=int32)
        """
        from .along import of_arcs

        starts, _ = self._paths()
        counts, is_later = np.diff(starts), self.path_arcs >= 0
        pairs = np.repeat(np.arange(len(self)), counts)[is_later]
        sums = np.zeros(len(self))
        # It adds one number after another, so sums are rounded as distances are.
        np.add.at(sums, pairs, of_arcs(self.graph, values)[self.path_arcs[is_later]])
        sums[counts == 0] = np.inf
        return sums

    def _paths(self) -> tuple[np.ndarray, np.ndarray]:
        if self.path_starts is None or self.path_vertices is None:
            raise UsageError("there are no paths; solve with paths=True")
        return self.path_starts, self.path_vertices

    def _bounds(self, pair: int) -> tuple[int, int]:
        """The positions in ``path_vertices`` at which the path of ``pair`` begins and ends."""
        starts, _ = self._paths()
        return starts[:-1][pair], starts[1:][pair]

    def to_frame(self, *, distance: str = "distance", path: str = "path") -> Any:
        """The pairs as a data frame.

        Parameters
        ----------
        distance, path : str
            The names of the new columns.

        Returns
        -------
        data frame
            The caller's frame, if there was one, or the columns source and target, as in ``Paths.to_frame``; and the
            column distance, of ``floats``. With paths, the column path has lists of labels.

        Raises
        ------
        UsageError
            There is a column of that name already.
        """
        frame = self.frame
        if frame is None:
            frame = frames.opened(
                self._frame(dict(zip(ENDS, map(self._named, (self.sources, self.targets)), strict=True)))
            )
        new: dict[str, tuple[str, Any]] = {"distance": (distance, on_host(self.floats()))}
        if self.path_starts is not None:
            new["path"] = path, [self.path(pair) for pair in range(len(self))]
        for argument, (name, values) in new.items():
            if name in frame.columns:
                raise UsageError(
                    f"the frame has a column {name!r}; name the new one, as in to_frame({argument}='new_{argument}')"
                )
            frame = frames.with_column(frame, name, values)
        return frame.to_native()


def columns_of(sources: Any, targets: Any) -> tuple[Any, Any, Any]:
    """Sources and targets, and the data frame that they come from, if ``sources`` is one. Raises UsageError."""
    if targets is not None and not frames.is_frame(sources):
        return sources, targets, None
    if targets is not None or not frames.is_frame(sources):
        raise UsageError("pairs need sources and targets, or a data frame with the columns 'source' and 'target'")
    frame = frames.opened(sources).clone()  # the caller may change it
    if not set(ENDS) <= set(frame.columns):
        names = [*map(repr, frame.columns), "'u'", "'v'"]
        raise UsageError(
            f"the data frame of pairs has the columns {', '.join(names[:-2]) or 'none'}; name those of the sources and "
            f"the targets, such as pairs(graph, frame[{names[0]}], frame[{names[1]}])"
        )
    return *(frame.get_column(name).to_native() for name in ENDS), frame


@dataclass(frozen=True)
class Question:
    """What is asked of pairs, ``sources`` and ``targets`` of shape (p,), int64: see ``Solver.pairs``."""

    sources: np.ndarray
    targets: np.ndarray
    limit: float | None
    paths: bool
    certify: bool
    output: Output

    @cached_property
    def different_sources(self) -> np.ndarray:
        """The sources in increasing order, each once."""
        met = np.zeros(self.sources.max(initial=-1) + 1, bool)  # takes less time than sorting
        met[self.sources] = True
        return np.flatnonzero(met)


_Paths = tuple[np.ndarray, np.ndarray]
_NO_PATHS: _Paths = np.zeros(1, np.int64), np.zeros(0, np.int32)


def answered_pairs(resident: Resident, prepared: int, question: Question) -> Pairs:
    """The result of ``Solver.pairs``."""
    device, graph, ends = resident.device, resident.graph, (question.sources, question.targets)
    distances = device.empty(ends[0].shape, graph.weights.dtype)
    outcome, variant, reason, paths = Outcome(None, 0.0, 0.0), "", "", _NO_PATHS
    if len(ends[0]):
        expected = calls_of(resident).expected(prepared, len(question.different_sources))
        joined = _joined(resident, expected, question, distances)
        choice, outcome, paths = joined or _picked(resident, expected, question, distances)
        variant, reason = choice.name, choice.reason
    if question.limit is not None:
        distances[distances > question.limit] = unreachable(distances.dtype)
    distances = moved(device, distances, question.output)
    answer = Pairs(
        graph=graph,
        sources=ends[0],
        targets=ends[1],
        distances=distances,
        variant=variant,
        reason=reason,
        **outcome._asdict(),
    )
    return replace(answer, path_starts=paths[0], path_vertices=paths[1]) if question.paths else answer


def _call_for(resident: Resident, expected: int, question: Question, table: bool) -> Call:
    sources = question.different_sources
    delivery = Delivery(question.paths, question.certify, "device", question.limit)
    wanted = Wanted(len(sources), 1) if table else wanted_of(len(sources), delivery)
    return call_for(resident, Request(wanted, expected), sources, delivery)


def _joined(
    resident: Resident, expected: int, question: Question, distances: Any
) -> tuple[Choice, Outcome, _Paths] | None:
    """Solve each pair by itself, if the solver can; else None."""
    sources = question.different_sources
    if question.paths or (question.certify and not certifies_pairs(resident, len(sources))):
        return None
    call = _call_for(resident, expected, question, table=True)
    if not call.variant.has_tables(call.graph):
        return None
    call.check(sources)
    outcome = call.solve_pairs(question.sources, question.targets, distances)
    return outcome and (call.choice, outcome, _NO_PATHS)


def _picked(resident: Resident, expected: int, question: Question, distances: Any) -> tuple[Choice, Outcome, _Paths]:
    """Solve each source for all vertices, and pick what is asked of the pairs."""
    graph, paths, sources = resident.graph, question.paths, question.different_sources
    call = _call_for(resident, expected, question, table=False)
    call.check(sources)
    grouped = _BySource(resident.device, graph, question, distances)
    columns = call.variant.has_columns(graph) and question.certify and not paths and graph.weight_min > 0
    rows = call.rows_at_once(len(sources), None, COLUMNS_BYTES if columns else CHUNK_BYTES)
    with Progress("solving", "sources", len(sources)) as progress:
        outcome = solve_all(call, sources, rows, grouped.take, progress, columns=columns)
    return call.choice, outcome, grouped.paths_of_all() if paths else _NO_PATHS


class _BySource:
    """Takes rows of different sources, in order, and keeps what is asked of the pairs with these sources."""

    def __init__(self, device: Device, graph: Graph, question: Question, distances: Any):
        self.device, self.graph, self.question, self.distances = device, graph, question, distances
        self.order = np.argsort(question.sources, kind="stable")
        self.targets = question.targets[self.order]
        bounds = np.searchsorted(question.sources[self.order], question.different_sources)
        self.bounds = np.append(bounds, len(self.order))
        self.counts: dict[int, np.ndarray] = {}
        self.vertices: dict[int, np.ndarray] = {}

    def take(self, first: int, chunk: Chunk) -> None:
        """Keep what the rows of the sources from number ``first`` on say."""
        bounds = self.bounds[first : first + chunk.last - chunk.first + 1]
        pairs = slice(bounds[0], bounds[-1])
        rows, targets = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds)), self.targets[pairs]
        found = self._found(chunk.distances, rows, targets)
        self.distances[self.device.upload(self.order[pairs])] = found
        if not self.question.paths:
            return
        from ..solvers.trees.path_vertices import path_vertices  # imports Numba

        has_path = found != unreachable(found.dtype)
        if self.question.limit is not None:
            has_path &= found <= self.question.limit
        trees = chunk.predecessors
        if isinstance(trees, np.ndarray):
            trees = self.device.upload(trees)
        counts, vertices = path_vertices(self.device, trees, rows, targets, on_host(has_path))
        self.counts[first], self.vertices[first] = counts, vertices

    def _found(self, distances: Any, rows: np.ndarray, targets: np.ndarray) -> Any:
        """The distances of some rows and targets, on the device."""
        upload = self.device.upload
        if isinstance(distances, Columns):
            return distances.cells[upload(rows // 32), upload(distances.positions[targets]), upload(rows % 32)]
        if isinstance(distances, np.ndarray):
            return upload(distances[rows, targets])
        return distances[upload(rows), upload(targets)]

    def paths_of_all(self) -> tuple[np.ndarray, np.ndarray]:
        """``path_starts`` and ``path_vertices``, in the order of the pairs."""
        counts = np.concatenate([self.counts[first] for first in sorted(self.counts)])
        vertices = np.concatenate([self.vertices[first] for first in sorted(self.vertices)])
        begins = np.cumsum(counts) - counts
        of_pairs = np.empty_like(counts)
        of_pairs[self.order] = counts
        starts = np.append(0, np.cumsum(of_pairs))
        begins_of_pairs = np.empty_like(begins)
        begins_of_pairs[self.order] = begins
        places = np.repeat(begins_of_pairs - starts[:-1], of_pairs) + np.arange(starts[-1])
        return starts, vertices[places]
