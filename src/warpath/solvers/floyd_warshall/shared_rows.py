"""Floyd-Warshall, shared_rows: rows of the matrix shared among the GPUs of a machine, the next panel sent ahead."""

from functools import cached_property

import numpy as np

from ...device import Device
from ...graphs.csr import Graph, from_arcs
from .. import predecessors, shortest_arcs
from ..grids import blocks_over
from ..parameters import Parameter
from ..plan import Plan, Solution
from ..predecessors import BLOCK
from ..registry import Variant
from ..shortest_arcs import Marks
from ._row_share import KERNEL, NONE, RowShare, split
from ._stages import ProductShape, shape_for

PARAMETERS = {"devices": Parameter("GPUs to share the rows among", 1, 1, 64)}


class SharedRowsPlan(Plan[Graph]):
    """Distances on the devices from start to end, each with a run of rows; an iteration is one stage.

    Every row is relaxed in every stage, so equal shares are equal work. The device that has the primary row closes it
    while the stage before is still under way, and the others fetch it. One process enqueues everything; devices wait
    for each other by events alone. A device fills its rows from the graph, which is there before.
    """

    def __init__(
        self,
        device: Device,
        graph: Graph,
        source: None = None,
        devices: int = 1,
        predecessors: bool = True,
        shape: ProductShape | None = None,
        tree_block: tuple[int] = BLOCK,
    ):
        super().__init__(device, graph)
        shape = shape or shape_for(device, graph.vertices, cell_bits=32)
        self.iterations = tiles = blocks_over(graph.vertices, shape.tile)
        peers = device.peers(devices)[:tiles]  # a device without rows has nothing to do
        self.shares = [
            RowShare(peer, graph, shape, tiles * shape.tile, own)
            for peer, own in zip(peers, split(tiles, len(peers)), strict=True)
        ]
        self.tree_block = tree_block
        self.marks = [Marks(share.device, share.copy) for share in self.shares] if predecessors else []

    @cached_property
    def host_answer(self) -> Solution:
        """Where the answer goes. Locking its memory takes long, and an answer that stays on the devices needs none."""
        shape = self.graph.vertices, self.graph.vertices
        predecessors = self.device.pinned(shape, np.int32) if self.marks else None
        return Solution(self.device.pinned(shape, np.int32), predecessors)

    def reset(self) -> None:
        _ = self.host_answer

    def upload(self) -> None:
        self.counters["devices"] = len(self.shares)
        self.counters["peer_bytes"] = 0
        for share in self.shares:
            share.allocate(alone=len(self.shares) == 1)
        for share in self.shares:
            share.fill()
        self.synchronize()
        self.prepared = NONE

    def start(self, source: int | None) -> None:
        self.upload()

    def iterate(self, first: int, last: int) -> None:
        for stage in range(first, last):
            if self.prepared != stage:
                self._prepare(NONE, stage)
            following = stage + 1 if stage + 1 < self.iterations else NONE
            for share in self.shares:
                share.begin(stage)
            if following != NONE:
                self._prepare(stage, following)
            for share in self.shares:
                share.relax_rest(stage, following)
        self.synchronize()

    def _prepare(self, stage: int, following: int) -> None:
        """Everything that ``following`` needs of ``stage``: each device's passage, and the panel on all of them."""
        for share in self.shares:
            share.relax_next(stage, following)
        owner = next(share for share in self.shares if following in share.tiles)
        owner.close_panel(following)
        for share in self.shares:
            if share is not owner:
                self.counters["peer_bytes"] += share.fetch_panel(following, owner)
        self.prepared = following

    def finish(self) -> None:
        if self.marks:
            self._find_predecessors()
        self.synchronize()
        self.counters["launches"] += sum(share.launches for share in self.shares)

    def _find_predecessors(self) -> None:
        """Each device marks the arcs of its rows that are shortest paths. Along those of all, it finds its trees."""
        rows = [share.compact_distances() for share in self.shares]
        picked = np.concatenate(
            [
                marks.find(share.first_row, distances)
                for marks, share, distances in zip(self.marks, self.shares, rows, strict=True)
            ]
        )
        graph = self.graph
        arcs = from_arcs(graph.vertices, graph.sources()[picked], graph.indices[picked], graph.weights[picked])
        for share, distances in zip(self.shares, rows, strict=True):
            share.find_predecessors(arcs, distances, self.tree_block)

    def download(self) -> Solution:
        answer = self.host_answer
        for share in self.shares:
            inside = slice(share.first_row, share.first_row + share.rows_inside)
            share.device.copy(share.distances, answer.distances[inside], share.main)
            if self.marks:
                share.device.copy(share.predecessors, answer.predecessors[inside], share.main)
        self.synchronize()
        return answer

    def synchronize(self) -> None:
        """Wait for all devices."""
        for share in self.shares:
            share.synchronize()

    def release(self) -> None:
        for share in self.shares:
            share.drop()


VARIANT = Variant(
    problem="apsp",
    origin="warpath",
    summary="as lookahead, with the rows of the matrix shared among the GPUs of a machine",
    plan=SharedRowsPlan,
    kernels=(KERNEL, shortest_arcs.KERNEL, predecessors.KERNEL),
    optional_predecessors=True,
    parameters=PARAMETERS,
    smallest={"shape": ProductShape(8, 4, 4, 3, 4, 1, 2), "tree_block": (32,)},
)
