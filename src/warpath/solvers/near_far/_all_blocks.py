"""What the plans of near-far share: one launch of as many blocks as run at a time, which meet between rounds."""

from abc import abstractmethod
from typing import Any

import numpy as np

from ...device import Device
from ...errors import DeviceError
from ...graphs.csr import Graph
from ..source_plan import OneLaunchPlan

CONTROL_WORDS = 32 + 2 * 128
"""A line for the status, and two sets of four lines; see rounds.cuh and queue.cu."""
DELTA_MAX = 2**30
BLOCK = 512
BLOCK_ALONE = 64
"""Where one block runs at a time, as on the host device, more threads only take longer."""


def default_block(device: Device) -> tuple[int]:
    """The number of threads of a block on ``device``."""
    return (BLOCK if device.kind == "cuda" else BLOCK_ALONE,)


class AllBlocksPlan(OneLaunchPlan):
    """All rounds are one launch, ``launch``. The graph is on the device before the timed region.

    A subclass says where its kernel takes the source, the first array of a solve and the set of control words.
    """

    name: str
    source_position: int
    arrays_position: int
    set_position: int
    control: Any = None
    set: int

    @abstractmethod
    def arrays(self) -> tuple[Any, ...]:
        """Allocate the arrays of a solve, as the kernel takes them; ``control`` is the last."""

    def take(self) -> None:
        """The kernel writes all starting values but those of ``control``, which a solve leaves clean."""
        arrays = self.arrays()
        self.control = arrays[-1]
        self.control.fill(0)
        self.launch.replace(self.arrays_position, *arrays)
        self.arrays_count, self.set = len(arrays), 0

    def begin(self) -> None:
        self.launch.replace(self.source_position, np.int32(self.source))

    def iterate(self, first: int, last: int) -> None:
        self.launch.replace(self.set_position, np.int32(self.set))
        self.set = 1 - self.set
        super().iterate(first, last)

    @property
    def outcome(self) -> Any:
        return self.control[:1]

    def check_outcome(self, outcome: int) -> None:
        if outcome:
            self.forget()  # the blocks that gave up left the words of control as they were
            raise DeviceError(f"near_far {self.name} gave up: its blocks waited too long for one another")

    def forget(self) -> None:
        super().forget()
        self.control = None
        self.launch.replace(self.arrays_position, *[None] * self.arrays_count)


def mean_weight(graph: Graph, sampled: int) -> float:
    """The mean weight of about so many arcs, at even distances; 1 where there is none."""
    return float(graph.weights[:: max(1, graph.arcs // sampled)].mean(dtype=np.float64)) if graph.arcs else 1.0
