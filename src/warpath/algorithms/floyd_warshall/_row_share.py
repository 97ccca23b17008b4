"""One device's rows of a matrix that several devices close together; see shared_rows.cu."""

from pathlib import Path
from typing import Any

import numpy as np

from ...device import Device, Event, Launch
from ...device.copies import copy_on
from ...graphs.csr import Graph
from ..predecessors import OfRows
from ._stages import ROW_BLOCK, ProductShape

KERNEL = Path(__file__).with_name("shared_rows.cu")
NONE = -1  # the number of a stage that is not there


class RowShare:
    """The rows of ``tiles``, a range of tiles of a matrix of ``side`` cells each way, on one device.

    Work of the next stage goes into a stream of its own, ahead of the rest, and copies from other devices into a third.
    ``launches`` counts launches.
    """

    words: Any = None
    passages: Any = None
    panels: Any = None
    closed: Any = None
    predecessors: Any = None
    trees: OfRows | None = None
    launches = 0

    def __init__(self, device: Device, graph: Graph, shape: ProductShape, side: int, tiles: range):
        self.device, self.graph, self.shape, self.side, self.tiles = device, graph, shape, side, tiles
        self.first_row = tiles.start * shape.tile
        self.rows_inside = min(tiles.stop * shape.tile, graph.vertices) - self.first_row
        self.copy = copy_on(device, graph)
        macros = shape.macros | {"NEGATIVE_WEIGHTS": int(graph.weight_min < 0)}
        names = ("relax_next", "close_panel", "relax_rest", "one_arc_lengths")
        self.kernels = {name: device.kernel(KERNEL, name, macros) for name in names}
        self.main, self.urgent, self.fetches = device.stream(), device.stream(urgent=True), device.stream()
        self.bound: dict[str, Launch] = {}

    def allocate(self, alone: bool) -> None:
        """Make room for the rows, and for panels of others unless it is ``alone``. May raise OutOfMemoryError."""
        tile, side, empty = self.shape.tile, self.side, self.device.empty
        self.words = empty((len(self.tiles) * tile, side), np.int32)
        self.passages = empty((2, tile, side), np.int32)
        self.panels = None if alone else empty((2, tile, side), np.int32)
        self.closed = empty((2, tile, tile), np.int32)
        self._bind()
        self.launches = 0
        # Rows that others still copy, by the stage whose panel they are.
        self.lent: dict[int, list[Event]] = {}

    def drop(self) -> None:
        """Free what ``allocate`` made."""
        self.words = self.passages = self.panels = self.closed = self.predecessors = self.trees = None
        self.bound.clear()
        self.device.release()

    def _bind(self) -> None:
        shape, columns, rows = self.shape, self.side // self.shape.tile, len(self.tiles)
        size = np.int32(self.side), np.int32(self.tiles.start)
        # Stages and panels are set before each launch.
        stages, panel = (np.int32(NONE), np.int32(NONE)), self.closed
        next_arguments = (*size, *stages, self.words, panel, self.passages, self.closed)
        panel_arguments = (*size, stages[0], self.words, self.closed)
        rest_arguments = (*size, *stages, self.words, panel, self.passages)
        for name, grid, arguments, shared_bytes, stream in (
            ("relax_next", (columns + rows,), next_arguments, shape.slices_bytes, self.urgent),
            ("close_panel", (columns,), panel_arguments, shape.panel_bytes, self.urgent),
            ("relax_rest", (columns, rows), rest_arguments, shape.slices_bytes, self.main),
        ):
            self.bound[name] = self.kernels[name].bind(grid, shape.block, arguments, shared_bytes, stream)

    def fill(self) -> None:
        """Enqueue the lengths of paths of one arc."""
        arguments = (np.int32(self.graph.vertices), np.int32(self.side), np.int32(self.first_row), *self.copy.arrays)
        self.kernels["one_arc_lengths"]((len(self.words),), ROW_BLOCK, (*arguments, self.words), stream=self.main)
        self.launches += 1
        self.begun = self.prepared = self.main.record()

    def panel(self, stage: int) -> Any:
        """The panel of ``stage``, shape (tile, side): rows of this share, or the room for a copy of another's."""
        if stage not in self.tiles:
            return self.panels[stage & 1]
        first = (stage - self.tiles.start) * self.shape.tile
        return self.words[first : first + self.shape.tile]

    def begin(self, stage: int) -> None:
        """Let later work wait for what ``stage`` needs: its panel and passage, and the end of the stage before."""
        self.main.wait(self.prepared)
        for event in self.lent.pop(stage - 1, ()):
            self.main.wait(event)
        self.begun = self.main.record()

    def relax_next(self, stage: int, following: int) -> None:
        """Enqueue the work of ``stage`` that ``following`` waits for; the panel's owner closes the primary tile."""
        self.urgent.wait(self.begun)
        # From here on relax_rest may run. Earlier, its first blocks would fill the chip before relax_next begins.
        self.turn = self.urgent.record()
        panel = self.closed if stage == NONE else self.panel(stage)
        self._enqueue("relax_next", {2: np.int32(stage), 3: np.int32(following), 5: panel})
        self.prepared = self.urgent.record()

    def close_panel(self, stage: int) -> None:
        """Enqueue phase 2, on the share that has the panel."""
        self._enqueue("close_panel", {2: np.int32(stage)})
        self.prepared = self.urgent.record()

    def fetch_panel(self, stage: int, owner: "RowShare") -> int:
        """Enqueue copying a closed panel from the share that has it. Returns its bytes."""
        self.fetches.wait(owner.prepared)
        self.fetches.wait(self.prepared)  # and so for all who read what was there before
        panel = owner.panel(stage)
        self.device.copy(panel, self.panel(stage), self.fetches)
        self.prepared = self.fetches.record()
        owner.lent.setdefault(stage, []).append(self.prepared)
        return int(panel.nbytes)

    def relax_rest(self, stage: int, following: int) -> None:
        """Enqueue the rest of ``stage``."""
        if following != NONE:
            self.main.wait(self.turn)
        self._enqueue("relax_rest", {2: np.int32(stage), 3: np.int32(following), 5: self.panel(stage)})

    def synchronize(self) -> None:
        """Wait for the device's streams."""
        for stream in (self.main, self.urgent, self.fetches):
            stream.synchronize()

    @property
    def distances(self) -> Any:
        """The distances without padding, shape (rows_inside, n); rows have a stride where there is padding."""
        return self.words[: self.rows_inside, : self.graph.vertices]

    def compact_distances(self) -> Any:
        """``distances`` without a stride, a copy where there is padding. Waits for nothing."""
        if self.side == self.graph.vertices:
            return self.distances
        compact = self.device.empty((self.rows_inside, self.graph.vertices), np.int32)
        self.device.copy(self.distances, compact)
        return compact

    def find_predecessors(self, arcs: Graph, distances: Any, block: tuple[int]) -> None:
        """Enqueue predecessors, along ``arcs``, in the default stream, from ``compact_distances``."""
        sources = self.device.upload(np.arange(self.first_row, self.first_row + self.rows_inside, dtype=np.int32))
        self.predecessors = self.device.empty(distances.shape, np.int32)
        self.trees = OfRows(self.device, arcs, block)  # lasts until its kernels have ended
        self.launches += self.trees.find(sources, distances, self.predecessors)

    def _enqueue(self, name: str, arguments: dict[int, Any]) -> None:
        launch = self.bound[name]
        for position, argument in arguments.items():
            launch.replace(position, argument)
        self.device.enqueue([launch])
        self.launches += 1
