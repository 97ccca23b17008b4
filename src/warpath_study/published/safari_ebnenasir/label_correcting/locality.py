"""Label correcting, locality: depth-first relaxation over k steps, and launches that the host does not wait for."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from warpath.device import Device
from warpath.graphs.csr import Graph
from warpath.solvers.variant import Parameter

from ...shared import predecessors
from ...shared.grids import blocks_over
from ...shared.plan import PlanVariant
from ...shared.source_plan import BLOCK, FrontierPlan
from ...shared.start import Value
from .harish import KERNEL as KERNEL_THAT_TUNES
from .harish import HarishPlan

KERNEL = Path(__file__).with_suffix(".cu")
PARAMETERS = {
    "k": Parameter("steps that a thread follows a distance", default=4, low=1, high=16),
    "vertices_per_thread": Parameter("neighbouring vertices of one thread", default=2, low=1, high=32),
    "unread_launches": Parameter("launches before the host first reads the flag (the paper's N)", default=32, low=0),
}
# How many trial runs of harish tune unread_launches.
TRIAL_SOURCES = 10


class LocalityPlan(FrontierPlan):
    """An iteration is one launch. After the first ``unread_launches``, the host waits for each and reads a flag.

    The kernels follow a distance for ``k`` steps.
    """

    def __init__(
        self,
        device: Device,
        graph: Graph,
        source: int,
        k: int = 4,
        vertices_per_thread: int = 2,
        unread_launches: int = 32,
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

    def prepare_launches(self, frontier_arrays: list[Any]) -> None:
        self.unread, self.read = [], []
        for current in (0, 1):
            arguments = {
                "vertices": self.vertices,
                **self.csr,
                "distances": self.distances,
                "current": frontier_arrays[current],
                "next": frontier_arrays[1 - current],
                "counted": self.counted,
            }
            self.unread.append(self.relax.bind(self.relax_grid, self.block, **arguments))
            self.read.append([self.relax_and_tell.bind(self.relax_grid, self.block, **arguments, waiting=self.flag)])

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


def tune(device: Device, graph: Graph, sources: Sequence[int], settings: Mapping[str, int]) -> dict[str, int]:
    """N as published: the fewest iterations that harish takes from any of some sources, divided by k."""
    iterations = []
    for source in sources[:TRIAL_SOURCES]:
        trial = HarishPlan(device, graph, source)
        trial.solve()
        iterations.append(trial.counters["iterations"])
    return {"unread_launches": min(iterations) // settings["k"]}


VARIANT = PlanVariant(
    origin="safari_ebnenasir",
    plan=LocalityPlan,
    kernels=(KERNEL, predecessors.KERNEL, KERNEL_THAT_TUNES),
    smallest={"block": (32,)},
    same_cost=False,
    parameters=PARAMETERS,
    counted=("atomics",),
    tune=tune,
)
