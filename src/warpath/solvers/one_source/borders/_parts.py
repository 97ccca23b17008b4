"""The arcs of a graph in parts, in the layout that the kernels read, made on the device and cached by arcs and size.

The vertices of a part have consecutive new numbers, and those that arcs from other parts enter are first. Loops are
removed, and of parallel arcs that are near each other in the graph, all but the lightest.
"""

import weakref
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from ....device import Device
from ....device.copies import download_in_pieces, downloaded
from ....device.resident import Resident
from ....device.resident import resident as resident_on
from ....distances import unreachable
from ....errors import UsageError
from ....graphs.csr import from_arcs
from ...shared.grids import blocks_over
from ...shared.lengths import macros_for
from ._cut import parts_of_vertices
from ._inboxes import Inboxes

KERNEL = Path(__file__).with_name("parts.cu")
BLOCK = 256
SLOTS = 4
"""The number of arcs of a vertex in columns. Further arcs are in the overflow."""
NO_ARC = 0xFFFF
"""The head of an empty slot, and the largest number of entries of a part."""
_PLACES_MAX = 2**31 - 1


@dataclass(frozen=True, eq=False)
class Parts:
    """A graph in k parts. Vertices have new numbers: those of part p are ``first[p]`` to ``first[p + 1] - 1``.

    ``order``, shape (n,), is the vertex of the graph that each new number stands for; ``position`` is its inverse.
    ``first`` has shape (k + 1,). ``inboxes`` are the vertices that arcs from other parts enter; they come first in
    their part. ``entered`` has their new numbers, in order.

    The entries of a part are its own vertices, numbered from 0, and then its outside neighbours, which are inboxes:
    entry ``vertices + i`` is ``inboxes.outside[inboxes.outside_first[p] + i]``.

    ``heads``, uint16 of shape (4, n), holds slot j of every vertex in row j, by new number: the head as an entry of the
    vertex's part, NO_ARC in empty slots, which are the last ones. Further arcs of part p are ``overflow_first[p]`` to
    ``overflow_first[p + 1] - 1``, sorted by tail: ``overflow_tails`` and ``overflow_heads``, uint16, are entries too.
    ``places``, shape (m,), is the index of the weight of each arc of the graph in ``placed_weights``.

    Arrays are of int32 if nothing else is said, and on the device. ``host_first`` and ``host_position`` are copies on
    the host, where ``region_first`` is, too: the first part of each region, with an end. If parts are few, they are one
    region.
    """

    device: Device
    first: Any
    order: Any
    inboxes: Inboxes
    entered: Any
    heads: Any
    overflow_first: Any
    overflow_tails: Any
    overflow_heads: Any
    places: Any
    host_first: np.ndarray
    host_position: np.ndarray
    region_first: np.ndarray
    cut_arcs: int
    preparation_s: float

    @property
    def count(self) -> int:
        """The number of parts, k; some may be empty."""
        return len(self.host_first) - 1

    @property
    def vertices_max(self) -> int:
        """The number of vertices of the largest part."""
        return int(np.diff(self.host_first).max())

    def placed_weights(self, resident: Resident) -> tuple[Any, Any]:
        """The weights of slots, of shape (4, n), and of the overflow. Those of empty slots have no meaning."""
        vertices, device = len(self.order), self.device
        dtype = resident.graph.weights.dtype
        placed = device.empty((SLOTS * vertices + max(1, len(self.overflow_tails)),), dtype)
        placed.fill(unreachable(dtype))
        arcs = len(self.places)
        device.kernel(KERNEL, "place_weights", macros_for(resident.graph))(
            (max(1, blocks_over(arcs, BLOCK)),),
            (BLOCK,),
            arcs=np.int32(arcs),
            weights=resident.weights,
            places=self.places,
            placed=placed,
        )
        return placed[: SLOTS * vertices].reshape(SLOTS, vertices), placed[SLOTS * vertices :]


def parts_of(resident: Resident, vertices_max: int) -> Parts:
    """The arcs of a graph in parts of at most ``vertices_max`` vertices, made once.

    Raises UsageError if a part has more entries than 16 bits can number. May raise OutOfMemoryError.
    """

    def make() -> Parts:
        _compile_on(resident.device)
        return _laid_out(resident, vertices_max)

    return resident.of_arcs(("parts", vertices_max), make)


_compiled_on: weakref.WeakSet[Device] = weakref.WeakSet()


