"""What the variants on the CPU share: the two matrices, and predecessors at the end."""

import numba
import numpy as np

from warpath.device import Device
from warpath.graphs.csr import Graph
from warpath.solvers import matrices
from warpath.solvers.matrices import grow_trees, resolve
from warpath.solvers.plan import Plan, Solution
from warpath.solvers.predecessors import trees_needed

Index = int | np.unsignedinteger


class HostPlan(Plan[Graph]):
    """Lengths and intermediate vertices, shape (n, n), int32, solved in place. A subclass says what an iteration is.

    Lengths are read as unsigned numbers, so negative weights are not allowed.
    """

    def __init__(self, device: Device, graph: Graph, source: None = None):
        super().__init__(device, graph)
        self.lengths = np.empty((graph.vertices, graph.vertices), np.int32)
        self.unsigned_lengths = self.lengths.view(np.uint32)
        self.intermediates = np.empty((graph.vertices, graph.vertices), np.int32)

    def reset(self) -> None:
        matrices.fill_starting_paths(self.graph, self.lengths, self.intermediates)

    def upload(self) -> None:
        """Nothing to do: the matrices are already where they are needed."""

    def finish(self) -> None:
        if trees_needed(self.graph):
            grow_trees(self.graph, self.lengths, self.intermediates)
        else:
            resolve(self.intermediates)

    def download(self) -> Solution:
        return Solution(self.lengths, self.intermediates)

    def release(self) -> None:
        pass


@numba.njit(cache=True)
def relax_vertex_by_vertex(
    top: Index,
    bottom: Index,
    low: Index,
    high: Index,
    start: Index,
    stop: Index,
    lengths: np.ndarray,
    intermediates: np.ndarray,
) -> None:
    """Relax rows top..bottom-1 and columns low..high-1 through the vertices start..stop-1; lengths are uint32.

    Unreachable lengths are not tested for, so that every vertex takes the same time: a sum with one of them fits 32
    unsigned bits and is never below a length.
    """
    for k in range(start, stop):
        # A copy: the compiler then sees that the loop reads nothing that it writes, and uses vector instructions.
        from_k = lengths[k, low:high].copy()
        for i in range(top, bottom):
            row, owed = lengths[i, low:high], intermediates[i, low:high]
            to_k = lengths[i, k]
            for j in range(len(row)):
                candidate = np.uint32(to_k + from_k[j])
                length = row[j]
                owed[j] = np.int32(k) if candidate < length else owed[j]
                row[j] = min(candidate, length)
