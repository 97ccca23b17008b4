"""Floyd-Warshall, tiled_shared: the three phases on tiles in shared memory."""

from functools import partial
from pathlib import Path

from ...shared import predecessors
from ...shared.plan import PlanVariant
from ._matrices import TilePlan

KERNEL = Path(__file__).with_suffix(".cu")

VARIANT = PlanVariant(
    origin="bodra",
    plan=partial(TilePlan, kernel_file=KERNEL),
    kernels=(KERNEL, predecessors.KERNEL),
    smallest={"tile": 4, "tree_block": (32,)},
)
