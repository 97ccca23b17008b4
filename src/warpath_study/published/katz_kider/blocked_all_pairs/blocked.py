"""Blocked all pairs, blocked: three passes over 32 x 32 blocks in shared memory, on grids without idle blocks."""

from pathlib import Path

import numpy as np

from warpath.device import Device
from warpath.graphs.csr import Graph

from ...shared.grids import CellGrid, blocks_over
from ...shared.matrices import CELL_GRID, fill_starting_paths, grow_trees
from ...shared.plan import Plan, PlanVariant, Solution
from ...shared.predecessors import trees_needed
from ..blocks import PARAMETERS, TILE

KERNEL = Path(__file__).with_suffix(".cu")
VERTEX, LENGTH = 0, 1


class BlockedPlan(Plan[Graph]):
    """An iteration is one primary block of the diagonal, in three passes over cells of two values, as published.

    ``finish`` makes lengths and predecessors of the cells, within the timed region. Where tight arcs can form a cycle,
    ``download`` grows trees from the lengths on the host instead. The answer overwrites the starting values in pinned
    memory.
    """

    def __init__(
        self,
        device: Device,
        graph: Graph,
        source: None = None,
        tile: int = TILE,
        cell_grid: CellGrid = CELL_GRID,
        block_side: int = 0,
    ):
        super().__init__(device, graph)
        self.tile, self.cell_grid = block_side or tile, cell_grid
        self.iterations = blocks_over(graph.vertices, self.tile)
        macros = {"TILE": self.tile, "NEGATIVE_WEIGHTS": int(graph.weight_min < 0)}
        self.kernels = {name: device.kernel(KERNEL, name, macros) for name in ("pass1", "pass2", "pass3", "separate")}
        self.shape = (graph.vertices, graph.vertices)
        host_memory = device.pinned((2, *self.shape), np.int32)
        self.host_cells = host_memory.reshape(*self.shape, 2)
        self.host_lengths, self.host_predecessors = host_memory

    def reset(self) -> None:
        fill_starting_paths(self.graph, self.host_cells[..., LENGTH], self.host_cells[..., VERTEX])

    def upload(self) -> None:
        self.cells = self.device.upload(self.host_cells)

    def iterate(self, first: int, last: int) -> None:
        others = self.iterations - 1
        grids = {"pass1": (1,), "pass2": (others, 2), "pass3": (others, others)} if others else {"pass1": (1,)}
        block = (self.tile, self.tile)
        of_all = {"vertices": np.int32(self.graph.vertices), "primary": np.int32(first), "cells": self.cells}
        passes = [self.kernels[name].bind(grid, block, **of_all) for name, grid in grids.items()]
        for primary in range(first, last):
            step = np.int32(primary)
            for launch in passes:
                launch.set(primary=step)
                launch()
        self.counters["launches"] += len(passes) * (last - first)

    def finish(self) -> None:
        self.lengths, self.predecessors = (self.device.empty(self.shape, np.int32) for _ in range(2))
        self.kernels["separate"](
            self.cell_grid.over(*self.shape),
            self.cell_grid.block,
            vertices=np.int32(self.graph.vertices),
            resolved=np.int32(not trees_needed(self.graph)),
            cells=self.cells,
            lengths=self.lengths,
            predecessors=self.predecessors,
        )
        self.counters["launches"] += 1

    def download(self) -> Solution:
        self.device.copy(self.lengths, self.host_lengths)
        self.device.copy(self.predecessors, self.host_predecessors)
        self.device.synchronize()
        if trees_needed(self.graph):
            grow_trees(self.graph, self.host_lengths, self.host_predecessors)
        return Solution(self.host_lengths, self.host_predecessors)

    def release(self) -> None:
        self.cells = self.lengths = self.predecessors = None


VARIANT = PlanVariant(
    origin="katz_kider",
    plan=BlockedPlan,
    kernels=(KERNEL,),
    compiled=(grow_trees,),
    smallest={"tile": 4, "cell_grid": CellGrid((8, 4), y_max=3)},
    parameters=PARAMETERS,
)
