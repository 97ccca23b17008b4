"""The vertices of one path for each of many pairs, from rows of predecessors."""

from pathlib import Path
from typing import Any

import numba
import numpy as np

from ...device import Device
from ...device.copies import downloaded
from ..shared.grids import blocks_over

KERNEL = Path(__file__).with_suffix(".cu")
BLOCK = (256,)


def path_vertices(
    device: Device, predecessors: Any, rows: np.ndarray, targets: np.ndarray, has_path: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The number of vertices of each path, and the vertices of all paths, one path after another.

    Parameters
    ----------
    predecessors : device array, int32 of shape (k, n)
    rows, targets : integers of shape (p,)
        The row of each pair, and the end of its path.
    has_path : bool array of shape (p,)

    Returns
    -------
    counts : int64 array of shape (p,)
        0 for a pair without a path.
    vertices : int32 array
    """
    if device.kind == "cpu":
        return _walked(predecessors, rows, targets, has_path)
    arguments = {
        "pairs": np.int32(len(rows)),
        "vertices": np.int32(predecessors.shape[1]),
        "rows": device.upload(np.ascontiguousarray(rows, np.int32)),
        "targets": device.upload(np.ascontiguousarray(targets, np.int32)),
        "predecessors": predecessors,
    }
    grid = (blocks_over(len(rows), BLOCK[0]),)
    counts = device.upload(has_path.astype(np.int32))
    device.kernel(KERNEL, "count")(grid, BLOCK, **arguments, counts=counts)
    starts = np.append(0, np.cumsum(downloaded(device, counts), dtype=np.int64))
    found = device.empty((int(starts[-1]),), np.int32)
    if starts[-1]:
        device.kernel(KERNEL, "write")(grid, BLOCK, **arguments, starts=device.upload(starts), paths=found)
    return np.diff(starts), downloaded(device, found)


@numba.njit(cache=True)
def _walked(
    predecessors: np.ndarray, rows: np.ndarray, targets: np.ndarray, has_path: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """As ``path_vertices``, on the host."""
    counts = np.zeros(len(rows), np.int64)
    for pair in range(len(rows)):
        vertex = targets[pair] if has_path[pair] else -1
        while vertex >= 0:
            counts[pair] += 1
            vertex = predecessors[rows[pair], vertex]
    vertices = np.empty(counts.sum(), np.int32)
    end = 0
    for pair in range(len(rows)):
        end += counts[pair]
        vertex = targets[pair]
        for place in range(end - 1, end - counts[pair] - 1, -1):
            vertices[place] = vertex
            vertex = predecessors[rows[pair], vertex]
    return counts, vertices
