"""Label correcting, batch: many sources at once on graphs of low diameter, 32 or 64 for each read of an arc."""

from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ...device import Device, Launch
from ...device.copies import allocate_together, downloaded
from ...device.resident import Resident
from ...distances import unreachable
from ...errors import DeviceError, OutOfMemoryError
from ...graphs.csr import Graph
from ..one_source.near_far.whole_grid import PulledArcs, pieces_of, pulled_arcs
from ..shared.grids import blocks_over
from ..shared.lengths import macros_for, words_of
from ..solver import Rows, RowSolver
from ..trees.predecessors import PULL_KERNEL, RowTrees, trees_needed
from ..variant import Variant

KERNEL = Path(__file__).with_suffix(".cu")
ANSWERS_KERNEL = KERNEL.with_name("batch_answers.cu")
LANES = 32
BLOCK = (256,)
BLOCK_OF_ROWS, VERTICES_OF_ROWS = (32, 8), 128
# The largest number of arcs of a piece. The arcs of a vertex are one piece or several.
PIECE = 64
# Heads are woken while fewer than this share of all pieces fell.
FEW_SHARE = 1 / 16
# The largest number of words of distances. More sources are solved one part after another.
WORK_WORDS_MAX = 2**28
# Heavier arcs would leave the guard of 16 bits too little room.
NARROW_WEIGHT_MAX = 2**14


