"""Sparse all pairs, wide: 32 bits a distance."""

from pathlib import Path
from typing import Any

import numpy as np

from .. import predecessors
from ..registry import Variant
from ._rows import CoreLaunch, CoreRows, Slices, SortedRows

KERNEL = Path(__file__).with_suffix(".cu")


class WidePlan(CoreRows):
    """One launch solves any number of rows, as many a block as a vertex has words."""

    def prepare_launches(self) -> None:
        self.sources_a_block = self.words
        self.wide = CoreLaunch(self, KERNEL, packed, self.words)

    def enqueue_core(self, of: SortedRows, filled_count: int, distances: Any) -> None:
        self.enqueue_wide(of, filled_count, distances)

    def enqueue_wide(
        self, of: SortedRows, filled_count: int, distances: Any, overflowed: Any = None, rows_a_word: int = 1
    ) -> None:
        """Enqueue the solve; only of those rows whose word of ``overflowed`` is set, if it is given."""
        self.wide.enqueue(of, filled_count, (overflowed, np.int32(rows_a_word)), distances)


def packed(slices: Slices) -> np.ndarray:
    """Each arc as uint64, the tail in the upper half."""
    return (slices.tails.astype(np.uint64) << np.uint64(32)) | slices.weights.astype(np.uint64)


VARIANT = Variant(
    problem="apsp",
    summary="sweeps over the vertices with arcs, in shared memory, up to four sources a block",
    plan=WidePlan,
    kernels=(KERNEL, predecessors.KERNEL),
    negative_arcs=False,
    smallest={"words": 1, "block": (32,)},
    optional_predecessors=True,
    many_sources=True,
)
