"""Label correcting, four_arcs: distances followed depth first over k steps, four arcs of a vertex read at once."""

from pathlib import Path

from .. import predecessors
from ..lengths import invert_negative
from ..source_plan import UnreadLaunchesPlan
from ..variant import Parameter, Variant

KERNEL = Path(__file__).with_suffix(".cu")
PARAMETERS = {
    "k": Parameter("steps that a thread follows a distance", default=4, low=1, high=16),
    "vertices_per_thread": Parameter("neighbouring vertices of one thread", default=2, low=1, high=32),
    "unread_launches": Parameter("launches before the host first reads the flag", default=32, low=0),
}


class FourArcsPlan(UnreadLaunchesPlan):
    kernel = KERNEL

    def finish(self) -> None:
        if "NEGATIVE_WEIGHTS" in self.macros:
            invert_negative(self.distances)
        super().finish()


VARIANT = Variant(
    problem="sssp",
    summary="locality that reads four arcs of a vertex at once",
    plan=FourArcsPlan,
    kernels=(KERNEL, predecessors.KERNEL, predecessors.TREES_KERNEL),
    only_for_trees=(predecessors.TREES_KERNEL,),
    smallest={"block": (32,)},
    same_cost=False,
    floats=True,
    parameters=PARAMETERS,
    counted=("atomics",),
)