class Batch(RowSolver):
    """A solver that sorts the inbound arcs once. The host waits for each pair of rounds.

    Whole distances have 16 bits until they do not suffice. From then on, they have 32.

    Parameters
    ----------
    piece : int
        The largest number of arcs of a piece.
    few_share : float
        Heads are woken while fewer than this share of all pieces fell.
    block : tuple of int
        Threads of a block, a multiple of 32 up to 256.
    groups_max : int, optional
        The largest number of groups that are solved at a time.
    macros : dict, optional
        Further macros of the kernels.
    """

    def __init__(
        self,
        resident: Resident,
        predecessors: bool = True,
        piece: int = PIECE,
        few_share: float = FEW_SHARE,
        block: tuple[int] = BLOCK,
        groups_max: int | None = None,
        macros: dict[str, int] | None = None,
    ):
        super().__init__()
        self.device, self.graph = device, graph = resident.device, resident.graph
        inbound = pulled_arcs(resident)
        self.preparation_s = inbound.preparation_s
        outbound_pieces, _ = self._pieces(graph.indptr, resident.indptr, piece)
        inbound_pieces, pieces = self._pieces(downloaded(device, inbound.indptr), inbound.indptr, piece)
        few = np.int32(max(1, few_share * pieces))
        self.unfinished = device.upload(np.zeros(1, np.int32))
        arguments = {
            "wake": {**outbound_pieces, "heads": resident.indices, "few": few},
            "pull": {**inbound_pieces, "in_arcs": inbound.arcs, "few": few, "unfinished": self.unfinished},
        }
        self.rounds_of = partial(Rounds, device, graph, block, arguments, macros or {})
        is_narrow = not graph.has_floats and graph.weight_max <= NARROW_WEIGHT_MAX
        self.rounds = self.rounds_of(16 if is_narrow else 32)
        self.length_words = words_of(graph.weights.dtype)
        self.groups_max = groups_max or max(1, WORK_WORDS_MAX // (LANES * graph.vertices * self.length_words))
        self.groups, self.state = 0, dict[str, Any]()
        self.inbound = inbound
        self.trees = RowTrees(resident) if predecessors and trees_needed(graph) else None
        self._allocate(1)

    def _pieces(self, indptr: np.ndarray, on_device: Any, piece: int) -> tuple[dict[str, Any], int]:
        """Arguments of the kernels about the pieces of the arcs of ``indptr``, and the number of pieces."""
        ends, firsts = pieces_of(indptr, piece)
        arguments = {
            "vertices": np.int32(self.graph.vertices),
            "pieces": np.int32(len(ends)),
            "piece": np.int32(piece),
            "indptr": on_device,
            "piece_ends": self.device.upload(ends),
            "piece_firsts": self.device.upload(firsts),
        }
        return arguments, len(indptr) - 1 + len(ends)

    def _allocate(self, groups: int) -> None:
        """Make room for ``groups`` groups, or for as many as fit. May raise OutOfMemoryError."""
        if groups <= self.groups:
            return
        vertices, words = self.graph.vertices, blocks_over(self.graph.vertices, LANES)
        self.groups, self.state = 0, {}
        while not self.state:
            lengths = self.length_words
            of_rows = LANES * vertices * lengths, vertices * lengths, 2 * vertices * lengths
            counts = *of_rows, 2 * words, 2 * words, 3 * LANES * lengths, 2
            try:
                arrays = allocate_together(self.device, *(groups * count for count in counts))
                rows, far, near, fell, waiting, low, moved = arrays
                rows, far, near, low = (array.view(f"i{4 * lengths}") for array in (rows, far, near, low))
                self.groups = groups
                self.state = {
                    "all_rows": rows,
                    "all_far": far,
                    "near": near,
                    "fell": fell,
                    "waiting": waiting,
                    "low": low,
                    "moved": moved,
                }
            except OutOfMemoryError:
                if groups == 1:
                    raise
                groups //= 2

    def solve(self, sources: np.ndarray, into: Rows) -> None:
        distances, predecessors = into.distances, into.predecessors
        of_sources = self.device.upload(np.ascontiguousarray(sources, np.int32))
        first = 0
        while first < len(sources):
            rounds = self.rounds
            self._allocate(min(self.groups_max, blocks_over(len(sources) - first, rounds.sources)))
            part = slice(first, first + self.groups * rounds.sources)
            if not rounds.solve(of_sources[part], distances[part], self.state, self.unfinished, self.counters):
                self.rounds = self.rounds_of(32)
                continue
            if predecessors is not None and not self.trees:
                rounds.find_trees(self.inbound, self.state["all_rows"], predecessors[part])
            first = part.stop
        if predecessors is not None and self.trees:
            self.trees.find(of_sources, distances, predecessors)


class Rounds:
    """The kernels for distances of ``bits`` bits. A group has ``sources`` sources."""

    def __init__(
        self,
        device: Device,
        graph: Graph,
        block: tuple[int],
        arguments: dict[str, dict[str, Any]],
        macros: dict[str, int],
        bits: int,
    ):
        self.device, self.vertices, self.block = device, graph.vertices, block
        self.sources = LANES * 32 // bits
        # The distance of an unreached vertex. A sum with a weight does not wrap.
        far = unreachable(graph.weights.dtype)
        word_of = np.dtype(f"u{far.itemsize}").type
        nowhere = 2**16 - 1 - graph.weight_max if bits == 16 else int(far.view(word_of))
        self.nowhere, self.late = word_of(nowhere), word_of(nowhere - graph.weight_max if bits == 16 else nowhere)
        word = word_of(nowhere * 0x10001 if bits == 16 else nowhere)
        self.arguments = {"begin": {"vertices": np.int32(graph.vertices), "nowhere": word}, **arguments}
        macros = {"BITS": bits, **macros_for(graph), **macros}
        self.kernels = {name: device.kernel(KERNEL, name, macros) for name in self.arguments}
        for name in ("rows",) if graph.has_floats else ("rows", "trees"):
            self.kernels[name] = device.kernel(ANSWERS_KERNEL, name, macros)
        self.blocks_max = {name: device.resident_blocks(self.kernels[name], block) for name in self.arguments}
        self.overflowed = device.upload(np.zeros(1, np.int32)) if bits == 16 else None
        self.read = device.pinned((1,), np.int32, pooled=True)

    def solve(
        self, sources: Any, distances: Any, state: dict[str, Any], unfinished: Any, counters: Counter[str]
    ) -> bool:
        """Solve, and write ``distances``; False if they need more bits. ``state`` has room for all groups."""
        vertices, count = self.vertices, len(sources)
        groups = blocks_over(count, self.sources)
        self.bound("begin", groups, 1, state, count=np.int32(count), sources=sources)()
        rounds = [self.bound(name, groups, turn, state) for turn in range(2) for name in ("wake", "pull")]
        # Each round advances by at least one arc on every shortest path. The last one finds no change.
        done, settled = self.device.repeat_while([rounds], unfinished, vertices // 2 + 1)
        if not settled:
            raise DeviceError(f"a solve on {self.device.name} changed distances up to its last round")
        grid = blocks_over(vertices, VERTICES_OF_ROWS), groups
        self.kernels["rows"](
            grid,
            BLOCK_OF_ROWS,
            vertices=np.int32(vertices),
            count=np.int32(count),
            all_rows=state["all_rows"],
            nowhere=self.nowhere,
            late=self.late,
            overflowed=self.overflowed,
            distances=distances,
        )
        counters.update(launches=2 + len(rounds) * done, host_reads=done)
        if self.overflowed is None:
            return True
        self.device.download(self.overflowed, self.read)
        return not self.read[0]

    def find_trees(self, inbound: PulledArcs, all_rows: Any, predecessors: Any) -> None:
        """Enqueue writing the predecessors of the sources of the last solve, int32 of shape (k, n)."""
        count = len(predecessors)
        grid = blocks_over(self.vertices, LANES), blocks_over(count, self.sources)
        self.kernels["trees"](
            grid,
            BLOCK,
            vertices=np.int32(self.vertices),
            indptr=inbound.indptr,
            in_arcs=inbound.arcs,
            count=np.int32(count),
            all_rows=all_rows,
            nowhere=self.nowhere,
            predecessors=predecessors,
        )

    def bound(self, name: str, groups: int, turn: int, state: dict[str, Any], **further: Any) -> Launch:
        """A launch of kernel ``name`` for ``groups`` groups, in the rounds of this ``turn``."""
        grid = min(self.blocks_max[name], blocks_over(self.vertices, self.block[0])), groups
        return self.kernels[name].bind(
            grid, self.block, **self.arguments[name], **further, turn=np.int32(turn), **state
        )


VARIANT = Variant(
    solver=Batch,
    kernels=(KERNEL, ANSWERS_KERNEL, PULL_KERNEL),
    only_for_trees=(PULL_KERNEL,),
    negative_arcs=False,
    floats=True,
    same_cost=False,
    smallest={"piece": 3, "block": (32,), "groups_max": 1},
    optional_predecessors=True,
    many_sources=True,
)
