"""Handing an answer over: the wanted columns, as arrays of the host or of the device."""

from typing import Any, Literal

import numpy as np

from ..device import Device
from ..distances import NO_PREDECESSOR, UNREACHABLE
from ..errors import UsageError

Output = Literal["host", "device"]

# Copies to page-locked memory are several times as fast, but it is taken from all other programs.
PINNED_BYTES_MAX = 64 << 20


class Rows:
    """A matrix of ``count`` x ``columns``, int32, in the memory that ``output`` names, filled row by row."""

    def __init__(self, device: Device, count: int, columns: int, output: Output):
        self.device = device
        if output == "device":
            self.matrix = device.empty((count, columns), np.int32)
        elif 4 * count * columns <= PINNED_BYTES_MAX:
            self.matrix = device.pinned((count, columns), np.int32, pooled=True)
        else:
            self.matrix = np.empty((count, columns), np.int32)

    def put(self, row: int, array: Any) -> None:
        """Enqueue a copy of ``array``, shape (columns,), of the host or the device, into a row."""
        if isinstance(array, np.ndarray) and isinstance(self.matrix, np.ndarray):
            np.copyto(self.matrix[row], array)
        else:
            self.device.copy(array, self.matrix[row])


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
    device.download(array, out)
    return out


def within(limit: int | None, distances: Any, predecessors: Any, through_far: bool = False) -> tuple[Any, Any]:
    """The answer without what is farther than ``limit``: unreachable, with no predecessor.

    ``through_far`` keeps all predecessors: with negative arcs, the way to a near vertex may lead through a far one.
    """
    if limit is None:
        return distances, predecessors
    far = distances > limit
    distances = distances.copy()
    distances[far] = UNREACHABLE
    if not through_far:
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
