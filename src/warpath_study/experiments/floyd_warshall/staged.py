"""Floyd-Warshall, staged: output tiles in registers, fed by slices in shared memory."""

from pathlib import Path

import numpy as np

from warpath.device import Device
from warpath.graphs.csr import Graph

from ...published.bodra.floyd_warshall._matrices import TilePlan
from ...published.shared import predecessors
from ...published.shared.grids import blocks_over
from ...published.shared.plan import PlanVariant
from ...published.shared.predecessors import BLOCK
from ..tiles import DEFAULT_SHAPE, TileShape

KERNEL = Path(__file__).with_suffix(".cu")


class StagedPlan(TilePlan):
    """The stages of TilePlan, with larger output tiles in phase 3 and no wait between launches."""

    def __init__(
        self,
        device: Device,
        graph: Graph,
        source: None = None,
        shape: TileShape = DEFAULT_SHAPE,
        tree_block: tuple[int] = BLOCK,
    ):
        macros = shape.macros(graph)
        super().__init__(
            device, graph, source, kernel_file=KERNEL, tile=macros.pop("TILE"), tree_block=tree_block, **macros
        )
        self.shape = shape
        self.vertex_bits = shape.vertex_bits(graph)

    def iterate(self, first: int, last: int) -> None:
        shape, tiles, blocks = self.shape, self.iterations, blocks_over(self.graph.vertices, self.shape.output)
        sizes = (
            ("phase1", (1,), shape.diagonal_block, 0),
            ("phase2", (tiles, 2), shape.block, shape.slices_bytes(shape.tile, self.vertex_bits)),
            ("phase3", (blocks, blocks), shape.block, shape.slices_bytes(shape.output, self.vertex_bits)),
        )
        phases = [
            self.bind(name, grid, block, shared_mem=shared_bytes, primary=np.int32(first))
            for name, grid, block, shared_bytes in sizes
        ]
        for primary in range(first, last):
            step = np.int32(primary)
            for phase in phases:
                phase.set(primary=step)
                phase()
        self.counters["launches"] += len(phases) * (last - first)


VARIANT = PlanVariant(
    plan=StagedPlan,
    kernels=(KERNEL, predecessors.KERNEL),
    # Eight cells, as by default: a thread has more than one group of four.
    smallest={"shape": TileShape(8, 2, 8), "tree_block": (32,)},
)
