"""Bellman-Ford, ell: stride over rows padded to equal length."""

from pathlib import Path

import numpy as np

from warpath.device import Device
from warpath.device.cpu import CpuDevice
from warpath.graphs.csr import Graph

from ...published.bodra.bellman_ford import stride
from ...published.bodra.bellman_ford._rounds import BLOCK, RoundsPlan, blocks_for_half
from ...published.shared import predecessors
from ...published.shared.plan import PlanVariant

KERNEL = Path(__file__).with_suffix(".cu")
UPDATE = stride.KERNEL
PADDING = -1


class EllPlan(RoundsPlan):
    """``relax`` reads arcs in ELL form, and predecessors are found from CSR; both are on the device before.

    Raises OutOfMemoryError if the padded rows do not fit the device or this machine.
    """

    def __init__(self, device: Device, graph: Graph, source: int, block: tuple[int] = BLOCK):
        super().__init__(device, graph, source, KERNEL, UPDATE, blocks_for_half(graph.vertices, block), block)
        heads, weights = padded_rows(graph)
        self.arcs = {
            "slots": np.int32(len(heads)),
            "heads": device.upload(heads),
            "weights": device.upload(weights),
        }


def padded_rows(graph: Graph) -> tuple[np.ndarray, np.ndarray]:
    """Heads and weights, each of shape (slots, n), int32: row s holds arc s of every vertex, or PADDING.

    Raises OutOfMemoryError if they do not fit this machine.
    """
    shape = (int(np.diff(graph.indptr).max()), graph.vertices)
    heads, weights = (CpuDevice().empty(shape, np.int32) for _ in range(2))
    heads.fill(PADDING)
    weights.fill(0)
    tails = graph.tails()
    slot = np.arange(graph.arcs) - graph.indptr[tails]
    heads[slot, tails] = graph.indices
    weights[slot, tails] = graph.weights
    return heads, weights


VARIANT = PlanVariant(
    plan=EllPlan,
    kernels=(KERNEL, UPDATE, predecessors.KERNEL),
    smallest={"block": (32,)},
)
