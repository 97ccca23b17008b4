"""Judges: each certifies answers of one form on the device, with kernels of its own. ``DeviceCertifier`` calls them."""

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..device import Device, Kernel, Launch
from ..device.copies import allocate_together, downloaded
from ..device.resident import Resident
from ..distances import Columns
from ..errors import CertificateError, GraphError
from ..graphs.csr import Graph
from .closure import certified_components

ARC_ENDS, BLOCK_ROWS, SPREAD_ROWS, CLOSURE_ROWS, COLUMNS = (
    Path(__file__).with_name(f"{name}.cu")
    for name in ("arc_ends", "block_rows", "spread_rows", "closure_rows", "columns")
)
WORDS = 3  # FAULT, CIRCLES_POSSIBLE and REACHED of arc_rules.cuh
_CALLS_MAX = 2**31  # the last answer may still count one call for each of its parts in 32 bits

WARP = 32
BLOCK_THREADS, BLOCK_THREADS_ALONE = 512, 1024  # ALONE: a multiprocessor has room for one block only
BLOCK_ROWS_MAX = 2**20
SPREAD_THREADS = 256
GRID_Y_MAX = 65_535  # CUDA's limit
MARKS_BYTES_MAX = 256 * 2**20
# On the simulated GPU a barrier is expensive.
COLUMN_THREADS, COLUMN_ROWS, COLUMN_GROUPS = {"cuda": 128, "simulated": 32}, 64, 2
BITS = 64
CLOSURE_BLOCK = (32, 8)
CLOSURE_GRID_Y_MAX = 1024  # the kernels loop over further rows
REACH_BYTES_MAX = 256 * 2**20


