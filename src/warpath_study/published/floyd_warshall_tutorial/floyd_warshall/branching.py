"""Floyd-Warshall, branching: a pair is written if it improves, by a grid of any size."""

from pathlib import Path

from warpath.device import Device
from warpath.graphs.csr import Graph

from ...bodra.floyd_warshall._matrices import MatrixPlan
from ...shared import predecessors
from ...shared.plan import PlanVariant
from .branchless import BLOCK, GRID, BranchlessPlan

KERNEL = Path(__file__).with_suffix(".cu")


class BranchingPlan(BranchlessPlan):
    """As BranchlessPlan, with the other kernel."""

    def __init__(
        self,
        device: Device,
        graph: Graph,
        source: None = None,
        grid: tuple[int, ...] = GRID,
        block: tuple[int, ...] = BLOCK,
        tree_block: tuple[int] = predecessors.BLOCK,
    ):
        # Not that of BranchlessPlan, which names its own kernel and is frozen.
        MatrixPlan.__init__(self, device, graph, KERNEL, ("relax",))
        self.grid, self.block = grid, block
        self.trees = predecessors.OfRows(device, graph, tree_block)


VARIANT = PlanVariant(
    origin="floyd_warshall_tutorial",
    plan=BranchingPlan,
    kernels=(KERNEL, predecessors.KERNEL),
    smallest={"grid": (3,), "block": (32,), "tree_block": (32,)},
)
