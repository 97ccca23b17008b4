"""What many rows of distances come to: numbers of each source, and of all pairs of a source and a vertex.

Paths lead from a source outwards, along the arcs. A vertex that a source does not reach does not count:

    eccentricity   the greatest distance from the source to a vertex that it reaches; 0 if it reaches no other
    closeness      (r - 1) / (sum of distances) * (r - 1) / (n - 1), where the source reaches r of n vertices, itself
                   included; 0 if it reaches no other at a distance above 0. That is Wasserman and Faust's, over the
                   ways out; ``networkx.closeness_centrality`` takes the ways in, those of the graph turned around
    diameter       the greatest distance of all pairs that have a path
    radius         the least eccentricity of the sources that reach every vertex; None if none does
    mean distance  over pairs of two different vertices that have a path
    histogram      of the distances of those pairs
    nearest        other vertices that the source reaches, by distance, of equal ones the vertex with the lower index

Of some sources only, all of this is over their rows.
"""

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .. import facts
from ..certificates.certificate import Certificate, combined
from ..device import Device
from ..errors import UsageError

BINS = 1024
"""Of a histogram, whose bins widen as greater distances come, so that any two can be added exactly.

Bin b counts distances from b * width up to, but not including, (b + 1) * width, and the width is a power of two. Where
a distance lies beyond the last bin, the width doubles and each two neighbours become one. The result is that of the
least width that suffices, in whatever order distances come and parts are merged.
"""
KERNELS = Path(__file__).with_name("rows.cu")
REVISION = 1
"""Raised when an edit changes what is timed; it identifies the code of a run."""
# On the host device, where a barrier costs as much as many distances, a warp has a row.
THREADS = {"cuda": 512, "host": 32}
NEAREST_MAX = 1024
_PER_SOURCE = ("eccentricities", "farthest", "reached", "sums", "nearest", "nearest_distances")


@dataclass(frozen=True, eq=False)
class Rows:
    """Of s sources, each of shape (s,): ``eccentricities``, the vertices ``farthest`` at that distance, how many
    vertices are ``reached``, the source included, all int32; ``sums`` of their distances, int64. Of shape (s, k),
    int32: ``nearest`` vertices, -1 where there is none, and ``nearest_distances``, UNREACHABLE there.

    ``histogram``, int64 of shape (BINS,), counts pairs by distance, in bins that are ``bin_width`` wide, from 0 up.
    """

    eccentricities: np.ndarray
    farthest: np.ndarray
    reached: np.ndarray
    sums: np.ndarray
    nearest: np.ndarray
    nearest_distances: np.ndarray
    histogram: np.ndarray
    bin_width: int

    def __len__(self) -> int:
        return len(self.eccentricities)


def joined(parts: Sequence[Rows]) -> Rows:
    """One for the sources of all ``parts``, one part at least, in their order; all have as many nearest vertices."""
    width = max(part.bin_width for part in parts)
    histogram = np.zeros(BINS, np.int64)
    for part in parts:
        histogram += widened(part.histogram, part.bin_width.bit_length(), width.bit_length())
    arrays = {name: np.concatenate([getattr(part, name) for part in parts]) for name in _PER_SOURCE}
    return Rows(**arrays, histogram=histogram, bin_width=width)


def shift_for(greatest: int) -> int:
    """The binary logarithm of the least width with which ``greatest`` has a bin."""
    return max(0, int(greatest).bit_length() - (BINS.bit_length() - 1))


def widened(histogram: np.ndarray, shift: int, wider: int) -> np.ndarray:
    """``histogram`` of widths ``2**shift`` as one of widths ``2**wider``: a new array, int64 of shape (BINS,)."""
    places = np.arange(BINS) >> min(wider - shift, BINS.bit_length())
    counts = np.zeros(BINS, np.int64)
    np.add.at(counts, places, histogram)
    return counts


@dataclass(frozen=True)
class Seconds:
    """Where the time went. ``whole`` has more in it than the other three: preparing the graph, kernels, files."""

    solve: facts.Seconds
    certify: facts.Seconds
    reduce: facts.Seconds
    whole: facts.Seconds

    def __add__(self, other: "Seconds") -> "Seconds":
        return Seconds(*map(sum, zip(astuple(self), astuple(other), strict=True)))


@dataclass(frozen=True, eq=False)
class Reductions:
    """Of the rows of ``sources``, indices, int64 of shape (s,), of a graph with n ``vertices``.

    Arrays of ``rows`` are in the order of ``sources``, and in the weights' unit times ``scale``; all other numbers have
    that undone. ``certificate`` is of all rows, None if there are none or the caller declined it. ``variant`` is what
    solved, "" if nothing was.
    """

    vertices: int
    scale: int
    sources: np.ndarray
    rows: Rows
    certificate: Certificate | None
    variant: str
    seconds: Seconds

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
        found = np.zeros(len(self.rows))
        found[far] = others[far] / sums[far] * (others[far] / max(1, self.vertices - 1))
        return found

    @property
    def diameter(self) -> float:
        """0 if there are no sources."""
        return float(self.eccentricities.max(initial=0))

    @property
    def diameter_ends(self) -> tuple[int, int] | None:
        """A source, the first, and a vertex that are so far apart."""
        if not len(self.rows):
            return None
        row = int(np.argmax(self.rows.eccentricities))
        return int(self.sources[row]), int(self.rows.farthest[row])

    @property
    def radius(self) -> float | None:
        whole = self.rows.reached == self.vertices
        return float(self.eccentricities[whole].min()) if whole.any() else None

    @property
    def pairs(self) -> int:
        """Pairs of a source and another vertex that have a path."""
        return int(self.rows.reached.sum(dtype=np.int64)) - len(self.rows)

    @property
    def mean_distance(self) -> float | None:
        """None if no pair has a path."""
        total = sum(self.rows.sums.tolist())  # may pass 64 bits
        return total / self.pairs / self.scale if self.pairs else None

    @property
    def histogram(self) -> tuple[np.ndarray, np.ndarray]:
        """Counts, int64 of shape (b,), and the b + 1 edges of their bins, float64; up to the last bin that has any."""
        used = int(np.flatnonzero(self.rows.histogram).max(initial=0)) + 1
        return self.rows.histogram[:used], np.arange(used + 1) * float(self.rows.bin_width) / self.scale


