"""The vertices at which distances enter the parts of a graph, and the shape of the tables that lead from them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ....device import Device
from ....errors import UsageError

_CELLS_MAX = 2**30
# A larger table makes a solve slow, unless it has at most _CELLS_SMALL cells.
_CELLS_OF_A_VERTEX, _CELLS_SMALL = 100, 2**20


@dataclass(eq=False)
class Inboxes:
    """The entered vertices of k parts of a graph of n ``vertices``, or of k regions.

    Those of part p are ``host_first[p]`` to ``host_first[p + 1] - 1``. From the part, arcs lead to the inboxes
    ``outside[outside_first[p]]`` to ``outside[outside_first[p + 1] - 1]``, which are sorted.

    The part's table has a row for each of its own inboxes, and a column for each of those. Row r begins at
    ``cells_first[p] + r * widths[p]`` of the tables of all parts. ``cells`` is the number of all their cells. ``first``
    and ``row_first`` are copies of ``host_first`` and ``cells_first`` on the device.

    ``widths`` and ``entered`` have shape (k,), and all other arrays but ``outside`` have shape (k + 1,). Raises
    UsageError if the tables are too large.
    """

    device: Device
    vertices: int
    outside: Any
    outside_first: Any
    host_first: np.ndarray
    host_outside_first: np.ndarray

    def __post_init__(self) -> None:
        self.widths = np.diff(self.host_outside_first).astype(np.int64)
        cells_first = np.append(0, np.cumsum(self.entered * self.widths))
        self.cells = int(cells_first[-1])
        if self.cells > min(_CELLS_MAX, max(_CELLS_SMALL, _CELLS_OF_A_VERTEX * self.vertices)):
            raise UsageError(
                f"in {self.count:,} parts or regions, this graph needs a table of {self.cells:,} distances between "
                "them, too many; partition is for road networks and their like, label_correcting takes any graph"
            )
        self.cells_first = cells_first.astype(np.int32)
        self.first, self.row_first = self.device.upload(self.host_first), self.device.upload(self.cells_first)

    @property
    def count(self) -> int:
        """The number of parts, or of regions, k; some may be empty."""
        return len(self.host_first) - 1

    @property
    def entered(self) -> np.ndarray:
        """The number of inboxes of each part, of shape (k,)."""
        return np.diff(self.host_first)
