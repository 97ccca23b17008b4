"""Floyd-Warshall, tiled: 32 x 32 tiles in three phases, in global memory."""

from pathlib import Path

from warpath.device import Device
from warpath.graphs.csr import Graph
from warpath.solvers import predecessors
from warpath.solvers.predecessors import BLOCK
from warpath.solvers.registry import Variant

from ._matrices import TilePlan

KERNEL = Path(__file__).with_suffix(".cu")
TILE = 32  # as published


def plan(
    device: Device, graph: Graph, source: None = None, tile: int = TILE, tree_block: tuple[int] = BLOCK
) -> TilePlan:
    return TilePlan(device, graph, KERNEL, tile, tree_block)


VARIANT = Variant(
    problem="apsp",
    origin="bodra",
    summary="32 x 32 tiles in three phases, in global memory",
    plan=plan,
    kernels=(KERNEL, predecessors.KERNEL),
    smallest={"tile": 4, "tree_block": (32,)},
)
