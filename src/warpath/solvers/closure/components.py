"""Transitive closure, components: on the CPU, a row of bits for each strongly connected component."""

import numpy as np

from ...device import Device, open_device
from ...graphs.csr import Graph
from ..plan import Closure, Plan
from ..shared.grids import blocks_over
from ..variant import Variant

BITS = 64


class ComponentsPlan(Plan[Graph]):
    """An iteration is one component, whose row is that of its own vertices and of the components after it.

    SciPy numbers components in the order in which its depth-first search completes them, so arcs between two of them
    lead to the smaller number.
    """

    def __init__(self, device: Device, graph: Graph, source: None = None):
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        super().__init__(open_device("cpu"), graph)
        shape = graph.vertices, graph.vertices
        arcs = csr_array((np.ones(graph.arcs, np.int8), graph.indices, graph.indptr), shape=shape)
        self.iterations, self.components = connected_components(arcs, connection="strong")
        pairs = np.stack([self.components[graph.tails()], self.components[graph.indices]])
        self.tails, self.heads = np.unique(pairs[:, pairs[0] != pairs[1]], axis=1)
        self.starts = np.searchsorted(self.tails, np.arange(self.iterations + 1))

    def upload(self) -> None:
        vertices = np.arange(self.graph.vertices)
        self.rows = np.zeros((self.iterations, blocks_over(len(vertices), BITS)), np.uint64)
        bits = np.uint64(1) << (vertices % BITS).astype(np.uint64)
        np.bitwise_or.at(self.rows, (self.components, vertices // BITS), bits)

    def iterate(self, first: int, last: int) -> None:
        for component in range(first, last):
            after = self.heads[self.starts[component] : self.starts[component + 1]]
            self.rows[component] |= np.bitwise_or.reduce(self.rows[after], axis=0)

    def download(self) -> Closure:
        return Closure(self.rows[self.components])


VARIANT = Variant(
    plan=ComponentsPlan,
    on_cpu=True,
    same_cost=False,
)
