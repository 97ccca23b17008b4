"""Label correcting, four_arcs: distances followed depth first over k steps, four arcs of a vertex read at once."""

from pathlib import Path
from typing import Any

import numpy as np

from ...device import Device, Launch
from ...device.copies import copy_on
from ...distances import NO_PREDECESSOR, unreachable
from ...graphs.csr import Graph
from ..shared.grids import blocks_over
from ..shared.lengths import invert_negative, macros_for_any_sign
from ..trees import predecessors
from ..trees.predecessors import finder_for
from ..variant import Parameter, Variant
from .source_plan import OneAllocationPlan

KERNEL = Path(__file__).with_suffix(".cu")
BLOCK = (256,)
PARAMETERS = {
    "k": Parameter("steps that a thread follows a distance", default=4, low=1, high=16),
    "vertices_per_thread": Parameter("neighbouring vertices of one thread", default=2, low=1, high=32),
    "unread_launches": Parameter("launches before the host first reads the flag", default=32, low=0),
}


class FourArcsPlan(OneAllocationPlan):
    """An iteration is one launch. After the first ``unread_launches``, the host waits for each and reads a flag.

    The plan has settled once no vertex waits to be relaxed; ``iterations`` is an upper bound. The counters of a solve
    are ``iterations``, ``launches`` and ``host_reads`` (copies of a flag to the host, which waits for each).
    """

    def __init__(
        self,
        device: Device,
        graph: Graph,
        source: int,
        k: int = 4,
        vertices_per_thread: int = 2,
        unread_launches: int = 32,
        block: tuple[int] = BLOCK,
    ):
        super().__init__(device, graph, source, predecessors=True)
        # Each launch advances by at least one arc on every shortest path. The last one is read and finds no change.
        self.iterations = max(graph.vertices, unread_launches + 1)
        self.unread_launches = unread_launches
        macros = {**macros_for_any_sign(graph), "STEPS": k, "VERTICES_PER_THREAD": vertices_per_thread}
        self.inverts_negative = "NEGATIVE_WEIGHTS" in macros
        self.relax = device.kernel(KERNEL, "relax", macros)
        self.relax_and_tell = device.kernel(KERNEL, "relax_and_tell", macros)
        self.grid, self.block = (blocks_over(graph.vertices, block[0] * vertices_per_thread),), block
        self.csr = copy_on(device, graph).arguments
        self.predecessor_finder = finder_for(device, graph)
        self.flag = device.upload(np.zeros(1, np.int32))
        self.waiting: Any = None  # a row of flags for even launches, and one for odd launches
        self.unread: list[Launch] = []
        self.read: list[list[Launch]] = []
        self.quiet = False

    def bind_arrays(self) -> None:
        if self.waiting is None:
            self.waiting = self.device.empty((2, self.graph.vertices), np.uint8)
        self.unread, self.read = [], []
        for current in (0, 1):
            arguments = {
                "vertices": np.int32(self.graph.vertices),
                **self.csr,
                "distances": self.distances,
                "current": self.waiting[current],
                "next": self.waiting[1 - current],
            }
            self.unread.append(self.relax.bind(self.grid, self.block, **arguments))
            self.read.append([self.relax_and_tell.bind(self.grid, self.block, **arguments, waiting=self.flag)])

    def unbind_arrays(self) -> None:
        self.unread, self.read = [], []

    def begin(self) -> None:
        self.distances.fill(unreachable(self.graph.weights.dtype))
        self.distances[self.source] = 0
        self.waiting.fill(0)
        self.waiting[0, self.source] = 1
        self.quiet = False

    def iterate(self, first: int, last: int) -> None:
        unread = range(first, min(last, self.unread_launches))
        self.device.enqueue([self.unread[number % 2] for number in unread])
        self.counters["iterations"] += len(unread)
        self.counters["launches"] += len(unread)
        first = max(first, self.unread_launches)
        if first < last and not self.quiet:
            rounds = self.read if first % 2 == 0 else self.read[::-1]
            done, self.quiet = self.device.repeat_while(rounds, self.flag, last - first)
            for counter in ("iterations", "launches", "host_reads"):
                self.counters[counter] += done

    def finish(self) -> None:
        if self.inverts_negative:
            invert_negative(self.distances)
        self.predecessors.fill(NO_PREDECESSOR)
        self.counters.update(self.predecessor_finder.find(self.source, self.distances, self.predecessors))
        self.allocate_next_answer()

    def settled(self) -> bool:
        return self.quiet


VARIANT = Variant(
    plan=FourArcsPlan,
    kernels=(KERNEL, predecessors.KERNEL, predecessors.TREES_KERNEL),
    only_for_trees=(predecessors.TREES_KERNEL,),
    smallest={"block": (32,)},
    revision=2,
    same_cost=False,
    floats=True,
    parameters=PARAMETERS,
)