def merged(parts: Sequence[Reductions]) -> Reductions:
    """The reductions of all sources of ``parts``, one at least, in their order. Raises UsageError for unlike parts."""
    first = parts[0]
    for part in parts[1:]:
        if (part.vertices, part.scale) != (first.vertices, first.scale):
            raise UsageError("these reductions are of two graphs")
        if part.rows.nearest.shape[1] != first.rows.nearest.shape[1]:
            raise UsageError("these reductions have different numbers of nearest vertices")
    certificates = [part.certificate for part in parts if part.certificate]
    certified = sum(certificate.sources for certificate in certificates) == sum(len(part.rows) for part in parts)
    variants = list(dict.fromkeys(part.variant for part in parts if part.variant))
    seconds: Any = first.seconds
    for part in parts[1:]:
        seconds += part.seconds
    return Reductions(
        first.vertices,
        first.scale,
        np.concatenate([part.sources for part in parts]),
        joined([part.rows for part in parts]),
        combined(certificates) if certificates and certified else None,
        ", ".join(variants),
        seconds,
    )


class RowReducer:
    """Takes the rows of ``count`` sources, each of ``vertices`` distances, in any number of pieces.

    ``nearest`` is how many nearest vertices are kept of each source. May raise OutOfMemoryError; raises UsageError for
    a number of nearest vertices that is not 0 to NEAREST_MAX.
    """

    def __init__(self, device: Device, vertices: int, count: int, nearest: int, threads: int | None = None):
        check_nearest(nearest)
        self._device, self._vertices, self._nearest = device, vertices, nearest
        self._threads = threads or THREADS[device.kind]
        self._kernel = device.kernel(KERNELS, "reduce_rows", {"THREADS": self._threads, "BINS": BINS})
        self._eccentricities, self._farthest, self._reached = (device.empty((count,), np.int32) for _ in range(3))
        self._sums = device.empty((count,), np.uint64)
        self._near_vertices, self._near_distances = (device.empty((count, nearest), np.int32) for _ in range(2))
        self._counts = device.empty((BINS + 1,), np.uint64)
        self._found = device.pinned((BINS + 1,), np.uint64)
        self._histogram = np.zeros(BINS, np.int64)
        self._shift = 0

    def take(self, first: int, sources: np.ndarray, distances: Any) -> None:
        """Reduce the rows of ``sources``, the first of which is source number ``first`` of all. Waits for the device.

        ``distances`` are int32 of shape (rows, n), of the device or the host, none of them negative.
        """
        rows = len(sources)
        if not rows:
            return
        if not isinstance(distances, self._device.xp.ndarray):
            distances = self._device.upload(np.ascontiguousarray(distances))
        numbers = self._device.upload(np.ascontiguousarray(sources, np.int32))
        needed = shift_for(self._launch(first, rows, numbers, distances))
        if needed > self._shift:  # some distances had no bin
            self._histogram = widened(self._histogram, self._shift, needed)
            self._shift = needed
            self._launch(first, rows, numbers, distances)
        self._histogram += self._found[:BINS].astype(np.int64)

    def _launch(self, first: int, rows: int, sources: Any, distances: Any) -> int:
        """Reduce rows, count into ``_found``, and return the greatest distance."""
        self._counts.fill(0)
        here = slice(first, first + rows)
        arguments = (
            np.int32(self._vertices),
            sources,
            distances,
            np.int32(self._shift),
            self._eccentricities[here],
            self._farthest[here],
            self._reached[here],
            self._sums[here],
            self._counts,
            np.int32(self._nearest),
            self._near_vertices[here] if self._nearest else None,
            self._near_distances[here] if self._nearest else None,
        )
        self._kernel((rows,), (self._threads,), arguments)
        self._device.download(self._counts, self._found)
        return int(self._found[BINS])

    def result(self) -> Rows:
        return Rows(
            self._downloaded(self._eccentricities),
            self._downloaded(self._farthest),
            self._downloaded(self._reached),
            self._downloaded(self._sums).astype(np.int64),
            self._downloaded(self._near_vertices),
            self._downloaded(self._near_distances),
            self._histogram,
            1 << self._shift,
        )

    def _downloaded(self, array: Any) -> np.ndarray:
        out = np.empty(array.shape, array.dtype)
        if out.size:
            self._device.download(array, out)
        return out


def check_nearest(nearest: Any) -> None:
    if isinstance(nearest, bool) or not isinstance(nearest, (int, np.integer)) or not 0 <= nearest <= NEAREST_MAX:
        raise UsageError(f"the nearest vertices are a number from 0 to {NEAREST_MAX:,}, not {nearest!r}")
