"""Handing an answer over: the wanted columns, as arrays of the host or of the device."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..device import Device
from ..device.contract import Stream
from ..device.copies import download_in_pieces
from ..distances import NO_PREDECESSOR, UNREACHABLE
from ..errors import UsageError
from .chunks import Chunk

Output = Literal["host", "device"]

# Copies to page-locked memory are several times as fast, but it is taken from all other programs.
PINNED_BYTES_MAX = 64 << 20


class Rows:
    """A matrix of ``count`` x ``columns``, int32, in the memory that ``output`` names, filled a few rows at a time."""

    def __init__(self, device: Device, count: int, columns: int, output: Output, pinned: bool | None = None):
        self.device = device
        if pinned is None:
            pinned = 4 * count * columns <= PINNED_BYTES_MAX
        self.pageable = output == "host" and not pinned
        if output == "device":
            self.matrix = device.empty((count, columns), np.int32)
        elif pinned:
            self.matrix = device.pinned((count, columns), np.int32, pooled=True)
        else:
            self.matrix = np.empty((count, columns), np.int32)

    def put(self, first: int, array: Any, stream: Stream | None = None) -> None:
        """Copy ``array``, shape (rows, columns), of the host or the device, from row ``first`` on.

        The copy is enqueued unless the rows are in pageable memory.
        """
        rows = self.matrix[first : first + len(array)]
        if isinstance(array, np.ndarray) and isinstance(rows, np.ndarray):
            np.copyto(rows, array)
        elif self.pageable:
            download_in_pieces(self.device, array, rows)
        else:
            self.device.copy(array, rows, stream)


@dataclass(frozen=True)
class Delivery:
    """What a caller wants of an answer, and where: the columns ``targets`` (None for all), distances up to ``limit``.

    ``through_far`` as for ``within``.
    """

    device: Device
    output: Output
    targets: np.ndarray | None
    limit: int | None
    through_far: bool

    @property
    def is_whole(self) -> bool:
        """Whether the answer is handed over as it was solved."""
        return self.targets is None and self.limit is None

    def cut(self, chunk: Chunk) -> tuple[Any, Any]:
        """The wanted part of a chunk: distances, and predecessors or None."""
        distances, predecessors = within(self.limit, chunk.distances, chunk.predecessors, self.through_far)
        return columns_of(self.device, distances, self.targets), predecessors

    def stream(self, chunks: Iterable[Chunk], sources: np.ndarray) -> Iterator[tuple[Any, ...]]:
        """Yield the sources of each chunk, their distances and, if there are, predecessors: the caller's to keep.

        A chunk is copied while the next one is solved.
        """
        copying = self.device.stream()
        waiting: tuple[Any, ...] | None = None
        try:
            for chunk in chunks:
                copying.synchronize()  # so the one waiting is there, and what it was copied from may go
                in_flight = [array for array in self.cut(chunk) if array is not None]
                stream = copying if chunk.lasting and self.output == "host" else None
                copying.wait(self.device.record())
                copied = [self._copy(array, stream) for array in in_flight]
                if waiting:
                    yield waiting
                waiting = (sources[chunk.first : chunk.last], *copied)
            if waiting:
                self.device.synchronize()
                yield waiting
        finally:
            copying.synchronize()  # or, where the caller stops early, memory that is free would still be copied to

    def _copy(self, array: Any, stream: Stream | None) -> Any:
        rows = Rows(self.device, len(array), array.shape[1], self.output, pinned=True)
        rows.put(0, array, stream)
        return rows.matrix


def on_host(array: Any) -> Any:
    """``array`` itself, or its copy on the host where it is CuPy's."""
    return array.get() if hasattr(array, "__cuda_array_interface__") else array


def moved(device: Device, array: Any, output: Output) -> Any:
    """``array``, of any shape, in the memory that ``output`` names; itself if it is there."""
    is_here = isinstance(array, np.ndarray)
    if is_here == (output == "host") or device.xp is np:
        return array
    if output == "device":
        return device.upload(array)
    out = np.empty(array.shape, array.dtype)
    download_in_pieces(device, array, out)
    return out


def within(limit: int | None, distances: Any, predecessors: Any, through_far: bool = False) -> tuple[Any, Any]:
    """The answer without what is farther than ``limit``: unreachable, with no predecessor.

    ``through_far`` keeps all predecessors: with negative arcs, the way to a near vertex may lead through a far one.
    Predecessors may be None.
    """
    if limit is None:
        return distances, predecessors
    far = distances > limit
    distances = distances.copy()
    distances[far] = UNREACHABLE
    if predecessors is not None and not through_far:
        predecessors = predecessors.copy()
        predecessors[far] = NO_PREDECESSOR
    return distances, predecessors


def columns_of(device: Device, distances: Any, targets: np.ndarray | None) -> Any:
    """The columns ``targets`` of ``distances``; all of them if None."""
    if targets is None:
        return distances
    return distances[..., targets if isinstance(distances, np.ndarray) else device.upload(targets)]


def refuse_output(output: str) -> None:
    """Raise UsageError where ``output`` is neither "host" nor "device"."""
    if output not in ("host", "device"):
        raise UsageError(f"unknown output {output!r}; choose host or device")
