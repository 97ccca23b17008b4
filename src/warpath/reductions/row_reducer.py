"""Reduces rows of distances on a device, a few rows at a time, into arrays that stay there until they are asked for."""

from pathlib import Path
from typing import Any

import numpy as np

from ..device import Device
from ..errors import UsageError
from .reductions import BINS, Rows, shift_for, widened

KERNELS = Path(__file__).with_name("rows.cu")
REVISION = 1
"""Raised when an edit changes what is timed; it identifies the code of a run."""
# On the host device, where a barrier costs as much as many distances, a warp has a row.
THREADS = {"cuda": 512, "host": 32}
NEAREST_MAX = 1024


class RowReducer:
    """Takes the rows of ``count`` sources, each of ``vertices`` distances, in any number of pieces.

    ``nearest`` is how many nearest vertices are kept of each source. May raise OutOfMemoryError; raises UsageError for
    a number of nearest vertices that is not 0 to NEAREST_MAX.
    """

    def __init__(self, device: Device, vertices: int, count: int, nearest: int, threads: int | None = None):
        refuse_nearest(nearest)
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
        """What was found of all rows, in the host's memory."""
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


def refuse_nearest(nearest: Any) -> None:
    """Raise UsageError for a number of nearest vertices that is none."""
    if isinstance(nearest, bool) or not isinstance(nearest, (int, np.integer)) or not 0 <= nearest <= NEAREST_MAX:
        raise UsageError(f"the nearest vertices are a number from 0 to {NEAREST_MAX:,}, not {nearest!r}")
