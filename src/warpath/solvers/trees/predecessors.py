"""Predecessors from final distances, on the device, for variants whose iterations do not compute them.

An arc is tight if the distance of its tail, extended by its weight, is the distance of its head. Arcs from a vertex to
itself and into the source do not count. Of several shortest paths, every solver finds the same tree:

1. A vertex to which a tight arc leads along which the distance rises takes the lowest tail of such arcs.
2. The others, behind weights of zero or floats that add nothing, are hung in rounds. In each round, every vertex
   without predecessor that has a tight arc from a vertex hung earlier takes the lowest tail of these arcs. The source
   and the vertices of rule 1 are hung before the first round.
3. If there are negative weights, rule 2 is for all vertices, from the source on.
"""

from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from ...device.copies import downloaded
from ...device.resident import Resident
from ...graphs.csr import Graph
from ..shared.grids import GRID_Y_MAX, blocks_over
from ..shared.lengths import macros_for

PUSH_KERNEL = Path(__file__).with_name("push.cu")
PULL_KERNEL = Path(__file__).with_name("pull.cu")
BLOCK = (256,)
VERTICES_A_THREAD = 8  # of a row, so that a block has enough work
TREE_BLOCK = (1024,)
PICK_BLOCK = (256,)
DENSE_LANES = 8
# Of a complete graph with random weights, a vertex has fewer arcs that are shortest paths.
PICKED_A_VERTEX = 32


def trees_needed(graph: Graph) -> bool:
    """Whether a vertex may be left to rules 2 and 3, because distances do not rise along all tight arcs."""
    return graph.has_floats or (graph.weight_min <= 0 and graph.arcs > 0)


def _lanes_for(graph: Graph, lanes_max: int) -> int:
    """The power of two, at most ``lanes_max``, that gives each thread about four arcs of a vertex."""
    lanes = 1
    while lanes < lanes_max and graph.arcs > 4 * lanes * graph.vertices:
        lanes *= 2
    return lanes


class SourceTree:
    """Finds the predecessors of one source at a time."""

    def __init__(self, resident: Resident, block: tuple[int] = BLOCK):
        device, graph = resident.device, resident.graph
        self.device, self.block, self.vertices, self.claims = device, block, graph.vertices, graph.weight_min >= 0
        lanes, size = _lanes_for(graph, 32), np.int32(graph.vertices)
        self.arcs: dict[str, Any] = {"vertices": size, "lanes": np.int32(lanes), **resident.arguments}
        self.grid = (blocks_over(graph.vertices * lanes, block[0]),)
        answer: dict[str, Any] = {"source": np.int32(0), "distances": None, "predecessors": None}
        macros = macros_for(graph)
        self.claim = device.kernel(PUSH_KERNEL, "claim", macros).bind(self.grid, block, **self.arcs, **answer)
        self.grows = trees_needed(graph)
        if self.grows:
            find_open, grid = device.kernel(PUSH_KERNEL, "find_open", macros), (blocks_over(graph.vertices, block[0]),)
            self.open, is_open = device.mapped((1,), np.int32)
            self.find_open = find_open.bind(grid, block, vertices=size, **answer, open=is_open)
            self.grow = device.kernel(PUSH_KERNEL, "grow", macros)

    def find(self, source: int, distances: Any, predecessors: Any) -> Counter[str]:
        """Enqueue overwriting ``predecessors``; device arrays of n elements.

        Returns the counters ``launches`` and ``host_reads`` (of a flag, which the host waits for).
        """
        self.device.set_bytes(predecessors, 0xFF)  # -1 in each
        answer = {"source": np.int32(source), "distances": distances, "predecessors": predecessors}
        if self.claims:
            self.claim(**answer)
        if not self.grows:
            return Counter(launches=1)
        self.open[0] = 0
        self.find_open(**answer)
        self.device.synchronize(copies=False)
        found = Counter(launches=int(self.claims) + 1, host_reads=1)
        if not self.open[0]:
            return found
        grown = self.device.empty((1,), np.int32)
        first, *steps = (
            self.grow.bind(
                self.grid,
                self.block,
                is_first_step=np.int32(number == 0),
                kind=np.int32(1 + number % 2),
                **self.arcs,
                **answer,
                grown=grown,
            )
            for number in range(3)
        )
        self.device.enqueue([first])
        done, _ = self.device.repeat_while([[step] for step in steps], grown, self.vertices)
        found.update(launches=1 + done, host_reads=done)
        return found


class InboundArcs(NamedTuple):
    """Arcs sorted by head, and by tail within a head: the first arc of each head, and the tails and weights."""

    starts: Any
    tails: Any
    weights: Any


def sorted_inbound(xp: ModuleType, indptr: Any, indices: Any, weights: Any, keys: Any = None) -> InboundArcs:
    """The arcs of a graph in arrays of ``xp``, or those of ``keys``, shape (k,), as the kernel ``pick`` makes them."""
    if keys is None:
        keys = indices.astype(np.int64) << 32 | xp.arange(len(indices))
    keys = xp.sort(keys)
    numbers = keys & (2**32 - 1)
    starts = xp.searchsorted(keys, xp.arange(len(indptr)) << 32).astype(np.int32)
    tails = (xp.searchsorted(indptr, numbers, side="right") - 1).astype(np.int32)
    return InboundArcs(starts, tails, weights[numbers])


