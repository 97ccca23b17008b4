"""Label correcting, harish: two kernels an iteration, a mask, and a flag that the host reads after each iteration."""

from pathlib import Path
from typing import Any

import numpy as np

from warpath.device import Device
from warpath.distances import UNREACHABLE
from warpath.graphs.csr import Graph

from ...shared import predecessors
from ...shared.plan import PlanVariant
from ...shared.source_plan import BLOCK, FrontierPlan
from ...shared.start import Value

KERNEL = Path(__file__).with_name("harish.cu")  # by name: locality tunes itself with it


class HarishPlan(FrontierPlan):
    """An iteration is both kernels; the host clears the flag before them and waits for it after."""

    def __init__(self, device: Device, graph: Graph, source: int, counting: bool = False, block: tuple[int] = BLOCK):
        super().__init__(device, graph, source, counting, block)
        self.relax, self.update = (device.kernel(KERNEL, name, self.macros) for name in ("relax", "update"))

    def frontier(self) -> list[tuple[np.ndarray, tuple[Value, Value]]]:
        return [(self.host_distances, (UNREACHABLE, 0)), (np.empty(self.graph.vertices, np.uint8), (0, 1))]

    def prepare_launches(self, frontier_arrays: list[Any]) -> None:
        updating_distances, mask = frontier_arrays
        of_both = {
            "vertices": self.vertices,
            "mask": mask,
            "costs": self.distances,
            "updating_costs": updating_distances,
        }
        self.round = [
            self.relax.bind(self.grid, self.block, **self.csr, **of_both, counted=self.counted),
            self.update.bind(self.grid, self.block, **of_both, changed=self.flag),
        ]

    def iterate(self, first: int, last: int) -> None:
        if not self.quiet:
            self.iterate_until_quiet([self.round], last - first)

    def release(self) -> None:
        super().release()
        self.round = []


VARIANT = PlanVariant(
    origin="safari_ebnenasir",
    plan=HarishPlan,
    kernels=(KERNEL, predecessors.KERNEL),
    smallest={"block": (32,)},
    same_cost=False,
    counted=("atomics",),
)
