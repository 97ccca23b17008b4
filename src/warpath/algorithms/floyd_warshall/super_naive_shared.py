"""Floyd-Warshall, super_naive_shared: super_naive with d[i][k] in shared memory, 1024 x 1 blocks."""

from pathlib import Path

from ...device import Device
from ...graphs.csr import Graph
from ..registry import Variant
from .matrices import THREADS_PER_BLOCK, VertexPlan

KERNEL = Path(__file__).with_suffix(".cu")
GRID_Y_MAX = 65_535


def plan(device: Device, graph: Graph, source: None = None) -> VertexPlan:
    rows = min(graph.vertices, GRID_Y_MAX)
    grid = (-(-graph.vertices // THREADS_PER_BLOCK), rows, -(-graph.vertices // rows))
    return VertexPlan(device, graph, KERNEL, grid, (THREADS_PER_BLOCK,))


VARIANT = Variant(
    problem="apsp",
    paper="bodra",
    summary="super_naive with d[i][k] in shared memory, 1024 x 1 blocks",
    plan=plan,
    kernel=KERNEL,
)
