"""Bellman-Ford, naive: one thread a vertex, n - 1 rounds of relax and copy."""

from pathlib import Path

from ...device import Device
from ...graphs.csr import Graph
from ..registry import Variant
from .rounds import RoundsPlan, blocks_for_all

KERNEL = Path(__file__).with_suffix(".cu")


def plan(device: Device, graph: Graph, source: int) -> RoundsPlan:
    return RoundsPlan(device, graph, source, KERNEL, blocks_for_all(graph.vertices), flagged=False)


VARIANT = Variant(
    problem="sssp",
    paper="bodra",
    summary="one thread a vertex, n - 1 rounds of relax and copy",
    plan=plan,
    kernel=KERNEL,
)
