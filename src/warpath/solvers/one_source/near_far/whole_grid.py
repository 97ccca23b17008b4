"""Near-far, whole_grid: one source on the whole GPU, in one launch, with inbound arcs."""

from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from ....device.copies import allocate_together
from ....device.resident import Resident
from ....graphs.csr import Graph
from ...shared.lengths import macros_for, words_of
from ...solver import OneSource
from ...trees.predecessors import PUSH_KERNEL, SourceTree, trees_needed
from ...variant import Variant
from ._all_blocks import CONTROL_WORDS, GAVE_UP, STATUS_WORDS, default_block, delta_max, gave_up, usual_delta

KERNEL = Path(__file__).with_suffix(".cu")
_WEIGHTS_SAMPLED = 2**24
PIECE = 64
"""The largest number of arcs of a row. A vertex with more arcs has several rows."""
ARCS_OF_A_THREAD_ALONE = 2
"""One block continues alone if its threads have about this number of arcs each."""
ARCS_OF_A_THREAD_SMALL = 4
"""A graph with fewer arcs for each thread of the device is small."""
# Shares of all vertices: rounds pull once this share waits, and as long as this share fell in the last round.
_PULL_ABOVE, _PULL_BELOW = 1 / 4, 1 / 16


@dataclass(frozen=True, eq=False)
class PulledArcs:
    """The arcs sorted by head and weight, on the device, as kernels that pull read them.

    ``indptr`` is int32 of shape (n + 1,). ``arcs`` has the m tails and weights as int32 of shape (m, 2), or (m, 4) for
    weights of 64 bits. ``preparation_s`` is the time that sorting took, in seconds.
    """

    indptr: Any
    arcs: Any
    preparation_s: float


def pulled_arcs(resident: Resident) -> PulledArcs:
    """Those of a graph, which are sorted once. May raise OutOfMemoryError."""
    return resident.of_weights("pulled arcs", lambda: _sorted(resident))


def _sorted(resident: Resident) -> PulledArcs:
    device, xp = resident.device, resident.device.xp
    device.synchronize()
    began = perf_counter()
    vertices, arcs = resident.graph.vertices, resident.graph.arcs
    words = words_of(resident.graph.weights.dtype)
    if not arcs:
        empty = device.empty((0, 2 * words), np.int32)
        return PulledArcs(device.upload(np.zeros(vertices + 1, np.int32)), empty, 0.0)
    # The tail of an arc is the number of rows that end before the arc.
    tails = xp.cumsum(xp.bincount(resident.indptr[1:], minlength=arcs + 1)[:arcs], dtype=np.int32)
    if words == 1:  # the bits of weights of at least 0 have the order of the weights
        order = xp.argsort(resident.indices.astype(np.int64) << 32 | resident.weights.view(np.int32).astype(np.int64))
    else:
        order = xp.lexsort(xp.stack([resident.weights, resident.indices.astype(resident.weights.dtype)]))
    pairs = device.empty((arcs, 2 * words), np.int32)
    pairs[:, 0] = tails[order]
    pairs[:, words:] = resident.weights[order].view(np.int32).reshape(arcs, words)
    indptr = device.empty((vertices + 1,), np.int32)
    indptr[:1] = 0
    indptr[1:] = xp.cumsum(xp.bincount(resident.indices, minlength=vertices))
    device.synchronize()
    return PulledArcs(indptr, pairs, perf_counter() - began)


def pieces_of(indptr: np.ndarray, length: int) -> tuple[np.ndarray, np.ndarray]:
    """The tail and the first arc of each further row of heavy vertices, int32 of shape (k,).

    The first ``length`` arcs of a vertex are its first row. A further row is a piece of up to ``length`` of the others.
    """
    degrees = np.diff(indptr)
    heavy = np.flatnonzero(degrees > length)
    counts = (degrees[heavy] - 1) // length
    tails = np.repeat(heavy, counts)
    rank = np.arange(len(tails)) - np.repeat(np.cumsum(counts) - counts, counts)
    firsts = indptr[tails] + (rank + 1) * length
    return tails.astype(np.int32), firsts.astype(np.int32)


