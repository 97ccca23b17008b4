"""Statistics of rows of distances, per source and over all pairs of a source and a vertex.

Paths leave the source. Unreached vertices do not count.

    eccentricity   the greatest distance from the source to a vertex that it reaches; 0 if it reaches no other
    closeness      (r - 1) / (sum of distances) * (r - 1) / (n - 1), where the source reaches r of n vertices, itself
                   included; 0 if it reaches no other at a distance above 0. This is Wasserman and Faust's formula.
                   ``networkx.closeness_centrality`` applies it to the reversed graph.
    diameter       the greatest distance of all pairs that have a path
    radius         the smallest eccentricity of the sources that reach every vertex; None if there is none
    mean distance  over pairs of two different vertices that have a path
    histogram      of the distances of these pairs
    nearest        other vertices that the source reaches, by distance, then by index
"""

from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from math import frexp, log2
from pathlib import Path
from typing import Any

import numpy as np

from ..certificates import facts
from ..certificates.certificate import Certificate
from ..device import Device
from ..device.copies import downloaded
from ..distances import NO_PREDECESSOR, Columns, unreachable
from ..errors import UsageError
from ..graphs.csr import Graph
from ..graphs.objects.frames import kind_of, new_frame

BINS = 1024
"""The number of bins of a histogram.

Bin b counts distances d with b * width <= d < (b + 1) * width. The width is a power of two. If a distance lies beyond
the last bin, the width doubles and pairs of neighbouring bins are added. So any two histograms can be added exactly,
and the result does not depend on the order. The width of whole distances is at least 1, and that of floats at least the
smallest float, so that distances of 0 alone have the narrowest bins.
"""
KERNELS = Path(__file__).with_name("rows.cu")
REVISION = 2
"""The number that an edit of timed code raises; it identifies the code of a run."""
_LEAST_SHIFT_OF_FLOATS = -1074  # that of the smallest float
# On the simulated GPU a barrier is expensive, so a block is one warp.
THREADS = {"cuda": 512, "simulated": 32}
THREADS_OF_COLUMNS, COLUMN_ROWS = {"cuda": 256, "simulated": 32}, 512
NEAREST_MAX = 1024
_NEAREST = ("nearest", "nearest_distances")
_PER_SOURCE = ("eccentricities", "farthest", "reached", "sums", *_NEAREST)


@dataclass(frozen=True, eq=False)
class RowStatistics:
    """Statistics of the rows of s sources, with distances in the scaled unit of the weights.

    Attributes
    ----------
    eccentricities : array of the type of the weights, of shape (s,)
        The greatest distance of each source.
    farthest : int32 array of shape (s,)
        A vertex at this distance.
    reached : int32 array of shape (s,)
        The number of vertices that the source reaches, itself included.
    sums : int64 or float64 array of shape (s,)
        The sum of the distances.
    nearest : int32 array of shape (s, k)
        The k nearest vertices; -1 if there are fewer.
    nearest_distances : array of the type of the weights, of shape (s, k)
        Their distances; UNREACHABLE or infinity if there are fewer.
    histogram : int64 array of shape (BINS,)
        The number of pairs by distance.
    bin_width : float
        An int if distances are whole.
    """

    eccentricities: np.ndarray
    farthest: np.ndarray
    reached: np.ndarray
    sums: np.ndarray
    nearest: np.ndarray
    nearest_distances: np.ndarray
    histogram: np.ndarray
    bin_width: float

    def __len__(self) -> int:
        return len(self.eccentricities)


def joined(parts: Sequence[RowStatistics]) -> RowStatistics:
    """The statistics of the sources of all ``parts``, at least one, in their order."""
    width = max(part.bin_width for part in parts)
    histogram = np.zeros(BINS, np.int64)
    for part in parts:
        histogram += widened(part.histogram, round(log2(part.bin_width)), round(log2(width)))
    arrays = {name: np.concatenate([getattr(part, name) for part in parts]) for name in _PER_SOURCE}
    return RowStatistics(**arrays, histogram=histogram, bin_width=width)


def shift_for(greatest: int) -> int:
    """The binary logarithm of the smallest bin width with which ``greatest`` has a bin."""
    return max(0, int(greatest).bit_length() - (BINS.bit_length() - 1))


