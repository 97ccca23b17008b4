"""Sparse all pairs, wide: 32 bits a distance."""

from pathlib import Path
from typing import Any

import numpy as np

from ...device import Device
from ...graphs.csr import Graph
from ..grids import blocks_over
from ..registry import Variant
from ._core import Slices
from ._rows import CoreRows, SortedRows

KERNEL = Path(__file__).with_suffix(".cu")


class WidePlan(CoreRows):
    """One launch solves any number of rows."""

    def __init__(
        self,
        device: Device,
        graph: Graph,
        source: None = None,
        predecessors: bool = True,
        words: int | None = None,
        block: tuple[int] | None = None,
    ):
        super().__init__(device, graph, predecessors, words, block)
        self.wide = WideLaunch(self)
        self.sources_a_block = self.words

    def enqueue_core(self, of: SortedRows, filled_count: int, distances: Any) -> None:
        self.wide(of, filled_count, distances)


class WideLaunch:
    """The kernel with the arcs of a plan's core, as many sources a block as a vertex has words."""

    def __init__(self, plan: CoreRows):
        self.plan = plan
        self.kernel = plan.device.kernel(KERNEL, "solve", {"WORDS": plan.words})
        self.slices = [
            argument
            for slices in (plan.core.inside, plan.core.everywhere)
            for argument in plan.uploaded(slices, packed(slices))
        ]

    def __call__(
        self, of: SortedRows, filled_count: int, distances: Any, overflowed: Any = None, rows_a_word: int = 1
    ) -> None:
        """Enqueue the solve; only of those rows whose word of ``overflowed`` is set, if it is given."""
        plan = self.plan
        arguments = (
            np.int32(plan.graph.vertices),
            *self.slices[:3],
            *plan.out_arcs,
            *self.slices[3:],
            plan.positions,
            of.sources,
            of.solved,
            np.int32(len(of.solved)),
            of.filled,
            np.int32(filled_count),
            overflowed,
            np.int32(rows_a_word),
            distances,
            plan.unfinished,
        )
        blocks = blocks_over(len(of.solved), plan.words)
        self.kernel((blocks,), plan.block, arguments, shared_mem=plan.shared_bytes)


def packed(slices: Slices) -> np.ndarray:
    """Each arc as uint64, the tail in the upper half."""
    return (slices.tails.astype(np.uint64) << np.uint64(32)) | slices.weights.astype(np.uint64)


VARIANT = Variant(
    problem="apsp",
    origin="warpath",
    summary="sweeps over the vertices with arcs, in shared memory, up to four sources a block",
    plan=WidePlan,
    kernel=KERNEL,
    negative_arcs=False,
    smallest={"words": 1, "block": (32,)},
    optional_predecessors=True,
    many_sources=True,
)
