"""Floyd-Warshall, super_naive: a thread a pair, 32 x 32 blocks."""

from pathlib import Path

from warpath.device import Device
from warpath.graphs.csr import Graph

from ...shared.grids import blocks_over
from ...shared.plan import PlanVariant
from ._matrices import VertexPlan

KERNEL = Path(__file__).with_suffix(".cu")
BLOCK = (32, 32)  # as published


def plan(device: Device, graph: Graph, source: None = None, block: tuple[int, int] = BLOCK) -> VertexPlan:
    grid = (blocks_over(graph.vertices, block[0]), blocks_over(graph.vertices, block[1]))
    return VertexPlan(device, graph, KERNEL, grid, block)


VARIANT = PlanVariant(
    origin="bodra",
    plan=plan,
    kernels=(KERNEL,),
    smallest={"block": (8, 4)},
)
