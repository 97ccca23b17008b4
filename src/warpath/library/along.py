"""Sums of the caller's values along the arcs of paths, from the source on, as distances are summed."""

from typing import Any

import numba
import numpy as np

from ..errors import UsageError
from ..graphs.csr import Graph
from ..system.arrays import of_numpy


def of_arcs(graph: Graph, values: Any) -> np.ndarray:
    """``values``, a number for each row that ``graph`` was made from, for its arcs; float64 of shape (m,).

    Raises UsageError if they are not so many numbers.
    """
    values, rows = of_numpy("values", values, UsageError), graph.rows
    count = int(rows.max(initial=-1)) + 1
    if values.shape != (count,):
        raise UsageError(
            f"values has the shape {values.shape}; give one number for each of the {count} rows that the graph was "
            "made from, which graph.rows refers to"
        )
    if count and values.dtype.kind not in "biuf":
        raise UsageError(f"values are {values.dtype}; give numbers")
    return values.astype(np.float64)[rows]


@numba.njit(cache=True, nogil=True)
def sum_along_tree(predecessors: np.ndarray, arcs: np.ndarray, values: np.ndarray, sums: np.ndarray) -> None:
    """Overwrite ``sums``, float64 of shape (n,), with those of ``values``, one for each arc, from the root on."""
    is_known = predecessors < 0
    path = np.empty(len(predecessors), np.int32)
    sums[:] = 0
    for end in range(len(predecessors)):
        count, vertex = 0, end
        while not is_known[vertex]:
            path[count] = vertex
            count += 1
            vertex = predecessors[vertex]
        total = sums[vertex]
        for place in range(count - 1, -1, -1):
            vertex = path[place]
            total += values[arcs[vertex]]
            sums[vertex], is_known[vertex] = total, True
