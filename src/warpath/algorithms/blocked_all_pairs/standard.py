"""Blocked all pairs, standard: the baseline without blocks, a thread a pair, a launch a vertex."""

from pathlib import Path

from ...device import Device
from ...graphs.csr import Graph
from ..registry import Variant
from .cells import CellPlan

KERNEL = Path(__file__).with_suffix(".cu")
BLOCK = (32, 8)


class StandardPlan(CellPlan):
    """An iteration is one intermediate vertex."""

    def __init__(self, device: Device, graph: Graph, source: None = None):
        super().__init__(device, graph, KERNEL, ("relax",))
        self.iterations = graph.vertices
        # Rows that the grid's y axis does not reach are taken by the same threads in further steps.
        self.grid = (-(-graph.vertices // BLOCK[0]), min(-(-graph.vertices // BLOCK[1]), 65535))

    def iterate(self, first: int, last: int) -> None:
        for k in range(first, last):
            self.launch("relax", k, self.grid, BLOCK)


VARIANT = Variant(
    problem="apsp",
    paper="katz_kider",
    summary="without blocks: a thread a pair, a launch a vertex",
    plan=StandardPlan,
    kernel=KERNEL,
)
