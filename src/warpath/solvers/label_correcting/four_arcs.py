"""Label correcting, four_arcs: distances followed depth first over k steps, four arcs of a vertex read at once."""

from pathlib import Path
from typing import Any

import numpy as np

from ...device import Device
from ...graphs.csr import Graph
from .. import predecessors
from ..grids import blocks_over
from ..registry import Parameter, Variant
from ..source_plan import BLOCK, FrontierPlan
from ..start import Value

KERNEL = Path(__file__).with_suffix(".cu")
PARAMETERS = {
    "k": Parameter("steps that a thread follows a distance", default=4, low=1, high=16),
    "vertices_per_thread": Parameter("neighbouring vertices of one thread", default=2, low=1, high=32),
    "unread_launches": Parameter("launches before the host first reads the flag", default=32, low=0),
}


class FourArcsPlan(FrontierPlan):
    """An iteration is one launch. The host waits for each, except the first ``unread_launches``, and reads a flag."""

    def __init__(
        self,
        device: Device,
        graph: Graph,
        source: int,
        k: int = PARAMETERS["k"].default,
        vertices_per_thread: int = PARAMETERS["vertices_per_thread"].default,
        unread_launches: int = PARAMETERS["unread_launches"].default,
        counting: bool = False,
        block: tuple[int] = BLOCK,
    ):
        super().__init__(device, graph, source, counting, block)
        self.unread_launches = unread_launches
        self.iterations = max(self.iterations, unread_launches + 1)  # the last one is always read
        macros = {**self.macros, "STEPS": k, "VERTICES_PER_THREAD": vertices_per_thread}
        self.relax = device.kernel(KERNEL, "relax", macros)
        self.relax_and_tell = device.kernel(KERNEL, "relax_and_tell", macros)
        self.relax_grid = (blocks_over(graph.vertices, block[0] * vertices_per_thread),)

    def frontier(self) -> list[tuple[np.ndarray, tuple[Value, Value]]]:
        return [(np.empty(self.graph.vertices, np.uint8), values) for values in ((0, 1), (0, 0))]

    def prepare_launches(self, of_frontier: list[Any]) -> None:
        self.unread, self.read = [], []
        for current in (0, 1):
            waiting = (of_frontier[current], of_frontier[1 - current])
            arguments = (self.vertices, *self.csr, self.distances, *waiting, self.counted)
            self.unread.append(self.relax.bind(self.relax_grid, self.block, arguments))
            self.read.append([self.relax_and_tell.bind(self.relax_grid, self.block, (*arguments, self.flag))])

    def iterate(self, first: int, last: int) -> None:
        unread = range(first, min(last, self.unread_launches))
        self.device.enqueue([self.unread[number % 2] for number in unread])
        self.counters["iterations"] += len(unread)
        self.counters["launches"] += len(unread)
        first = max(first, self.unread_launches)
        if first < last and not self.quiet:
            self.iterate_until_quiet(self.read if first % 2 == 0 else self.read[::-1], last - first)

    def release(self) -> None:
        super().release()
        self.unread, self.read = [], []


VARIANT = Variant(
    problem="sssp",
    origin="warpath",
    summary="locality that reads four arcs of a vertex at once",
    plan=FourArcsPlan,
    kernels=(KERNEL, predecessors.KERNEL),
    smallest={"block": (32,)},
    same_cost=False,
    parameters=PARAMETERS,
    counted=("atomics",),
)
