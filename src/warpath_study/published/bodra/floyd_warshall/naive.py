"""Floyd-Warshall, naive: a thread a row."""

from pathlib import Path

from warpath.device import Device
from warpath.graphs.csr import Graph

from ...shared.grids import blocks_over
from ...shared.plan import PlanVariant
from ._matrices import VertexPlan

KERNEL = Path(__file__).with_suffix(".cu")
BLOCK = (1024,)  # as published


def plan(device: Device, graph: Graph, source: None = None, block: tuple[int] = BLOCK) -> VertexPlan:
    return VertexPlan(device, graph, KERNEL, (blocks_over(graph.vertices, block[0]),), block)


VARIANT = PlanVariant(origin="bodra", plan=plan, kernels=(KERNEL,), smallest={"block": (32,)})
