"""Floyd-Warshall, naive: a thread a row."""

from pathlib import Path

from ...device import Device
from ...graphs.csr import Graph
from ..registry import Variant
from .matrices import THREADS_PER_BLOCK, VertexPlan

KERNEL = Path(__file__).with_suffix(".cu")


def plan(device: Device, graph: Graph, source: None = None) -> VertexPlan:
    return VertexPlan(device, graph, KERNEL, (-(-graph.vertices // THREADS_PER_BLOCK),), (THREADS_PER_BLOCK,))


VARIANT = Variant(
    problem="apsp",
    paper="bodra",
    summary="a thread a row",
    plan=plan,
    kernel=KERNEL,
)
