"""Floyd-Warshall, shared_rows: the GPUs of a machine share the rows of the matrix, and the next panel is sent early.

``RowShare`` has the rows of one device, and ``SharedRows`` controls several devices from one process.
"""

from pathlib import Path
from typing import Any

import numpy as np

from ...device import Device, Event, Stream
from ...device.contract import Dimensions
from ...device.copies import downloaded
from ...device.resident import Resident
from ...device.resident import resident as resident_on
from ...graphs.csr import Graph
from ..float_sums import guided_rows
from ..float_sums.guided_rows import GuidedByRounded, UsefulArcs
from ..shared.grids import blocks_over
from ..shared.lengths import macros_for, words_of
from ..solver import Rows, RowSolver
from ..trees.predecessors import PULL_KERNEL, TREE_BLOCK, InboundArcs, Picker, RowTrees, sorted_inbound
from ..variant import Parameter, Variant
from .lookahead import ROW_BLOCK, ProductShape, shape_for

KERNEL = Path(__file__).with_name("shared_rows.cu")
NONE = -1  # instead of the number of a stage
PARAMETERS = {"devices": Parameter("GPUs to share the rows among", 1, 1, 64)}


def split(tiles: int, shares: int) -> list[range]:
    """``tiles`` in ``shares`` ranges whose sizes differ by one at most; some are empty if there are fewer tiles."""
    return [range(tiles * number // shares, tiles * (number + 1) // shares) for number in range(shares)]


class RowShare:
    """The rows of ``tiles``, a range of tiles of a matrix of ``side`` cells each way, on one device.

    The work of the next stage is in a separate stream of high priority, and copies from other devices are in a third.
    """

    words: Any = None
    passages: Any = None
    panels: Any = None
    closed: Any = None
    predecessors: Any = None
    arcs: InboundArcs | None = None
    launches = 0

    def __init__(self, device: Device, graph: Graph, shape: ProductShape, side: int, tiles: range):
        self.device, self.graph, self.shape, self.side, self.tiles = device, graph, shape, side, tiles
        self.columns = side // shape.tile
        self.first_row = tiles.start * shape.tile
        self.rows_inside = min(tiles.stop * shape.tile, graph.vertices) - self.first_row
        on_device = resident_on(device, graph)
        self.csr = on_device.arguments
        self.dtype = graph.weights.dtype
        self.slices_bytes = words_of(self.dtype) * shape.slices_bytes
        self.panel_bytes = words_of(self.dtype) * shape.panel_bytes
        self.guided = GuidedByRounded(on_device) if graph.has_floats else None
        macros = {**shape.macros, "NEGATIVE_WEIGHTS": int(graph.weight_min < 0), **macros_for(graph)}
        names = ("relax_next", "close_panel", "relax_rest", "one_arc_lengths")
        self.kernels = {name: device.kernel(KERNEL, name, macros) for name in names}
        self.main, self.urgent, self.fetches = device.stream(), device.stream(urgent=True), device.stream()

    def allocate(self, alone: bool) -> None:
        """Allocate the rows, and panels of other shares unless ``alone``. May raise OutOfMemoryError."""
        tile, side, empty = self.shape.tile, self.side, self.device.empty
        self.words = empty((len(self.tiles) * tile, side), self.dtype)
        self.passages = empty((2, tile, side), self.dtype)
        self.panels = None if alone else empty((2, tile, side), self.dtype)
        self.closed = empty((2, tile, tile), self.dtype)
        self.launches = 0
        # The copies of panels of this share to others, by stage.
        self.panel_copies: dict[int, list[Event]] = {}

    def drop(self) -> None:
        self.words = self.passages = self.panels = self.closed = self.predecessors = self.arcs = None
        self.device.release()

    def fill(self) -> None:
        """Enqueue the lengths of paths of one arc."""
        self.main.follow()  # the copy of the graph
        self._launch(
            "one_arc_lengths",
            (len(self.words),),
            ROW_BLOCK,
            0,
            self.main,
            vertices=np.int32(self.graph.vertices),
            first_row=np.int32(self.first_row),
            **self.csr,
            words=self.words,
        )
        self.begun = self.prepared = self.main.record()

    def panel(self, stage: int) -> Any:
        """The panel of ``stage``, shape (tile, side): rows of this share, or the buffer for a copy."""
        if stage not in self.tiles:
            return self.panels[stage & 1]
        first = (stage - self.tiles.start) * self.shape.tile
        return self.words[first : first + self.shape.tile]

    def begin(self, stage: int) -> None:
        """Let later work wait for what ``stage`` needs: its panel and passage, and the end of the stage before."""
        self.main.wait(self.prepared)
        for event in self.panel_copies.pop(stage - 1, ()):
            self.main.wait(event)
        self.begun = self.main.record()

    def relax_next(self, stage: int, following: int) -> None:
        """Enqueue the work of ``stage`` that ``following`` waits for; the panel's owner closes the primary tile."""
        self.urgent.wait(self.begun)
        # relax_rest may start from here. Earlier, its blocks would occupy the GPU before relax_next starts.
        self.turn = self.urgent.record()
        self._launch(
            "relax_next",
            (self.columns + len(self.tiles),),
            self.shape.block,
            self.slices_bytes,
            self.urgent,
            first_tile=np.int32(self.tiles.start),
            stage=np.int32(stage),
            next=np.int32(following),
            shared_words=self.words,
            panel_words=None if stage == NONE else self.panel(stage),
            passages=self.passages,
            closed=self.closed,
        )
        self.prepared = self.urgent.record()

    def close_panel(self, stage: int) -> None:
        """Enqueue phase 2, on the share that has the panel."""
        self._launch(
            "close_panel",
            (self.columns,),
            self.shape.block,
            self.panel_bytes,
            self.urgent,
            first_tile=np.int32(self.tiles.start),
            stage=np.int32(stage),
            words=self.words,
            closed=self.closed,
        )
        self.prepared = self.urgent.record()

    def fetch_panel(self, stage: int, owner: "RowShare") -> int:
        """Enqueue copying a closed panel from the share that has it. Returns its bytes."""
        self.fetches.wait(owner.prepared)
        self.fetches.wait(self.prepared)  # and so for all readers of the old content
        panel = owner.panel(stage)
        self.device.copy(panel, self.panel(stage), self.fetches)
        self.prepared = self.fetches.record()
        owner.panel_copies.setdefault(stage, []).append(self.prepared)
        return int(panel.nbytes)

    def relax_rest(self, stage: int, following: int) -> None:
        if following != NONE:
            self.main.wait(self.turn)
        self._launch(
            "relax_rest",
            (self.columns, len(self.tiles)),
            self.shape.block,
            self.slices_bytes,
            self.main,
            first_tile=np.int32(self.tiles.start),
            stage=np.int32(stage),
            next=np.int32(following),
            shared_words=self.words,
            panel_words=self.panel(stage),
            passages=self.passages,
        )

    @property
    def rows(self) -> Any:
        """The rows inside the matrix, shape (rows_inside, side)."""
        return self.words[: self.rows_inside]

    @property
    def distances(self) -> Any:
        """The distances without padding, shape (rows_inside, n); rows have a stride where there is padding."""
        return self.words[: self.rows_inside, : self.graph.vertices]

    def compact_distances(self) -> Any:
        """``distances`` without a stride, a copy where there is padding. Waits for nothing."""
        if self.side == self.graph.vertices:
            return self.distances
        compact = self.device.empty((self.rows_inside, self.graph.vertices), self.dtype)
        self.device.copy(self.distances, compact)
        return compact

    def find_predecessors(self, arcs: InboundArcs, trees: RowTrees, distances: Any) -> None:
        """Enqueue predecessors, along ``arcs`` on the host, in the default stream, from ``compact_distances``."""
        sources = self.device.upload(np.arange(self.first_row, self.first_row + self.rows_inside, dtype=np.int32))
        self.predecessors = self.device.empty(distances.shape, np.int32)
        self.arcs = InboundArcs(*map(self.device.upload, arcs))  # kept until the kernels have ended
        self.launches += trees.find(sources, distances, self.predecessors, self.arcs)

    def sum_again(self, arcs: UsefulArcs, predecessors: bool) -> None:
        """Enqueue making distances of floats exact, along ``arcs``, and finding predecessors, in the default stream."""
        assert self.guided
        if predecessors:
            self.predecessors = self.device.empty((self.rows_inside, self.graph.vertices), np.int32)
        self.guided.make(self.first_row, arcs, self.rows, self.predecessors)

    def _launch(
        self, name: str, grid: Dimensions, block: Dimensions, shared_bytes: int, stream: Stream, **arguments: Any
    ) -> None:
        self.kernels[name](grid, block, shared_mem=shared_bytes, stream=stream, side=np.int32(self.side), **arguments)
        self.launches += 1


class SharedRows(RowSolver):
    """All pairs at once on several devices, each with a run of rows, which are copied to the caller's in the end.

    Every row is relaxed in every stage, so equal shares are equal work. The device that has the primary row closes it
    while the stage before is still under way, and the others fetch it. One process enqueues everything; devices wait
    for each other by events alone. A device fills its rows from the graph, which is there before. Floats are summed
    again from the sources on.
    """

    def __init__(
        self,
        resident: Resident,
        devices: int = 1,
        predecessors: bool = True,
        shape: ProductShape | None = None,
        tree_block: tuple[int] = TREE_BLOCK,
    ):
        super().__init__()
        device, graph = resident.device, resident.graph
        shape = shape or shape_for(device, graph.vertices, graph.weights.dtype, 8 * graph.weights.itemsize)
        self.graph, self.stages = graph, blocks_over(graph.vertices, shape.tile)
        peers = device.peers(devices)[: self.stages]  # fewer devices if there are fewer tiles
        self.shares = [
            RowShare(peer, graph, shape, self.stages * shape.tile, own)
            for peer, own in zip(peers, split(self.stages, len(peers)), strict=True)
        ]
        on_devices = [resident_on(peer, graph) for peer in peers] if predecessors and not graph.has_floats else []
        self.pickers = [Picker(on_device) for on_device in on_devices]
        self.trees = [RowTrees(on_device, tree_block, dense=True) for on_device in on_devices]

    def solve(self, sources: np.ndarray, into: Rows) -> None:
        try:
            self._solve(into)
        finally:
            self._synchronize()  # what was enqueued uses the rows, after an interruption too
            for share in self.shares:
                share.drop()

    def _solve(self, into: Rows) -> None:
        self.counters["devices"] = len(self.shares)
        self.counters["peer_bytes"] = 0
        for share in self.shares:
            share.allocate(alone=len(self.shares) == 1)
        for share in self.shares:
            share.fill()
        self._synchronize()
        self._prepare(NONE, 0)
        for stage in range(self.stages):
            following = stage + 1 if stage + 1 < self.stages else NONE
            for share in self.shares:
                share.begin(stage)
            if following != NONE:
                self._prepare(stage, following)
            for share in self.shares:
                share.relax_rest(stage, following)
        self._synchronize()
        if self.graph.has_floats:
            self._sum_again(into.predecessors is not None)
        elif into.predecessors is not None:
            self._find_predecessors()
        self._synchronize()
        self.counters["launches"] += sum(share.launches for share in self.shares)
        for share in self.shares:
            inside = slice(share.first_row, share.first_row + share.rows_inside)
            share.device.copy(share.distances, into.distances[inside], share.main)
            if into.predecessors is not None:
                share.device.copy(share.predecessors, into.predecessors[inside], share.main)

    def _prepare(self, stage: int, following: int) -> None:
        """Everything that ``following`` needs of ``stage``: each device's passage, and the panel on all of them."""
        for share in self.shares:
            share.relax_next(stage, following)
        owner = next(share for share in self.shares if following in share.tiles)
        owner.close_panel(following)
        for share in self.shares:
            if share is not owner:
                self.counters["peer_bytes"] += share.fetch_panel(following, owner)

    def _find_predecessors(self) -> None:
        """Each device picks the arcs of its rows that are shortest paths. Along those of all, it finds its trees."""
        rows = [share.compact_distances() for share in self.shares]
        keys = [
            downloaded(share.device, picker.find(share.first_row, distances))
            for picker, share, distances in zip(self.pickers, self.shares, rows, strict=True)
        ]
        graph = self.graph
        arcs = sorted_inbound(np, graph.indptr, graph.indices, graph.weights, np.concatenate(keys))
        for share, trees, distances in zip(self.shares, self.trees, rows, strict=True):
            share.find_predecessors(arcs, trees, distances)

    def _sum_again(self, predecessors: bool) -> None:
        """Each device picks the arcs of its rows that shortest paths can use. Along those of all, it sums its rows."""
        every = [(share, share.guided) for share in self.shares if share.guided]
        before = sum(guided.launches for _, guided in every)
        farthest = max(guided.farthest(share.rows) for share, guided in every)
        keys = [guided.pick(share.first_row, share.rows, farthest, len(every) > 1) for share, guided in every]
        arcs = every[0][1].arcs_of(np.concatenate(keys) if len(keys) > 1 else keys[0], on_host=len(keys) > 1)
        for share, guided in every:
            share.sum_again(guided.useful(arcs), predecessors)
        self.counters["launches"] += sum(guided.launches for _, guided in every) - before

    def _synchronize(self) -> None:
        """Wait for all devices."""
        for share in self.shares:
            share.device.synchronize()


VARIANT = Variant(
    solver=SharedRows,
    kernels=(KERNEL, PULL_KERNEL, guided_rows.KERNEL),
    host_rows=True,
    floats=True,
    negative_floats=False,
    optional_predecessors=True,
    parameters=PARAMETERS,
    smallest={"shape": ProductShape(8, 4, 4, 3, 4, 1, 2), "tree_block": (32,)},
)
