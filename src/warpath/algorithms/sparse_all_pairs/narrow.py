"""Sparse all pairs, narrow: 16 bits a distance, with a guard, and 32 where they do not suffice."""

from pathlib import Path
from typing import Any

import numpy as np

from ...device import Device
from ...graphs.csr import Graph
from ..grids import blocks_over
from ..registry import Variant
from ._core import Slices
from ._rows import CoreRows, SortedRows
from .wide import WideLaunch

KERNEL = Path(__file__).with_suffix(".cu")
# Heavier arcs would leave the guard too little room below 2**16.
WEIGHT_MAX = 2**14


class NarrowPlan(CoreRows):
    """A launch in 16 bits, and one in 32 bits that ends at once for all groups of rows that 16 bits could hold."""

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
        self.heavy = graph.weight_max > WEIGHT_MAX or self.core.size > 2**16
        if self.heavy:
            return
        self.sources_a_block = 2 * self.words
        self.kernel = device.kernel(KERNEL, "solve", {"WORDS": self.words})
        self.slices = [
            argument
            for slices in (self.core.inside, self.core.everywhere)
            for argument in self.uploaded(slices, packed(slices))
        ]

    def enqueue_core(self, of: SortedRows, filled_count: int, distances: Any) -> None:
        if self.heavy:
            self.wide(of, filled_count, distances)
            return
        groups = blocks_over(len(of.solved), self.sources_a_block)
        overflowed = self.device.empty((groups,), np.int32)
        arguments = (
            np.int32(self.graph.vertices),
            *self.slices[:3],
            *self.out_arcs,
            *self.slices[3:],
            self.positions,
            of.sources,
            of.solved,
            np.int32(len(of.solved)),
            of.filled,
            np.int32(filled_count),
            np.int32(self.graph.weight_max),
            overflowed,
            distances,
            self.unfinished,
        )
        self.kernel((groups,), self.block, arguments, shared_mem=self.shared_bytes)
        self.wide(of, 0, distances, overflowed, self.sources_a_block)


def packed(slices: Slices) -> np.ndarray:
    """Each arc as uint32, the tail in the upper half."""
    return ((slices.tails << 16) | slices.weights).astype(np.uint32)


VARIANT = Variant(
    problem="apsp",
    origin="warpath",
    summary="wide in 16 bits, two sources a word, with a guard and 32 bits where it strikes",
    plan=NarrowPlan,
    kernel=KERNEL,
    negative_arcs=False,
    smallest={"words": 1, "block": (32,)},
    optional_predecessors=True,
    many_sources=True,
)
