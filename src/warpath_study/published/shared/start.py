"""Starting values, made on the device."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from warpath.device import Device
from warpath.device.resident import Resident

from .grids import blocks_over

KERNEL = Path(__file__).with_suffix(".cu")
BLOCK = (256,)
# Parameters of `fill` by type: the names of an array and of its two values, and the number of arrays.
_SLOTS: dict[np.dtype, tuple[tuple[str, ...], int]] = {
    np.dtype(np.int32): (("words", "elsewhere", "at_source"), 3),
    np.dtype(np.uint8): (("bytes", "byte_elsewhere", "byte_at_source"), 2),
}

Value = float | np.generic


class SourceFill:
    """Fills arrays of shape (n,), up to three int32 and two uint8, for a solve from any source.

    Each array comes with two values: that of every other vertex, and that of the source. One launch fills all arrays.
    """

    def __init__(self, device: Device, arrays: Sequence[tuple[Any, tuple[Value, Value]]]):
        self.device = device
        count = len(arrays[0][0])
        slots: dict[str, Any] = {}
        for dtype, (names, slot_count) in _SLOTS.items():
            given = [(array, *map(dtype.type, values)) for array, values in arrays if array.dtype == dtype]
            given += [(None, dtype.type(0), dtype.type(0))] * (slot_count - len(given))
            for number, slot in enumerate(given):
                slots |= {f"{name}_{number}": argument for name, argument in zip(names, slot, strict=True)}
        self.launch = device.kernel(KERNEL, "fill").bind(
            (blocks_over(count, BLOCK[0]),), BLOCK, vertices=np.int32(count), source=np.int32(0), **slots
        )

    def __call__(self, source: int) -> None:
        self.launch.set(source=np.int32(source))
        self.device.enqueue([self.launch])


def fill_one_arc_paths(copy: Resident, distances: Any, predecessors: Any) -> None:
    """Enqueue the paths of at most one arc, int32 of shape (n, n): the tail as predecessor of each head."""
    vertices = copy.graph.vertices
    copy.device.kernel(KERNEL, "one_arc_paths")(
        (vertices,),
        BLOCK,
        vertices=np.int32(vertices),
        **copy.arguments,
        all_distances=distances,
        all_predecessors=predecessors,
    )
