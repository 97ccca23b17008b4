"""Transitive closure, components: on the CPU, a row of bits for each strongly connected component."""

import numpy as np

from ...device.resident import Resident
from ..shared.grids import blocks_over
from ..solver import Closure, ClosureSolver
from ..variant import Variant

BITS = 64


class Components(ClosureSolver):
    """The row of a component is that of its own vertices and of the components after it.

    SciPy numbers components in the order in which its depth-first search completes them, so arcs between two of them
    lead to the smaller number.
    """

    def __init__(self, resident: Resident):
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        super().__init__()
        graph = self.graph = resident.graph
        shape = graph.vertices, graph.vertices
        arcs = csr_array((np.ones(graph.arcs, np.int8), graph.indices, graph.indptr), shape=shape)
        self.count, self.components = connected_components(arcs, connection="strong")
        pairs = np.stack([self.components[graph.tails()], self.components[graph.indices]])
        self.tails, self.heads = np.unique(pairs[:, pairs[0] != pairs[1]], axis=1)
        self.starts = np.searchsorted(self.tails, np.arange(self.count + 1))

    def solve(self) -> Closure:
        vertices = np.arange(self.graph.vertices)
        rows = np.zeros((self.count, blocks_over(len(vertices), BITS)), np.uint64)
        bits = np.uint64(1) << (vertices % BITS).astype(np.uint64)
        np.bitwise_or.at(rows, (self.components, vertices // BITS), bits)
        for component in range(self.count):
            after = self.heads[self.starts[component] : self.starts[component + 1]]
            rows[component] |= np.bitwise_or.reduce(rows[after], axis=0)
        return Closure(rows[self.components])


VARIANT = Variant(
    solver=Components,
    on_cpu=True,
    same_cost=False,
)
