"""Label correcting, four_arcs: distances followed depth first over k steps, four arcs of a vertex read at once."""

from pathlib import Path
from typing import Any

import numpy as np

from ...device.resident import Resident
from ...distances import unreachable
from ..shared.grids import blocks_over
from ..shared.lengths import invert_negative, macros_for_any_sign
from ..solver import OneSource
from ..trees.predecessors import PUSH_KERNEL, SourceTree
from ..variant import Parameter, Variant

KERNEL = Path(__file__).with_suffix(".cu")
BLOCK = (256,)
PARAMETERS = {
    "k": Parameter("steps that a thread follows a distance", default=4, low=1, high=16),
    "vertices_per_thread": Parameter("neighbouring vertices of one thread", default=2, low=1, high=32),
    "unread_launches": Parameter("launches before the host first reads the flag", default=32, low=0),
}


class FourArcs(OneSource):
    """A round is one launch. After the first ``unread_launches``, the host waits for each and reads a flag.

    The counters of a solve are ``iterations``, ``launches`` and ``host_reads`` (copies of a flag to the host, which
    waits for each).
    """

    def __init__(
        self,
        resident: Resident,
        k: int = 4,
        vertices_per_thread: int = 2,
        unread_launches: int = 32,
        block: tuple[int] = BLOCK,
    ):
        device, graph, vertices = resident.device, resident.graph, resident.graph.vertices
        super().__init__(device)
        self.unread_launches = unread_launches
        # Each launch advances by at least one arc on every shortest path. The last one is read and finds no change,
        # unless the rounded sum of floats falls around a cycle.
        self.launches_max = max(vertices, unread_launches + 1)
        macros = {**macros_for_any_sign(graph), "STEPS": k, "VERTICES_PER_THREAD": vertices_per_thread}
        self.inverts_negative = "NEGATIVE_WEIGHTS" in macros
        relax, relax_and_tell = (device.kernel(KERNEL, name, macros) for name in ("relax", "relax_and_tell"))
        grid = (blocks_over(vertices, block[0] * vertices_per_thread),)
        self.flag = device.upload(np.zeros(1, np.int32))
        self.waiting = device.empty((2, vertices), np.uint8)  # a row of flags for even launches, and one for odd ones
        self.unreachable = unreachable(graph.weights.dtype)
        arguments = {"vertices": np.int32(vertices), **resident.arguments, "distances": None}
        turns = [{"current": self.waiting[now], "next": self.waiting[1 - now]} for now in (0, 1)]
        self.unread = [relax.bind(grid, block, **arguments, **turn) for turn in turns]
        self.read = [relax_and_tell.bind(grid, block, **arguments, **turn, waiting=self.flag) for turn in turns]
        self.trees = SourceTree(resident)

    def solve_one(self, source: int, distances: Any, predecessors: Any) -> None:
        distances.fill(self.unreachable)
        distances[0, source] = 0
        self.waiting.fill(0)
        self.waiting[0, source] = 1
        for number in range(self.unread_launches):
            self.unread[number % 2](distances=distances)
        rounds = [[launch] for launch in self.read]
        if self.unread_launches % 2:
            rounds.reverse()
        for launch in self.read:
            launch.set(distances=distances)
        done, _ = self.device.repeat_while(rounds, self.flag, self.launches_max - self.unread_launches)
        for launch in self.read:
            launch.set(distances=None)
        self.counters.update(
            iterations=self.unread_launches + done, launches=self.unread_launches + done, host_reads=done
        )
        if self.inverts_negative:
            invert_negative(distances)
        if predecessors is not None:
            self.counters.update(self.trees.find(source, distances, predecessors))


VARIANT = Variant(
    solver=FourArcs,
    kernels=(KERNEL, PUSH_KERNEL),
    smallest={"block": (32,)},
    revision=2,
    same_cost=False,
    floats=True,
    parameters=PARAMETERS,
)
