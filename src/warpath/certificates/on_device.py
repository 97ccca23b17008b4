"""Certifies answers where they are: on the device, by kernels that share nothing with the solvers but the graph.

The conditions are those of ``certificate`` and of ``closure``. The kernels decide; where they find a fault, the host's
certificate looks at the first faulty row and says what is wrong with it.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..device import Device, Kernel, Launch
from ..errors import CertificateError
from ..graphs.csr import Graph
from .certificate import Certificate, check_shapes, check_sources, raise_wrong_answer
from .closure import certified_components, check_cells, raise_for_row

BLOCK_ROWS_FROM = 64  # fewer rows leave most of a GPU idle at a block a row
STREAMED_BYTES_MAX = 2**30
BLOCK_ROWS, SPREAD_ROWS, CLOSURE_ROWS = (
    Path(__file__).with_name(name) for name in ("block_rows.cu", "spread_rows.cu", "closure_rows.cu")
)
WORDS = 3  # FAULT, CIRCLES_POSSIBLE and REACHED of arc_rules.cuh
_CALLS_MAX = 2**31  # leaves an unsigned int room for the parts of a last answer

WARP = 32
BLOCK_THREADS, BLOCK_THREADS_ALONE = 512, 1024  # the latter where a multiprocessor has no room for another block
BLOCK_ROWS_MAX = 2**20
SPREAD_THREADS = 256
GRID_Y_MAX = 65_535  # CUDA's limit
MARKS_BYTES_MAX = 256 * 2**20
BITS = 64
CLOSURE_BLOCK = (32, 8)
CLOSURE_GRID_Y_MAX = 1024  # the kernels' threads stride over the rest
REACH_BYTES_MAX = 256 * 2**20


class DeviceCertifier:
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
        check_shapes(shape, distances, predecessors)
        check_sources(graph, sources)
        reached = self._unless_interrupted(lambda: self._certify_rows(sources, distances, predecessors))
        return Certificate("full", graph.vertices, len(sources), len(sources) * graph.arcs, reached)

    def certify_closure(self, cells: Any) -> Certificate:
        """Certify the reachability of all pairs: cells as in ``solvers.plan.Closure``, on the device or the host.

        Raises CertificateError, which names a wrong pair. Arcs count once.
        """
        graph = self.graph
        check_cells(graph, cells)
        reached = self._unless_interrupted(lambda: self._certify_closure(cells))
        return Certificate("full", graph.vertices, graph.vertices, graph.arcs, reached)

    def _certify_rows(self, sources: Sequence[int] | np.ndarray, distances: Any, predecessors: Any | None) -> int:
        count, vertices = len(sources), self.graph.vertices
        way = self._blocks if count >= self._block_rows_from and self._blocks.fits else self._spread
        given = [array for array in (distances, predecessors) if array is not None]
        at_once = max(1, min(count, way.rows_max))
        if any(self._is_on_host(array) for array in given):
            at_once = max(1, min(at_once, self._streamed_bytes_max // (4 * vertices * len(given))))
        reached = 0
        for first in range(0, count, at_once):
            last = min(first + at_once, count)
            rows, trees = (
                None if array is None else self._piece(array, first, last, at_once >= count)
                for array in (distances, predecessors)
            )
            numbers = self._numbers_of(sources[first:last])
            faulty, reached_here = way.certify(self._verdict, numbers, last - first, rows, trees)
            if faulty:
                row = int(self._verdict.faulty_rows()[0])
                tree = None if trees is None else self._row(trees, row)
                raise_wrong_answer(self.graph, int(sources[first + row]), self._row(rows, row), tree)
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
        faulty, reached = closure.certify(self._verdict, rows)
        if faulty:
            row = closure.first_wrong(self._verdict.faulty_rows())
            bits = self._row(rows, row).astype("<u8", copy=False).view(np.uint8)
            raise_for_row(self.graph, row, np.unpackbits(bits, count=vertices, bitorder="little"))
        return reached

    def _is_on_host(self, array: Any) -> bool:
        return not isinstance(array, self.device.xp.ndarray)

    def _piece(self, array: Any, first: int, last: int, whole: bool) -> Any:
        """Rows of an array, or all of it, on the device and contiguous."""
        piece = array if whole else array[first:last]
        if self._is_on_host(piece):
            return self.device.upload(np.ascontiguousarray(piece))
        return piece if piece.flags.c_contiguous else self.device.xp.ascontiguousarray(piece)

    def _numbers_of(self, sources: Sequence[int] | np.ndarray) -> Any:
        if len(sources) == 1:
            return self._arcs.numbers[sources[0] : sources[0] + 1]
        return self.device.upload(np.array(sources, np.int32))

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
        self._spread.forget()


class ArcList:
    """``tails``, ``heads`` and ``weights``, shape (m,), and ``numbers``, the vertices 0..n-1; device arrays, int32.

    The solvers' copy of the graph is another one. May raise OutOfMemoryError.
    """

    def __init__(self, device: Device, graph: Graph):
        self.vertices, self.count = np.int32(graph.vertices), np.int32(graph.arcs)
        self.lightest = np.int32(graph.weight_min if graph.arcs else 1)
        self.tails = device.upload(graph.sources())
        self.heads = device.upload(graph.indices)
        self.weights = device.upload(graph.weights)
        self.numbers = device.upload(np.arange(graph.vertices, dtype=np.int32))
        self.arguments = self.vertices, self.count, self.tails, self.heads, self.weights


class Verdict:
    """The words on one device, the marks of faulty rows, and the number of the current call.

    Faults and marks on the device hold the number of the call that set them, so that nothing is cleared between calls.
    """

    def __init__(self, device: Device):
        self._device = device
        self.call = 0
        self._reached_before = 0
        self.words = device.upload(np.zeros(WORDS, np.uint64))
        self._read = device.pinned((WORDS,), np.uint64)
        self._rows = cleared(device, 1)

    @property
    def spent(self) -> bool:
        return self.call >= _CALLS_MAX

    def begin(self, rows: int) -> tuple[np.uint32, tuple[Any, Any]]:
        """The number of a new call about so many rows, and where its kernels tell: marks of rows, and the words."""
        if len(self._rows) < rows:
            self._rows = cleared(self._device, rows)
        self.call += 1
        return np.uint32(self.call), (self._rows, self.words)

    def faulty_rows(self) -> np.ndarray:
        """The rows in which the last call found a fault."""
        numbers = np.empty(len(self._rows), np.uint32)
        self._device.download(self._rows, numbers)
        return np.flatnonzero(numbers == self.call)

    def read(self) -> tuple[bool, bool, int]:
        """Whether this call found a fault, whether predecessors may run in circles, and how many pairs are reached.

        Waits for the kernels.
        """
        self._device.download(self.words, self._read)
        fault, circles, total = self._read.tolist()
        reached, self._reached_before = total - self._reached_before, total
        return fault == self.call, circles == self.call, reached


def cleared(device: Device, count: int, dtype: Any = np.uint32) -> Any:
    array = device.empty((count,), dtype)
    array.fill(0)
    return array


class BlockRows:
    """Certifies many rows of distances, a block of threads each.

    ``shared_bytes_max`` is the shared memory that a block may use, by default the device's."""

    rows_max = BLOCK_ROWS_MAX

    def __init__(self, device: Device, arcs: ArcList, shared_bytes_max: int | None = None):
        self._device = device
        self._arcs = arcs
        limit = device.shared_memory_bytes if shared_bytes_max is None else shared_bytes_max
        vertices = int(arcs.vertices)
        self._shared_bytes = 4 * (vertices + -(-vertices // 32) + 1)
        self.fits = self._shared_bytes <= limit
        useful = -(-max(vertices, int(arcs.count)) // WARP) * WARP
        self._threads = min(useful, BLOCK_THREADS if 2 * self._shared_bytes <= limit else BLOCK_THREADS_ALONE)

    @cached_property
    def _judge_rows(self) -> Kernel:
        return self._device.kernel(BLOCK_ROWS, "judge_rows")

    def certify(
        self, verdict: Verdict, sources: Any, rows: int, distances: Any, predecessors: Any | None
    ) -> tuple[bool, int]:
        """Whether a row is faulty, and how many pairs are reached."""
        arcs, (call, told) = self._arcs, verdict.begin(rows)
        given = np.int32(predecessors is not None)
        answer = distances, given, distances if predecessors is None else predecessors
        arguments = (*arcs.arguments, arcs.lightest, sources, *answer, call, *told)
        self._judge_rows((rows,), (self._threads,), arguments, shared_mem=self._shared_bytes)
        fault, _, reached = verdict.read()
        return fault, reached


class SpreadRows:
    """Certifies a few rows of distances with all threads of the grid at every row.

    Its memory on the device grows to that of the most rows certified at once.
    """

    def __init__(self, device: Device, arcs: ArcList):
        self._device = device
        self._arcs = arcs
        self._judge_arcs = device.kernel(SPREAD_ROWS, "judge_arcs")
        self._judge_vertices = device.kernel(SPREAD_ROWS, "judge_vertices")
        self._arc_blocks = max(1, -(-int(arcs.count) // SPREAD_THREADS))
        self._vertex_blocks = -(-int(arcs.vertices) // SPREAD_THREADS)
        self.forget()

    @property
    def rows_max(self) -> int:
        return max(1, min(GRID_Y_MAX, MARKS_BYTES_MAX // (4 * int(self._arcs.vertices))))

    def forget(self) -> None:
        """Drop the marks, which are worth nothing to another verdict."""
        self._bound: list[Launch] = []
        self._arguments: list[list[Any]] = []
        self._marks: Any = None
        self._ancestors: Any = None
        self._grown: Any = None

    def certify(
        self, verdict: Verdict, sources: Any, rows: int, distances: Any, predecessors: Any | None
    ) -> tuple[bool, int]:
        """Whether a row is faulty, and how many pairs are reached."""
        arcs, (call, told) = self._arcs, verdict.begin(rows)
        if self._marks is None or len(self._marks) < rows * int(arcs.vertices):
            self._marks = cleared(self._device, rows * int(arcs.vertices))
        given = np.int32(predecessors is not None)
        answer = distances, given, distances if predecessors is None else predecessors
        of_arcs = (*arcs.arguments, arcs.lightest, *answer, call, self._marks, *told)
        of_vertices = (arcs.vertices, sources, *answer, call, self._marks, *told)
        if predecessors is None and arcs.lightest <= 0:
            self._judge_arcs((self._arc_blocks, rows), (SPREAD_THREADS,), of_arcs)
            self._grow_marks(sources, rows, distances, call)
            self._judge_vertices((self._vertex_blocks, rows), (SPREAD_THREADS,), of_vertices)
        elif rows > 1:
            self._judge_arcs((self._arc_blocks, rows), (SPREAD_THREADS,), of_arcs)
            self._judge_vertices((self._vertex_blocks, rows), (SPREAD_THREADS,), of_vertices)
        else:
            self._judge_one_row(of_arcs, of_vertices)
        fault, circles_possible, reached = verdict.read()
        if circles_possible and not fault:
            fault = self._walk(verdict, sources, rows, predecessors, call, told)
        return fault, reached

    def _judge_one_row(self, of_arcs: tuple, of_vertices: tuple) -> None:
        """Launch both kernels as they were bound for an earlier row, with what differs: binding takes longer."""
        if not self._bound:
            self._bound = [
                self._judge_arcs.bind((self._arc_blocks, 1), (SPREAD_THREADS,), of_arcs),
                self._judge_vertices.bind((self._vertex_blocks, 1), (SPREAD_THREADS,), of_vertices),
            ]
            self._arguments = [list(of_arcs), list(of_vertices)]
        for launch, bound, given in zip(self._bound, self._arguments, (of_arcs, of_vertices), strict=True):
            for position, argument in enumerate(given):
                if argument is not bound[position]:
                    launch.replace(position, argument)
                    bound[position] = argument
        self._device.enqueue(self._bound)

    def _grow_marks(self, sources: Any, rows: int, distances: Any, call: np.uint32) -> None:
        if self._grown is None:
            self._grown = cleared(self._device, 1, np.int32)
        arguments = (*self._arcs.arguments, sources, distances, call, self._marks, self._grown)
        launch = self._device.kernel(SPREAD_ROWS, "grow").bind((self._arc_blocks, rows), (SPREAD_THREADS,), arguments)
        # Each round but the last marks a vertex more in some row, and rounds serve all rows at once.
        self._device.repeat_while([[launch]], self._grown, int(self._arcs.vertices) + 1)

    def _walk(
        self, verdict: Verdict, sources: Any, rows: int, predecessors: Any, call: np.uint32, told: tuple[Any, Any]
    ) -> bool:
        """Whether the predecessors of a row run in a circle."""
        vertices = self._arcs.vertices
        if self._ancestors is None or len(self._ancestors) < rows * int(vertices):
            self._ancestors = self._device.empty((rows * int(vertices),), np.int32)
        begin, double, end = (
            self._device.kernel(SPREAD_ROWS, name) for name in ("begin_walks", "double_walks", "end_walks")
        )
        grid, block = (self._vertex_blocks, rows), (SPREAD_THREADS,)
        begin(grid, block, (vertices, sources, predecessors, self._ancestors))
        for _ in range((int(vertices) - 1).bit_length()):
            double(grid, block, (vertices, self._ancestors))
        end(grid, block, (vertices, sources, self._ancestors, call, *told))
        return verdict.read()[0]


class ClosureRows:
    """Certifies a closure, component by component. May raise OutOfMemoryError."""

    def __init__(self, device: Device, graph: Graph, reach_bytes_max: int = REACH_BYTES_MAX):
        self._device = device
        self._vertices = graph.vertices
        self._reach_bytes_max = reach_bytes_max
        self.words = -(-graph.vertices // BITS)
        self._components = certified_components(graph)
        self._of_vertices = device.upload(self._components.of_vertices)
        self._tails = device.upload(self._components.tails)
        self._heads = device.upload(self._components.heads)
        self._clear, self._add_members, self._add_arcs, self._judge = (
            device.kernel(CLOSURE_ROWS, name) for name in ("clear", "add_members", "add_arcs", "judge_closure")
        )

    def pack(self, cells: Any, rows: Any) -> None:
        """Fill ``rows`` with the bits of ``cells``, integers of shape (k, n); device arrays."""
        if cells.dtype.itemsize not in (1, 4):
            cells = cells != 0
        name = "pack_bytes" if cells.dtype.itemsize == 1 else "pack_integers"
        arguments = (np.int32(self._vertices), np.int32(self.words), np.int32(len(cells)), cells, rows)
        self._device.kernel(CLOSURE_ROWS, name)(self._grid(self.words, len(cells)), CLOSURE_BLOCK, arguments)

    def certify(self, verdict: Verdict, rows: Any) -> tuple[bool, int]:
        """Whether a row is faulty, and how many pairs are reached.

        ``rows`` has shape (n, words), uint64, on the device.
        """
        found, (call, told) = self._components, verdict.begin(self._vertices)
        at_once = max(1, min(self.words, self._reach_bytes_max // (8 * found.count)))
        reach = self._device.empty((found.count * at_once,), np.uint64)
        vertices, components, arcs = (np.int32(n) for n in (self._vertices, found.count, len(found.tails)))
        for first in range(0, self.words, at_once):
            count = min(at_once, self.words - first)
            piece = np.int32(first), np.int32(count)
            self._clear(self._grid(count, found.count), CLOSURE_BLOCK, (components, piece[1], reach))
            self._add_members((-(-self._vertices // 256),), (256,), (vertices, self._of_vertices, *piece, reach))
            of_rows = np.int32(self.words), rows, reach
            if len(found.tails):
                leaving = arcs, self._tails, self._heads
                self._add_arcs(self._grid(count, len(found.tails)), CLOSURE_BLOCK, (*leaving, *piece, *of_rows))
            grid = self._grid(count, self._vertices)
            self._judge(grid, CLOSURE_BLOCK, (vertices, self._of_vertices, *piece, *of_rows, call, *told))
        fault, _, reached = verdict.read()
        return fault, reached

    def first_wrong(self, faulty: np.ndarray) -> int:
        """Of the faulty rows, one that is wrong itself: of the first component, all rows before which are right."""
        ranks = self._components.ranks[self._components.of_vertices[faulty]]
        return int(faulty[np.argmin(ranks)])

    @staticmethod
    def _grid(columns: int, items: int) -> tuple[int, int]:
        return -(-columns // CLOSURE_BLOCK[0]), min(CLOSURE_GRID_Y_MAX, -(-items // CLOSURE_BLOCK[1]))