class RowTrees:
    """Finds the predecessors of many sources, one row for each.

    With ``dense``, the arcs are given for each answer, by a ``Picker``, and a block takes a row.
    """

    def __init__(self, resident: Resident, block: tuple[int] = BLOCK, dense: bool = False):
        device, graph = resident.device, resident.graph
        self.device, self.vertices, self.block, self.dense = device, graph.vertices, block, dense
        self.claims, self.grows = graph.weight_min >= 0, trees_needed(graph)
        self.arcs: InboundArcs | None = None
        if not dense:
            arrays = resident.indptr, resident.indices, resident.weights
            self.arcs = resident.of_weights("inbound arcs by tail", lambda: sorted_inbound(device.xp, *arrays))
        lanes = DENSE_LANES if dense else _lanes_for(graph, DENSE_LANES)
        macros = {**macros_for(graph), "LANES": lanes}
        self.kernels = {name: device.kernel(PULL_KERNEL, name, macros) for name in ("claim_rows", "grow_rows")}
        row_bytes = graph.weights.itemsize * graph.vertices
        self.shared_bytes = row_bytes if dense and row_bytes <= device.shared_memory_bytes else 0
        vertices_a_block = graph.vertices if dense else block[0] * VERTICES_A_THREAD // lanes
        self.pieces = min(blocks_over(graph.vertices, vertices_a_block), GRID_Y_MAX)

    def find(self, sources: Any | None, distances: Any, predecessors: Any, arcs: InboundArcs | None = None) -> int:
        """Enqueue overwriting ``predecessors``. Both are device arrays of shape (k, n). Returns the launches.

        ``sources`` is a device array, int32 of shape (k,). If it is None, row i has source i.
        """
        rows, arcs = len(distances), arcs or self.arcs
        assert arcs is not None
        arguments = {
            "vertices": np.int32(self.vertices),
            "sources": sources,
            **arcs._asdict(),
            "all_distances": distances,
            "all_predecessors": predecessors,
            "open": self.device.upload(np.zeros(rows, np.int32)) if self.claims and self.grows else None,
        }
        self.kernels["claim_rows"](
            (rows, self.pieces),
            self.block,
            shared_mem=self.shared_bytes,
            claims=np.int32(self.claims),
            row_in_shared=np.int32(self.shared_bytes > 0),
            **arguments,
        )
        if self.grows:
            self.kernels["grow_rows"]((rows,), self.block, **arguments)
        return 1 + int(self.grows)


class Picker:
    """Finds the arcs of a graph that are shortest paths, or with a slack, nearly so."""

    def __init__(self, resident: Resident):
        self.device, self.arcs = resident.device, resident.graph.arcs
        self.csr = resident.arguments
        self.kernel = self.device.kernel(PULL_KERNEL, "pick", macros_for(resident.graph))
        self.no_slack = resident.graph.weights.dtype.type(0)
        self.launches = 0

    def find(self, first: int, distances: Any, slack: Any = None) -> Any:
        """The keys of arcs, a device array, in any order. Row i of ``distances`` is that of vertex ``first + i``.

        Rows may have further columns. ``slack`` is of the type of the weights. Waits for the number of arcs. May raise
        OutOfMemoryError.
        """
        device, found = self.device, min(self.arcs, PICKED_A_VERTEX * len(distances))
        while True:
            room, count = found, device.upload(np.zeros(1, np.int32))
            keys = device.empty((max(room, 1),), np.int64)
            self.kernel(
                (len(distances),),
                PICK_BLOCK,
                stride=np.int32(distances.shape[1]),
                first=np.int32(first),
                **self.csr,
                distances=distances,
                slack=self.no_slack if slack is None else slack,
                room=np.int32(room),
                keys=keys,
                count=count,
            )
            self.launches += 1
            found = int(downloaded(device, count)[0])
            if found <= room:
                return keys[:found]


class AllTrees:
    """Finds the predecessors of all pairs of a graph with whole weights, along the arcs that are shortest paths."""

    def __init__(self, resident: Resident, block: tuple[int] = TREE_BLOCK):
        self.picker, self.rows = Picker(resident), RowTrees(resident, block, dense=True)
        self.xp, self.csr = resident.device.xp, resident.arguments

    def find(self, distances: Any, predecessors: Any) -> Counter[str]:
        """Enqueue overwriting ``predecessors``. Both are device arrays, int32 of shape (n, n).

        Waits for a number from the device. Returns the counters ``launches`` and ``host_reads``. May raise
        OutOfMemoryError.
        """
        before = self.picker.launches
        arcs = sorted_inbound(self.xp, **self.csr, keys=self.picker.find(0, distances))
        picks = self.picker.launches - before
        return Counter(launches=picks + self.rows.find(None, distances, predecessors, arcs), host_reads=picks)
