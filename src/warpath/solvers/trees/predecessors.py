"""Predecessors from final distances, on the device, for variants whose iterations do not compute them.

An arc is tight if the distance of its tail, extended by its weight, is the distance of its head. The predecessor of a
vertex is the tail of a tight arc. Graphs with floats take the kernels of trees.cu. So do other graphs where tight arcs
can form a cycle, but not for many sources.
"""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from ...device.copies import downloaded
from ...device.resident import Resident
from ...distances import NO_PREDECESSOR
from ...graphs.csr import Graph
from ..shared.grids import GRID_Y_MAX, blocks_over
from ..shared.lengths import macros_for

KERNEL = Path(__file__).with_name("predecessors.cu")
TREES_KERNEL = Path(__file__).with_name("trees.cu")
ARCS_KERNEL = Path(__file__).with_name("shortest_arcs.cu")
BLOCK = (256,)
VERTICES_A_THREAD = 8  # of a row, so that a block has enough work
TREE_BLOCK = (1024,)
MARK_BLOCK = (256,)


def trees_needed(graph: Graph) -> bool:
    """Whether tight arcs can form a cycle, so that predecessors must be found as a tree that grows from the source.

    Without arcs of weight 0 or less they cannot, because distances increase along tight arcs. A float weight may be too
    small to increase a distance.
    """
    return graph.has_floats or (graph.weight_min <= 0 and graph.arcs > 0)


def finder_for(resident: Resident) -> "TightArcs | SourceTrees":
    """What finds the predecessors of one source at a time."""
    return SourceTrees(resident) if trees_needed(resident.graph) else TightArcs(resident)


class TightArcs:
    """Finds the predecessors of one source at a time, in a graph without ``trees_needed``."""

    def __init__(self, resident: Resident, block: tuple[int] = BLOCK):
        vertices = resident.graph.vertices
        self.claim = resident.device.kernel(KERNEL, "claim").bind(
            (blocks_over(vertices, block[0]),),
            block,
            vertices=np.int32(vertices),
            **resident.arguments,
            distances=None,
            predecessors=None,
        )

    def find(self, source: int, distances: Any, predecessors: Any) -> Counter[str]:
        """Enqueue overwriting ``predecessors``; device arrays of shape (n,).

        Returns the counters ``launches`` and ``host_reads`` (copies of a flag to the host, which waits for each).
        """
        predecessors.fill(NO_PREDECESSOR)
        self.claim(distances=distances, predecessors=predecessors)
        return Counter(launches=1)


class OfRows:
    """Finds the predecessors of many sources, one row for each, for any weights.

    In a first launch, each vertex takes the tail of a tight arc of positive weight. A second launch grows the trees
    along the other arcs. With negative arcs, it grows them along all arcs, because any arc can be on a cycle of weight
    zero.
    """

    def __init__(self, resident: Resident, block: tuple[int] = BLOCK):
        device, graph = resident.device, resident.graph
        self.device, self.block = device, block
        self.vertices = graph.vertices
        self.trees = SourceTrees(resident, block) if graph.has_floats else None
        if self.trees:
            return
        tails, heads, weights = graph.tails(), graph.indices, graph.weights
        claiming = weights > 0 if graph.weight_min >= 0 else np.zeros(graph.arcs, bool)
        growing = ~claiming & (tails != heads)
        order = np.flatnonzero(claiming)[np.argsort(heads[claiming], kind="stable")]
        starts = np.zeros(graph.vertices + 1, np.int32)
        np.cumsum(np.bincount(heads[order], minlength=graph.vertices), out=starts[1:])
        arcs_in = {"starts": starts, "tails": tails[order], "weights": weights[order]}
        self.arcs_in = {name: device.upload(array) for name, array in arcs_in.items()}
        self.grown_count = int(np.count_nonzero(growing))
        if self.grown_count:
            arcs_grown = {"tails": tails[growing], "heads": heads[growing], "weights": weights[growing]}
            self.arcs_grown = {name: device.upload(array) for name, array in arcs_grown.items()}
        self.claim, self.grow = device.kernel(KERNEL, "claim_rows"), device.kernel(KERNEL, "grow_rows")

    def find(self, sources: Any | None, distances: Any, predecessors: Any) -> int:
        """Enqueue overwriting ``predecessors``. Both are device arrays of shape (k, n). Returns the launches.

        ``sources`` is a device array, int32 of shape (k,). If it is None, row i has source i.
        """
        rows = len(distances)
        if self.trees:
            if sources is None:
                sources = self.device.upload(np.arange(rows, dtype=np.int32))
            return self.trees.find_rows(sources, distances, predecessors)
        pieces = min(blocks_over(self.vertices, self.block[0] * VERTICES_A_THREAD), GRID_Y_MAX)
        answer = {"all_distances": distances, "all_predecessors": predecessors}
        vertices = np.int32(self.vertices)
        self.claim((rows, pieces), self.block, vertices=vertices, sources=sources, **self.arcs_in, **answer)
        if not self.grown_count:
            return 1
        self.grow(
            (rows,),
            self.block,
            vertices=vertices,
            sources=sources,
            arcs=np.int32(self.grown_count),
            **self.arcs_grown,
            **answer,
        )
        return 2


