"""Regions, which are runs of parts, and their tables, as regions.cu takes them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ....device.copies import downloaded
from ....errors import UsageError
from ._inboxes import Inboxes
from ._parts import NO_ARC, Parts

KERNEL = Path(__file__).with_name("regions.cu")


@dataclass(frozen=True, eq=False)
class Regions:
    """Runs of parts: region r has the parts ``first[r]`` to ``first[r + 1] - 1``.

    ``inboxes`` are the vertices that arcs from other regions enter, and ``entered`` is the inbox of a part that each of
    them stands for. The entries of a region are the inboxes of its parts, numbered from 0, and then its outside
    neighbours. ``heads``, uint16, has the entries that the columns of the parts' tables stand for. ``inboxes_max`` and
    ``entries_max`` are the largest numbers in a region. Arrays are on the device, int32 if nothing else is said.
    """

    first: Any
    inboxes: Inboxes
    entered: Any
    heads: Any
    inboxes_max: int
    entries_max: int


def regions_of(parts: Parts) -> Regions | None:
    """The regions of a graph in ``parts``, if they are not one.

    Raises UsageError if one has more entries than 16 bits can number, or too many arcs to others.
    """
    count = len(parts.region_first) - 1
    if count == 1:
        return None
    device, xp, of_parts = parts.device, parts.device.xp, parts.inboxes
    first = device.upload(parts.region_first.astype(np.int32))
    host_begin = of_parts.host_first[parts.region_first]
    begin = device.upload(host_begin)
    # For each column of the parts' tables: the regions of the part and of the vertex.
    own = xp.searchsorted(of_parts.outside_first[first], xp.arange(len(of_parts.outside)), side="right") - 1
    other = xp.searchsorted(begin, of_parts.outside, side="right") - 1
    crosses = own != other
    is_entered = xp.zeros(int(of_parts.host_first[-1]), bool)
    is_entered[of_parts.outside[crosses]] = True
    entered = xp.flatnonzero(is_entered).astype(np.int32)
    number = xp.cumsum(is_entered) - 1
    keys = own[crosses] << 32 | number[of_parts.outside[crosses]]
    outside_keys = xp.unique(keys)
    outside_first = xp.searchsorted(outside_keys, xp.arange(count + 1) << 32).astype(np.int32)
    host_first = downloaded(device, xp.searchsorted(entered, begin).astype(np.int32))
    host_outside_first = downloaded(device, outside_first)
    sizes = np.diff(host_begin)
    entries_max = int((sizes + np.diff(host_outside_first)).max())
    if entries_max > NO_ARC:
        raise UsageError(
            f"in {count:,} regions, one has {entries_max:,} borders of parts and neighbours, more than {NO_ARC:,}; "
            "partition is for road networks and their like, label_correcting takes any graph"
        )
    heads = of_parts.outside - begin[own]
    heads[crosses] = xp.diff(begin)[own[crosses]] + xp.searchsorted(outside_keys, keys) - outside_first[own[crosses]]
    inboxes = Inboxes(
        device, of_parts.vertices, outside_keys.astype(np.int32), outside_first, host_first, host_outside_first
    )
    return Regions(first, inboxes, entered, heads.astype(np.uint16), int(sizes.max()), entries_max)
