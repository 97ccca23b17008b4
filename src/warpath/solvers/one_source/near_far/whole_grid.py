"""Near-far, whole_grid: one source on the whole GPU, in one launch, with inbound arcs."""

import weakref
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from ....device import Device
from ....device.copies import GraphCopy, allocate_together, copy_on
from ....graphs.csr import Graph
from ...shared.lengths import macros_for, words_of
from ...trees import predecessors
from ...variant import Variant
from ._all_blocks import CONTROL_WORDS, AllBlocksPlan, default_block, delta_max, usual_delta

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
class InboundArcs:
    """The arcs sorted by head and weight, on the device.

    ``indptr`` is int32 of shape (n + 1,). ``arcs`` has the m tails and weights as int32 of shape (m, 2), or (m, 4) for
    weights of 64 bits. ``preparation_s`` is the time that sorting took, in seconds.
    """

    indptr: Any
    arcs: Any
    preparation_s: float


_cache: weakref.WeakKeyDictionary[GraphCopy, InboundArcs] = weakref.WeakKeyDictionary()


def inbound_arcs(copy: GraphCopy) -> InboundArcs:
    """The inbound arcs of ``copy.graph``, sorted once for each copy. May raise OutOfMemoryError."""
    if copy not in _cache:
        _cache[copy] = _sorted(copy)
    return _cache[copy]


def _sorted(copy: GraphCopy) -> InboundArcs:
    device, xp = copy.device, copy.device.xp
    device.synchronize()
    began = perf_counter()
    vertices, arcs = copy.graph.vertices, copy.graph.arcs
    words = words_of(copy.graph.weights.dtype)
    if not arcs:
        empty = device.empty((0, 2 * words), np.int32)
        return InboundArcs(device.upload(np.zeros(vertices + 1, np.int32)), empty, 0.0)
    # The tail of an arc is the number of rows that end before the arc.
    tails = xp.cumsum(xp.bincount(copy.indptr[1:], minlength=arcs + 1)[:arcs], dtype=np.int32)
    if words == 1:  # the bits of weights of at least 0 have the order of the weights
        order = xp.argsort(copy.indices.astype(np.int64) << 32 | copy.weights.view(np.int32).astype(np.int64))
    else:
        order = xp.lexsort(xp.stack([copy.weights, copy.indices.astype(copy.weights.dtype)]))
    pairs = device.empty((arcs, 2 * words), np.int32)
    pairs[:, 0] = tails[order]
    pairs[:, words:] = copy.weights[order].view(np.int32).reshape(arcs, words)
    indptr = device.empty((vertices + 1,), np.int32)
    indptr[:1] = 0
    indptr[1:] = xp.cumsum(xp.bincount(copy.indices, minlength=vertices))
    device.synchronize()
    return InboundArcs(indptr, pairs, perf_counter() - began)


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


class WholeGridPlan(AllBlocksPlan):
    """A plan that sorts the inbound arcs once.

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

    name = "whole_grid"

    def __init__(
        self,
        device: Device,
        graph: Graph,
        source: int,
        predecessors: bool = True,
        delta: int | None = None,
        block: tuple[int] | None = None,
        piece: int = PIECE,
        macros: dict[str, int] | None = None,
    ):
        super().__init__(device, graph, source, predecessors)
        self.copy = copy_on(device, graph)
        self.inbound = inbound_arcs(self.copy)
        self.preparation_s = self.inbound.preparation_s
        tails, firsts = pieces_of(graph.indptr, piece)
        self.rows = graph.vertices + len(tails)
        block = block or default_block(device)
        kernel = device.kernel(KERNEL, "solve", {"BLOCK": block[0], **macros_for(graph), **(macros or {})})
        self.grid, self.block = (device.resident_blocks(kernel, block),), block
        self.delta = delta or first_delta(graph, self.grid[0] * block[0])
        vertices = graph.vertices
        alone_max = min(block[0], ARCS_OF_A_THREAD_ALONE * block[0] * vertices // max(1, graph.arcs))
        self.launch = kernel.bind(
            self.grid,
            block,
            vertices=np.int32(vertices),
            pieces=np.int32(len(tails)),
            piece=np.int32(piece),
            **self.copy.arguments,
            piece_tails=device.upload(tails),
            piece_firsts=device.upload(firsts),
            in_indptr=self.inbound.indptr,
            in_arcs=self.inbound.arcs,
            source=np.int32(source),
            delta=graph.weights.dtype.type(self.delta),
            pull_above=np.int32(_PULL_ABOVE * vertices),
            pull_below=np.int32(_PULL_BELOW * vertices),
            alone_max=np.int32(alone_max),
            distances=None,
            predecessors=None,
            done=None,
            queue=None,
            control=None,
            set=np.int32(0),
            status=self.status_for_kernels,
        )

    def of_answer(self) -> dict[str, Any]:
        return {"distances": self.distances, "predecessors": self.kernel_predecessors}

    def allocate(self) -> dict[str, Any]:
        words = self.length_words * self.rows, self.block[0], CONTROL_WORDS
        done, queue, control = allocate_together(self.device, *words)
        return {"done": done.view(self.graph.weights.dtype), "queue": queue, "control": control}


def first_delta(graph: Graph, threads: int) -> float:
    """As ``usual_delta``, but ``delta_max`` for small graphs.

    In small graphs, the time of a round does not depend on its work, and a large step makes few rounds.
    """
    if graph.arcs < ARCS_OF_A_THREAD_SMALL * threads:
        return delta_max(graph)
    return usual_delta(graph, _WEIGHTS_SAMPLED)


VARIANT = Variant(
    plan=WholeGridPlan,
    kernels=(KERNEL, predecessors.TREES_KERNEL),
    only_for_trees=(predecessors.TREES_KERNEL,),
    negative_arcs=False,
    floats=True,
    same_cost=False,
    optional_predecessors=True,
    smallest={"block": (32,), "piece": 3},
)
