"""Bellman-Ford, ell: stride over rows padded to equal length."""

from pathlib import Path

import numpy as np

from warpath.device import Device
from warpath.errors import OutOfMemoryError
from warpath.graphs.csr import Graph
from warpath.system import host_machine

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
        _check_size(device, graph)
        super().__init__(device, graph, source, KERNEL, UPDATE, blocks_for_half(graph.vertices, block), block)
        heads, weights = padded_rows(graph)
        self.arcs = {
            "slots": np.int32(len(heads)),
            "heads": device.upload(heads),
            "weights": device.upload(weights),
        }


def slots(graph: Graph) -> int:
    """The largest out-degree."""
    return int(np.diff(graph.indptr).max())


def padded_rows(graph: Graph) -> tuple[np.ndarray, np.ndarray]:
    """Heads and weights, each of shape (slots, n), int32: row s holds arc s of every vertex, or PADDING."""
    shape = (slots(graph), graph.vertices)
    heads, weights = np.full(shape, PADDING, np.int32), np.zeros(shape, np.int32)
    tails = graph.tails()
    slot = np.arange(graph.arcs) - graph.indptr[tails]
    heads[slot, tails] = graph.indices
    weights[slot, tails] = graph.weights
    return heads, weights


def _check_size(device: Device, graph: Graph) -> None:
    needed_bytes = 8 * slots(graph) * graph.vertices
    for name, (free_bytes, _) in ((device.name, device.memory_bytes()), ("this machine", host_machine.memory_bytes())):
        if needed_bytes > free_bytes:
            raise OutOfMemoryError(
                f"the graph with rows padded to {slots(graph):,} arcs, its largest out-degree, takes {needed_bytes:,} "
                f"bytes, and {name} has {free_bytes:,} free; use bellman_ford stride, which needs no padding"
            )


VARIANT = PlanVariant(
    plan=EllPlan,
    kernels=(KERNEL, UPDATE, predecessors.KERNEL),
    smallest={"block": (32,)},
)
