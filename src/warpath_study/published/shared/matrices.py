"""All pairs in matrices: what they start from, predecessors at the end, and plans of two matrices on one device."""

from pathlib import Path
from typing import Any

import numba
import numpy as np

from warpath.device import Device, Kernel, Launch, Stream
from warpath.distances import NO_PREDECESSOR, UNREACHABLE
from warpath.graphs.csr import Graph
from warpath.system.locks import on_all_cores

from .grids import CellGrid
from .plan import Plan, Solution
from .predecessors import trees_needed

RESOLVE = Path(__file__).with_name("resolve.cu")
CELL_GRID = CellGrid()


def fill_costs(graph: Graph, costs: np.ndarray) -> None:
    """Weights of the arcs, shape (n, n): the lightest of parallel arcs, UNREACHABLE where there is no arc."""
    costs.fill(UNREACHABLE)
    np.minimum.at(costs, (graph.tails(), graph.indices), graph.weights)


def fill_starting_paths(graph: Graph, distances: np.ndarray, predecessors: np.ndarray) -> None:
    """Paths of at most one arc, shape (n, n): 0 on the diagonal, the tail as predecessor of each head."""
    fill_costs(graph, distances)
    predecessors.fill(NO_PREDECESSOR)
    tails = graph.tails()
    predecessors[tails, graph.indices] = tails
    np.fill_diagonal(distances, 0)
    np.fill_diagonal(predecessors, NO_PREDECESSOR)


def grow_trees(graph: Graph, lengths: np.ndarray, predecessors: np.ndarray) -> None:
    """Overwrite ``predecessors`` with trees of tight arcs under the final ``lengths``; both of shape (n, n)."""
    _grow_trees(graph.indptr, graph.indices, graph.weights, lengths, predecessors)


@on_all_cores
@numba.njit(parallel=True, cache=True)
def _grow_trees(
    indptr: np.ndarray, indices: np.ndarray, weights: np.ndarray, lengths: np.ndarray, predecessors: np.ndarray
) -> None:
    for source in numba.prange(len(lengths)):
        _grow_tree(indptr, indices, weights, source, lengths[source], predecessors[source])


@numba.njit(cache=True)
def _grow_tree(
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray,
    source: int,
    lengths: np.ndarray,
    predecessors: np.ndarray,
) -> None:
    predecessors[:] = NO_PREDECESSOR
    hanging = np.empty(len(lengths), np.int32)
    hanging[0] = source
    count = 1
    at = 0
    while at < count:
        tail = hanging[at]
        at += 1
        for arc in range(indptr[tail], indptr[tail + 1]):
            head = indices[arc]
            if head == source or predecessors[head] != NO_PREDECESSOR or lengths[head] == UNREACHABLE:
                continue
            if np.int64(lengths[tail]) + weights[arc] == lengths[head]:
                predecessors[head] = tail
                hanging[count] = head
                count += 1


@on_all_cores
@numba.njit(parallel=True, cache=True)
def resolve(intermediates: np.ndarray) -> None:
    """Turn intermediate vertices, shape (n, n), into predecessors, in place."""
    # A cell that another thread has already resolved ends the walk in the same place (see resolve.cu).
    for i in numba.prange(len(intermediates)):
        for j in range(intermediates.shape[1]):
            last = i
            next_ = intermediates[i, j]
            if next_ >= 0:
                while next_ != last:
                    last = next_
                    next_ = intermediates[last, j]
                intermediates[i, j] = last


class HostMatrices(Plan[Graph]):
    """Distances and predecessors, shape (n, n), int32, solved in place on the CPU, as a subclass says."""

    def __init__(self, device: Device, graph: Graph, source: None = None):
        super().__init__(device, graph)
        self.iterations = graph.vertices
        self.distances = np.empty((graph.vertices, graph.vertices), np.int32)
        self.predecessors = np.empty((graph.vertices, graph.vertices), np.int32)

    def reset(self) -> None:
        fill_starting_paths(self.graph, self.distances, self.predecessors)

    def upload(self) -> None:
        """Nothing to do: the matrices are already where they are needed."""

    def download(self) -> Solution:
        return Solution(self.distances, self.predecessors)


class PinnedMatrices(Plan[Graph]):
    """Lengths and intermediate vertices, shape (n, n), int32, in pinned memory before and after a solve."""

    def __init__(self, device: Device, graph: Graph):
        super().__init__(device, graph)
        self.host_lengths = device.pinned((graph.vertices, graph.vertices), np.int32)
        self.host_intermediates = device.pinned((graph.vertices, graph.vertices), np.int32)

    def reset(self) -> None:
        fill_starting_paths(self.graph, self.host_lengths, self.host_intermediates)

    def answer(self) -> Solution:
        """What is in host memory, with trees grown there where the device could not find predecessors."""
        if trees_needed(self.graph):
            grow_trees(self.graph, self.host_lengths, self.host_intermediates)
        return Solution(self.host_lengths, self.host_intermediates)


class CellPlan(PinnedMatrices):
    """Both matrices on the device between upload and download.

    A subclass says what an iteration is. ``finish`` turns intermediate vertices into predecessors, within the timed
    region; where tight arcs can form a cycle, ``download`` grows trees from the lengths on the host instead.
    """

    def __init__(
        self,
        device: Device,
        graph: Graph,
        kernel_file: Path,
        names: tuple[str, ...],
        cell_grid: CellGrid = CELL_GRID,
        **macros: int,
    ):
        super().__init__(device, graph)
        self.cell_grid = cell_grid
        macros["NEGATIVE_WEIGHTS"] = int(graph.weight_min < 0)
        self.kernels = {name: device.kernel(kernel_file, name, macros) for name in names}
        self.resolve = device.kernel(RESOLVE, "resolve")

    def upload(self) -> None:
        self.lengths = self.device.upload(self.host_lengths)
        self.intermediates = self.device.upload(self.host_intermediates)

    def bind(self, name: str, grid: tuple[int, ...], block: tuple[int, ...], **step: Any) -> Launch:
        """A launch of a kernel over the matrices; ``step`` is an intermediate vertex."""
        return self.kernels[name].bind(
            grid,
            block,
            vertices=np.int32(self.graph.vertices),
            **step,
            lengths=self.lengths,
            intermediates=self.intermediates,
        )

    def finish(self) -> None:
        if not trees_needed(self.graph):
            vertices, stride = self.graph.vertices, self.intermediates.shape[1]
            launch_resolve(self.resolve, self.cell_grid, vertices, vertices, stride, self.intermediates)
            self.counters["launches"] += 1

    def download(self) -> Solution:
        vertices = self.graph.vertices  # the device's matrices may be larger
        self.device.copy(self.lengths[:vertices, :vertices], self.host_lengths)
        self.device.copy(self.intermediates[:vertices, :vertices], self.host_intermediates)
        self.device.synchronize()
        return self.answer()

    def release(self) -> None:
        self.lengths = self.intermediates = None


def launch_resolve(
    kernel: Kernel,
    cell_grid: CellGrid,
    rows: int,
    columns: int,
    stride: int,
    intermediates: Any,
    stream: Stream | None = None,
) -> None:
    """Turn the first ``columns`` columns of intermediate vertices, all ``rows`` of them, into predecessors."""
    kernel(
        cell_grid.over(rows, columns),
        cell_grid.block,
        stream=stream,
        rows=np.int32(rows),
        columns=np.int32(columns),
        stride=np.int32(stride),
        intermediates=intermediates,
    )
