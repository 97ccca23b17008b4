"""Sparse all pairs, narrow: 16 bits a distance, with a guard, and 32 where they do not suffice."""

from pathlib import Path
from typing import Any

import numpy as np

from .. import predecessors
from ..grids import blocks_over
from ..registry import Variant
from ._rows import WIDE, CoreLaunch, Slices, SortedRows
from .wide import WidePlan

KERNEL = Path(__file__).with_suffix(".cu")
# Heavier arcs would leave the guard too little room below 2**16.
WEIGHT_MAX = 2**14


class NarrowPlan(WidePlan):
    """A launch in 16 bits, and one in 32 bits that ends at once for all groups of rows that 16 bits could hold."""

    def prepare_launches(self) -> None:
        super().prepare_launches()
        self.heavy = self.graph.weight_max > WEIGHT_MAX or self.core.size > 2**16
        if not self.heavy:
            self.sources_a_block = 2 * self.words
            self.narrow = CoreLaunch(self, KERNEL, packed, self.sources_a_block)

    def enqueue_core(self, of: SortedRows, filled_count: int, distances: Any) -> None:
        if self.heavy:
            self.enqueue_wide(of, filled_count, distances)
            return
        overflowed = self.device.empty((blocks_over(len(of.solved), self.sources_a_block),), np.int32)
        self.narrow.enqueue(of, filled_count, (np.int32(self.graph.weight_max), overflowed), distances)
        self.enqueue_wide(of, 0, distances, overflowed, self.sources_a_block)


def packed(slices: Slices) -> np.ndarray:
    """Each arc as uint32, the tail in the upper half."""
    return ((slices.tails << 16) | slices.weights).astype(np.uint32)


VARIANT = Variant(
    problem="apsp",
    summary="wide in 16 bits, two sources a word, with a guard and 32 bits where it strikes",
    plan=NarrowPlan,
    kernels=(KERNEL, WIDE, predecessors.KERNEL),
    negative_arcs=False,
    smallest={"words": 1, "block": (32,)},
    optional_predecessors=True,
    many_sources=True,
)
