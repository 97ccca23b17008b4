"""Floyd-Warshall, narrow: the stages of lookahead with two lengths of 16 bits a word, where the distances fit."""

import numpy as np

from .. import predecessors
from ..registry import Variant
from .lookahead import KERNEL, LookaheadPlan, ProductShape, Stages

FAR = 2**15 - 1  # as in tiles.cuh
TOO_FAR = "solved_in_32_bits"


class NarrowPlan(LookaheadPlan):
    """Cells of 16 bits hold min(distance, FAR), exactly. Where FAR may hide a path, the stages run again with 32 bits.

    It hides none where no cell is FAR. Elsewhere, let a path lead to a vertex at FAR or farther. One of its arcs leads
    there from a vertex below FAR, so the farthest of those and the heaviest arc add up to FAR or more; if they do not,
    there is no such path. The counter ``solved_in_32_bits`` says which way it went.
    """

    cell_bits = 16

    def finish(self) -> None:
        found = np.zeros(2, np.int32)
        farthest_and_far = self.device.upload(found)
        self.stages.leave(self.distances, farthest_and_far)
        self.counters["launches"] += self.stages.launches
        self.device.download(farthest_and_far, found)
        farthest, far = found.tolist()
        too_far = far and farthest + self.graph.weight_max >= FAR
        self.counters[TOO_FAR] = int(too_far)
        if too_far:
            self._solve_in_32_bits()
        self._find_predecessors()

    def _solve_in_32_bits(self) -> None:
        self.stages.release()
        wide = Stages(self.device, self.graph.vertices, self.shape)
        wide.fill(self.copy.arrays, self.distances)
        wide.enter(self.distances)
        wide.run(0, wide.stages)
        wide.leave(self.distances)
        self.counters["launches"] += wide.launches


VARIANT = Variant(
    problem="apsp",
    summary="as lookahead, with two lengths of 16 bits a word; 32 bits where the distances do not fit",
    plan=NarrowPlan,
    kernels=(KERNEL, predecessors.ARCS_KERNEL),
    negative_arcs=False,
    optional_predecessors=True,
    smallest={"shape": ProductShape(8, 4, 4, 3, 4, 1, 2), "tree_block": (32,)},
)
