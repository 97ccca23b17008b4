"""Transitive closure, cpu: serial, whole rows at a time."""

import numba
import numpy as np

from warpath.device import Device
from warpath.graphs.csr import Graph
from warpath.solvers.solver import Closure

from ...shared.plan import Plan, PlanVariant
from .naive import fill_starting_cells


class SerialPlan(Plan[Graph]):
    """An iteration is one intermediate vertex."""

    def __init__(self, device: Device, graph: Graph, source: None = None):
        super().__init__(device, graph)
        self.iterations = graph.vertices
        self.cells = np.empty((graph.vertices, graph.vertices), np.uint8)

    def reset(self) -> None:
        fill_starting_cells(self.graph, self.cells)

    def upload(self) -> None:
        """Nothing to do: the matrix is already where it is needed."""

    def iterate(self, first: int, last: int) -> None:
        join_through(first, last, self.cells)

    def download(self) -> Closure:
        return Closure(self.cells)


@numba.njit(cache=True)
def join_through(first: int, last: int, cells: np.ndarray) -> None:
    vertices = cells.shape[0]
    for k in range(first, last):
        for i in range(vertices):
            if cells[i, k]:
                for j in range(vertices):  # a loop without a branch, which compilers turn into vector instructions
                    cells[i, j] |= cells[k, j]


VARIANT = PlanVariant(
    origin="katz_kider",
    plan=SerialPlan,
    on_cpu=True,
    compiled=(join_through,),
)
