"""The kernels that certify rows on a device, and the words in which they tell the host what they found."""

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..device import Device, Kernel, Launch
from ..graphs.csr import Graph
from .closure import certified_components

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
    """The words on one device, and the number of the current call.

    Faults and marks on the device hold the number of the call that set them, so that nothing is cleared between calls.
    """

    def __init__(self, device: Device):
        self._device = device
        self.call = 0
        self._reached_before = 0
        self.words = device.upload(np.zeros(WORDS, np.uint64))
        self._read = device.pinned((WORDS,), np.uint64)

    @property
    def spent(self) -> bool:
        """Whether the numbers of calls are used up."""
        return self.call >= _CALLS_MAX

    def begin(self) -> np.uint32:
        """The number of a new call."""
        self.call += 1
        return np.uint32(self.call)

    def read(self) -> tuple[bool, bool, int]:
        """Whether this call found a fault, whether predecessors may run in circles, and how many pairs are reached.

        Waits for the kernels.
        """
        self._device.download(self.words, self._read)
        fault, circles, total = self._read.tolist()
        reached, self._reached_before = total - self._reached_before, total
        return fault == self.call, circles == self.call, reached


def cleared(device: Device, count: int, dtype: Any = np.uint32) -> Any:
    """A new device array of ``count`` zeros."""
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
        self, verdict: Verdict, faulty_rows: Any, sources: Any, rows: int, distances: Any, predecessors: Any | None
    ) -> tuple[bool, int]:
        """Whether a row is faulty, and how many pairs are reached; ``faulty_rows`` then holds the call's number."""
        arcs, call = self._arcs, verdict.begin()
        given = np.int32(predecessors is not None)
        answer = distances, given, distances if predecessors is None else predecessors
        arguments = (*arcs.arguments, arcs.lightest, sources, *answer, call, faulty_rows, verdict.words)
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
        """How many rows are certified at once, at most."""
        return max(1, min(GRID_Y_MAX, MARKS_BYTES_MAX // (4 * int(self._arcs.vertices))))

    def forget(self) -> None:
        """Drop the marks, which are worth nothing to another verdict."""
        self._bound: list[Launch] = []
        self._arguments: list[list[Any]] = []
        self._marks: Any = None
        self._ancestors: Any = None
        self._grown: Any = None

    def certify(
        self, verdict: Verdict, faulty_rows: Any, sources: Any, rows: int, distances: Any, predecessors: Any | None
    ) -> tuple[bool, int]:
        """Whether a row is faulty, and how many pairs are reached; ``faulty_rows`` then holds the call's number."""
        arcs, call = self._arcs, verdict.begin()
        if self._marks is None or len(self._marks) < rows * int(arcs.vertices):
            self._marks = cleared(self._device, rows * int(arcs.vertices))
        given = np.int32(predecessors is not None)
        answer = distances, given, distances if predecessors is None else predecessors
        told = faulty_rows, verdict.words
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

    def certify(self, verdict: Verdict, faulty_rows: Any, rows: Any) -> tuple[bool, int]:
        """Whether a row is faulty, and how many pairs are reached; ``faulty_rows`` then holds the call's number.

        ``rows`` has shape (n, words), uint64, on the device.
        """
        found, call = self._components, verdict.begin()
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
            told = call, faulty_rows, verdict.words
            grid = self._grid(count, self._vertices)
            self._judge(grid, CLOSURE_BLOCK, (vertices, self._of_vertices, *piece, *of_rows, *told))
        fault, _, reached = verdict.read()
        return fault, reached

    def first_wrong(self, faulty: np.ndarray) -> int:
        """Of the faulty rows, one that is wrong itself: of the first component, all rows before which are right."""
        ranks = self._components.ranks[self._components.of_vertices[faulty]]
        return int(faulty[np.argmin(ranks)])

    @staticmethod
    def _grid(columns: int, items: int) -> tuple[int, int]:
        return -(-columns // CLOSURE_BLOCK[0]), min(CLOSURE_GRID_Y_MAX, -(-items // CLOSURE_BLOCK[1]))
