"""What both widths share: the core on the device, rows in any number, and the whole matrix as a solve."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from ...device import Device
from ...device.copies import download_in_pieces
from ...errors import DeviceError, UsageError
from ...graphs.csr import Graph
from ..grids import blocks_over
from ..plan import RowsPlan, Solution
from ..predecessors import OfRows
from ._core import LANES, Core, Slices, core_size_at_least, core_size_at_most

WIDE = Path(__file__).with_name("wide.cu")
# Threads of a block, where a multiprocessor holds two of them or only one.
BLOCK, LARGE_BLOCK = (512,), (1024,)
BLOCK_OF_FILL = (256,)
# A block fills so many rows of sources without arcs beside its own; a launch of their own fills what is left.
FILLS_A_BLOCK = 32
WORD_BYTES = 4
WORDS_MAX = 4


def fits(device: Device, graph: Graph) -> bool:
    """Whether a block of ``device`` surely holds the distances of all vertices that have outgoing arcs.

    Where many arcs are parallel, it may hold them although this says that it does not.
    """
    return core_bytes(core_size_at_most(graph), words=1) <= device.shared_memory_bytes


def core_bytes(size: int, words: int) -> int:
    """Shared memory of a core of ``size`` vertices: distances, and a start and two words of bits for each slice."""
    return WORD_BYTES * (words * size + 3 * blocks_over(size, LANES) + 1)


@dataclass(frozen=True)
class SortedRows:
    """Sources on the device, and which of their rows are ``solved``, and which ``filled``, as they have no arcs."""

    sources: Any
    solved: Any
    filled: Any


class CoreRows(RowsPlan[Graph]):
    """Solves any rows with one or two launches that are not waited for, and one for the rows of sources without arcs.

    ``sources_a_block`` is how many rows a block solves. ``words`` is how many words of distances a vertex has in a
    block: as many as fit unless given.
    """

    sources_a_block: int

    def __init__(
        self,
        device: Device,
        graph: Graph,
        source: None = None,
        predecessors: bool = True,
        words: int | None = None,
        block: tuple[int] | None = None,
    ):
        super().__init__(device, graph)
        self.iterations = 1
        began = perf_counter()
        self._refuse(core_size_at_least(graph))
        self.block = block or BLOCK
        self.core = Core.of(graph, warps=self.block[0] // LANES)
        self._refuse(self.core.size)
        self.words = words or self._widest()
        if block is None and 2 * self.shared_bytes > device.shared_memory_bytes:
            self.block = LARGE_BLOCK
            self.core = Core.of(graph, warps=self.block[0] // LANES)
        self.preparation_s = perf_counter() - began
        self.has_arcs = np.diff(graph.indptr) > 0
        self.positions = device.upload(self.core.positions)
        self.out_arcs = (device.upload(self.core.out_starts), device.upload(self.core.out_heads))
        self.unfinished = device.upload(np.zeros(1, np.int32))
        self.of_rows = OfRows(device, graph) if predecessors else None
        self.fill_rows = device.kernel(WIDE, "fill_rows")
        self.distances: Any = None
        self.predecessors: Any = None
        self.last_sources = np.zeros(0, np.int32)
        self.last_rows: SortedRows | None = None
        self.prepare_launches()

    @abstractmethod
    def prepare_launches(self) -> None:
        """Make the kernels with their arcs, and say how many rows a block solves."""

    def _refuse(self, size: int) -> None:
        """Raise UsageError where a block cannot hold a distance of ``size`` vertices."""
        if core_bytes(size, words=1) > self.device.shared_memory_bytes:
            raise UsageError(
                f"{size:,} vertices with outgoing arcs do not fit the {self.device.shared_memory_bytes:,} bytes of "
                f"shared memory of {self.device.name}; floyd_warshall takes graphs of any density"
            )

    def _widest(self) -> int:
        """The most words of a vertex, a power of two, with which the core fits the memory of a block."""
        words = WORDS_MAX
        while core_bytes(self.core.size, words) > self.device.shared_memory_bytes:
            words //= 2
        return words

    @property
    def shared_bytes(self) -> int:
        """What a block takes of shared memory."""
        return core_bytes(self.core.size, self.words)

    @abstractmethod
    def enqueue_core(self, of: "SortedRows", filled_count: int, distances: Any) -> None:
        """Enqueue the solve of the rows whose sources have arcs, and the first ``filled_count`` of the others."""

    def solve_rows(self, sources: np.ndarray, distances: Any, predecessors: Any | None) -> None:
        self._solve(self._sorted(sources), distances, predecessors)

    def _sorted(self, sources: np.ndarray) -> "SortedRows":
        """The rows of ``sources`` on the device: those of the last call again if it had the same."""
        if self.last_rows is None or not np.array_equal(sources, self.last_sources):
            with_arcs = self.has_arcs[sources]
            solved, filled = np.flatnonzero(with_arcs), np.flatnonzero(~with_arcs)
            # One copy, because each takes as long as a small solve.
            all_three = self.device.upload(np.concatenate([sources, solved, filled]).astype(np.int32))
            first, second = len(sources), len(sources) + len(solved)
            self.last_sources = sources.copy()
            self.last_rows = SortedRows(all_three[:first], all_three[first:second], all_three[second:])
        return self.last_rows

    def _solve(self, of: "SortedRows", distances: Any, predecessors: Any | None) -> None:
        within = min(len(of.filled), FILLS_A_BLOCK * blocks_over(len(of.solved), self.sources_a_block))
        if within < len(of.filled):
            arguments = (np.int32(self.graph.vertices), of.sources, of.filled[within:], distances)
            self.fill_rows((len(of.filled) - within,), BLOCK_OF_FILL, arguments)
        if len(of.solved):
            self.enqueue_core(of, within, distances)
        if predecessors is not None:
            assert self.of_rows is not None
            self.of_rows.find(of.sources, distances, predecessors)

    def refuse_unfinished(self) -> None:
        """Raise DeviceError if a solve since the plan was made was ended before its rows were settled; waits."""
        word = np.empty(1, np.int32)
        self.device.download(self.unfinished, word)
        if word[0]:
            raise DeviceError(f"a solve on {self.device.name} was ended because its sweeps did not come to rest")

    def upload(self) -> None:
        shape = (self.graph.vertices, self.graph.vertices)
        self.distances = self.device.empty(shape, np.int32)
        self.predecessors = self.device.empty(shape, np.int32) if self.of_rows else None

    def iterate(self, first: int, last: int) -> None:
        self.solve_rows(np.arange(self.graph.vertices, dtype=np.int32), self.distances, self.predecessors)
        self.counters["launches"] += 1

    def finish(self) -> None:
        self.refuse_unfinished()

    def download(self) -> Solution:
        found = []
        for array in (self.distances, self.predecessors):
            if array is not None:
                found.append(np.empty(array.shape, np.int32))
                download_in_pieces(self.device, array, found[-1])
        return Solution(found[0], found[1] if self.of_rows else None)

    def on_device(self) -> Solution:
        return Solution(self.distances, self.predecessors)

    def release(self) -> None:
        self.distances = self.predecessors = None


class CoreLaunch:
    """The kernel ``solve`` of a file with the arcs of a plan's core as ``packed``, ``sources_a_block`` a block."""

    def __init__(self, plan: CoreRows, file: Path, packed: Callable[[Slices], np.ndarray], sources_a_block: int):
        self.plan, self.sources_a_block = plan, sources_a_block
        self.kernel = plan.device.kernel(file, "solve", {"WORDS": plan.words})
        self.inside, self.everywhere = (
            (np.int32(len(slices.starts) - 1), plan.device.upload(slices.starts), plan.device.upload(packed(slices)))
            for slices in (plan.core.inside, plan.core.everywhere)
        )

    def enqueue(self, of: SortedRows, filled_count: int, further: Sequence[Any], distances: Any) -> None:
        """Enqueue the solve; ``further`` are the arguments that only this kernel takes."""
        plan = self.plan
        arguments = (
            np.int32(plan.graph.vertices),
            *self.inside,
            *plan.out_arcs,
            *self.everywhere,
            plan.positions,
            of.sources,
            of.solved,
            np.int32(len(of.solved)),
            of.filled,
            np.int32(filled_count),
            *further,
            distances,
            plan.unfinished,
        )
        blocks = blocks_over(len(of.solved), self.sources_a_block)
        self.kernel((blocks,), plan.block, arguments, shared_mem=plan.shared_bytes)