class SourceTrees:
    """Finds the predecessors of sources, for any weights."""

    def __init__(self, resident: Resident, block: tuple[int] = BLOCK):
        device, graph = resident.device, resident.graph
        self.device, self.block, self.csr = device, block, resident.arguments
        self.vertices, self.claims, self.lanes = graph.vertices, graph.weight_min >= 0, _lanes_for(graph)
        names = "claim", "find_open", "grow", "grow_to_end"
        self.kernels = {name: device.kernel(TREES_KERNEL, name, macros_for(graph)) for name in names}

    def find(self, source: int, distances: Any, predecessors: Any) -> Counter[str]:
        """As ``TightArcs.find``."""
        predecessors.fill(NO_PREDECESSOR)
        words = self.device.upload(np.array([source, 0, 0], np.int32))
        sources, open_rows, grown = words[:1], words[1:2], words[2:]
        launches, step = self._begin(sources, distances, predecessors, open_rows, grown)
        step.set(is_first_step=np.int32(False))
        steps, _ = self.device.repeat_while([[step]], grown, self.vertices)
        return Counter(launches=launches + steps, host_reads=steps)

    def find_rows(self, sources: Any, distances: Any, predecessors: Any) -> int:
        """As ``OfRows.find``."""
        predecessors.fill(NO_PREDECESSOR)
        open_rows = self.device.upload(np.zeros(len(sources), np.int32))
        launches, _ = self._begin(sources, distances, predecessors, open_rows, None)
        self.kernels["grow_to_end"](
            (len(sources),),
            self.block,
            vertices=np.int32(self.vertices),
            lanes=np.int32(self.lanes),
            **self.csr,
            sources=sources,
            distances=distances,
            predecessors=predecessors,
            open=open_rows,
        )
        return launches + 1

    def _begin(self, sources: Any, distances: Any, predecessors: Any, open_rows: Any, grown: Any) -> tuple[int, Any]:
        """Enqueue claiming and the first step of growing. Returns the number of launches, and the step's launch."""
        rows = len(sources)
        size: dict[str, Any] = {"vertices": np.int32(self.vertices), "rows": np.int32(rows)}
        answer = {"sources": sources, "distances": distances, "predecessors": predecessors}
        grid, arguments = self._grid(rows, self.lanes), {**size, "lanes": np.int32(self.lanes), **self.csr, **answer}
        if self.claims:
            self.kernels["claim"](grid, self.block, **arguments)
        self.kernels["find_open"](self._grid(rows, 1), self.block, **size, **answer, open=open_rows)
        step = self.kernels["grow"].bind(
            grid, self.block, is_first_step=np.int32(True), **arguments, open=open_rows, grown=grown
        )
        self.device.enqueue([step])
        return 2 + int(self.claims), step

    def _grid(self, rows: int, lanes: int) -> tuple[int, int]:
        vertices_a_thread = VERTICES_A_THREAD if rows > 1 else 1
        return blocks_over(self.vertices * lanes, self.block[0] * vertices_a_thread), min(rows, GRID_Y_MAX)


