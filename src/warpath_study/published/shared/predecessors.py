"""Predecessors from final distances, on the device, for variants whose iterations do not compute them.

An arc is tight if the distance of its tail plus its weight is the distance of its head. The predecessor of a vertex is
the tail of a tight arc.
"""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from warpath.device import Device
from warpath.graphs.csr import Graph

from .grids import GRID_Y_MAX, blocks_over

KERNEL = Path(__file__).with_suffix(".cu")
BLOCK = (256,)
VERTICES_A_THREAD = 8  # of a row, so that a block has enough work


def trees_needed(graph: Graph) -> bool:
    """Whether tight arcs can form a cycle, so that predecessors must be found as a tree that grows from the source.

    Without arcs of weight 0 or less they cannot, because distances increase along tight arcs. A float weight may be too
    small to increase a distance.
    """
    return graph.has_floats or (graph.weight_min <= 0 and graph.arcs > 0)


class OneSource:
    """Finds the predecessors of one source at a time, in a graph without floats.

    ``csr`` are the ``arguments`` of a copy of ``graph`` on the device. Threads take vertices, in a launch of ``blocks``
    blocks, by default one thread for each vertex.
    """

    def __init__(
        self, device: Device, graph: Graph, csr: dict[str, Any], block: tuple[int] = BLOCK, blocks: int | None = None
    ):
        self.device = device
        self.vertices = graph.vertices
        self.csr = csr
        self.grid, self.block = (blocks or blocks_over(graph.vertices, block[0]),), block
        self.needs_trees = trees_needed(graph)
        self.kernel = device.kernel(KERNEL, "grow" if self.needs_trees else "claim")
        if not self.needs_trees:
            self.claim = self.kernel.bind(
                self.grid, block, vertices=np.int32(graph.vertices), **csr, distances=None, predecessors=None
            )

    def find(self, source: int, distances: Any, predecessors: Any) -> Counter[str]:
        """Enqueue filling ``predecessors``, which must be NO_PREDECESSOR everywhere; device arrays of shape (n,).

        Returns the counters ``launches`` and ``host_reads`` (copies of a flag to the host, which waits for each).
        """
        if not self.needs_trees:
            self.claim.set(distances=distances, predecessors=predecessors)
            self.device.enqueue([self.claim])
            self.claim.set(distances=None, predecessors=None)  # drop the references to the arrays
            return Counter(launches=1)
        grown = self.device.upload(np.zeros(1, np.int32))
        step = self.kernel.bind(
            self.grid,
            self.block,
            vertices=np.int32(self.vertices),
            source=np.int32(source),
            **self.csr,
            distances=distances,
            predecessors=predecessors,
            grown=grown,
        )
        launches, _ = self.device.repeat_while([[step]], grown, self.vertices)
        return Counter(launches=launches, host_reads=launches)


class OfRows:
    """Finds the predecessors of many sources, one row for each, in a graph without floats.

    In a first launch, each vertex takes the tail of a tight arc of positive weight. A second launch grows the trees
    along the other arcs. With negative arcs, it grows them along all arcs, because any arc can be on a cycle of weight
    zero.
    """

    def __init__(self, device: Device, graph: Graph, block: tuple[int] = BLOCK):
        self.device, self.block = device, block
        self.vertices = graph.vertices
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