def _compile_on(device: Device) -> None:
    """Compile once for a device, outside the measured preparation of a graph."""
    if device not in _compiled_on:
        path = resident_on(device, from_arcs(100, range(99), range(1, 100), [1] * 99))
        _laid_out(path, 20).placed_weights(path)
        _compiled_on.add(device)


def _laid_out(resident: Resident, vertices_max: int) -> Parts:
    began = perf_counter()
    device, xp, vertices, arcs = resident.device, resident.device.xp, resident.graph.vertices, resident.graph.arcs
    if SLOTS * vertices + arcs > _PLACES_MAX:
        raise UsageError(
            f"{vertices:,} vertices and {arcs:,} arcs are too many for partition; label_correcting takes them"
        )

    def launch(name: str, **arguments: Any) -> None:
        of_arcs = {"vertices": np.int32(vertices), "indptr": resident.indptr, "heads": resident.indices, "part": part}
        device.kernel(KERNEL, name)((blocks_over(vertices, BLOCK),), (BLOCK,), **of_arcs, **arguments)

    part, region_first = parts_of_vertices(resident, vertices_max)
    count = int(region_first[-1])
    is_entered = xp.zeros(vertices, np.uint8)
    crossing, beyond = device.empty((vertices,), np.int32), device.empty((vertices,), np.int32)
    launch("mark_crossing", is_entered=is_entered, crossing=crossing, beyond=beyond)
    numbers = xp.arange(vertices)
    keys = (2 * part.astype(np.int64) + 1 - is_entered) << 32 | numbers
    keys.sort()
    order = keys.astype(np.int32)  # the low half
    bounds = xp.searchsorted(keys, xp.arange(2 * count + 1) << 32).astype(np.int32)
    first = xp.ascontiguousarray(bounds[::2])
    position = xp.empty(vertices, np.int32)
    position[order] = numbers
    crossing = xp.cumsum(crossing, dtype=np.int32)
    cut_arcs = int(crossing[-1])
    outside_keys = device.empty((cut_arcs,), np.int64)
    if cut_arcs:
        launch("list_outside", position=position, crossing=crossing, keys=outside_keys)
        outside_keys = xp.unique(outside_keys)
    outside_first = xp.searchsorted(outside_keys, xp.arange(count + 1) << 32).astype(np.int32)
    outside = outside_keys.astype(np.int32)
    overflow = xp.cumsum(beyond[order], dtype=np.int32)
    overflow_first = xp.append(xp.zeros(1, np.int32), overflow)[first]
    host = downloaded(device, xp.concatenate((bounds, outside_first, overflow_first[-1:])))
    host_bounds, host_outside_first, overflows = host[: 2 * count + 1], host[2 * count + 1 : -1], int(host[-1])
    host_first = host_bounds[::2]
    host_inboxes = np.append(0, np.cumsum(host_bounds[1::2] - host_first[:-1])).astype(np.int32)
    entries_max = int((np.diff(host_first) + np.diff(host_outside_first)).max())
    if entries_max > NO_ARC:
        raise UsageError(
            f"in {count:,} parts, one has {entries_max:,} vertices and neighbours, more than {NO_ARC:,}; partition is "
            "for road networks and their like, label_correcting takes any graph"
        )
    heads = device.empty((SLOTS, vertices), np.uint16)
    overflow_tails, overflow_heads = (device.empty((max(1, overflows),), np.uint16)[:overflows] for _ in range(2))
    places = device.empty((arcs,), np.int32)
    launch(
        "lay_out",
        order=order,
        position=position,
        first=first,
        outside_first=outside_first,
        outside=outside,
        overflow=overflow,
        slots=heads,
        overflow_tails=overflow_tails,
        overflow_heads=overflow_heads,
        places=places,
    )
    is_inbox = is_entered[order]
    inbox = xp.cumsum(is_inbox, dtype=np.int32) - 1
    inboxes = Inboxes(device, vertices, inbox[outside], outside_first, host_inboxes, host_outside_first)
    host_position = np.empty(vertices, np.int32)
    download_in_pieces(device, position, host_position)
    return Parts(
        device,
        first,
        order,
        inboxes,
        xp.flatnonzero(is_inbox).astype(np.int32),
        heads,
        overflow_first,
        overflow_tails,
        overflow_heads,
        places,
        host_first,
        host_position,
        region_first,
        cut_arcs,
        preparation_s=perf_counter() - began,
    )
