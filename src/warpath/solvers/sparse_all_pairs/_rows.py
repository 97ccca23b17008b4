"""What both widths share: the core of a graph in slices of 32 heads, rows in any number, and the matrix as a solve."""

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

LANES = 32
# A vertex with more arcs into it than this gets helpers that pull them for it.
ARCS_A_HEAD_MAX = 32
WIDE = Path(__file__).with_name("wide.cu")
# Threads of a block, where a multiprocessor holds two of them or only one.
BLOCK, LARGE_BLOCK = (512,), (1024,)
BLOCK_OF_FILL = (256,)
# A block fills so many rows of sources without arcs beside its own; a launch of their own fills what is left.
FILLS_A_BLOCK = 32
WORD_BYTES = 4
WORDS_MAX = 4


@dataclass(frozen=True)
class Slices:
    """Arcs by head, of shape (k, 32): slice s are the rows ``starts[s]`` to ``starts[s + 1] - 1`` of both arrays.

    Column h of a slice are the arcs into its h-th head. Where a head has fewer than its slice has rows, ``tails`` is a
    vertex that is not reached.
    """

    starts: np.ndarray
    tails: np.ndarray
    weights: np.ndarray


@dataclass(frozen=True)
class Core:
    """The vertices with outgoing arcs, and helpers, at new positions; everything else is a head only.

    ``positions``, int32 of shape (n,), is where a vertex of the core stands, -1 for any other. ``inside`` has the arcs
    into the core, ``everywhere`` those into each vertex of the graph, by which rows are written: the vertices of the
    core have one arc of weight 0 there, from their own position. The last position is not reached from anywhere.
    ``out_heads[out_starts[p]:out_starts[p + 1]]``, int32, are the heads in the core of the arcs from position p.
    """

    positions: np.ndarray
    inside: Slices
    everywhere: Slices
    out_starts: np.ndarray
    out_heads: np.ndarray

    @property
    def size(self) -> int:
        """How many positions there are: a multiple of 32."""
        return LANES * (len(self.inside.starts) - 1)

    @classmethod
    def of(cls, graph: Graph, warps: int) -> "Core":
        """The core of ``graph`` for blocks of ``warps``. Of parallel arcs it keeps the lightest, and no loops."""
        vertices = graph.vertices
        has_arcs = np.diff(graph.indptr) > 0
        members = np.flatnonzero(has_arcs)
        number = np.full(vertices, -1, np.int64)
        number[members] = np.arange(len(members))
        tails, heads, weights = _lightest(graph)
        tails = number[tails]
        # Heads of the core get the numbers of the core, the others numbers after all helpers.
        far_off = 2 * (len(members) + graph.arcs + 1)
        heads = np.where(has_arcs[heads], number[heads], far_off + heads)
        tails, heads, weights, size = _with_helpers(tails, heads, weights, len(members))
        order = _order(np.bincount(heads[heads < far_off], minlength=size), warps)
        position = np.empty(size, np.int64)
        position[order] = np.arange(size)
        unreached = size  # and what fills the last slice
        to_core = heads < far_off
        core_tails, core_heads = position[tails[to_core]], position[heads[to_core]]
        inside = _sliced(size + 1, unreached, core_tails, core_heads, weights[to_core])
        own = position[: len(members)]
        everywhere = _sliced(
            vertices,
            unreached,
            np.append(position[tails[~to_core]], own),
            np.append(heads[~to_core] - far_off, members),
            np.append(weights[~to_core], np.zeros(len(members), weights.dtype)),
        )
        positions = np.full(vertices, -1, np.int32)
        positions[members] = own
        out_starts = np.zeros(LANES * (len(inside.starts) - 1) + 1, np.int32)
        np.cumsum(np.bincount(core_tails, minlength=len(out_starts) - 1), out=out_starts[1:])
        out_heads = core_heads[np.argsort(core_tails, kind="stable")].astype(np.int32)
        return cls(positions, inside, everywhere, out_starts, out_heads)


def core_size_at_least(graph: Graph) -> int:
    """A lower bound on the size of the core, at hardly any cost."""
    return int(np.count_nonzero(np.diff(graph.indptr))) + 1


