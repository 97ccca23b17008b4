"""Floyd-Warshall, narrow: the stages of lookahead with two lengths of 16 bits a word, where the distances fit."""

from typing import Any

import numpy as np

from ..trees.predecessors import PULL_KERNEL
from ..variant import Variant
from .lookahead import KERNEL, Lookahead, ProductShape, Stages

FAR = 2**15 - 1  # as in tiles.cuh
TOO_FAR = "solved_in_32_bits"


class Narrow(Lookahead):
    """Cells of 16 bits hold min(distance, FAR). If FAR may hide a path, the stages run again with 32 bits.

    A cell of FAR means that there is no path, or a distance of at least FAR. In the second case, an arc of the path
    leads from a vertex below FAR to one at FAR or more. So the largest distance below FAR plus the largest weight is at
    least FAR. If it is less, no cell hides a path. The counter ``solved_in_32_bits`` is 1 if the stages ran again.
    """

    cell_bits = 16

    def _leave(self, distances: Any) -> None:
        host = np.zeros(2, np.int32)
        farthest_and_far = self.device.upload(host)
        self.stages.leave(distances, farthest_and_far)
        self.device.download(farthest_and_far, host)
        farthest, far = host.tolist()
        too_far = far and farthest + self.graph.weight_max >= FAR
        self.counters[TOO_FAR] = int(too_far)
        if too_far:
            self._solve_in_32_bits(distances)

    def _solve_in_32_bits(self, distances: Any) -> None:
        self.stages.release()
        wide = Stages(self.device, self.graph.vertices, self.shape)
        wide.fill(self.csr, distances)
        wide.enter(distances)
        wide.run(0, wide.stages)
        wide.leave(distances)
        self.counters["launches"] += wide.launches


VARIANT = Variant(
    solver=Narrow,
    kernels=(KERNEL, PULL_KERNEL),
    negative_arcs=False,
    optional_predecessors=True,
    smallest={"shape": ProductShape(8, 4, 4, 3, 4, 1, 2), "tree_block": (32,)},
)
