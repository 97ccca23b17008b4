"""The weights of the arcs after an elimination, found on the device (weights.cu)."""

from pathlib import Path

import numba
import numpy as np

from ....device import Device
from ....device.copies import download_in_pieces
from ....device.resident import resident as resident_on
from ....distances import UNREACHABLE
from ....graphs.csr import Graph
from ...shared.grids import blocks_over

KERNEL = Path(__file__).with_name("weights.cu")
BLOCK = (128,)


def weights_of(
    device: Device, graph: Graph, position: np.ndarray, parent: np.ndarray, starts: np.ndarray, heads: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The arrays ``up`` and ``down`` of an ``Elimination``, whose other arrays are given."""
    arrays = {"starts": device.upload(starts), "heads": device.upload(heads)}
    for name in ("up", "down"):
        arrays[name] = device.empty(heads.shape, np.int32)
        arrays[name].fill(UNREACHABLE)
    device.kernel(KERNEL, "place")(
        (blocks_over(graph.vertices, BLOCK[0]),),
        BLOCK,
        vertices=np.int32(graph.vertices),
        **resident_on(device, graph).arguments,
        positions=device.upload(position),
        **arrays,
    )
    heights = _heights(parent)
    lows = device.upload(np.argsort(heights, kind="stable").astype(np.int32))
    first, lower = 0, device.kernel(KERNEL, "lower")
    for count in np.bincount(heights).tolist():
        lower((count,), BLOCK, lows=lows[first : first + count], **arrays)
        first += count
    found = np.empty_like(heads), np.empty_like(heads)
    for name, into in zip(("up", "down"), found, strict=True):
        download_in_pieces(device, arrays[name], into)
    return found


@numba.njit(cache=True)
def _heights(parent: np.ndarray) -> np.ndarray:
    """The number of vertices of the longest path down from each vertex, without itself."""
    heights = np.zeros(len(parent), np.int32)
    for low in range(len(parent) - 1, 0, -1):
        if parent[low] >= 0:
            heights[parent[low]] = max(heights[parent[low]], heights[low] + 1)
    return heights
