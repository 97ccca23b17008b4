"""Blocked all pairs, cpu: serial, the triple loop without blocks."""

from warpath.device import Device
from warpath.graphs.csr import Graph
from warpath.solvers.matrices import grow_trees, resolve
from warpath.solvers.registry import Variant

from ._host_cells import HostPlan, relax_vertex_by_vertex


class SerialPlan(HostPlan):
    """An iteration is one intermediate vertex."""

    def __init__(self, device: Device, graph: Graph, source: None = None):
        super().__init__(device, graph)
        self.iterations = graph.vertices

    def iterate(self, first: int, last: int) -> None:
        whole = (0, self.graph.vertices)
        relax_vertex_by_vertex(*whole, *whole, first, last, self.unsigned_lengths, self.intermediates)


VARIANT = Variant(
    problem="apsp",
    origin="katz_kider",
    summary="serial, the triple loop without blocks",
    plan=SerialPlan,
    on_cpu=True,
    compiled=(relax_vertex_by_vertex, grow_trees, resolve),
    negative_arcs=False,
)