class WholeGrid(OneSource):
    """A solver that sorts the inbound arcs once.

    The kernel finds predecessors, too, unless the graph needs trees (``trees_needed``).

    Parameters
    ----------
    delta : int, optional
        The first step of the threshold; by default ``first_delta``.
    block : tuple of int, optional
        Threads of a block, a power of two from 32; by default ``default_block``.
    piece : int
        The largest number of arcs of a row.
    macros : dict, optional
        Further macros of the kernel.
    """

    def __init__(
        self,
        resident: Resident,
        predecessors: bool = True,
        delta: int | None = None,
        block: tuple[int] | None = None,
        piece: int = PIECE,
        macros: dict[str, int] | None = None,
    ):
        device, graph, vertices = resident.device, resident.graph, resident.graph.vertices
        super().__init__(device)
        inbound = pulled_arcs(resident)
        self.preparation_s = inbound.preparation_s
        tails, firsts = pieces_of(graph.indptr, piece)
        block = block or default_block(device)
        kernel = device.kernel(KERNEL, "solve", {"BLOCK": block[0], **macros_for(graph), **(macros or {})})
        grid = (device.resident_blocks(kernel, block),)
        alone_max = min(block[0], ARCS_OF_A_THREAD_ALONE * block[0] * vertices // max(1, graph.arcs))
        words = words_of(graph.weights.dtype) * (vertices + len(tails)), block[0], CONTROL_WORDS
        done, queue, control = allocate_together(device, *words)
        device.set_bytes(control, 0)
        self.status, status = device.mapped((STATUS_WORDS,), np.int32)
        self.launch = kernel.bind(
            grid,
            block,
            vertices=np.int32(vertices),
            pieces=np.int32(len(tails)),
            piece=np.int32(piece),
            **resident.arguments,
            piece_tails=device.upload(tails),
            piece_firsts=device.upload(firsts),
            in_indptr=inbound.indptr,
            in_arcs=inbound.arcs,
            source=np.int32(0),
            delta=graph.weights.dtype.type(delta or first_delta(graph, grid[0] * block[0])),
            pull_above=np.int32(_PULL_ABOVE * vertices),
            pull_below=np.int32(_PULL_BELOW * vertices),
            alone_max=np.int32(alone_max),
            distances=None,
            predecessors=None,
            done=done.view(graph.weights.dtype),
            queue=queue,
            control=control,
            set=np.int32(0),
            status=status,
        )
        self.trees = SourceTree(resident) if predecessors and trees_needed(graph) else None
        self._launches = 0

    def solve_one(self, source: int, distances: Any, predecessors: Any) -> None:
        own = None if self.trees else predecessors
        self.status.fill(0)
        self.launch(source=np.int32(source), distances=distances, predecessors=own, set=np.int32(self._launches % 2))
        self._launches += 1
        self.counters["launches"] += 1
        if self.trees and predecessors is not None:
            self.counters.update(self.trees.find(source, distances, predecessors))

    def check(self) -> bool:
        if self.status[GAVE_UP]:
            raise gave_up("whole_grid")
        return True


def first_delta(graph: Graph, threads: int) -> float:
    """As ``usual_delta``, but ``delta_max`` for small graphs.

    In small graphs, the time of a round does not depend on its work, and a large step makes few rounds.
    """
    if graph.arcs < ARCS_OF_A_THREAD_SMALL * threads:
        return delta_max(graph)
    return usual_delta(graph, _WEIGHTS_SAMPLED)


VARIANT = Variant(
    solver=WholeGrid,
    kernels=(KERNEL, PUSH_KERNEL),
    only_for_trees=(PUSH_KERNEL,),
    negative_arcs=False,
    floats=True,
    same_cost=False,
    optional_predecessors=True,
    smallest={"block": (32,), "piece": 3},
)
