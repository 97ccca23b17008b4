"""What is within a cutoff of each source, sparse: neither the device nor the host holds the distances of all pairs.

On the CPU, each search ends at the cutoff. Elsewhere, and with negative weights, a few sources are solved at a time for
all vertices, and what they reach is kept.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..certificates.certificate import Certificate, combined, constants
from ..distances import unreachable
from ..graphs.csr import Graph
from ..system.arrays import on_host
from ..system.cores import for_each, load
from ..system.progress import Progress
from .answer import Distances
from .calls import Call, Outcome
from .chunks import Chunk, solve_all, table_targets

if TYPE_CHECKING:
    import pandas
    import scipy.sparse

NAME, REASON = "dijkstra.near", "on the CPU, searches that end at the cutoff"

# Searches of so many sources share an array of all vertices; so many results are certified at a time.
_SOURCES, _ROOM = 256, 1 << 20


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Within(Distances):
    """The targets within a cutoff of each of s sources, and their distances, in compressed sparse rows.

    Row i has the entries ``indptr[i]`` to ``indptr[i + 1] - 1``. All arrays are on the host.

    Attributes
    ----------
    sources, targets : int64 arrays of shape (s,) and (t,)
        Indices of vertices: the rows and the columns.
    indptr : int64 array of shape (s + 1,)
        The first entry of each row.
    indices : int32 array of shape (r,)
        The column of each entry; those of a row increase. By default the columns are all vertices.
    distances : array of the type of the weights, of shape (r,)
        All are reached. A source is at distance 0 from itself.
    graph, certificate, variant, reason, solve_s, certify_s, by_label
        As in ``Answer``. "dijkstra.near" are searches on the CPU that end at the cutoff.
    """

    sources: np.ndarray
    targets: np.ndarray
    indptr: np.ndarray
    indices: np.ndarray

    def _told(self) -> str:
        of = f"{len(self.sources):,} sources and {len(self.targets):,} targets"
        return f"Within: {len(self):,} pairs of {of}, {self.distances.dtype}"

    def __len__(self) -> int:
        return len(self.indices)

    def to_frame(self) -> "pandas.DataFrame":
        """The pairs that are within the cutoff, as a data frame.

        Returns
        -------
        pandas.DataFrame
            The columns source, target and distance, of ``floats``, by source and then by target. Vertices are as the
            caller names them.
        """
        import pandas

        sources = np.repeat(self.sources, np.diff(self.indptr))
        frame = pandas.DataFrame({"source": self._named(sources), "target": self._named(self.targets[self.indices])})
        return frame.assign(distance=self.floats())

    def to_scipy(self) -> "scipy.sparse.csr_array":
        """The distances as a sparse matrix.

        Returns
        -------
        scipy.sparse.csr_array of shape (s, t), float64
            Distances of ``floats``. Zeros are stored: what is not stored is not within the cutoff.
        """
        import scipy.sparse  # slow to import

        entries = self.floats(), self.indices.copy(), self.indptr.copy()  # SciPy may change its arrays
        return scipy.sparse.csr_array(entries, shape=(len(self.sources), len(self.targets)))


class Found(NamedTuple):
    """Rows of ``Within``: the number of entries of each, their columns, and their distances."""

    counts: np.ndarray
    indices: np.ndarray
    distances: np.ndarray


def rows_of(graph: Graph, found: Iterable[Found]) -> dict[str, Any]:
    """``indptr``, ``indices`` and ``distances`` of rows that follow one another."""
    none = Found(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, graph.weights.dtype))
    counts, indices, distances = map(np.concatenate, zip(none, *found, strict=True))
    return {"indptr": np.cumsum(counts), "indices": indices, "distances": distances}


def solved(call: Call, sources: np.ndarray, targets: np.ndarray | None) -> tuple[list[Found], Outcome]:
    """Solve a few sources at a time for all vertices, and keep the ``targets`` that are reached; None means all."""
    device, limit, count = call.resident.device, call.delivery.limit, len(sources)
    of_table = table_targets(call, targets)
    found: list[Found] = []

    def take(_first: int, chunk: Chunk) -> None:
        distances = chunk.distances
        is_here = isinstance(distances, np.ndarray)
        if targets is not None and of_table is None:
            distances = distances.take(targets if is_here else device.upload(targets), axis=1)
        is_near = distances != unreachable(distances.dtype)
        if limit is not None:
            is_near &= distances <= limit
        rows, columns = (np if is_here else device.xp).nonzero(is_near)
        counts = np.bincount(on_host(rows), minlength=len(distances))
        found.append(Found(counts, on_host(columns).astype(np.int32), on_host(distances[rows, columns])))

    call.check(sources)
    rows = call.rows_at_once(count, None if of_table is None else len(of_table))
    with Progress("solving", "sources", count) as progress:
        return found, solve_all(call, sources, rows, take, progress, of_table)


def searched(
    graph: Graph, sources: np.ndarray, targets: np.ndarray | None, limit: float, certify: bool
) -> tuple[list[Found], Outcome]:
    """Search on the CPU from each source up to ``limit``; no weight is negative."""
    from ..certificates.near import certify_near, fault_of_rows  # imports Numba
    from ..solvers.cpu.near import search

    zero, none = constants(graph)
    limit = min(limit, float(np.finfo(zero.dtype).max)) if graph.has_floats else limit
    arcs = graph.indptr, graph.indices, graph.weights, zero, none, zero.dtype.type(limit)
    numbers, columns = sources.astype(np.int32), None if targets is None else _Columns(targets)
    size = max(_SOURCES, graph.vertices // 1000)
    blocks = [numbers[first : first + size] for first in range(0, len(numbers), size)]
    found: list[list[Found]] = [[] for _ in blocks]
    certificates: list[Certificate] = []
    spent, lock = [0, 0.0, 0.0], Lock()  # sources, and seconds for solving and certifying, of all cores
    nothing = np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(0, graph.weights.dtype)
    load(search, *arcs, numbers, 0)
    if certify:
        load(fault_of_rows, *arcs, numbers, *nothing)
    began = perf_counter()

    def solve(number: int) -> None:
        rest = blocks[number]
        while len(rest):
            searching = perf_counter()
            piece = Found(*search(*arcs, rest, _ROOM))
            certifying = perf_counter()
            own, rest = np.split(rest, [len(piece.counts)])
            if certify:
                certificates.append(certify_near(graph, arcs[-1], own, *piece))
            certified = perf_counter()
            found[number].append(columns.of(piece) if columns else piece)
            with lock:
                spent[:] = spent[0] + len(own), spent[1] + certifying - searching, spent[2] + certified - certifying
                progress(int(spent[0]))

    with Progress("solving", "sources", len(numbers)) as progress:
        for_each(len(blocks), solve, size * (graph.vertices + graph.arcs))
    elapsed = perf_counter() - began
    shares = (elapsed * part / (spent[1] + spent[2] or 1) for part in spent[1:])
    return list(chain(*found)), Outcome(combined(certificates) if certificates else None, *shares)


class _Columns:
    """Which columns have a vertex: ``targets`` may have it several times, or not."""

    def __init__(self, targets: np.ndarray):
        self.order = np.argsort(targets, kind="stable")
        self.targets = targets[self.order]

    def of(self, found: Found) -> Found:
        """The entries whose vertices are targets, with their columns."""
        first, last = (np.searchsorted(self.targets, found.indices, side) for side in ("left", "right"))
        times = last - first
        entries = np.repeat(np.arange(len(times)), times)
        rows = np.repeat(np.arange(len(found.counts)), found.counts)[entries]
        places = np.arange(len(entries)) + np.repeat(first - (np.cumsum(times) - times), times)
        columns = self.order[places].astype(np.int32)
        by_column = np.lexsort((columns, rows))
        counts = np.bincount(rows, minlength=len(found.counts))
        return Found(counts, columns[by_column], found.distances[entries][by_column])
