"""What is within a cutoff of each source, sparse: neither the device nor the host holds the distances of all pairs.

On the CPU, each search ends at the cutoff. Elsewhere, and with negative weights, a few sources are solved at a time for
all vertices, and what they reach is kept.
"""

from dataclasses import dataclass
from operator import itemgetter
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..certificates.certificate import Certificate, combined, constants
from ..distances import unreachable
from ..errors import OutOfMemoryError
from ..graphs.csr import Graph
from ..system.arrays import on_host
from ..system.cores import for_each, load
from ..system.host_machine import LARGE_BYTES, memory_bytes
from ..system.progress import Progress
from .answer import Distances
from .calls import Call, Outcome
from .chunks import Chunk, solve_all, table_targets

if TYPE_CHECKING:
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
    graph, certificate, variant, reason, solve_s, certify_s
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

    def to_frame(self) -> Any:
        """The pairs that are within the cutoff, as a data frame.

        Returns
        -------
        data frame
            The columns source, target and distance, of ``floats``, by source and then by target. Vertices are labels.
            The library is that of ``Paths.to_frame``.
        """
        sources = np.repeat(self.sources, np.diff(self.indptr))
        columns = {"source": self._named(sources), "target": self._named(self.targets[self.indices])}
        return self._frame({**columns, "distance": self.floats()})

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


class _Found(NamedTuple):
    """Rows of ``Within``: the number of entries of each, their columns, and their distances."""

    counts: np.ndarray
    indices: np.ndarray
    distances: np.ndarray


class _Kept:
    """What is found for some sources after others, as long as the host has memory for it."""

    def __init__(self, graph: Graph, sources: int):
        none = np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, graph.weights.dtype)
        self.found: list[tuple[int, _Found]] = [(-1, _Found(*none))]
        self.sources, self.bytes, self.bytes_checked = sources, 0, 0

    def add(self, first: int, found: _Found) -> None:
        """Keep the rows of the sources from number ``first`` on. Raises OutOfMemoryError."""
        size = self.bytes + found.indices.nbytes + found.distances.nbytes
        if size - self.bytes_checked > LARGE_BYTES:
            free, _ = memory_bytes()
            if size > free:
                done = sum(len(rows.counts) for _, rows in self.found[1:]) + len(found.counts)
                taken = f"{size / 1e9:.1f} GB, and joining it as much again, but {free / 1e9:.1f} GB of memory are free"
                raise OutOfMemoryError(
                    f"what is within the cutoff of {done:,} of {self.sources:,} sources takes {taken}; "
                    "choose a smaller cutoff, or fewer sources or targets"
                )
            self.bytes_checked = size
        self.bytes = size
        self.found.append((first, found))

    def rows(self) -> dict[str, Any]:
        """``indptr``, ``indices`` and ``distances``, in the order of the sources."""
        found = (rows for _, rows in sorted(self.found, key=itemgetter(0)))
        counts, indices, distances = map(np.concatenate, zip(*found, strict=True))
        return {"indptr": np.cumsum(counts), "indices": indices, "distances": distances}


def solved(call: Call, sources: np.ndarray, targets: np.ndarray | None) -> tuple[dict[str, Any], Outcome]:
    """Solve a few sources at a time for all vertices, and keep the ``targets`` that are reached; None means all."""
    device, limit, count = call.resident.device, call.delivery.limit, len(sources)
    of_table = table_targets(call, targets)
    kept = _Kept(call.graph, count)

    def take(first: int, chunk: Chunk) -> None:
        distances = chunk.distances
        is_here = isinstance(distances, np.ndarray)
        if targets is not None and of_table is None:
            distances = distances.take(targets if is_here else device.upload(targets), axis=1)
        is_near = distances != unreachable(distances.dtype)
        if limit is not None:
            is_near &= distances <= limit
        rows, columns = (np if is_here else device.xp).nonzero(is_near)
        counts = np.bincount(on_host(rows), minlength=len(distances))
        kept.add(first, _Found(counts, on_host(columns).astype(np.int32), on_host(distances[rows, columns])))

    call.check(sources)
    rows = call.rows_at_once(count, None if of_table is None else len(of_table))
    with Progress("solving", "sources", count) as progress:
        outcome = solve_all(call, sources, rows, take, progress, of_table)
    return kept.rows(), outcome


def searched(
    graph: Graph, sources: np.ndarray, targets: np.ndarray | None, limit: float, certify: bool
) -> tuple[dict[str, Any], Outcome]:
    """Search on the CPU from each source up to ``limit``; no weight is negative."""
    from ..certificates.near import certify_near, fault_of_rows  # imports Numba
    from ..solvers.cpu.near import search

    zero, none = constants(graph)
    limit = min(limit, float(np.finfo(zero.dtype).max)) if graph.has_floats else limit
    arcs = graph.indptr, graph.indices, graph.weights, zero, none, zero.dtype.type(limit)
    numbers, columns = sources.astype(np.int32), None if targets is None else _Columns(targets)
    size = max(_SOURCES, graph.vertices // 1000)
    kept = _Kept(graph, len(numbers))
    certificates: list[Certificate] = []
    spent, lock = [0, 0.0, 0.0], Lock()  # sources, and seconds for solving and certifying, of all cores
    nothing = np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(0, graph.weights.dtype)
    load(search, *arcs, numbers, 0)
    if certify:
        load(fault_of_rows, *arcs, numbers, *nothing)
    began = perf_counter()

    def solve(block: int) -> None:
        first = block * size
        rest = numbers[first : first + size]
        while len(rest):
            searching = perf_counter()
            piece = _Found(*search(*arcs, rest, _ROOM))
            certifying = perf_counter()
            own, rest = np.split(rest, [len(piece.counts)])
            if certify:
                certificates.append(certify_near(graph, arcs[-1], own, *piece))
            certified = perf_counter()
            piece = columns.of(piece) if columns else piece
            with lock:
                kept.add(first, piece)
                spent[:] = spent[0] + len(own), spent[1] + certifying - searching, spent[2] + certified - certifying
                progress(int(spent[0]))
            first += len(own)

    with Progress("solving", "sources", len(numbers)) as progress:
        for_each(-(-len(numbers) // size), solve, size * (graph.vertices + graph.arcs))
    elapsed = perf_counter() - began
    shares = (elapsed * part / (spent[1] + spent[2] or 1) for part in spent[1:])
    return kept.rows(), Outcome(combined(certificates) if certificates else None, *shares)


class _Columns:
    """Which columns have a vertex: ``targets`` may have it several times, or not."""

    def __init__(self, targets: np.ndarray):
        self.order = np.argsort(targets, kind="stable")
        self.targets = targets[self.order]

    def of(self, found: _Found) -> _Found:
        """The entries whose vertices are targets, with their columns."""
        first, last = (np.searchsorted(self.targets, found.indices, side) for side in ("left", "right"))
        times = last - first
        entries = np.repeat(np.arange(len(times)), times)
        rows = np.repeat(np.arange(len(found.counts)), found.counts)[entries]
        places = np.arange(len(entries)) + np.repeat(first - (np.cumsum(times) - times), times)
        columns = self.order[places].astype(np.int32)
        by_column = np.lexsort((columns, rows))
        counts = np.bincount(rows, minlength=len(found.counts))
        return _Found(counts, columns[by_column], found.distances[entries][by_column])
