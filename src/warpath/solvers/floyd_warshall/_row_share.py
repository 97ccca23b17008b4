"""One device's rows of a matrix that several devices close together; see shared_rows.cu."""

from pathlib import Path
from typing import Any

import numpy as np

from ...device import Device, Event, Stream
from ...device.contract import Dimensions
from ...device.copies import copy_on
from ...graphs.csr import Graph
from ..predecessors import OfRows
from ._stages import ROW_BLOCK, ProductShape

KERNEL = Path(__file__).with_name("shared_rows.cu")
NONE = -1  # the number of a stage that is not there


def split(tiles: int, shares: int) -> list[range]:
    """``tiles`` cut into ``shares`` runs that differ by one tile at most; empty ones where there are too few tiles."""
    return [range(tiles * number // shares, tiles * (number + 1) // shares) for number in range(shares)]


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
        self.columns = side // shape.tile
        self.first_row = tiles.start * shape.tile
        self.rows_inside = min(tiles.stop * shape.tile, graph.vertices) - self.first_row
        self.copy = copy_on(device, graph)
        macros = shape.macros | {"NEGATIVE_WEIGHTS": int(graph.weight_min < 0)}
        names = ("relax_next", "close_panel", "relax_rest", "one_arc_lengths")
        self.kernels = {name: device.kernel(KERNEL, name, macros) for name in names}
        self.main, self.urgent, self.fetches = device.stream(), device.stream(urgent=True), device.stream()

    def allocate(self, alone: bool) -> None:
        """Make room for the rows, and for panels of others unless it is ``alone``. May raise OutOfMemoryError."""
        tile, side, empty = self.shape.tile, self.side, self.device.empty
        self.words = empty((len(self.tiles) * tile, side), np.int32)
        self.passages = empty((2, tile, side), np.int32)
        self.panels = None if alone else empty((2, tile, side), np.int32)
        self.closed = empty((2, tile, tile), np.int32)
        self.launches = 0
        # Rows that others still copy, by the stage whose panel they are.
        self.lent: dict[int, list[Event]] = {}

    def drop(self) -> None:
        """Free what ``allocate`` made."""
        self.words = self.passages = self.panels = self.closed = self.predecessors = self.trees = None
        self.device.release()

    def fill(self) -> None:
        """Enqueue the lengths of paths of one arc."""
        self.main.wait(self.device.record())  # the copy of the graph
        size = self.graph.vertices, self.side, self.first_row
        rows = (len(self.words),)
        self._launch("one_arc_lengths", rows, ROW_BLOCK, 0, self.main, *size, *self.copy.arrays, self.words)
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
        panel = None if stage == NONE else self.panel(stage)
        grid, shared_bytes = (self.columns + len(self.tiles),), self.shape.slices_bytes
        arguments = (self.side, self.tiles.start, stage, following, self.words, panel, self.passages, self.closed)
        self._launch("relax_next", grid, self.shape.block, shared_bytes, self.urgent, *arguments)
        self.prepared = self.urgent.record()

    def close_panel(self, stage: int) -> None:
        """Enqueue phase 2, on the share that has the panel."""
        arguments = (self.side, self.tiles.start, stage, self.words, self.closed)
        self._launch("close_panel", (self.columns,), self.shape.block, self.shape.panel_bytes, self.urgent, *arguments)
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

    def give_panel(self, stage: int, host: np.ndarray) -> None:
        """Copy the closed panel of this share to pinned ``host`` memory, and wait for it, but not for other work."""
        self.fetches.wait(self.prepared)
        self.device.copy(self.panel(stage), host, self.fetches)
        self.fetches.synchronize()

    def take_panel(self, stage: int, host: np.ndarray) -> None:
        """Enqueue copying a panel that another process gave; ``received`` waits for it."""
        self.fetches.wait(self.prepared)
        self.device.copy(host, self.panel(stage), self.fetches)
        self.prepared = self.fetches.record()

    def received(self) -> None:
        """Wait for what was copied last from the host or another device."""
        self.fetches.synchronize()

    def relax_rest(self, stage: int, following: int) -> None:
        """Enqueue the rest of ``stage``."""
        if following != NONE:
            self.main.wait(self.turn)
        grid, shared_bytes = (self.columns, len(self.tiles)), self.shape.slices_bytes
        arguments = (self.side, self.tiles.start, stage, following, self.words, self.panel(stage), self.passages)
        self._launch("relax_rest", grid, self.shape.block, shared_bytes, self.main, *arguments)

    def synchronize(self) -> None:
        """Wait for all work of the device."""
        self.device.synchronize()

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

    def _launch(
        self, name: str, grid: Dimensions, block: Dimensions, shared_bytes: int, stream: Stream, *arguments: Any
    ) -> None:
        typed = [np.int32(argument) if isinstance(argument, int) else argument for argument in arguments]
        self.kernels[name](grid, block, typed, shared_mem=shared_bytes, stream=stream)
        self.launches += 1