def core_size_at_most(graph: Graph) -> int:
    """The size of the core where no arcs are parallel, else an upper bound, at the cost of a pass over the arcs."""
    size = core_size_at_least(graph)
    arcs_in = np.bincount(graph.indices, minlength=1)
    while (arcs_in := arcs_in[arcs_in > ARCS_A_HEAD_MAX]).size:
        arcs_in = -(-arcs_in // ARCS_A_HEAD_MAX)
        size += int(arcs_in.sum())
    return -(-size // LANES) * LANES


def _lightest(graph: Graph) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Tails, heads and weights of the arcs, int64, without loops; of parallel arcs the lightest."""
    tails, heads, weights = graph.sources(), graph.indices, graph.weights
    order = np.lexsort((weights, heads, tails))
    order = order[tails[order] != heads[order]]
    tails, heads, weights = (array[order].astype(np.int64) for array in (tails, heads, weights))
    first = np.ones(len(tails), bool)
    first[1:] = (tails[1:] != tails[:-1]) | (heads[1:] != heads[:-1])
    return tails[first], heads[first], weights[first]


def _with_helpers(
    tails: np.ndarray, heads: np.ndarray, weights: np.ndarray, size: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """The arcs with no more than ARCS_A_HEAD_MAX into any head, and the size of the core with its helpers.

    A helper is a new vertex of the core that takes over so many arcs of a head, and has an arc of weight 0 to it.
    """
    while True:
        order = np.argsort(heads, kind="stable")
        tails, heads, weights = tails[order], heads[order], weights[order]
        begins = np.flatnonzero(np.append(True, heads[1:] != heads[:-1])) if len(heads) else np.zeros(0, np.int64)
        counts = np.diff(np.append(begins, len(heads)))
        crowded = np.repeat(counts > ARCS_A_HEAD_MAX, counts)
        if not crowded.any():
            return tails, heads, weights, size
        rank = np.arange(len(heads)) - np.repeat(begins, counts)
        leads = crowded & (rank % ARCS_A_HEAD_MAX == 0)
        helpers = size + np.arange(np.count_nonzero(leads))
        new_heads = heads.copy()
        new_heads[crowded] = helpers[np.cumsum(leads)[crowded] - 1]
        tails = np.append(tails, helpers)
        weights = np.append(weights, np.zeros(len(helpers), weights.dtype))
        heads = np.append(new_heads, heads[leads])
        size += len(helpers)


def _order(counts: np.ndarray, warps: int) -> np.ndarray:
    """The vertices, those of one slice with about as many arcs each, and so the slices that warps pull side by side.

    The warps' slices are in random order otherwise, which takes fewer sweeps than vertices with many arcs first.
    """
    by_count = np.argsort(-counts, kind="stable")
    together = LANES * warps
    whole = len(by_count) // together * together
    rounds = by_count[:whole].reshape(-1, warps, LANES)
    rounds[1::2] = rounds[1::2, ::-1].copy()  # so that no warp always has the most
    shuffled = np.random.default_rng(1).permutation(len(rounds))
    return np.append(rounds[shuffled].ravel(), by_count[whole:])


def _sliced(heads_count: int, unreached: int, tails: np.ndarray, heads: np.ndarray, weights: np.ndarray) -> Slices:
    order = np.argsort(heads, kind="stable")
    tails, heads, weights = tails[order], heads[order], weights[order]
    slices = -(-heads_count // LANES)
    counts = np.bincount(heads, minlength=slices * LANES)
    starts = np.zeros(slices + 1, np.int32)
    np.cumsum(counts.reshape(-1, LANES).max(axis=1), out=starts[1:])
    rows = int(starts[-1])
    row = starts[heads // LANES] + np.arange(len(heads)) - np.repeat(np.cumsum(counts) - counts, counts)
    of_tails = np.full((rows, LANES), unreached, np.int64)
    of_weights = np.zeros((rows, LANES), np.int64)
    of_tails[row, heads % LANES] = tails
    of_weights[row, heads % LANES] = weights
    return Slices(starts, of_tails, of_weights)


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
        self._check_size(core_size_at_least(graph))
        self.block = block or BLOCK
        self.core = Core.of(graph, warps=self.block[0] // LANES)
        self._check_size(self.core.size)
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
        self.last_sources = np.zeros(0, np.int32)
        self.last_rows: SortedRows | None = None
        self.prepare_launches()

    @abstractmethod
    def prepare_launches(self) -> None:
        """Make the kernels with their arcs, and say how many rows a block solves."""

    def _check_size(self, size: int) -> None:
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
    def enqueue_core(self, of: SortedRows, filled_count: int, distances: Any) -> None:
        """Enqueue the solve of the rows whose sources have arcs, and the first ``filled_count`` of the others."""

    def solve_rows(self, sources: np.ndarray, distances: Any, predecessors: Any | None) -> None:
        of = self._sorted(sources)
        within = min(len(of.filled), FILLS_A_BLOCK * blocks_over(len(of.solved), self.sources_a_block))
        if within < len(of.filled):
            arguments = (np.int32(self.graph.vertices), of.sources, of.filled[within:], distances)
            self.fill_rows((len(of.filled) - within,), BLOCK_OF_FILL, arguments)
        if len(of.solved):
            self.enqueue_core(of, within, distances)
        if predecessors is not None:
            assert self.of_rows is not None
            self.of_rows.find(of.sources, distances, predecessors)

    def _sorted(self, sources: np.ndarray) -> SortedRows:
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

    def check_finished(self) -> None:
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
        self.check_finished()

    def download(self) -> Solution:
        found = []
        for array in (self.distances, self.predecessors):
            if array is not None:
                found.append(np.empty(array.shape, np.int32))
                download_in_pieces(self.device, array, found[-1])
        return Solution(found[0], found[1] if self.of_rows else None)


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
