"""Certifies answers on the device, with kernels that share only the graph with the solvers.

The modules ``certificate`` and ``closure`` explain the rules. If the kernels find a fault, the host examines the first
faulty row and raises the error.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..device import Device
from ..device.copies import downloaded
from ..device.resident import resident
from ..distances import Columns, Labels, unreachable
from ..errors import CertificateError
from ..graphs.csr import Graph
from .certificate import Certificate, check_shapes, check_sources, raise_wrong_answer
from .closure import check_cells, raise_for_row
from .judges import ArcList, BlockRows, ClosureRows, ColumnJudge, SpreadRows, Verdict

if TYPE_CHECKING:
    from .labels import LabelJudge

BLOCK_ROWS_FROM = 64  # with one block per row, fewer rows leave most of a GPU idle
STREAMED_BYTES_MAX = 2**30


class DeviceCertifier:
    """Certifies answers of one graph on one device; one thread may use it at a time.

    It keeps a copy of the graph and the memory of its kernels on the device. Every method may raise OutOfMemoryError.
    The optional parameters change memory and speed, not the result.

    Parameters
    ----------
    device : Device
    graph : Graph
    shared_bytes_max : int, optional
        The shared memory that a block may use. By default the device's.
    block_rows_from : int
        From this number of rows on, one block certifies one row.
    streamed_bytes_max : int
        The bytes of host arrays that are copied to the device at a time.
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
        self._arcs = ArcList(resident(device, graph))
        self._spread = SpreadRows(device, self._arcs)
        self._blocks = BlockRows(device, self._arcs, shared_bytes_max)
        self._columns: ColumnJudge | None = None
        self._labels: LabelJudge | None = None
        self._closure: ClosureRows | None = None
        self._interrupted = False
        self._start_anew()

    def certify(
        self, sources: Sequence[int] | np.ndarray, distances: Any, predecessors: Any | None = None
    ) -> Certificate:
        """Certify distances from k sources.

        Parameters
        ----------
        sources : sequence of k ints
        distances : array of the type of the weights, of shape (k, n), on the device or the host
        predecessors : int32 array of the same shape, optional
            Without predecessors, only the distances are certified.

        Returns
        -------
        Certificate

        Raises
        ------
        CertificateError
            The answer is wrong. The error names the first wrong source, and its vertex or arc.
        UsageError
            A source is not a vertex.
        """
        check_shapes(self.graph, (len(sources), self.graph.vertices), distances, predecessors)
        check_sources(self.graph, sources)
        end = self.begin(sources, distances, predecessors)
        self.device.synchronize()
        return end()

    def begin(
        self, sources: Sequence[int] | np.ndarray, distances: Any, predecessors: Any | None
    ) -> Callable[[], Certificate]:
        """Enqueue the kernels that ``certify`` needs, and return a function that ends ``certify`` once they have ended.

        Nothing is checked before. The function does all the work if the answer is on the host, or too large for one
        launch. It is the next use of the certifier, or never called.
        """
        graph, count = self.graph, len(sources)
        judge = self._blocks if count >= self._block_rows_from and self._blocks.fits else self._spread
        is_here = isinstance(distances, self.device.xp.ndarray)
        if predecessors is not None:
            is_here &= isinstance(predecessors, self.device.xp.ndarray)
        if is_here and count <= judge.rows_max:
            self._renew()
            self._interrupted = True
            call = self._numbers_of(sources), count, *map(self._contiguous, (distances, predecessors))
            judge.begin(self._verdict, *call)

            def end() -> Certificate:
                reached = self._unless_interrupted(lambda: self._end(judge, call, sources), begun=True)
                return Certificate("full", graph.vertices, count, count * graph.arcs, reached)

            return end

        def certify() -> Certificate:
            reached = self._unless_interrupted(lambda: self._certify_rows(judge, sources, distances, predecessors))
            return Certificate("full", graph.vertices, count, count * graph.arcs, reached)

        return certify

    def certify_columns(self, sources: np.ndarray, columns: Columns) -> Certificate | None:
        """Certify distances in columns.

        Returns None if a distance is wrong; ``certify`` of its row shows which. Raises GraphError if weights are floats
        or one is not above 0: then wrong distances may fit one another.
        """
        graph = self.graph
        check_sources(graph, sources)
        if self._columns is None or self._columns.positions is not columns.positions:
            self._columns = ColumnJudge(self.device, graph, columns)
        judge, fault = self._columns, False

        def certify() -> int:
            nonlocal fault
            fault, reached = judge.certify(self._verdict, sources, columns.cells)
            return reached

        reached = self._unless_interrupted(certify)
        return None if fault else Certificate("full", graph.vertices, len(sources), len(sources) * graph.arcs, reached)

    @property
    def knows_labels(self) -> bool:
        """Whether ``certify_pairs`` has certified labels before."""
        return self._labels is not None

    def certify_pairs(self, labels: Labels, sources: np.ndarray, targets: np.ndarray, distances: Any) -> Certificate:
        """Certify the distance of each source and the target at the same position.

        Parameters
        ----------
        labels : Labels
            Certified at the first call, too.
        sources, targets : integers of shape (p,)
        distances : device array of shape (p,), int32
            No path of the graph is too long for 32 bits.

        Returns
        -------
        Certificate
            The certificate counts each arc once for each label that it concerns.

        Raises
        ------
        CertificateError
            A label or a distance is wrong.
        GraphError
            A weight is a float, or not above 0.
        """
        from .labels import LabelJudge  # imports Numba

        graph = self.graph
        if self._labels is None or self._labels.labels is not labels:
            self._labels = LabelJudge(self.device, graph, labels)
        self._labels.certify(sources, targets, distances)
        reached = int(self.device.xp.count_nonzero(distances != unreachable(distances.dtype)))
        different = int(np.count_nonzero(np.bincount(sources)))
        return Certificate("full", graph.vertices, different, self._labels.checks, reached)

    def certify_closure(self, cells: Any) -> Certificate:
        """Certify the reachability of all pairs.

        Parameters
        ----------
        cells : array of shape (n, n), or uint64 array of shape (n, ceil(n / 64))
            The cells of a ``solvers.solver.Closure``, on the device or the host.

        Returns
        -------
        Certificate

        Raises
        ------
        CertificateError
            The closure is wrong. The error names a wrong pair.
        """
        graph = self.graph
        check_cells(graph, cells)
        reached = self._unless_interrupted(lambda: self._certify_closure(cells))
        return Certificate("full", graph.vertices, graph.vertices, graph.vertices * graph.arcs, reached)

    def _certify_rows(
        self,
        judge: BlockRows | SpreadRows,
        sources: Sequence[int] | np.ndarray,
        distances: Any,
        predecessors: Any | None,
    ) -> int:
        """Certify rows of the host or the device, some at a time. Returns how many pairs are reached."""
        count, vertices = len(sources), self.graph.vertices
        arrays = [array for array in (distances, predecessors) if array is not None]
        at_once = max(1, min(count, judge.rows_max))
        if any(self._is_on_host(array) for array in arrays):
            cell_bytes = sum(array.dtype.itemsize for array in arrays)
            at_once = max(1, min(at_once, self._streamed_bytes_max // (cell_bytes * vertices)))
        reached = 0
        for first in range(0, count, at_once):
            last = min(first + at_once, count)
            rows, trees = (
                None if array is None else self._contiguous(array[first:last]) for array in (distances, predecessors)
            )
            call = self._numbers_of(sources[first:last]), last - first, rows, trees
            judge.begin(self._verdict, *call)
            self.device.synchronize()
            reached += self._end(judge, call, sources[first:last])
        return reached

    def _end(self, judge: BlockRows | SpreadRows, call: tuple[Any, ...], sources: Sequence[int] | np.ndarray) -> int:
        """Read the verdict on rows of the device. Returns how many pairs are reached."""
        faulty, reached = judge.end(self._verdict, *call)
        if faulty:
            row = int(self._verdict.faulty_rows()[0])
            tree = None if call[3] is None else downloaded(self.device, call[3][row])
            raise_wrong_answer(self.graph, int(sources[row]), downloaded(self.device, call[2][row]), tree)
        return reached

    def _certify_closure(self, cells: Any) -> int:
        if self._closure is None:
            self._closure = ClosureRows(self.device, self.graph)
        closure, vertices = self._closure, self.graph.vertices
        if cells.dtype == np.uint64:
            rows = self._contiguous(cells)
        else:
            rows = self.device.empty((vertices, closure.words), np.uint64)
            at_once = vertices
            if self._is_on_host(cells):
                at_once = max(1, min(vertices, self._streamed_bytes_max // cells[0].nbytes))
            for first in range(0, vertices, at_once):
                last = min(first + at_once, vertices)
                closure.pack(self._contiguous(cells[first:last]), rows[first:last])
        faulty, reached = closure.certify(self._verdict, rows)
        if faulty:
            row = closure.first_wrong(self._verdict.faulty_rows())
            bits = downloaded(self.device, rows[row]).astype("<u8", copy=False).view(np.uint8)
            raise_for_row(self.graph, row, np.unpackbits(bits, count=vertices, bitorder="little"))
        return reached

    def _is_on_host(self, array: Any) -> bool:
        return not isinstance(array, self.device.xp.ndarray)

    def _contiguous(self, array: Any) -> Any:
        """``array`` on the device and contiguous; None if it is None."""
        if array is None:
            return None
        if self._is_on_host(array):
            return self.device.upload(np.ascontiguousarray(array))
        return array if array.flags.c_contiguous else self.device.xp.ascontiguousarray(array)

    def _numbers_of(self, sources: Sequence[int] | np.ndarray) -> Any:
        if len(sources) == 1:
            return self._arcs.numbers[sources[0] : sources[0] + 1]
        return self.device.upload(np.array(sources, np.int32))

    def _unless_interrupted(self, certify: Callable[[], int], begun: bool = False) -> int:
        """Call ``certify``. After a call that was interrupted, the next one begins with a new verdict."""
        if not begun:
            self._renew()
            self._interrupted = True
        try:
            reached = certify()
        except CertificateError:
            self._interrupted = False
            raise
        self._interrupted = False
        return reached

    def _renew(self) -> None:
        """After a call that was interrupted, or very many calls, begin with a new verdict."""
        if self._interrupted or self._verdict.is_spent:
            self._start_anew()

    def _start_anew(self) -> None:
        self._verdict = Verdict(self.device)
        self._spread.forget()
