"""Tables of distances from some sources to some targets, or to the nearest of them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..distances import NO_PREDECESSOR, unreachable
from ..statistics.statistics import collector_for
from ..system.arrays import on_host
from ..system.progress import Progress
from .answer import Distances
from .calls import Call, Outcome
from .chunks import Chunk, solve_all, table_targets

if TYPE_CHECKING:
    import pandas


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
    graph, certificate, variant, reason, solve_s, certify_s, by_label
        As in ``Answer``.
    """

    sources: np.ndarray
    targets: np.ndarray

    def _told(self) -> str:
        to = f"{self.targets.shape[-1]:,}{' nearest' * (self.targets.ndim == 2)} targets"
        return f"Table from {len(self.sources):,} sources to {to}, {self.distances.dtype}"

    def to_frame(self) -> "pandas.DataFrame":
        """The table as a data frame, with vertices as the caller names them and distances of ``floats``.

        Returns
        -------
        pandas.DataFrame
            A row for each source and a column for each target. With ``nearest``, the columns source, target and
            distance, with a row for each target that was found.
        """
        import pandas

        floats = on_host(self.floats())
        if self.targets.ndim == 1:
            axes = {"index": (self.sources, "source"), "columns": (self.targets, "target")}
            return pandas.DataFrame(
                floats, **{axis: pandas.Index(self._named(ends), name=name) for axis, (ends, name) in axes.items()}
            )
        rows, columns = np.nonzero(self.targets >= 0)
        ends = {"source": self.sources[rows], "target": self.targets[rows, columns]}
        return pandas.DataFrame({name: self._named(end) for name, end in ends.items()}).assign(
            distance=floats[rows, columns]
        )


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
