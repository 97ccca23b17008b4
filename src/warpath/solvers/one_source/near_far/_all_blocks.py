"""The common part of the plans of near-far: one launch of as many blocks as run at a time, with a barrier of all."""

from abc import abstractmethod
from math import ceil
from typing import Any

import numpy as np

from ....device import Device
from ....errors import DeviceError
from ....graphs.csr import Graph
from ..source_plan import OneLaunchPlan

CONTROL_WORDS = 2 * 128
"""Two sets of four lines; see rounds.cuh and queue.cu."""
GAVE_UP = 0  # a word of the status
DELTA_MAX = 2**30
BLOCK = 512
BLOCK_ALONE = 64
"""The simulated GPU runs one block at a time, and more threads take longer."""


def default_block(device: Device) -> tuple[int]:
    """The default number of threads of a block on ``device``."""
    return (BLOCK if device.kind == "cuda" else BLOCK_ALONE,)


class AllBlocksPlan(OneLaunchPlan):
    """A solve is one launch, or two if it is begun with a limit. The graph is on the device before the timed region."""

    name: str
    control: Any = None
    control_set: int

    @abstractmethod
    def of_answer(self) -> dict[str, Any]:
        """The arrays of the answer, arguments of the kernel."""

    @abstractmethod
    def allocate(self) -> dict[str, Any]:
        """Allocate the other arrays, arguments of the kernel; one is ``control``."""

    def bind_arrays(self) -> None:
        """Only ``control`` needs starting values; each launch clears the control words of the next one."""
        if self.control is None:
            others = self.allocate()
            self.control = others["control"]
            self.control.fill(0)
            self.launch.set(**others)
            self.control_set = 0
        self.launch.set(**self.of_answer())

    def unbind_arrays(self) -> None:
        self.launch.set(**dict.fromkeys(self.of_answer()))

    def begin(self) -> None:
        self.status.fill(0)
        self.launch.set(source=np.int32(self.source))

    def iterate(self, first: int, last: int) -> None:
        self.launch.set(set=np.int32(self.control_set))
        self.control_set = 1 - self.control_set
        super().iterate(first, last)

    def check_outcome(self) -> None:
        if self.status[GAVE_UP]:
            self.drop_answer()
            self.control = None  # its words are not clear
            raise DeviceError(
                f"near_far {self.name} gave up: a block waited too long, or the kernel took too many rounds"
            )


def usual_delta(graph: Graph, sample_size: int) -> float:
    """2.5 times the mean weight divided by the mean degree; in whole numbers, if the weights are, and at least 1.

    The mean is that of about ``sample_size`` evenly spaced arcs. Weights of zero have the step 1.
    """
    if not graph.arcs:
        return 1
    with np.errstate(over="ignore"):
        mean = float(graph.weights[:: max(1, graph.arcs // sample_size)].mean(dtype=np.float64))
    delta = 2.5 * mean * graph.vertices / graph.arcs
    if graph.has_floats:
        return min(delta, delta_max(graph)) or 1.0
    return min(max(1, ceil(delta)), DELTA_MAX)


def delta_max(graph: Graph) -> float:
    """The largest step of the threshold."""
    return float(np.finfo(graph.weights.dtype).max) / 4 if graph.has_floats else DELTA_MAX
