"""Floyd-Warshall, tiled: 32 x 32 tiles in three phases, in global memory."""

from pathlib import Path

from ...device import Device
from ...graphs.csr import Graph
from ..registry import Variant
from .matrices import TilePlan

KERNEL = Path(__file__).with_suffix(".cu")


def plan(device: Device, graph: Graph, source: None = None) -> TilePlan:
    return TilePlan(device, graph, KERNEL)


VARIANT = Variant(
    problem="apsp",
    paper="bodra",
    summary="32 x 32 tiles in three phases, in global memory",
    plan=plan,
    kernel=KERNEL,
)
