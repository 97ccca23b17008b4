"""Bellman-Ford, stride: naive with a grid-stride loop over half the blocks."""

from pathlib import Path

from ...device import Device
from ...graphs.csr import Graph
from ..registry import Variant
from .rounds import RoundsPlan, blocks_for_half

KERNEL = Path(__file__).with_suffix(".cu")


def plan(device: Device, graph: Graph, source: int) -> RoundsPlan:
    return RoundsPlan(device, graph, source, KERNEL, blocks_for_half(graph.vertices), flagged=False)


VARIANT = Variant(
    problem="sssp",
    paper="bodra",
    summary="naive with a grid-stride loop over half the blocks",
    plan=plan,
    kernel=KERNEL,
)
