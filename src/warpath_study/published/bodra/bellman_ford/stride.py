"""Bellman-Ford, stride: naive with a grid-stride loop over half the blocks."""

from pathlib import Path

from warpath.device import Device
from warpath.graphs.csr import Graph

from ...shared import predecessors
from ...shared.plan import PlanVariant
from ._rounds import BLOCK, RoundsPlan, blocks_for_half

KERNEL = Path(__file__).with_suffix(".cu")


def plan(device: Device, graph: Graph, source: int, block: tuple[int] = BLOCK) -> RoundsPlan:
    blocks = blocks_for_half(graph.vertices, block)
    return RoundsPlan(device, graph, source, KERNEL, KERNEL, blocks, block)


VARIANT = PlanVariant(
    origin="bodra",
    plan=plan,
    kernels=(KERNEL, predecessors.KERNEL),
    smallest={"block": (32,)},
)