class ArcEnds:
    """``tails`` and ``heads``, shape (m,), and ``numbers``, the vertices 0..n-1; device arrays."""

    def __init__(self, resident: Resident):
        device, graph, arrays = resident.device, resident.graph, resident.certificate_arrays
        self.heads = arrays["indices"]
        self.tails, self.numbers = allocate_together(device, graph.arcs, graph.vertices)
        blocks = max(1, -(-max(graph.vertices, graph.arcs) // SPREAD_THREADS))
        device.kernel(ARC_ENDS, "find_ends")(
            (blocks,),
            (SPREAD_THREADS,),
            vertices=np.int32(graph.vertices),
            arcs=np.int32(graph.arcs),
            indptr=arrays["indptr"],
            tails=self.tails,
            numbers=self.numbers,
        )


class ArcList:
    """The arcs of a graph in device arrays that the solvers cannot write to."""

    def __init__(self, resident: Resident):
        graph = resident.graph
        ends = resident.of_arcs("arc ends", lambda: ArcEnds(resident))
        self.vertices, self.count = np.int32(graph.vertices), np.int32(graph.arcs)
        self.lightest = graph.weights.dtype.type(graph.weight_min if graph.arcs else 1)
        self.has_floats = graph.has_floats
        self.distance_bytes = graph.weights.itemsize
        self.macros = {"FLOAT_BITS": 8 * graph.weights.itemsize} if graph.has_floats else {}
        self.numbers = ends.numbers
        self.arguments = {
            "vertices": self.vertices,
            "arcs": self.count,
            "tails": ends.tails,
            "heads": ends.heads,
            "weights": resident.certificate_arrays["weights"],
        }


class Verdict:
    """What the kernels of a call write: the words of arc_rules.cuh, and the marks of faulty rows.

    A fault and a mark are the number of the call that set them, so nothing is cleared between calls.
    """

    def __init__(self, device: Device):
        self._device = device
        self.call = 0
        self._reached_before = 0
        self.words = cleared(device, WORDS, np.uint64)
        self._read = device.pinned((WORDS,), np.uint64, pooled=True)
        self._copy = device.copier(self.words, self._read)
        self._rows = cleared(device, 1)
        self._is_read = False

    @property
    def is_spent(self) -> bool:
        return self.call >= _CALLS_MAX

    def begin(self, rows: int) -> dict[str, Any]:
        """The arguments of kernels for a new call for ``rows`` rows: its number, and the marks and words to write."""
        if len(self._rows) < rows:
            self._rows = cleared(self._device, rows)
        self.call += 1
        return self.arguments

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of further kernels for the current call."""
        return {"call": np.uint32(self.call), "faulty_rows": self._rows, "verdict": self.words}

    def faulty_rows(self) -> np.ndarray:
        """The rows in which the current call found a fault."""
        return np.flatnonzero(downloaded(self._device, self._rows) == self.call)

    def begin_read(self) -> None:
        """Enqueue the copy to the host. The caller waits for the device before ``read``."""
        self._copy()
        self._is_read = True

    def read(self) -> tuple[bool, bool, int]:
        """Whether this call found a fault, whether predecessors may form cycles, and how many pairs are reached.

        Waits for the kernels, unless the copy was begun.
        """
        if not self._is_read:
            self._device.download(self.words, self._read)
        self._is_read = False
        fault, cycles, total = self._read.tolist()
        reached, self._reached_before = total - self._reached_before, total
        return fault == self.call, cycles == self.call, reached


def cleared(device: Device, count: int, dtype: Any = np.uint32) -> Any:
    array = device.empty((count,), dtype)
    device.set_bytes(array, 0)
    return array


def _answer_arguments(sources: Any, distances: Any, predecessors: Any | None) -> dict[str, Any]:
    return {
        "sources": sources,
        "all_distances": distances,
        "has_predecessors": np.int32(predecessors is not None),
        "all_predecessors": predecessors,
    }


class BlockRows:
    """Certifies many rows of distances, with one block of threads per row."""

    rows_max = BLOCK_ROWS_MAX

    def __init__(self, device: Device, arcs: ArcList, shared_bytes_max: int | None):
        self._device = device
        self._arcs = arcs
        limit = device.shared_memory_bytes if shared_bytes_max is None else shared_bytes_max
        vertices = int(arcs.vertices)
        self._shared_bytes = arcs.distance_bytes * vertices + 4 * (-(-vertices // 32) + 1)
        self.fits = self._shared_bytes <= limit
        useful = -(-max(vertices, int(arcs.count)) // WARP) * WARP
        self._threads = min(useful, BLOCK_THREADS if 2 * self._shared_bytes <= limit else BLOCK_THREADS_ALONE)

    @cached_property
    def _judge_rows(self) -> Kernel:
        return self._device.kernel(BLOCK_ROWS, "judge_rows", self._arcs.macros)

    def begin(self, verdict: Verdict, sources: Any, rows: int, distances: Any, predecessors: Any | None) -> None:
        """Enqueue what certifies these rows."""
        self._judge_rows(
            (rows,),
            (self._threads,),
            shared_mem=self._shared_bytes,
            **self._arcs.arguments,
            lightest=self._arcs.lightest,
            **_answer_arguments(sources, distances, predecessors),
            **verdict.begin(rows),
        )
        verdict.begin_read()

    def end(
        self, verdict: Verdict, sources: Any, rows: int, distances: Any, predecessors: Any | None
    ) -> tuple[bool, int]:
        """Whether a row is faulty, and how many pairs are reached. What ``begin`` enqueued has ended."""
        fault, _, reached = verdict.read()
        return fault, reached


class SpreadRows:
    """Certifies a few rows of distances, with many blocks per row.

    Its memory on the device grows with the number of rows certified at once.
    """

    def __init__(self, device: Device, arcs: ArcList):
        self._device = device
        self._arcs = arcs
        self._judge_arcs = device.kernel(SPREAD_ROWS, "judge_arcs", arcs.macros)
        self._judge_vertices = device.kernel(SPREAD_ROWS, "judge_vertices", arcs.macros)
        self._arc_blocks = max(1, -(-int(arcs.count) // SPREAD_THREADS))
        self._vertex_blocks = -(-int(arcs.vertices) // SPREAD_THREADS)
        self.forget()

    @property
    def rows_max(self) -> int:
        return max(1, min(GRID_Y_MAX, MARKS_BYTES_MAX // (4 * int(self._arcs.vertices))))

    def forget(self) -> None:
        """Drop the marks, which belong to one verdict."""
        self._one_row: tuple[Launch, Launch] | None = None
        self._marks: Any = None
        self._ancestors: Any = None
        self._grown: Any = None

    def begin(self, verdict: Verdict, sources: Any, rows: int, distances: Any, predecessors: Any | None) -> None:
        """Enqueue what certifies these rows.

        Without predecessors, and with arcs of weight 0, marks grow round by round, and the host waits for each.
        """
        self._enqueue(verdict, sources, rows, distances, predecessors, self._grows(predecessors))
        verdict.begin_read()

    def end(
        self, verdict: Verdict, sources: Any, rows: int, distances: Any, predecessors: Any | None
    ) -> tuple[bool, int]:
        """Whether a row is faulty, and how many pairs are reached. What ``begin`` enqueued has ended."""
        fault, cycles_possible, reached = verdict.read()
        if fault and self._arcs.has_floats and predecessors is None and not self._grows(predecessors):
            # A float weight may be too small to increase a distance. This is rare.
            self._enqueue(verdict, sources, rows, distances, predecessors, True)
            fault, cycles_possible, reached = verdict.read()
        if cycles_possible and not fault:
            fault = self._has_cycle(verdict, sources, rows, predecessors)
        return fault, reached

    def _grows(self, predecessors: Any | None) -> bool:
        return predecessors is None and bool(self._arcs.lightest <= 0)

    def _enqueue(
        self, verdict: Verdict, sources: Any, rows: int, distances: Any, predecessors: Any | None, grows: bool
    ) -> None:
        arcs, of_call = self._arcs, verdict.begin(rows)
        if self._marks is None or len(self._marks) < rows * int(arcs.vertices):
            self._marks, self._one_row = cleared(self._device, rows * int(arcs.vertices)), None
        if rows == 1 and not grows:
            if self._one_row is None:
                self._one_row = self._bound(of_call)
            of_arcs, of_vertices = self._one_row
            answer = _answer_arguments(sources, distances, predecessors)
            answer["call"], answer["faulty_rows"] = of_call["call"], of_call["faulty_rows"]
            of_arcs(**answer)
            of_vertices(**answer)
            return
        of_answer = {**_answer_arguments(sources, distances, predecessors), "all_marks": self._marks, **of_call}
        self._judge_arcs(
            (self._arc_blocks, rows), (SPREAD_THREADS,), **arcs.arguments, lightest=arcs.lightest, **of_answer
        )
        if grows:
            self._grow_marks(sources, rows, distances, of_call["call"])
        self._judge_vertices((self._vertex_blocks, rows), (SPREAD_THREADS,), vertices=arcs.vertices, **of_answer)

    def _bound(self, of_call: dict[str, Any]) -> tuple[Launch, Launch]:
        """The launches for one row, since binding takes longer than replacing arguments. They keep no answer."""
        arcs = self._arcs
        no_answer = {**of_call, **_answer_arguments(None, None, None), "all_marks": self._marks}
        return (
            self._judge_arcs.bind(
                (self._arc_blocks, 1), (SPREAD_THREADS,), **arcs.arguments, lightest=arcs.lightest, **no_answer
            ),
            self._judge_vertices.bind((self._vertex_blocks, 1), (SPREAD_THREADS,), vertices=arcs.vertices, **no_answer),
        )

    def _grow_marks(self, sources: Any, rows: int, distances: Any, call: np.uint32) -> None:
        if self._grown is None:
            self._grown = cleared(self._device, 1, np.int32)
        launch = self._device.kernel(SPREAD_ROWS, "grow", self._arcs.macros).bind(
            (self._arc_blocks, rows),
            (SPREAD_THREADS,),
            **self._arcs.arguments,
            sources=sources,
            all_distances=distances,
            call=call,
            all_marks=self._marks,
            grown=self._grown,
        )
        # Each round except the last marks at least one more vertex, and a round processes all rows.
        self._device.repeat_while([[launch]], self._grown, int(self._arcs.vertices) + 1)

    def _has_cycle(self, verdict: Verdict, sources: Any, rows: int, predecessors: Any) -> bool:
        """Whether the predecessors of a row form a cycle."""
        vertices = self._arcs.vertices
        if self._ancestors is None or len(self._ancestors) < rows * int(vertices):
            self._ancestors = self._device.empty((rows * int(vertices),), np.int32)
        begin, double, end = (
            self._device.kernel(SPREAD_ROWS, name, self._arcs.macros)
            for name in ("begin_walks", "double_walks", "end_walks")
        )
        grid, block = (self._vertex_blocks, rows), (SPREAD_THREADS,)
        begin(grid, block, vertices=vertices, sources=sources, predecessors=predecessors, ancestors=self._ancestors)
        for _ in range((int(vertices) - 1).bit_length()):
            double(grid, block, vertices=vertices, all_ancestors=self._ancestors)
        end(grid, block, vertices=vertices, sources=sources, ancestors=self._ancestors, **verdict.arguments)
        return verdict.read()[0]


def check_shorter_form(graph: Graph) -> None:
    """Raise GraphError if the shorter form of the rules proves nothing: for weights of 0 or less, and floats."""
    if graph.arcs and (graph.weight_min <= 0 or graph.has_floats):
        raise GraphError(
            f"the smallest weight is {graph.weight_min}, {graph.weights.dtype}; certificates of columns and labels "
            "need whole numbers above 0"
        )


class ColumnJudge:
    """Certifies distances in columns with the positions of ``columns``. Raises as ``check_shorter_form`` does."""

    def __init__(self, device: Device, graph: Graph, columns: Columns):
        check_shorter_form(graph)
        positions = columns.positions
        if not np.array_equal(positions[downloaded(device, columns.vertices)], np.arange(graph.vertices)):
            raise CertificateError("the positions of the distances are not those of all vertices, each once")
        self._device, self.positions = device, positions
        self._vertices = graph.vertices
        self._judge = device.kernel(COLUMNS, "judge_columns", {"ROWS": COLUMN_ROWS, "GROUPS": COLUMN_GROUPS})
        heads = positions[graph.indices]
        order = np.argsort(heads, kind="stable")
        starts = np.zeros(graph.vertices + 1, np.int32)
        np.cumsum(np.bincount(heads, minlength=graph.vertices), out=starts[1:])
        arcs = np.stack([positions[graph.tails()][order], graph.weights[order]], axis=1)
        self._starts, self._arcs = device.upload(starts), device.upload(np.ascontiguousarray(arcs, np.int32))

    def certify(self, verdict: Verdict, sources: np.ndarray, cells: Any) -> tuple[bool, int]:
        """Whether a column is faulty, and how many pairs are reached."""
        count, threads = len(sources), COLUMN_THREADS[self._device.kind]
        grid = -(-self._vertices // COLUMN_ROWS), -(-count // (threads * COLUMN_GROUPS))
        self._judge(
            grid,
            (threads,),
            vertices=np.int32(self._vertices),
            all_starts=self._starts,
            all_arcs=self._arcs,
            source_positions=self._device.upload(self.positions[sources]),
            sources=np.int32(count),
            all_distances=cells,
            **verdict.begin(count),
        )
        fault, _, reached = verdict.read()
        return fault, reached


class ClosureRows:
    """Certifies a closure, component by component."""

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
        """Fill ``rows`` with the bits of ``cells``, integers of shape (k, n). Both are on the device."""
        if cells.dtype.itemsize not in (1, 4):
            cells = cells != 0
        name = "pack_bytes" if cells.dtype.itemsize == 1 else "pack_integers"
        self._device.kernel(CLOSURE_ROWS, name)(
            self._grid(self.words, len(cells)),
            CLOSURE_BLOCK,
            vertices=np.int32(self._vertices),
            words=np.int32(self.words),
            count=np.int32(len(cells)),
            cells=cells,
            rows=rows,
        )

    def certify(self, verdict: Verdict, rows: Any) -> tuple[bool, int]:
        """Whether a row is faulty, and how many pairs are reached.

        ``rows`` has shape (n, words), uint64, on the device.
        """
        of_call, component_count = verdict.begin(self._vertices), self._components.count
        at_once = max(1, min(self.words, self._reach_bytes_max // (8 * component_count)))
        reach = self._device.empty((component_count * at_once,), np.uint64)
        of_vertices = {"vertices": np.int32(self._vertices), "components": self._of_vertices}
        of_rows = {"row_words": np.int32(self.words), "rows": rows}
        for first in range(0, self.words, at_once):
            count = min(at_once, self.words - first)
            piece = {"first_word": np.int32(first), "words": np.int32(count), "reach": reach}
            self._clear(
                self._grid(count, component_count),
                CLOSURE_BLOCK,
                components=np.int32(component_count),
                words=np.int32(count),
                reach=reach,
            )
            self._add_members((-(-self._vertices // 256),), (256,), **of_vertices, **piece)
            if len(self._tails):
                self._add_arcs(
                    self._grid(count, len(self._tails)),
                    CLOSURE_BLOCK,
                    arcs=np.int32(len(self._tails)),
                    tail_components=self._tails,
                    heads=self._heads,
                    **piece,
                    **of_rows,
                )
            self._judge(self._grid(count, self._vertices), CLOSURE_BLOCK, **of_vertices, **piece, **of_rows, **of_call)
        fault, _, reached = verdict.read()
        return fault, reached

    def first_wrong(self, faulty: np.ndarray) -> int:
        """A faulty row that is wrong itself: one of the smallest component, since rows of smaller ones are right."""
        return int(faulty[np.argmin(self._components.of_vertices[faulty])])

    @staticmethod
    def _grid(columns: int, items: int) -> tuple[int, int]:
        return -(-columns // CLOSURE_BLOCK[0]), min(CLOSURE_GRID_Y_MAX, -(-items // CLOSURE_BLOCK[1]))
