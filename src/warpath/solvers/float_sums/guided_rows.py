"""Exact distances of a graph with floats, guided by distances that are nearly right; see guided_rows.cu.

The length of a path is the sum of its weights from the source on, rounded after each addition. Any guide is good for
``GuidedByWhole``, whose answer is exact nevertheless. ``GuidedByRounded`` relies on its own. All-pairs solvers join
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
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...device.copies import downloaded
from ...device.resident import Resident
from ...distances import NO_PREDECESSOR, UNREACHABLE, unreachable
from ...graphs.csr import Graph
from ..cpu.heap import search
from ..shared.grids import blocks_over
from ..shared.lengths import macros_for
from ..trees.predecessors import PULL_KERNEL, Picker

KERNEL = Path(__file__).with_suffix(".cu")
KERNELS = KERNEL, PULL_KERNEL
# On the simulated GPU, threads cost time.
BLOCKS = {"cuda": (256,), "simulated": (32,)}
# Of rows_by_marks: if the shared memory has room for two rows, and if not.
BLOCKS_OF_MARKS = {"cuda": ((512,), (1024,)), "simulated": ((64,), (96,))}
# Blocks whose labels are in global memory.
BLOCKS_MAX = 512
HALF_UNITS = 8
_WARP = 32
# The length of a list. On roads, a round has fewer vertices.
LIST_SIZE = 2**14
# The length of the longest path from one source in units. Whole distances have room for 16 times as much.
LONGEST_IN_UNITS = 2**27
# The slack is so many times the largest difference from one source.
SLACK_FACTOR, SLACK_MAX = 2, 2**31
# The unit and the slack are those of the first of so many sources that reaches half of all vertices, or of the best.
SOURCES_TRIED = 8
# A distance of so many units, or of more, says nothing.
TOO_FAR = UNREACHABLE - 1


class WholeWeights:
    """Weights of ``floats`` in multiples of ``unit``, rounded down: ``graph``, with weights of int32.

    ``slack`` is about the most by which a distance of ``floats``, in units, exceeds that in ``graph``.
    """

    def __init__(self, floats: Graph):
        source, distances = _far_reaching(floats)
        reached = np.isfinite(distances)
        kinds = np.finfo(floats.weights.dtype)
        self.unit = max(distances[reached].max() / kinds.dtype.type(LONGEST_IN_UNITS), kinds.smallest_subnormal)
        with np.errstate(over="ignore"):
            units = np.floor(floats.weights / np.float64(self.unit))
        self.graph = Graph(floats.indptr, floats.indices, np.minimum(units, TOO_FAR).astype(np.int32))
        below = distances[reached] / np.float64(self.unit) - _distances(self.graph, source)[reached]
        self.slack = min(int(SLACK_FACTOR * below.max(initial=0)) + 1, SLACK_MAX)


def _far_reaching(graph: Graph) -> tuple[int, np.ndarray]:
    """A source that reaches many vertices, and the distances from it."""
    tails = np.flatnonzero(np.diff(graph.indptr))
    places = np.linspace(0, len(tails) - 1, SOURCES_TRIED + 2, dtype=int)[1:-1]
    best = 0, _distances(graph, 0)
    most = 0
    for source in tails[places].tolist() if len(tails) else ():
        distances = _distances(graph, source)
        reached = int(np.isfinite(distances).sum())
        if reached > most:
            most, best = reached, (source, distances)
        if 2 * most >= graph.vertices:
            break
    return best


def _distances(graph: Graph, source: int) -> np.ndarray:
    """The distances from ``source``, with sums of at least 64 bits for whole weights."""
    dtype = graph.weights.dtype
    distances = np.full(graph.vertices, unreachable(dtype))
    predecessors = np.full(graph.vertices, NO_PREDECESSOR, np.int32)
    zero: Any = dtype.type(0) if graph.has_floats else np.int64(0)
    search(graph.indptr, graph.indices, graph.weights, zero, source, distances, predecessors)
    return distances


class GuidedByWhole:
    """Makes the distances of ``whole`` exact. Lists have ``list_size`` vertices."""

    def __init__(self, resident: Resident, whole: WholeWeights, positions: Any, list_size: int):
        device, graph = resident.device, resident.graph
        self.device, self.list_size = device, min(list_size, graph.vertices)
        self.kernel, self.block = device.kernel(KERNEL, "rows_by_lists", macros_for(graph)), BLOCKS[device.kind]
        self.blocks_max = device.resident_blocks(self.kernel, self.block)
        self.of_graph = {
            "vertices": np.int32(graph.vertices),
            **resident.arguments,
            "positions": positions,
            "unit": whole.unit,
            "slack": np.uint32(whole.slack),
        }
        self.lists: Any = None

    def make(self, sources: Any, work: Any, distances: Any) -> None:
        """Enqueue writing the rows of ``distances``. ``work`` has what the sweep found from ``sources``."""
        rows = len(sources)
        blocks = min(rows, self.blocks_max)
        if self.lists is None or len(self.lists) < blocks:
            self.lists = None
            self.lists = self.device.empty((blocks, 2, self.list_size), np.int32)
        self.kernel(
            (blocks,),
            self.block,
            **self.of_graph,
            work=work,
            rows=np.int32(rows),
            sources=sources,
            distances=distances,
            all_lists=self.lists,
            list_size=np.int32(self.list_size),
        )


class UsefulArcs(NamedTuple):
    """Arcs that shortest paths can use, in CSR on a device. ``lightest`` has the lightest weight from each tail."""

    starts: Any
    heads: Any
    weights: Any
    lightest: Any


class GuidedByRounded:
    """Makes the rounded distances of all pairs of a graph exact. May raise OutOfMemoryError.

    Weights are floats of at least 0. ``Distances`` below are device arrays of the type of the weights, of shape (k, n)
    or, with further columns that do not matter, larger. Row i is that of vertex ``first + i``.
    """

    def __init__(self, resident: Resident):
        self.device, self.graph, self.csr = resident.device, resident.graph, resident.arguments
        self.dtype, self.vertices = self.graph.weights.dtype, self.graph.vertices
        kinds = np.finfo(self.dtype)
        relative = HALF_UNITS * self.vertices * float(kinds.eps) / 2
        overflows = self.graph.weight_max >= float(kinds.max) / (2 * self.vertices)
        self.factor = self.dtype.type(1 + relative)
        self.longest = self.dtype.type(np.inf) if overflows else self.factor
        self.relative = np.inf if overflows else relative
        names, macros = ("farthest", "lighten", "rows_by_marks"), macros_for(self.graph)
        self.kernels = {name: self.device.kernel(KERNEL, name, macros) for name in names}
        self.picker = Picker(resident)
        self._launches = 0

    @property
    def launches(self) -> int:
        return self._launches + self.picker.launches

    def farthest(self, distances: Any) -> Any:
        """The greatest finite distance. Waits for the device."""
        found = self.device.upload(np.zeros(1, self.dtype))
        stride = np.int32(distances.shape[1])
        self._launch("farthest", len(distances), stride=stride, distances=distances, found=found)
        return downloaded(self.device, found)[0]

    def pick(self, first: int, distances: Any, farthest: Any, to_host: bool = False) -> Any:
        """The keys of the useful arcs from the vertices of ``distances``, on the device or host. Waits for the device.

        ``farthest`` is the greatest distance of all pairs.
        """
        slack = infinite = self.dtype.type(np.inf)
        if np.isfinite(self.relative):
            slack = np.nextafter(farthest * self.dtype.type(self.relative), infinite)
        keys = self.picker.find(first, distances, slack)
        return downloaded(self.device, keys) if to_host else keys

    def arcs_of(self, keys: Any, on_host: bool = False) -> tuple[Any, Any, Any]:
        """Starts, heads and weights of the arcs of ``keys``, on the device or host as these, which are overwritten."""
        graph = self.graph
        xp = np if on_host else self.device.xp
        indptr, indices, weights = (graph.indptr, graph.indices, graph.weights) if on_host else self.csr.values()
        keys &= 2**32 - 1
        keys.sort()  # in place, since most arcs may be useful
        return xp.searchsorted(keys, indptr.astype(np.int64)).astype(np.int32), indices[keys], weights[keys]

    def useful(self, arcs: tuple[Any, Any, Any]) -> UsefulArcs:
        """``arcs``, copied to this device if they are on the host, with the lightest ones."""
        device = self.device
        starts, heads, weights = map(device.upload, arcs) if isinstance(arcs[0], np.ndarray) else arcs
        lightest = device.empty((self.vertices,), self.dtype)
        blocks = blocks_over(self.vertices, BLOCKS[device.kind][0])
        self._launch("lighten", blocks, starts=starts, weights=weights, lightest=lightest)
        return UsefulArcs(starts, heads, weights, lightest)

    def make(self, first: int, arcs: UsefulArcs, distances: Any, predecessors: Any | None) -> None:
        """Enqueue overwriting rounded distances with exact ones, and overwriting ``predecessors``, if there are any.

        Predecessors are int32 of shape (k, n).
        """
        device, rows, vertices = self.device, len(distances), self.vertices
        marks_bytes = 4 * blocks_over(vertices, _WARP)
        row_bytes = self.dtype.itemsize * vertices
        in_shared = row_bytes + marks_bytes + self.dtype.itemsize <= device.shared_memory_bytes
        blocks = rows if in_shared else min(rows, BLOCKS_MAX)
        shared_bytes = marks_bytes + (row_bytes if in_shared else 0)
        self._launch(
            "rows_by_marks",
            blocks,
            BLOCKS_OF_MARKS[device.kind][2 * shared_bytes > device.shared_memory_bytes],
            shared_bytes,
            stride=np.int32(distances.shape[1]),
            first=np.int32(first),
            rows=np.int32(rows),
            **arcs._asdict(),
            factor=self.factor,
            longest=self.longest,
            distances=distances,
            all_predecessors=predecessors,
            row_in_shared=np.int32(in_shared),
            all_labels=None if in_shared else device.empty((blocks, vertices), self.dtype),
        )

    def find(self, distances: Any, predecessors: Any | None) -> Counter[str]:
        """Make the distances of all pairs exact, and find predecessors. Returns ``launches`` and ``host_reads``."""
        before, picks = self.launches, self.picker.launches
        keys = self.pick(0, distances, self.farthest(distances))
        reads = 1 + self.picker.launches - picks
        self.make(0, self.useful(self.arcs_of(keys)), distances, predecessors)
        return Counter(launches=self.launches - before, host_reads=reads)

    def _launch(
        self, name: str, blocks: int, block: tuple[int] | None = None, shared_bytes: int = 0, **arguments: Any
    ) -> None:
        arguments["vertices"] = np.int32(self.vertices)
        self.kernels[name]((blocks,), block or BLOCKS[self.device.kind], shared_mem=shared_bytes, **arguments)
        self._launches += 1