def widened(histogram: np.ndarray, shift: int, wider: int) -> np.ndarray:
    """A copy of ``histogram``, whose bins are ``2**shift`` wide, with bins that are ``2**wider`` wide."""
    counts = np.zeros(BINS, np.int64)
    np.add.at(counts, np.arange(BINS) >> min(wider - shift, BINS.bit_length()), histogram)
    return counts


@dataclass(frozen=True)
class Seconds:
    """Times in seconds. ``whole`` also includes the preparation of the graph, the compilation of kernels, and files."""

    solve: facts.Seconds
    certify: facts.Seconds
    reduce: facts.Seconds
    whole: facts.Seconds

    def __add__(self, other: "Seconds") -> "Seconds":
        return Seconds(*map(sum, zip(astuple(self), astuple(other), strict=True)))


@dataclass(frozen=True, eq=False, repr=False)
class Statistics:
    """Statistics of the distances from some sources, in the original unit of the weights.

    Attributes
    ----------
    vertices : int
        The number of vertices of the graph.
    scale : int
        Numbers in ``rows`` are multiplied by this factor.
    sources : int64 array of shape (s,)
    rows : RowStatistics
        In the order of ``sources``.
    certificate : Certificate or None
        None if there are no sources.
    variant : str
        The solver; "" if there are no sources.
    seconds : Seconds
    graph : Graph or None
        None for a part of a larger work, whose vertices are indices.
    """

    vertices: int
    scale: int
    sources: np.ndarray
    rows: RowStatistics
    certificate: Certificate | None
    variant: str
    seconds: Seconds
    graph: Graph | None = None

    def __repr__(self) -> str:
        sources = f"{len(self.sources):,} sources of {self.vertices:,} vertices"
        solved = (
            f"diameter {self.diameter:.15g}, by {self.variant}, certified" if self.certificate else "nothing solved"
        )
        return f"<Statistics from {sources}, {solved}>"

    @property
    def eccentricities(self) -> np.ndarray:
        """float64, shape (s,)."""
        return self.rows.eccentricities / self.scale

    @property
    def closeness(self) -> np.ndarray:
        """float64, shape (s,)."""
        others = self.rows.reached.astype(np.float64) - 1
        sums = self.rows.sums / self.scale
        far = sums > 0
        closeness = np.zeros(len(self.rows))
        with np.errstate(over="ignore"):
            closeness[far] = others[far] / sums[far] * (others[far] / max(1, self.vertices - 1))
        return closeness

    @property
    def diameter(self) -> float:
        """0 if there are no sources."""
        return float(self.eccentricities.max(initial=0))

    @property
    def diameter_ends(self) -> tuple[Any, Any] | None:
        """The first source with a vertex at this distance, and the vertex, by label."""
        if not len(self.rows):
            return None
        row = int(np.argmax(self.rows.eccentricities))
        ends = int(self.sources[row]), int(self.rows.farthest[row])
        return ends if self.graph is None else (self.graph.label_of(ends[0]), self.graph.label_of(ends[1]))

    def to_frame(self) -> Any:
        """A data frame with a row for each source: vertex, reached, eccentricity, farthest and closeness.

        Vertices are labels. The library is that of ``Paths.to_frame``.
        """
        assert self.graph is not None
        columns = {
            "vertex": self.graph.labels[self.sources],
            "reached": self.rows.reached,
            "eccentricity": self.eccentricities,
            "farthest": self.graph.labels[self.rows.farthest],
            "closeness": self.closeness,
        }
        return new_frame(columns, kind_of(self.graph))

    @property
    def radius(self) -> float | None:
        reaches_all = self.rows.reached == self.vertices
        return float(self.eccentricities[reaches_all].min()) if reaches_all.any() else None

    @property
    def pairs(self) -> int:
        """Pairs of a source and another vertex that have a path."""
        return int(self.rows.reached.sum(dtype=np.int64)) - len(self.rows)

    @property
    def mean_distance(self) -> float | None:
        """None if no pair has a path."""
        total = sum(self.rows.sums.tolist())  # may not fit 64 bits
        return total / self.pairs / self.scale if self.pairs else None

    @property
    def histogram(self) -> tuple[np.ndarray, np.ndarray]:
        """Counts, int64 of shape (b,), and the b + 1 edges of the bins, float64, up to the last bin with a count."""
        used = int(np.flatnonzero(self.rows.histogram).max(initial=0)) + 1
        return self.rows.histogram[:used], np.arange(used + 1) * float(self.rows.bin_width) / self.scale


