"""Floyd-Warshall, tiled: 32 x 32 tiles in three phases, in global memory."""

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
