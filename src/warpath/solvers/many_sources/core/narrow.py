"""Sparse all pairs, narrow: distances of 16 bits, with a guard, and whole words where 16 bits are too few."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from ....device.copies import downloaded
from ....device.resident import Resident
from ....errors import DeviceError, UsageError
from ...shared.grids import blocks_over
from ...shared.lengths import macros_for, words_of
from ...solver import Rows, RowSolver
from ...trees.predecessors import PULL_KERNEL, RowTrees
from ...variant import Variant
from ._core import LANES, Core, Slices, core_bytes, core_size_at_least, fits

KERNEL = Path(__file__).with_suffix(".cu")
# Heavier arcs would leave the guard too little room below 2**16.
WEIGHT_MAX = 2**14
# Threads of a block, if a multiprocessor holds two blocks or only one.
BLOCK, LARGE_BLOCK = (512,), (1024,)
BLOCK_OF_FILL = (256,)
# A block also fills this number of rows of sources without arcs. A separate launch fills the rest.
FILLS_A_BLOCK = 32
VECTOR_BYTES_MAX = 16


@dataclass(frozen=True)
class SortedRows:
    """Sources on the device, with the numbers of rows to solve and of rows to fill (sources without arcs)."""

    sources: Any
    solved: Any
    filled: Any


class Narrow(RowSolver):
    """Solves any rows, without waiting: in 16 bits, then in whole words for groups of rows that 16 bits cannot hold.

    Floats take whole words.

    A block has ``words`` words of distances for each vertex of the core, by default as many as fit.
    """

    def __init__(
        self,
        resident: Resident,
        predecessors: bool = True,
        words: int | None = None,
        block: tuple[int] | None = None,
    ):
        super().__init__()
        self.device, self.graph = device, graph = resident.device, resident.graph
        began = perf_counter()
        self._check_size(core_size_at_least(graph))
        self.block = block or BLOCK
        self.core = Core.of(graph, warps=self.block[0] // LANES)
        self._check_size(self.core.size)
        self.words = words or self._words_that_fit()
        if block is None and 2 * self.shared_bytes > device.shared_memory_bytes:
            self.block = LARGE_BLOCK
            self.core = Core.of(graph, warps=self.block[0] // LANES)
        self.preparation_s = perf_counter() - began
        self.has_arcs = np.diff(graph.indptr) > 0
        self.positions = device.upload(self.core.positions)
        self.out_starts, self.out_heads = device.upload(self.core.out_starts), device.upload(self.core.out_heads)
        self.unfinished = device.upload(np.zeros(1, np.int32))
        self.of_rows = RowTrees(resident) if predecessors else None
        self.fill_rows = device.kernel(KERNEL, "fill_rows", {"PACKED": 1, **macros_for(graph)})
        self.last_sources = np.zeros(0, np.int32)
        self.last_rows: SortedRows | None = None
        self.wide = CoreLaunch(self, packed_wide, 1)
        self.narrow: CoreLaunch | None = None
        if not graph.has_floats and graph.weight_max <= WEIGHT_MAX and self.core.size <= 2**16:
            self.narrow = CoreLaunch(self, packed_narrow, 2)
        self.sources_a_block = (self.narrow or self.wide).sources_a_block

    def _check_size(self, size: int) -> None:
        """Raise UsageError if a block cannot hold one distance for each of ``size`` vertices."""
        if core_bytes(size, 1, self.graph.weights.itemsize) > self.device.shared_memory_bytes:
            raise UsageError(
                f"{size:,} vertices with outgoing arcs do not fit the {self.device.shared_memory_bytes:,} bytes of "
                f"shared memory of {self.device.name}; floyd_warshall takes graphs of any density"
            )

    def _words_that_fit(self) -> int:
        """The largest number of words of a vertex, a power of two, with which the core fits into shared memory."""
        words = VECTOR_BYTES_MAX // self.graph.weights.itemsize
        while core_bytes(self.core.size, words, self.graph.weights.itemsize) > self.device.shared_memory_bytes:
            words //= 2
        return words

    @property
    def shared_bytes(self) -> int:
        """The shared memory of a block."""
        return core_bytes(self.core.size, self.words, self.graph.weights.itemsize)

    def solve(self, sources: np.ndarray, into: Rows) -> None:
        distances, predecessors = into.distances, into.predecessors
        rows = self._sorted(sources)
        filled_count = min(len(rows.filled), FILLS_A_BLOCK * blocks_over(len(rows.solved), self.sources_a_block))
        if filled_count < len(rows.filled):
            self.fill_rows(
                (len(rows.filled) - filled_count,),
                BLOCK_OF_FILL,
                vertices=np.int32(self.graph.vertices),
                sources=rows.sources,
                rows=rows.filled[filled_count:],
                all_distances=distances,
            )
        if len(rows.solved):
            self._solve_core(rows, filled_count, distances)
        if predecessors is not None:
            assert self.of_rows is not None
            self.of_rows.find(rows.sources, distances, predecessors)

    def _solve_core(self, rows: SortedRows, filled_count: int, distances: Any) -> None:
        """Enqueue the solve of the rows whose sources have arcs, and the first ``filled_count`` of the others."""
        overflowed = None
        if self.narrow:
            overflowed = self.device.empty((blocks_over(len(rows.solved), self.sources_a_block),), np.int32)
            self.narrow.enqueue(self, rows, filled_count, distances, overflowed)
            filled_count = 0
        self.wide.enqueue(self, rows, filled_count, distances, overflowed)

    def _sorted(self, sources: np.ndarray) -> SortedRows:
        """The rows of ``sources`` on the device; those of the last call if its sources were the same."""
        if self.last_rows is None or not np.array_equal(sources, self.last_sources):
            with_arcs = self.has_arcs[sources]
            solved, filled = np.flatnonzero(with_arcs), np.flatnonzero(~with_arcs)
            # One copy of all three, because a copy takes as long as a small solve.
            joined = self.device.upload(np.concatenate([sources, solved, filled]).astype(np.int32))
            first, second = len(sources), len(sources) + len(solved)
            self.last_sources = sources.copy()
            self.last_rows = SortedRows(joined[:first], joined[first:second], joined[second:])
        return self.last_rows

    def check(self) -> bool:
        if downloaded(self.device, self.unfinished)[0]:
            raise DeviceError(f"a solve on {self.device.name} changed distances up to its last sweep")
        return True


class CoreLaunch:
    """The kernel ``solve`` with so many sources a word, and the arcs of a solver's core in the layout of ``packed``."""

    def __init__(self, solver: Narrow, packed: Callable[[Slices], np.ndarray], sources_a_word: int):
        self.sources_a_block = sources_a_word * solver.words
        macros = {"WORDS": solver.words, "PACKED": sources_a_word, **macros_for(solver.graph)}
        self.kernel = solver.device.kernel(KERNEL, "solve", macros)
        inside, everywhere, upload = solver.core.inside, solver.core.everywhere, solver.device.upload
        self.of_core = {
            "slices": np.int32(len(inside.starts) - 1),
            "slice_starts": upload(inside.starts),
            "arcs": upload(packed(inside)),
            "slices_of_all": np.int32(len(everywhere.starts) - 1),
            "slice_starts_of_all": upload(everywhere.starts),
            "arcs_of_all": upload(packed(everywhere)),
        }

    def enqueue(
        self, solver: Narrow, rows: SortedRows, filled_count: int, distances: Any, overflowed: Any | None
    ) -> None:
        """Enqueue the solve, which writes ``overflowed`` in 16 bits, and else solves what that says, or everything."""
        self.kernel(
            (blocks_over(len(rows.solved), self.sources_a_block),),
            solver.block,
            shared_mem=solver.shared_bytes,
            vertices=np.int32(solver.graph.vertices),
            **self.of_core,
            out_starts=solver.out_starts,
            out_heads=solver.out_heads,
            positions=solver.positions,
            sources=rows.sources,
            rows=rows.solved,
            count=np.int32(len(rows.solved)),
            filled_rows=rows.filled,
            filled_count=np.int32(filled_count),
            weight_max=np.int32(solver.graph.weight_max if solver.narrow else 0),
            overflowed=overflowed,
            rows_a_word=np.int32(solver.sources_a_block),
            all_distances=distances,
            unfinished=solver.unfinished,
        )


def packed_narrow(slices: Slices) -> np.ndarray:
    """Each arc as uint32, the tail in the upper half."""
    return ((slices.tails << 16) | slices.weights).astype(np.uint32)


def packed_wide(slices: Slices) -> np.ndarray:
    """Each arc as words of 32 bits: the tail, and at the end the weight, which is a float or int32."""
    weights = slices.weights if slices.weights.dtype.kind == "f" else slices.weights.astype(np.int32)
    words = words_of(weights.dtype)
    arcs = np.zeros((*weights.shape, 2 * words), np.int32)
    arcs[..., 0] = slices.tails
    arcs[..., words:] = weights[..., None].view(np.int32)
    return arcs


VARIANT = Variant(
    solver=Narrow,
    kernels=(KERNEL, PULL_KERNEL),
    negative_arcs=False,
    floats=True,
    smallest={"words": 1, "block": (32,)},
    optional_predecessors=True,
    many_sources=True,
    fits=fits,
)