def _lanes_for(graph: Graph) -> int:
    """The power of two, at most a warp, that gives each thread about four arcs."""
    lanes = 1
    while lanes < 32 and graph.arcs > 4 * lanes * graph.vertices:
        lanes *= 2
    return lanes


class Marks:
    """Finds the arcs of a graph that are shortest paths, among the arcs from given vertices."""

    def __init__(self, resident: Resident):
        device = resident.device
        self.device, self.graph, self.csr = device, resident.graph, resident.arguments
        self.kernel = device.kernel(ARCS_KERNEL, "mark")

    def find(self, first: int, distances: Any) -> np.ndarray:
        """The numbers of the arcs, int64 of shape (k,). Row i of ``distances`` is that of vertex ``first + i``.

        Waits for the device's default stream. May raise OutOfMemoryError.
        """
        graph, rows = self.graph, len(distances)
        begin, end = graph.indptr[[first, first + rows]].tolist()
        marks = np.zeros(end - begin, np.uint8)
        if len(marks):
            on_device = self.device.upload(marks)
            self.kernel(
                (rows,),
                MARK_BLOCK,
                vertices=np.int32(graph.vertices),
                first=np.int32(first),
                **self.csr,
                distances=distances,
                marks=on_device,
            )
            self.device.download(on_device, marks)
        return begin + np.flatnonzero(marks)


class Trees:
    """Finds the predecessors of all pairs of a graph, for any weights."""

    def __init__(self, resident: Resident, block: tuple[int] = TREE_BLOCK):
        device = resident.device
        self.device, self.graph, self.csr, self.block = device, resident.graph, resident.arguments, block
        self.kernels = {name: device.kernel(ARCS_KERNEL, name) for name in ("count", "place", "claim", "grow")}

    def find(self, distances: Any, predecessors: Any) -> Counter[str]:
        """Enqueue overwriting ``predecessors``. Both are device arrays, int32 of shape (n, n).

        Waits for two numbers from the device, to allocate the list of arcs. Returns the counters ``launches`` and
        ``host_reads``. May raise OutOfMemoryError.
        """
        device, xp, vertices = self.device, self.device.xp, self.graph.vertices
        rows, number = (vertices,), np.int32(vertices)
        all_grow = np.int32(self.graph.weight_min < 0)
        arcs = {"vertices": number, "all_grow": all_grow, **self.csr}
        counts = device.upload(np.zeros(vertices + 1, np.int32))
        self.kernels["count"](rows, self.block, **arcs, distances=distances, counts=counts)
        starts = device.upload(np.zeros(vertices + 2, np.int32))
        starts[1:] = xp.cumsum(counts, dtype=np.int32)
        last, total = downloaded(device, starts[vertices:]).tolist()
        picked = device.empty((max(total, 1), 2), np.int32)
        heads = device.empty((max(total - last, 1),), np.int32)
        following = starts[:-1].copy()
        self.kernels["place"](
            rows,
            self.block,
            **arcs,
            distances=distances,
            next=following,
            last=np.int32(last),
            arcs=picked,
            heads=heads,
        )
        row_bytes = starts.itemsize * vertices
        in_shared = row_bytes <= device.shared_memory_bytes
        self.kernels["claim"](
            rows,
            self.block,
            shared_mem=row_bytes if in_shared else 0,
            **arcs,
            row_in_shared=np.int32(in_shared),
            starts=starts,
            arcs=picked,
            all_distances=distances,
            all_predecessors=predecessors,
        )
        if total == last:
            return Counter(launches=3, host_reads=1)
        self.kernels["grow"](
            rows,
            self.block,
            vertices=number,
            count=np.int32(total - last),
            last=np.int32(last),
            all_arcs=picked,
            heads=heads,
            all_distances=distances,
            all_predecessors=predecessors,
        )
        return Counter(launches=4, host_reads=1)
