"""Floyd-Warshall, super_naive: a thread a pair, 32 x 32 blocks."""

from pathlib import Path

from ...device import Device
from ...graphs.csr import Graph
from ..registry import Variant
from .matrices import VertexPlan

KERNEL = Path(__file__).with_suffix(".cu")
BLOCK = (32, 32)


def plan(device: Device, graph: Graph, source: None = None) -> VertexPlan:
    blocks = -(-graph.vertices // 32)
    return VertexPlan(device, graph, KERNEL, (blocks, blocks), BLOCK)


VARIANT = Variant(
    problem="apsp",
    paper="bodra",
    summary="a thread a pair, 32 x 32 blocks",
    plan=plan,
    kernel=KERNEL,
)
