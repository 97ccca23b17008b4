"""Label correcting, locality: depth-first relaxation over k steps, and launches that the host does not wait for."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from warpath.device import Device
from warpath.graphs.csr import Graph
from warpath.solvers import predecessors
from warpath.solvers.source_plan import UnreadLaunchesPlan
from warpath.solvers.variant import Parameter, Variant

from .harish import KERNEL as KERNEL_THAT_TUNES
from .harish import HarishPlan

KERNEL = Path(__file__).with_suffix(".cu")
PARAMETERS = {
    "k": Parameter("steps that a thread follows a distance", default=4, low=1, high=16),
    "vertices_per_thread": Parameter("neighbouring vertices of one thread", default=2, low=1, high=32),
    "unread_launches": Parameter("launches before the host first reads the flag (the paper's N)", default=32, low=0),
}
# How many trial runs of harish tune unread_launches.
TRIAL_SOURCES = 10


class LocalityPlan(UnreadLaunchesPlan):
    kernel = KERNEL


def tune(device: Device, graph: Graph, sources: Sequence[int], settings: Mapping[str, int]) -> dict[str, int]:
    """N as published: the fewest iterations that harish takes from any of some sources, divided by k."""
    iterations = []
    for source in sources[:TRIAL_SOURCES]:
        trial = HarishPlan(device, graph, source)
        trial.solve()
        iterations.append(trial.counters["iterations"])
    return {"unread_launches": min(iterations) // settings["k"]}


VARIANT = Variant(
    problem="sssp",
    origin="safari_ebnenasir",
    summary="distances followed k steps depth first, one launch an iteration, most launches not waited for",
    plan=LocalityPlan,
    kernels=(KERNEL, predecessors.KERNEL, KERNEL_THAT_TUNES),
    smallest={"block": (32,)},
    same_cost=False,
    parameters=PARAMETERS,
    counted=("atomics",),
    tune=tune,
)
