"""Near-far, queue: one source over the whole GPU, for long paths, with nothing prepared."""

from math import ceil
from pathlib import Path
from typing import Any

import numpy as np

from ...device import Device
from ...device.copies import copy_on
from ...errors import DeviceError
from ...graphs.csr import Graph
from .. import predecessors
from ..predecessors import OneSource
from ..registry import Variant
from ..source_plan import OneLaunchPlan

KERNEL = Path(__file__).with_suffix(".cu")
BLOCK = 512
BLOCK_ALONE = 64
_CONTROL_WORDS = 32 + 2 * 128 + 512
_SOURCE, _ARRAYS, _NOW, _SET = 4, 12, 17, 19


class QueuePlan(OneLaunchPlan):
    def __init__(
        self,
        device: Device,
        graph: Graph,
        source: int,
        predecessors: bool = True,
        delta: int | None = None,
        delta_most: int | None = None,
        few: int = 2000,
        many: int = 20000,
        hops: int = 8,
        hops_alone: int = 64,
        share: int = 64,
        blocks: int | None = None,
        block: tuple[int] | None = None,
        macros: dict[str, int] | None = None,
    ):
        super().__init__(device, graph, source, predecessors)
        self.copy = copy_on(device, graph)
        self.growing = OneSource(device, graph, self.copy.arrays) if predecessors else None
        block = block or (BLOCK if device.kind == "cuda" else BLOCK_ALONE,)
        self.lanes = (macros or {}).get("LANES", 4)
        kernel = device.kernel(KERNEL, "solve", {"BLOCK": block[0], **(macros or {})})
        self.grid, self.block = (blocks or device.resident_blocks(kernel, block),), block
        first = delta or first_delta(graph)
        self.capacity = max(graph.vertices, 1)
        arguments = (
            np.int32(graph.vertices),
            *self.copy.arrays,
            *map(np.int32, (source, first, delta_most or min(64 * first, 2**30), few, many, hops, hops_alone, share)),
            *[None] * 3,
            np.int32(self.capacity),
            None,
            np.int32(1),
            None,
            np.int32(0),
        )
        self.launch = kernel.bind(self.grid, block, arguments)

    def take(self) -> None:
        done, queues, records, self.control = self.allocate(
            self.graph.vertices, 2 * self.capacity, 2 * self.lanes * self.graph.vertices, _CONTROL_WORDS
        )
        self.control.fill(0)
        arrays = (self.distances, done, queues, np.int32(self.capacity), records, np.int32(1), self.control)
        self.launch.replace(_ARRAYS, *arrays)
        self.set = 0

    def begin(self) -> None:
        self.launch.replace(_SOURCE, np.int32(self.source))

    def iterate(self, first: int, last: int) -> None:
        self.launch.replace(_SET, np.int32(self.set))
        self.set = 1 - self.set
        super().iterate(first, last)
        self.launch.replace(_NOW, np.int32(0))

    @property
    def outcome(self) -> Any:
        return self.control[:1]

    def check_outcome(self, outcome: int) -> None:
        if outcome:
            self.forget()
            raise DeviceError("near_far queue gave up: its blocks waited too long for one another")

    def forget(self) -> None:
        super().forget()
        self.control = None
        self.launch.replace(_ARRAYS, *[None] * 3, np.int32(self.capacity), None, np.int32(1), None)


def first_delta(graph: Graph) -> int:
    """Two and a half times the mean weight over the mean degree, at least 1."""
    mean = float(graph.weights.mean(dtype=np.float64)) if graph.arcs else 1
    return min(max(1, ceil(2.5 * mean * graph.vertices / max(1, graph.arcs))), 2**30)


VARIANT = Variant(
    problem="sssp",
    summary="near-far by queues of the frontier, several hops between meetings, for long paths",
    plan=QueuePlan,
    kernels=(KERNEL, predecessors.KERNEL),
    negative_arcs=False,
    same_cost=False,
    optional_predecessors=True,
    smallest={"block": (32,), "share": 1, "macros": {"LISTED": 2, "HEAVY_ARCS": 3}},
)
