"""The shared host code of Floyd-Warshall on a device: copies of the two matrices, and the loops over kernels."""

from pathlib import Path
from typing import Any

import numpy as np

from warpath.device import Device, Launch
from warpath.device.resident import resident
from warpath.graphs.csr import Graph

from ...shared.grids import blocks_over
from ...shared.matrices import fill_starting_paths
from ...shared.plan import DevicePlan, Solution
from ...shared.predecessors import BLOCK, OfRows, trees_needed
from ...shared.start import fill_one_arc_paths

TILE = 32  # as published


class MatrixPlan(DevicePlan[Graph]):
    """Distances and predecessors of shape (n, n), copied to the device and back.

    A subclass defines the iteration. As published, the answer overwrites the starting values in host memory;
    ``reset`` restores them.
    """

    def __init__(self, device: Device, graph: Graph, kernel_file: Path, names: tuple[str, ...], **macros: int):
        super().__init__(device, graph)
        self.iterations = graph.vertices
        self.copy = resident(device, graph)
        macros["NEGATIVE_WEIGHTS"] = int(graph.weight_min < 0)
        self.kernels = {name: device.kernel(kernel_file, name, macros) for name in names}
        self.host_distances = np.empty((graph.vertices, graph.vertices), np.int32)
        self.host_predecessors = np.empty((graph.vertices, graph.vertices), np.int32)

    def reset(self) -> None:
        fill_starting_paths(self.graph, self.host_distances, self.host_predecessors)

    def upload(self) -> None:
        self.distances = self.device.upload(self.host_distances)
        self.predecessors = self.device.upload(self.host_predecessors)

    def start(self, source: int | None) -> None:
        self.distances, self.predecessors = (self.device.empty(self.host_distances.shape, np.int32) for _ in range(2))
        fill_one_arc_paths(self.copy, self.distances, self.predecessors)

    def bind(
        self, name: str, grid: tuple[int, ...], block: tuple[int, ...], shared_mem: int = 0, **step: Any
    ) -> Launch:
        """A launch of a kernel over the matrices; ``step`` is an intermediate vertex or tile."""
        return self.kernels[name].bind(
            grid,
            block,
            shared_mem=shared_mem,
            vertices=np.int32(self.graph.vertices),
            **step,
            distances=self.distances,
            predecessors=self.predecessors,
        )

    def launch(self, launch: Launch, **step: Any) -> None:
        """Launch a bound kernel for another intermediate vertex or tile, and wait for it."""
        launch.set(**step)
        launch()
        self.device.synchronize()
        self.counters["launches"] += 1

    def grow(self, trees: OfRows) -> None:
        """Find predecessors from the final distances, and wait for them."""
        trees.find(None, self.distances, self.predecessors)
        self.device.synchronize()
        self.counters["launches"] += 1

    def download(self) -> Solution:
        self.device.download(self.distances, self.host_distances)
        self.device.download(self.predecessors, self.host_predecessors)
        return Solution(self.host_distances, self.host_predecessors)


class VertexPlan(MatrixPlan):
    """An iteration is one intermediate vertex: one launch of ``relax`` on a fixed grid."""

    def __init__(self, device: Device, graph: Graph, kernel_file: Path, grid: tuple[int, ...], block: tuple[int, ...]):
        super().__init__(device, graph, kernel_file, ("relax",))
        self.grid, self.block = grid, block

    def iterate(self, first: int, last: int) -> None:
        relax = self.bind("relax", self.grid, self.block, k=np.int32(first))
        for k in range(first, last):
            self.launch(relax, k=np.int32(k))


class TilePlan(MatrixPlan):
    """An iteration is one stage: the intermediate vertices of one tile of the diagonal, in three launches.

    A stage picks the best of several intermediate vertices for each pair at once. Among equally good ones, two vertices
    can become each other's predecessors if they lie on a cycle of weight zero. So graphs that can have such a cycle get
    their predecessors from the final distances.
    """

    def __init__(
        self,
        device: Device,
        graph: Graph,
        source: None = None,
        *,
        kernel_file: Path,
        tile: int = TILE,
        tree_block: tuple[int] = BLOCK,
        **macros: int,
    ):
        super().__init__(device, graph, kernel_file, ("phase1", "phase2", "phase3"), TILE=tile, **macros)
        self.tile = tile
        self.iterations = blocks_over(graph.vertices, tile)
        self.trees = OfRows(device, graph, tree_block) if trees_needed(graph) else None

    def iterate(self, first: int, last: int) -> None:
        tiles = self.iterations
        phases = [
            self.bind(name, grid, (self.tile, self.tile), primary=np.int32(first))
            for name, grid in (("phase1", (1,)), ("phase2", (tiles, 2)), ("phase3", (tiles, tiles)))
        ]
        for primary in range(first, last):
            step = np.int32(primary)
            for phase in phases:
                self.launch(phase, primary=step)

    def finish(self) -> None:
        if self.trees:
            self.grow(self.trees)
