"""Floyd-Warshall, super_naive_shared: super_naive with d[i][k] in shared memory, 1024 x 1 blocks."""

from pathlib import Path

from warpath.device import Device
from warpath.graphs.csr import Graph

from ...shared.grids import GRID_Y_MAX, blocks_over
from ...shared.plan import PlanVariant
from ._matrices import VertexPlan

KERNEL = Path(__file__).with_suffix(".cu")
BLOCK = (1024,)  # as published


def plan(
    device: Device, graph: Graph, source: None = None, block: tuple[int] = BLOCK, y_max: int = GRID_Y_MAX
) -> VertexPlan:
    """Rows go on along the grid's z axis where its y axis ends, at ``y_max``."""
    rows = min(graph.vertices, y_max)
    grid = (blocks_over(graph.vertices, block[0]), rows, blocks_over(graph.vertices, rows))
    return VertexPlan(device, graph, KERNEL, grid, block)


VARIANT = PlanVariant(
    origin="bodra",
    plan=plan,
    kernels=(KERNEL,),
    smallest={"block": (32,), "y_max": 5},
)
