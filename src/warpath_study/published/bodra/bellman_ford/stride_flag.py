"""Bellman-Ford, stride_flag: stride that relaxes only vertices whose distance fell in the round before."""

from pathlib import Path

from warpath.device import Device
from warpath.graphs.csr import Graph

from ...shared import predecessors
from ...shared.plan import PlanVariant
from ._rounds import BLOCK, RoundsPlan, blocks_for_half

KERNEL = Path(__file__).with_suffix(".cu")


def plan(device: Device, graph: Graph, source: int, block: tuple[int] = BLOCK) -> RoundsPlan:
    blocks = blocks_for_half(graph.vertices, block)
    return RoundsPlan(device, graph, source, KERNEL, KERNEL, blocks, block, flagged=True)


VARIANT = PlanVariant(
    origin="bodra",
    plan=plan,
    kernels=(KERNEL, predecessors.KERNEL),
    smallest={"block": (32,)},
)
