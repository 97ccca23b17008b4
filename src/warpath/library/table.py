"""Tables of distances from some sources to some targets, or to the nearest of them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..distances import NO_PREDECESSOR, unreachable
from ..errors import UsageError
from ..graphs.objects import frames
from ..statistics.statistics import collector_for
from ..system.arrays import on_host
from ..system.progress import Progress
from .answer import Distances
from .calls import Call, Outcome
from .chunks import Chunk, solve_all, table_targets

if TYPE_CHECKING:
    from ..typing import VertexLike


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Table(Distances):
    """Distances from s sources to t targets, or to the k nearest targets of each source.

    Attributes
    ----------
    sources : int64 array of shape (s,)
        Indices of vertices, as are targets.
    targets : int64 array of shape (t,), or (s, k) with nearest=k
        With ``nearest``, the targets of each source, the nearest first; -1 if there are fewer.
    distances : array of the type of the weights, of shape (s, t) or (s, k)
        As ``Distances`` says.
    graph, certificate, variant, reason, solve_s, certify_s
        As in ``Answer``.
    """

    sources: np.ndarray
    targets: np.ndarray

    def _told(self) -> str:
        to = f"{self.targets.shape[-1]:,}{' nearest' * (self.targets.ndim == 2)} targets"
        return f"Table from {len(self.sources):,} sources to {to}, {self.distances.dtype}"

    def to_frame(self) -> Any:
        """The table as a data frame, with labels as vertices and distances of ``floats``.

        Returns
        -------
        data frame
            A row for each source and a column for each target. In pandas, sources are the index; else they are the
            column source, and other columns have the labels as texts. With ``nearest``, the columns source, target and
            distance, with a row for each target that was found. The library is that of ``Paths.to_frame``.
        """
        floats = on_host(self.floats())
        if self.targets.ndim == 1:
            labels = self.graph.labels
            return frames.new_matrix(floats, labels[self.sources], labels[self.targets], frames.kind_of(self.graph))
        rows, columns = np.nonzero(self.targets >= 0)
        found = {"source": self._named(self.sources[rows]), "target": self._named(self.targets[rows, columns])}
        return self._frame({**found, "distance": floats[rows, columns]})

    def distance(self, source: "VertexLike", target: "VertexLike") -> float:
        """The distance from ``source`` to ``target``, as ``floats`` has it: ``inf`` if there is no path.

        Raises
        ------
        UsageError
            One of them is not in the table, or only the nearest targets are.
        """
        if self.targets.ndim > 1:
            raise UsageError("a table of the nearest targets has other targets for each source; use to_frame()")
        cell = []
        for what, vertex, ends in (("source", source, self.sources), ("target", target, self.targets)):
            places = np.flatnonzero(ends == self.graph.names.one(vertex, what))
            if not len(places):
                raise UsageError(f"{what} {vertex!r} is not in the table")
            cell.append(int(places[0]))
        return self._float(*cell)


def nearest_targets(
    call: Call, sources: np.ndarray, targets: np.ndarray | None, wanted: int
) -> tuple[np.ndarray, np.ndarray, Outcome]:
    """The nearest targets of each source, int64 of shape (s, wanted), and their distances.

    ``targets`` are in increasing order, each once; None means all vertices but the source.
    """
    device, graph, count = call.resident.device, call.graph, len(sources)
    limit = call.delivery.limit
    of_table = table_targets(call, targets)
    width = graph.vertices if targets is None else len(targets)
    collector = collector_for(device, graph, count, wanted, width)

    def take(first: int, chunk: Chunk) -> None:
        distances, own = chunk.distances, sources[first : first + chunk.last - chunk.first]
        if targets is not None:
            own = np.full(len(own), -1)
            if of_table is None:
                is_here = isinstance(distances, np.ndarray)
                distances = distances.take(targets if is_here else device.upload(targets), axis=1)
        if width:
            collector.take(first, own, distances)

    call.check(sources)
    rows = call.rows_at_once(count, None if of_table is None else width)
    with Progress("solving", "sources", count) as progress:
        outcome = solve_all(call, sources, rows, take, progress, of_table)
    if not width:
        dtype = graph.weights.dtype
        return np.full((count, wanted), -1), np.full((count, wanted), unreachable(dtype)), outcome
    found = collector.result()
    positions, distances = found.nearest.astype(np.int64), found.nearest_distances
    if limit is not None:
        far = distances > limit
        positions[far], distances[far] = NO_PREDECESSOR, unreachable(distances.dtype)
    if targets is not None:
        positions = np.where(positions >= 0, targets[positions], NO_PREDECESSOR)
    return positions, distances, outcome
