"""What the solvers of near-far share: one launch of as many blocks as run at a time, with a barrier of all."""

from math import ceil

import numpy as np

from ....device import Device
from ....errors import DeviceError
from ....graphs.csr import Graph

CONTROL_WORDS = 2 * 128
"""Two sets of four lines; see rounds.cuh and queue.cu. Each launch clears the set of the next one."""
STATUS_WORDS = 4
GAVE_UP = 0  # a word of the status
DELTA_MAX = 2**30
BLOCK = 512
BLOCK_ALONE = 64
"""The simulated GPU runs one block at a time, and more threads take longer."""


def default_block(device: Device) -> tuple[int]:
    """The default number of threads of a block on ``device``."""
    return (BLOCK if device.kind == "cuda" else BLOCK_ALONE,)


def gave_up(name: str) -> DeviceError:
    """What to raise if the kernel of the solver ``name`` gave up."""
    return DeviceError(f"near_far {name} gave up: a block waited too long, or the kernel took too many rounds")


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
