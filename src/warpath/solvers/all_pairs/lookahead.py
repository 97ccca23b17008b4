"""Floyd-Warshall, lookahead: a fast min-plus product, and the work that the next stage waits for comes first."""

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ...device import Device, Launch
from ...device.resident import Resident
from ..float_sums import guided_rows
from ..float_sums.guided_rows import GuidedByRounded
from ..shared.grids import blocks_over
from ..shared.lengths import macros_of, words_of
from ..solver import Rows, RowSolver
from ..trees.predecessors import PULL_KERNEL, TREE_BLOCK, AllTrees
from ..variant import Variant

KERNEL = Path(__file__).with_name("lookahead.cu")
ROW_BLOCK = (256,)  # of kernels with one block for each row
# By the bits of a cell: up to this number of vertices, small tiles are faster on an H200, since they make more blocks.
SMALL_VERTICES = {32: 3000, 16: 5000}


@dataclass(frozen=True)
class ProductShape:
    """The tiles, threads and slices of a stage.

    A stage handles ``tile`` vertices, and an output tile has ``tile`` squared words. A thread owns ``cells`` squared
    words. Slices are ``depth`` vertices deep, with ``buffers`` slices in shared memory. A multiprocessor has ``blocks``
    blocks.
    """

    tile: int = 128
    cells: int = 8
    depth: int = 16
    buffers: int = 4
    unrolled: int = 16
    blocks: int = 2
    band: int = 16

    @property
    def block(self) -> tuple[int]:
        return ((self.tile // self.cells) ** 2,)

    @property
    def slices_bytes(self) -> int:
        """Shared memory of a block of phase 3, if words have 32 bits."""
        return self.buffers * 2 * self.depth * self.tile * 4

    @property
    def panel_bytes(self) -> int:
        """Shared memory of a block of phase 2, if words have 32 bits."""
        return 2 * self.tile * self.tile * 4

    @property
    def macros(self) -> dict[str, int]:
        return {name.upper(): value for name, value in asdict(self).items()}


LARGE = ProductShape()
SMALL = ProductShape(tile=64, blocks=8)
# Words of 64 bits: two slices of 128 do not fit, and four blocks have all registers of a multiprocessor.
OF_DOUBLES = ProductShape(tile=64, depth=8, blocks=4)


def shape_for(device: Device, vertices: int, dtype: np.dtype, cell_bits: int) -> ProductShape:
    """The faster shape for a matrix of ``vertices`` that fits into the shared memory of the device."""
    if cell_bits == 64:
        shape = OF_DOUBLES
    else:
        large = vertices > SMALL_VERTICES[cell_bits] and LARGE.panel_bytes <= device.shared_memory_bytes
        shape = LARGE if large else SMALL
    # Sums of floats need registers between the addition and the minimum, which a long loop does not have.
    return replace(shape, unrolled=4) if dtype.kind == "f" else shape


class Stages:
    """Closes a matrix of lengths of ``dtype``. For int32, ``cell_bits`` may be 16 if no length is negative.

    The work that the next stage waits for is in a separate stream of high priority.
    """

    def __init__(
        self,
        device: Device,
        vertices: int,
        shape: ProductShape,
        cell_bits: int = 32,
        negative_weights: bool = False,
        dtype: Any = np.int32,
    ):
        self.device, self.vertices, self.shape, self.dtype = device, vertices, shape, np.dtype(dtype)
        self.packed = 2 if cell_bits == 16 else 1
        self.side = blocks_over(vertices, shape.tile * self.packed) * shape.tile * self.packed
        self.stages = blocks_over(vertices, shape.tile)  # a tile of padding needs none
        macros = shape.macros | {"CELL_BITS": cell_bits, "NEGATIVE_WEIGHTS": int(negative_weights)}
        macros |= macros_of(self.dtype)
        names = ("close_primary", "relax_panels", "relax_next", "relax_rest", "pack", "unpack", "one_arc_lengths")
        self.kernels = {name: device.kernel(KERNEL, name, macros) for name in names}
        self.urgent = device.stream(urgent=True)
        self.words: Any = None
        self.bound: dict[str, Launch] = {}
        self.launches = 0

    def enter(self, distances: Any) -> None:
        """Copy ``distances``, shape (n, n) on the device, into a padded matrix. May raise OutOfMemoryError.

        If no padding is needed, the stages work on them in place.
        """
        in_place = self.packed == 1 and self.side == self.vertices
        self.words = distances if in_place else self.device.empty((self.side, self.side // self.packed), self.dtype)
        self._bind(self.words)
        if not in_place:
            self.kernels["pack"](
                (self.side,),
                ROW_BLOCK,
                vertices=np.int32(self.vertices),
                side=np.int32(self.side),
                distances=distances,
                matrix_words=self.words,
            )
            self.launches += 1

    def leave(self, distances: Any, farthest_and_far: Any = None) -> None:
        """Copy the lengths back into ``distances``. The kernel ``unpack`` explains the other array, for 16 bits."""
        if self.words is not distances:
            self.kernels["unpack"](
                (self.vertices,),
                ROW_BLOCK,
                vertices=np.int32(self.vertices),
                side=np.int32(self.side),
                matrix_words=self.words,
                distances=distances,
                farthest_and_far=farthest_and_far,
            )
            self.launches += 1

    def _bind(self, words: Any) -> None:
        shape, side, empty = self.shape, self.side, self.device.empty
        tiles, columns = side // shape.tile, side // shape.tile // self.packed
        passages = empty((2, shape.tile, side), self.dtype)
        closed = empty((2, shape.tile, shape.tile), self.dtype)
        panel_bytes, slices_bytes = (words_of(self.dtype) * size for size in (shape.panel_bytes, shape.slices_bytes))
        self.prepared, self.launches = -1, 0
        of_all = {"side": np.int32(side), "stage": np.int32(0), "words": words}  # stages are set before each launch
        for name, grid, arguments, shared_bytes, stream in (
            ("close_primary", (1,), {"closed": closed}, 0, self.urgent),
            ("relax_panels", (columns, 2), {"passages": passages, "closed": closed}, panel_bytes, self.urgent),
            (
                "relax_next",
                (1 + columns + tiles,),
                {"next": np.int32(0), "passages": passages, "closed": closed},
                slices_bytes,
                self.urgent,
            ),
            ("relax_rest", (columns, tiles), {"next": np.int32(0), "passages": passages}, slices_bytes, None),
        ):
            self.bound[name] = self.kernels[name].bind(
                grid, shape.block, shared_mem=shared_bytes, stream=stream, **of_all, **arguments
            )

    def release(self) -> None:
        self.words = None
        self.bound.clear()

    def fill(self, csr: dict[str, Any], distances: Any) -> None:
        """Enqueue the lengths of paths of one arc, shape (n, n), from the ``arguments`` of a copy of the graph."""
        self.kernels["one_arc_lengths"](
            (self.vertices,), ROW_BLOCK, vertices=np.int32(self.vertices), **csr, all_distances=distances
        )

    def run(self, first: int, last: int) -> None:
        """Enqueue stages ``first`` to ``last - 1``. Later work in the default stream waits for them."""
        device, urgent = self.device, self.urgent
        if self.prepared != first:
            urgent.follow()
            self._enqueue("close_primary", stage=first)
            self._relax_panels(first)
        for stage in range(first, last):
            following = stage + 1 if stage + 1 < self.stages else -1
            urgent.follow()  # the stage before
            # relax_rest may start from here. Earlier, its blocks would occupy the GPU before relax_next starts.
            turn = urgent.record()
            if following >= 0:
                self._enqueue("relax_next", stage=stage, next=following)
                self._relax_panels(following)
            device.wait(turn)
            if self.side > self.shape.tile:
                self._enqueue("relax_rest", stage=stage, next=following)
        device.wait(urgent.record())

    def _relax_panels(self, stage: int) -> None:
        if self.side > self.shape.tile:
            self._enqueue("relax_panels", stage=stage)
        self.prepared = stage

    def _enqueue(self, name: str, **stages: int) -> None:
        launch = self.bound[name]
        launch.set(**{name: np.int32(stage) for name, stage in stages.items()})
        self.device.enqueue([launch])
        self.launches += 1


class Lookahead(RowSolver):
    """All pairs at once, in a padded matrix during the stages.

    Predecessors are found from the final distances, along the arcs that are shortest paths. Floats are summed again
    from the sources on.
    """

    cell_bits = 32

    def __init__(
        self,
        resident: Resident,
        predecessors: bool = True,
        shape: ProductShape | None = None,
        tree_block: tuple[int] = TREE_BLOCK,
    ):
        super().__init__()
        self.device, self.graph = device, graph = resident.device, resident.graph
        self.csr, dtype = resident.arguments, graph.weights.dtype
        cell_bits = self.cell_bits * words_of(dtype)
        self.shape = shape or shape_for(device, graph.vertices, dtype, cell_bits)
        self.stages = Stages(device, graph.vertices, self.shape, cell_bits, graph.weight_min < 0, dtype)
        self.guided = GuidedByRounded(resident) if graph.has_floats else None
        self.trees = AllTrees(resident, tree_block) if predecessors and not graph.has_floats else None

    def solve(self, sources: np.ndarray, into: Rows) -> None:
        stages, distances = self.stages, into.distances
        stages.fill(self.csr, distances)
        stages.enter(distances)
        stages.run(0, stages.stages)
        self._leave(distances)
        self.counters["launches"] += stages.launches
        stages.release()
        if self.guided:
            self.counters.update(self.guided.find(distances, into.predecessors))
        elif into.predecessors is not None:
            assert self.trees
            self.counters.update(self.trees.find(distances, into.predecessors))

    def _leave(self, distances: Any) -> None:
        self.stages.leave(distances)


VARIANT = Variant(
    solver=Lookahead,
    kernels=(KERNEL, PULL_KERNEL, guided_rows.KERNEL),
    floats=True,
    negative_floats=False,
    optional_predecessors=True,
    smallest={"shape": ProductShape(8, 4, 4, 3, 4, 1, 2), "tree_block": (32,)},
)
