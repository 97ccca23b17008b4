"""Certifies answers where they are: on the device, by kernels that share nothing with the solvers but the graph.

The conditions are those of ``certificate`` and of ``components``. The kernels decide; where they find a fault, the
host's certificate looks at the first faulty row and says what is wrong with it.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..device import Device
from ..errors import CertificateError
from ..graphs.csr import Graph
from .certificate import Certificate, refuse, refuse_wrong_shape, refuse_wrong_sources
from .closure import refuse_row, refuse_wrong_cells
from .rows_on_device import ArcList, BlockRows, ClosureRows, SpreadRows, Verdict, cleared

BLOCK_ROWS_FROM = 64  # fewer rows leave most of a GPU idle at a block a row
STREAMED_BYTES_MAX = 2**30


class DeviceJudge:
    """Certifies answers of one graph on one device, for one thread at a time.

    Keeps a copy of the graph there, and what memory the kernels need besides, from call to call. May raise
    OutOfMemoryError. The last three parameters choose between ways to the same verdict: the shared memory that a block
    may use (by default the device's), from how many rows on each has a block to itself, and how many bytes of host
    arrays are on the device at a time.
    """

    def __init__(
        self,
        device: Device,
        graph: Graph,
        shared_bytes_max: int | None = None,
        block_rows_from: int = BLOCK_ROWS_FROM,
        streamed_bytes_max: int = STREAMED_BYTES_MAX,
    ):
        self.device = device
        self.graph = graph
        self._block_rows_from = block_rows_from
        self._streamed_bytes_max = streamed_bytes_max
        self._arcs = ArcList(device, graph)
        self._spread = SpreadRows(device, self._arcs)
        self._blocks = BlockRows(device, self._arcs, shared_bytes_max)
        self._closure: ClosureRows | None = None
        self._faulty_rows: Any = None
        self._interrupted = False
        self._start_anew()

    def certify(
        self, sources: int | Sequence[int] | np.ndarray, distances: Any, predecessors: Any | None = None
    ) -> Certificate:
        """Certify distances from one source, shape (n,), or from k sources, shape (k, n), int32.

        The arrays are the device's or the host's; those of the host are copied a few rows at a time. Predecessors have
        the distances' shape and type; without them, the distances alone are certified. Raises CertificateError, which
        names the first wrong source, and its vertex or arc; UsageError for a source that is no vertex.
        """
        graph = self.graph
        if isinstance(sources, (int, np.integer)):
            shape: tuple[int, ...] = (graph.vertices,)
            sources = (int(sources),)
        else:
            shape = (len(sources), graph.vertices)
        refuse_wrong_shape(shape, distances, predecessors)
        refuse_wrong_sources(graph, sources)
        reached = self._unless_interrupted(lambda: self._certify_rows(sources, distances, predecessors))
        return Certificate("full", graph.vertices, len(sources), len(sources) * graph.arcs, reached)

    def certify_closure(self, cells: Any) -> Certificate:
        """Certify the reachability of all pairs: cells as in ``solvers.plan.Closure``, on the device or the host.

        Raises CertificateError, which names a wrong pair. Arcs count once.
        """
        graph = self.graph
        refuse_wrong_cells(graph, cells)
        reached = self._unless_interrupted(lambda: self._certify_closure(cells))
        return Certificate("full", graph.vertices, graph.vertices, graph.arcs, reached)

    def _certify_rows(self, sources: Sequence[int] | np.ndarray, distances: Any, predecessors: Any | None) -> int:
        count, vertices = len(sources), self.graph.vertices
        way = self._blocks if count >= self._block_rows_from and self._blocks.fits else self._spread
        given = [array for array in (distances, predecessors) if array is not None]
        at_once = max(1, min(count, way.rows_max))
        if any(self._is_on_host(array) for array in given):
            at_once = max(1, min(at_once, self._streamed_bytes_max // (4 * vertices * len(given))))
        faulty_rows = self._faulty_rows_of(at_once)
        reached = 0
        for first in range(0, count, at_once):
            last = min(first + at_once, count)
            rows, trees = (
                None if array is None else self._piece(array, first, last, at_once >= count)
                for array in (distances, predecessors)
            )
            numbers = self._numbers_of(sources[first:last])
            faulty, reached_here = way.certify(self._verdict, faulty_rows, numbers, last - first, rows, trees)
            if faulty:
                row = self._faulty(faulty_rows)[0]
                tree = None if trees is None else self._row(trees, row)
                refuse(self.graph, int(sources[first + row]), self._row(rows, row), tree)
            reached += reached_here
        return reached

    def _certify_closure(self, cells: Any) -> int:
        if self._closure is None:
            self._closure = ClosureRows(self.device, self.graph)
        closure, vertices = self._closure, self.graph.vertices
        if cells.dtype == np.uint64:
            rows = self._piece(cells, 0, vertices, True)
        else:
            rows = self.device.empty((vertices, closure.words), np.uint64)
            at_once = vertices
            if self._is_on_host(cells):
                at_once = max(1, min(vertices, self._streamed_bytes_max // cells[0].nbytes))
            for first in range(0, vertices, at_once):
                last = min(first + at_once, vertices)
                closure.pack(self._piece(cells, first, last, at_once == vertices), rows[first:last])
        faulty_rows = self._faulty_rows_of(vertices)
        faulty, reached = closure.certify(self._verdict, faulty_rows, rows)
        if faulty:
            row = closure.first_wrong(self._faulty(faulty_rows))
            bits = self._row(rows, row).astype("<u8", copy=False).view(np.uint8)
            refuse_row(self.graph, row, np.unpackbits(bits, count=vertices, bitorder="little"))
        return reached

    def _is_on_host(self, array: Any) -> bool:
        """Whether an array has to be copied to the device."""
        return not isinstance(array, self.device.xp.ndarray)

    def _piece(self, array: Any, first: int, last: int, whole: bool) -> Any:
        """Rows of an array, or all of it, on the device and contiguous."""
        piece = array if whole else array[first:last]
        if self._is_on_host(piece):
            return self.device.upload(np.ascontiguousarray(piece))
        return piece if piece.flags.c_contiguous else self.device.xp.ascontiguousarray(piece)

    def _numbers_of(self, sources: Sequence[int] | np.ndarray) -> Any:
        """The sources on the device, int32."""
        if len(sources) == 1:
            return self._arcs.numbers[sources[0] : sources[0] + 1]
        return self.device.upload(np.array(sources, np.int32))

    def _faulty_rows_of(self, count: int) -> Any:
        if len(self._faulty_rows) < count:
            self._faulty_rows = cleared(self.device, count)
        return self._faulty_rows

    def _faulty(self, faulty_rows: Any) -> np.ndarray:
        """The rows in which the last call found a fault."""
        numbers = np.empty(len(faulty_rows), np.uint32)
        self.device.download(faulty_rows, numbers)
        return np.flatnonzero(numbers == self._verdict.call)

    def _row(self, rows: Any, row: int) -> np.ndarray:
        """One row on the host; of an array of shape (n,), all of it."""
        wanted = rows if rows.ndim == 1 else rows[row]
        copy = np.empty(wanted.shape, wanted.dtype)
        self.device.download(wanted, copy)
        return copy

    def _unless_interrupted(self, certify: Callable[[], int]) -> int:
        """Call ``certify``. If its kernels do not end, what they leave on the device counts for nothing later."""
        anew = self._interrupted or self._verdict.spent
        self._interrupted = True
        if anew:
            self._start_anew()
        try:
            reached = certify()
        except CertificateError:
            self._interrupted = False
            raise
        self._interrupted = False
        return reached

    def _start_anew(self) -> None:
        self._verdict = Verdict(self.device)
        self._faulty_rows = cleared(self.device, 1)
        self._spread.forget()
