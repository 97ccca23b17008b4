"""Refuses answers in which a distance did not fit 32 bits; see overflow.cu."""

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..device import Device, Launch
from ..device.copies import copy_on
from ..distances import UNREACHABLE
from ..errors import GraphError
from ..graphs.csr import Graph
from .grids import GRID_Y_MAX, blocks_over

KERNELS = Path(__file__).with_suffix(".cu")
BLOCK = (256,)
# On the host device a thread costs more than a vertex.
CELLS_A_THREAD = {"cuda": 8, "host": 64}
UPLOADED_BYTES_MAX = 64 << 20
_NONE = 2**64 - 1
_ROWS = 1  # where the arguments of find_far that differ from call to call begin


class Overflow:
    """Looks at the answers of one graph, on one device. May raise OutOfMemoryError."""

    def __init__(self, device: Device, graph: Graph):
        self._device, self._graph = device, graph
        self._least = np.int32(UNREACHABLE - graph.weight_max)
        # With negative weights, `refuse_weights` refuses the graph before a solve.
        self._possible = graph.weight_min >= 0 and (graph.vertices - 1) * graph.weight_max >= UNREACHABLE
        self._find_far: Launch | None = None
        self._grid: tuple[int, ...] = ()

    @cached_property
    def _words(self) -> tuple[Any, np.ndarray]:
        """``far`` on the device, and where the host reads it."""
        return self._device.upload(np.zeros(1, np.int32)), self._device.pinned((1,), np.int32)

    def refuse(self, distances: Any) -> None:
        """Raise GraphError where a shortest distance of a finished solve does not fit int32.

        ``distances`` are int32 of shape (n,) or (k, n), of the device or the host; those of the host are copied a few
        rows at a time. Takes one launch and one read where none is near the limit.
        """
        if not self._possible:
            return
        if isinstance(distances, self._device.xp.ndarray):
            self._refuse_rows(distances)
            return
        rows = np.atleast_2d(distances)
        at_once = max(1, UPLOADED_BYTES_MAX // rows[:1].nbytes)
        for first in range(0, len(rows), at_once):
            self._refuse_rows(self._device.upload(np.ascontiguousarray(rows[first : first + at_once])))

    def _refuse_rows(self, distances: Any) -> None:
        rows = np.int32(1 if distances.ndim == 1 else len(distances))
        if self._is_any_far(rows, distances):
            arc = self._lost(rows, distances)
            if arc is not None:
                vertex = self._graph.label_of(self._graph.indices[arc])
                raise GraphError(f"the distance of vertex {vertex} does not fit 32 bits; scale the weights down")

    def _is_any_far(self, rows: np.int32, distances: Any) -> bool:
        """Whether a vertex is reached so far away that an arc from it may lose another."""
        cells = CELLS_A_THREAD[self._device.kind]
        grid = blocks_over(self._graph.vertices, BLOCK[0] * cells), min(int(rows), GRID_Y_MAX)
        far, read = self._words
        if self._find_far is None or grid != self._grid:  # binding takes longer than what follows
            kernel = self._device.kernel(KERNELS, "find_far", {"CELLS_A_THREAD": cells})
            arguments = np.int32(self._graph.vertices), rows, distances, self._least, far
            self._find_far, self._grid = kernel.bind(grid, BLOCK, arguments), grid
        self._find_far.replace(_ROWS, rows, distances)
        self._device.enqueue([self._find_far])
        self._device.download(far, read)
        self._find_far.replace(_ROWS + 1, None)  # the answer is the caller's
        if not read[0]:
            return False
        far.fill(0)
        return True

    def _lost(self, rows: np.int32, distances: Any) -> int | None:
        """The number of the first arc that leads to a lost vertex, in the first row that has one."""
        lost, found = self._device.upload(np.array([_NONE], np.uint64)), np.empty(1, np.uint64)
        grid = blocks_over(self._graph.vertices, BLOCK[0]), min(int(rows), GRID_Y_MAX)
        arcs = np.int32(self._graph.vertices), *copy_on(self._device, self._graph).arrays
        kernel = self._device.kernel(KERNELS, "find_lost")
        kernel(grid, BLOCK, (*arcs, rows, distances, self._least, lost))
        self._device.download(lost, found)
        return None if found[0] == _NONE else int(found[0]) % 2**32
