"""Exact distances and predecessors of all pairs of a graph with floats, from distances that are rounded in any order.

The length of a path is the sum of its weights from the source on, rounded after each addition. All-pairs solvers join
paths, so they add in another order, and their distances are rounded differently. Two properties make them useful. Let u
be half a unit of the last place, relative to 1, and T the least length of a path, without rounding.

- A rounded distance D is the sum of a path in at most 2 n steps, one after another, so D >= T (1 - u)^(2 n).
- D and the exact distance F are at most the sum of a shortest path, so they are at most T (1 + u)^n.

Suppose that a shortest path from s leads through an arc from a to b of weight w, and that w > D(a, b) + slack. To b it
has the length F(s, a) + w, rounded. With the path of length T(a, b) instead of the arc, that is at most
(F(s, a) + T(a, b)) (1 + u)^n. If the slack is at least 4 n u times the greatest distance, this is no more. So there are
shortest paths without such arcs. The slack here is 8 n u times the greatest distance. By the same two properties, F is
at most D (1 + 8 n u).

So it suffices to add along the arcs of weight at most D + slack. If the sum of a path may exceed the largest float, all
arcs are used.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...device.copies import downloaded
from ...device.resident import Resident
from ...distances import unreachable
from ..shared.grids import blocks_over
from ..shared.lengths import macros_for

KERNEL = Path(__file__).with_suffix(".cu")
# Of sum_rows: if the shared memory has room for two rows, and if not. On the simulated GPU, threads cost time.
BLOCKS = {"cuda": ((512,), (1024,)), "simulated": ((64,), (96,))}
ROW_BLOCKS = {"cuda": (256,), "simulated": (32,)}
# Blocks whose sums are in global memory.
BLOCKS_MAX = 512
HALF_UNITS = 8
_WARP = 32


class UsefulArcs(NamedTuple):
    """Arcs that shortest paths can use, in CSR on a device. ``lightest`` has the lightest weight from each tail."""

    starts: Any
    heads: Any
    weights: Any
    lightest: Any


class PickedArcs(NamedTuple):
    """The useful arcs from some vertices, in their order. ``counts``, on the host, has the number from each vertex."""

    counts: np.ndarray
    heads: Any
    weights: Any
    tails: Any

    @property
    def arrays(self) -> tuple[Any, Any, Any]:
        return self.heads, self.weights, self.tails


class SourceSums:
    """Makes the rounded distances of all pairs of a graph exact. May raise OutOfMemoryError.

    Weights are floats of at least 0. ``Distances`` below are device arrays of the type of the weights, of shape (k, n)
    or, with further columns that do not matter, larger. Row i is that of vertex ``first + i``.
    """

    def __init__(self, resident: Resident):
        self.device, graph = resident.device, resident.graph
        device, self.csr = self.device, resident.arguments
        self.dtype, self.vertices = graph.weights.dtype, graph.vertices
        kinds = np.finfo(self.dtype)
        relative = HALF_UNITS * graph.vertices * float(kinds.eps) / 2
        overflows = graph.weight_max >= float(kinds.max) / (2 * graph.vertices)
        self.factor = self.dtype.type(1 + relative)
        self.limit = self.dtype.type(np.inf) if overflows else self.factor
        self.relative = np.inf if overflows else relative
        names = "farthest", "count", "place", "lighten", "sum_rows"
        self.kernels = {name: device.kernel(KERNEL, name, macros_for(graph)) for name in names}
        self.launches = 0

    def farthest(self, distances: Any) -> Any:
        """The greatest finite distance. Waits for the device."""
        found = self.device.upload(np.zeros(1, self.dtype))
        self._launch(
            "farthest",
            len(distances),
            vertices=np.int32(self.vertices),
            stride=self._stride(distances),
            distances=distances,
            found=found,
        )
        return downloaded(self.device, found)[0]

    def slack(self, farthest: Any) -> Any:
        """The slack, from the greatest distance of all pairs."""
        infinite = self.dtype.type(np.inf)
        if np.isinf(self.relative):
            return infinite
        return np.nextafter(farthest * self.dtype.type(self.relative), infinite)

    def pick(self, first: int, distances: Any, slack: Any) -> PickedArcs:
        """The useful arcs from the vertices of ``distances``. Waits for the device."""
        device, rows = self.device, len(distances)
        arguments = {
            "first": np.int32(first),
            "stride": self._stride(distances),
            **self.csr,
            "distances": distances,
            "slack": slack,
        }
        counted = device.upload(np.zeros(rows, np.int32))
        self._launch("count", rows, **arguments, counts=counted)
        counts = downloaded(device, counted)
        ends = np.cumsum(counts, dtype=np.int32)
        arcs = int(ends[-1])
        heads, weights, tails = (device.empty((max(1, arcs),), dtype) for dtype in (np.int32, self.dtype, np.int32))
        self._launch(
            "place",
            rows,
            **arguments,
            next=device.upload(ends - counts),
            heads=heads,
            picked_weights=weights,
            tails=tails,
        )
        return PickedArcs(counts, heads[:arcs], weights[:arcs], tails[:arcs])

    def on_host(self, picked: PickedArcs) -> PickedArcs:
        """The same arcs, with all arrays on the host. Waits for the device."""
        return PickedArcs(picked.counts, *(downloaded(self.device, array) for array in picked.arrays))

    def joined(self, parts: Sequence[PickedArcs]) -> UsefulArcs:
        """The picked arcs of all vertices, in order: one part on this device, or parts on the host."""
        device, (first, *others) = self.device, parts
        heads, weights, tails = first.arrays
        if others or isinstance(heads, np.ndarray):
            every = zip(*(part.arrays for part in parts), strict=True)
            heads, weights, tails = (device.upload(np.concatenate(arrays)) for arrays in every)
        starts = np.zeros(self.vertices + 1, np.int32)
        np.cumsum(np.concatenate([part.counts for part in parts]), out=starts[1:])
        lightest = device.upload(np.full(self.vertices, unreachable(self.dtype)))
        if len(heads):
            blocks = min(BLOCKS_MAX, blocks_over(len(heads), ROW_BLOCKS[device.kind][0]))
            self._launch("lighten", blocks, arcs=np.int32(len(heads)), tails=tails, weights=weights, lightest=lightest)
        return UsefulArcs(device.upload(starts), heads, weights, lightest)

    def sum(self, first: int, arcs: UsefulArcs, distances: Any, predecessors: Any | None) -> None:
        """Enqueue overwriting rounded distances with exact ones, and overwriting ``predecessors``, if there are any.

        Predecessors are int32 of shape (k, n).
        """
        device, rows, vertices = self.device, len(distances), self.vertices
        marks_bytes = 4 * blocks_over(vertices, _WARP)
        row_bytes = self.dtype.itemsize * vertices
        in_shared = row_bytes + marks_bytes + self.dtype.itemsize <= device.shared_memory_bytes
        blocks = rows if in_shared else min(rows, BLOCKS_MAX)
        sums = None if in_shared else device.empty((blocks, vertices), self.dtype)
        shared_bytes = marks_bytes + (row_bytes if in_shared else 0)
        block = BLOCKS[device.kind][2 * shared_bytes > device.shared_memory_bytes]
        self.kernels["sum_rows"](
            (blocks,),
            block,
            shared_mem=shared_bytes,
            vertices=np.int32(vertices),
            stride=self._stride(distances),
            first=np.int32(first),
            rows=np.int32(rows),
            starts=arcs.starts,
            heads=arcs.heads,
            weights=arcs.weights,
            lightest=arcs.lightest,
            factor=self.factor,
            limit=self.limit,
            distances=distances,
            all_predecessors=predecessors,
            row_in_shared=np.int32(in_shared),
            all_sums=sums,
        )
        self.launches += 1

    def find(self, distances: Any, predecessors: Any | None) -> Counter[str]:
        """Make the distances of all pairs exact, and find predecessors. Returns ``launches`` and ``host_reads``."""
        before = self.launches
        arcs = self.joined([self.pick(0, distances, self.slack(self.farthest(distances)))])
        self.sum(0, arcs, distances, predecessors)
        return Counter(launches=self.launches - before, host_reads=2)

    def _stride(self, distances: Any) -> np.int32:
        return np.int32(distances.shape[1])

    def _launch(self, name: str, blocks: int, **arguments: Any) -> None:
        self.kernels[name]((blocks,), ROW_BLOCKS[self.device.kind], **arguments)
        self.launches += 1