def collector_for(
    device: Device, graph: Graph, count: int, nearest: int, columns: int | None = None
) -> "RowCollector | ArrayCollector":
    """A collector for the distances from ``count`` sources of ``graph``, to all vertices or to ``columns`` of them."""
    if graph.has_floats or device.kind == "cpu":
        return ArrayCollector(device, graph.weights.dtype, count, nearest)
    return RowCollector(device, graph.vertices if columns is None else columns, count, nearest)


class RowCollector:
    """Reduces the rows of ``count`` sources, in any number of pieces. May raise OutOfMemoryError.

    Raises UsageError if ``nearest``, the number of nearest vertices per source, is not 0 to NEAREST_MAX.
    """

    def __init__(self, device: Device, vertices: int, count: int, nearest: int, threads: int | None = None):
        check_nearest(nearest)
        self._device, self._vertices, self._nearest = device, vertices, nearest
        self._threads = threads or THREADS[device.kind]
        self._macros = {"THREADS": self._threads, "BINS": BINS, "COLUMN_ROWS": COLUMN_ROWS}
        self._kernel = device.kernel(KERNELS, "reduce_rows", self._macros)
        self._arrays = {name: device.empty((count,), np.int32) for name in ("eccentricities", "farthest", "reached")}
        self._arrays["sums"] = device.empty((count,), np.uint64)
        self._nearest_arrays = {name: device.empty((count, nearest), np.int32) for name in _NEAREST}
        self._counts = device.empty((BINS + 1,), np.uint64)
        self._counts_on_host = device.pinned((BINS + 1,), np.uint64)
        self._histogram = np.zeros(BINS, np.int64)
        self._shift = 0

    def take(self, first: int, sources: np.ndarray, distances: Any) -> None:
        """Reduce the rows of ``sources``, which follow the first ``first`` sources. Waits for the device.

        ``distances`` are int32 of shape (rows, n), on the device or the host, and not negative; or Columns without the
        nearest vertices. A row's source is not among its nearest vertices.
        """
        rows = len(sources)
        if not rows:
            return
        launch = self._launch_columns if isinstance(distances, Columns) else self._launch
        if isinstance(distances, Columns):
            sources = distances.positions[sources]
        elif not isinstance(distances, self._device.xp.ndarray):
            distances = self._device.upload(np.ascontiguousarray(distances))
        numbers = self._device.upload(np.ascontiguousarray(sources, np.int32))
        part = slice(first, first + rows)
        needed = shift_for(self._counted(launch, part, numbers, distances))
        if needed > self._shift:  # some distances have no bin
            self._histogram = widened(self._histogram, self._shift, needed)
            self._shift = needed
            self._counted(launch, part, numbers, distances)
        self._histogram += self._counts_on_host[:BINS].astype(np.int64)

    def _counted(self, launch: Callable[[slice, Any, Any], None], part: slice, sources: Any, distances: Any) -> int:
        """Reduce the rows ``part``, count into ``_counts_on_host``, and return the greatest distance."""
        self._counts.fill(0)
        launch(part, sources, distances)
        self._device.download(self._counts, self._counts_on_host)
        return int(self._counts_on_host[BINS])

    def _launch(self, part: slice, sources: Any, distances: Any) -> None:
        vertices, distances_of_near = (
            array[part] if self._nearest else None for array in self._nearest_arrays.values()
        )
        self._kernel(
            (len(sources),),
            (self._threads,),
            vertices=np.int32(self._vertices),
            sources=sources,
            all_distances=distances,
            shift=np.int32(self._shift),
            **{name: array[part] for name, array in self._arrays.items()},
            histogram=self._counts,
            nearest=np.int32(self._nearest),
            near_vertices=vertices,
            near_distances=distances_of_near,
        )

    def _launch_columns(self, part: slice, positions: Any, columns: Columns) -> None:
        eccentricities, farthest, reached, sums = (array[part] for array in self._arrays.values())
        numbers = self._device.empty((len(positions),), np.uint64)
        numbers.fill(np.uint64(2**64 - 1))
        reached.fill(0)
        sums.fill(0)
        threads, count = THREADS_OF_COLUMNS[self._device.kind], np.int32(len(positions))
        reduce, finish = (
            self._device.kernel(KERNELS, name, {**self._macros, "THREADS": threads})
            for name in ("reduce_columns", "finish_columns")
        )
        blocks = -(-len(positions) // threads)
        reduce(
            (-(-self._vertices // COLUMN_ROWS), blocks),
            (threads,),
            vertices=np.int32(self._vertices),
            vertices_at=columns.vertices,
            source_positions=positions,
            sources=count,
            all_distances=columns.cells,
            shift=np.int32(self._shift),
            farthest=numbers,
            reached=reached,
            sums=sums,
            histogram=self._counts,
        )
        finish(
            (blocks,),
            (threads,),
            sources=count,
            numbers=numbers,
            eccentricities=eccentricities,
            farthest=farthest,
            histogram=self._counts,
        )

    def result(self) -> RowStatistics:
        arrays = {
            name: downloaded(self._device, array) for name, array in (self._arrays | self._nearest_arrays).items()
        }
        arrays["sums"] = arrays["sums"].astype(np.int64)
        return RowStatistics(**arrays, histogram=self._histogram, bin_width=1 << self._shift)


class ArrayCollector:
    """As RowCollector, with functions of NumPy or CuPy, for distances of any ``dtype``. Sums of floats are float64."""

    def __init__(self, device: Device, dtype: np.dtype, count: int, nearest: int):
        check_nearest(nearest)
        self._device, self._nearest = device, nearest
        self._none, self._sum_type = unreachable(dtype), np.float64 if dtype.kind == "f" else np.int64
        types = {"eccentricities": dtype, "farthest": np.int32, "reached": np.int32, "sums": self._sum_type}
        self._arrays = {name: np.zeros(count, kind) for name, kind in types.items()}
        self._arrays["nearest"] = np.full((count, nearest), NO_PREDECESSOR)
        self._arrays["nearest_distances"] = np.full((count, nearest), self._none, dtype)
        self._histogram = np.zeros(BINS, np.int64)
        self._shift = _LEAST_SHIFT_OF_FLOATS if dtype.kind == "f" else 0

    def take(self, first: int, sources: np.ndarray, distances: Any) -> None:
        """As ``RowCollector.take``, for rows."""
        if not len(sources):
            return
        xp = self._device.xp
        rows = distances if isinstance(distances, xp.ndarray) else self._device.upload(np.ascontiguousarray(distances))
        reached = rows != self._none
        near = xp.where(reached, rows, -1)  # the source is nearer than what it does not reach
        part = slice(first, first + len(sources))
        with np.errstate(over="ignore"):  # sums of floats may be infinite
            sums = xp.where(reached, rows, 0).sum(axis=1, dtype=self._sum_type)
        found = {
            "eccentricities": near.max(axis=1),
            "farthest": near.argmax(axis=1),
            "reached": reached.sum(axis=1),
            "sums": sums,
        }
        own = np.flatnonzero(sources >= 0)
        reached[self._device.upload(own), self._device.upload(np.asarray(sources[own], np.int64))] = False
        others = xp.where(reached, rows, self._none)
        if count := min(self._nearest, rows.shape[1]):
            order = xp.argsort(others, axis=1, kind="stable")[:, :count]  # by vertex where distances are equal
            found["nearest_distances"] = distances = xp.take_along_axis(others, order, axis=1)
            found["nearest"] = xp.where(distances != self._none, order, int(NO_PREDECESSOR))
        for name, array in found.items():
            out = downloaded(self._device, xp.ascontiguousarray(array))
            self._arrays[name][(part, *[slice(columns) for columns in out.shape[1:]])] = out
        self._count(others[reached], float(self._arrays["eccentricities"][part].max()))

    def _count(self, distances: Any, greatest: float) -> None:
        """Count the distances of pairs, of which ``greatest`` is the largest, in bins wide enough for it."""
        needed = frexp(greatest)[1] - (BINS.bit_length() - 1)
        if greatest and needed > self._shift:
            self._histogram = widened(self._histogram, self._shift, needed)
            self._shift = needed
        xp = self._device.xp
        bins = xp.ldexp(distances.astype(np.float64), np.int32(-self._shift)).astype(np.int64)
        self._histogram += downloaded(self._device, xp.bincount(bins, minlength=BINS))

    def result(self) -> RowStatistics:
        width = self._sum_type(2) ** self._shift
        return RowStatistics(**self._arrays, histogram=self._histogram, bin_width=width.item())


def check_nearest(nearest: Any) -> None:
    if isinstance(nearest, bool) or not isinstance(nearest, (int, np.integer)) or not 0 <= nearest <= NEAREST_MAX:
        raise UsageError(f"the number of nearest vertices is {nearest!r}; it must be from 0 to {NEAREST_MAX:,}")
