"""Starting values, made on the device."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from warpath.device import Device
from warpath.device.copies import GraphCopy

from .grids import blocks_over

KERNEL = Path(__file__).with_suffix(".cu")
BLOCK = (256,)
# Arguments of `fill`: the position of the source, and the numbers of arrays of each type.
_SOURCE = 1
_WORDS, _BYTES = 3, 2

Value = float | np.generic


class SourceFill:
    """Fills arrays of shape (n,), up to three int32 and two uint8, for a solve from any source.

    Each array comes with two values: that of every other vertex, and that of the source. One launch fills all arrays.
    """

    def __init__(self, device: Device, arrays: Sequence[tuple[Any, tuple[Value, Value]]]):
        self.device = device
        count = len(arrays[0][0])
        slots: list[Any] = []
        for dtype, slot_count in ((np.dtype(np.int32), _WORDS), (np.dtype(np.uint8), _BYTES)):
            given = [(array, *values) for array, values in arrays if array.dtype == dtype]
            given += [(None, 0, 0)] * (slot_count - len(given))
            slots += [part for array, *values in given for part in (array, *map(dtype.type, values))]
        kernel = device.kernel(KERNEL, "fill")
        self.launch = kernel.bind((blocks_over(count, BLOCK[0]),), BLOCK, (np.int32(count), np.int32(0), *slots))

    def __call__(self, source: int) -> None:
        self.launch.replace(_SOURCE, np.int32(source))
        self.device.enqueue([self.launch])


def fill_one_arc_paths(copy: GraphCopy, distances: Any, predecessors: Any) -> None:
    """Enqueue the paths of at most one arc, int32 of shape (n, n): the tail as predecessor of each head."""
    vertices = copy.graph.vertices
    kernel = copy.device.kernel(KERNEL, "one_arc_paths")
    kernel((vertices,), BLOCK, (np.int32(vertices), *copy.arrays, distances, predecessors))
