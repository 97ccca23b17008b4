"""Bellman-Ford, stride_flag: stride that relaxes only vertices whose distance fell in the round before."""

from pathlib import Path

from ...device import Device
from ...graphs.csr import Graph
from ..registry import Variant
from .rounds import RoundsPlan, blocks_for_half

KERNEL = Path(__file__).with_suffix(".cu")


def plan(device: Device, graph: Graph, source: int) -> RoundsPlan:
    return RoundsPlan(device, graph, source, KERNEL, blocks_for_half(graph.vertices), flagged=True)


VARIANT = Variant(
    problem="sssp",
    paper="bodra",
    summary="stride that relaxes only vertices whose distance fell in the round before",
    plan=plan,
    kernel=KERNEL,
)
