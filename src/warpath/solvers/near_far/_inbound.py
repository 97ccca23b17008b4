"""The inbound arcs of each vertex, the lightest first, made on the device."""

import weakref
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from ...device.copies import GraphCopy


@dataclass(frozen=True, eq=False)
class InboundArcs:
    """``indptr``, int32 of shape (n + 1,), and ``arcs``, int32 of shape (m, 2): tail and weight, by head and weight.

    ``preparation_s`` is how long it took to make them, in seconds.
    """

    indptr: Any
    arcs: Any
    preparation_s: float


_made: weakref.WeakKeyDictionary[GraphCopy, InboundArcs] = weakref.WeakKeyDictionary()


def inbound_arcs(copy: GraphCopy) -> InboundArcs:
    """The inbound arcs of the graph of ``copy``, made once a copy. May raise OutOfMemoryError."""
    if copy not in _made:
        _made[copy] = _sorted(copy)
    return _made[copy]


def _sorted(copy: GraphCopy) -> InboundArcs:
    device, xp = copy.device, copy.device.xp
    device.synchronize()
    began = perf_counter()
    vertices, arcs = copy.graph.vertices, copy.graph.arcs
    if not arcs:
        return InboundArcs(device.upload(np.zeros(vertices + 1, np.int32)), device.empty((0, 2), np.int32), 0.0)
    # The tail of an arc is the number of rows that end before it.
    tails = xp.cumsum(xp.bincount(copy.indptr[1:], minlength=arcs + 1)[:arcs], dtype=np.int32)
    order = xp.argsort(copy.indices.astype(np.int64) << 32 | copy.weights.astype(np.int64))
    both = device.empty((arcs, 2), np.int32)
    both[:, 0], both[:, 1] = tails[order], copy.weights[order]
    indptr = device.empty((vertices + 1,), np.int32)
    indptr[:1] = 0
    indptr[1:] = xp.cumsum(xp.bincount(copy.indices, minlength=vertices))
    device.synchronize()
    return InboundArcs(indptr, both, perf_counter() - began)
