"""Refuses what a variant cannot solve: graphs, sources, and answers beyond the memory, before the first kernel runs.

``Overflow`` looks at finished answers, and refuses those in which a distance did not fit 32 bits.
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from ...device import Device, Launch
from ...device.copies import downloaded
from ...device.resident import resident
from ...distances import UNREACHABLE
from ...errors import GraphError, NegativeCycleError, OutOfMemoryError
from ...graphs.csr import Graph
from ...graphs.weights import AS_FLOATS
from ...system import host_machine
from ...system.cores import called
from ..shared.grids import GRID_Y_MAX, blocks_over
from ..variant import Variant

_KERNELS = Path(__file__).with_name("overflow.cu")
BLOCK = (256,)
# On the simulated GPU a thread costs more than a vertex.
CELLS_A_THREAD = {"cuda": 8, "simulated": 64}
UPLOADED_BYTES_MAX = 64 << 20
_NONE = 2**64 - 1


@dataclass(frozen=True)
class AnswerSize:
    """What an answer takes of this machine's memory: "distances take", and bytes per pair of vertices."""

    what: str
    bytes_per_pair: int

    def check(self, rows: int, columns: int) -> None:
        """Raise OutOfMemoryError if this machine cannot hold an answer for ``rows`` x ``columns`` pairs of vertices.

        Systems promise more memory than they have, and kill the process that uses it.
        """
        wanted_bytes = self.bytes_per_pair * rows * columns
        if wanted_bytes < host_machine.LARGE_BYTES:
            return
        free_bytes, total_bytes = host_machine.memory_bytes()
        if wanted_bytes > free_bytes:
            raise OutOfMemoryError(
                f"{self.what} {wanted_bytes:,} bytes of this machine's memory; "
                f"{free_bytes:,} of {total_bytes:,} are free"
            )


def size_of_paths(predecessors: bool, length_bytes: int) -> AnswerSize:
    """What distances of ``length_bytes`` each take, and ``predecessors`` if they are wanted."""
    if predecessors:
        return AnswerSize("distances and predecessors take", length_bytes + 4)
    return AnswerSize("distances take", length_bytes)


DISTANCES, PATHS = (size_of_paths(predecessors, 4) for predecessors in (False, True))
CLOSURE = AnswerSize("the closure and its certificate take up to", 4 + 2)


def check_weights(graph: Graph, variant: Variant) -> None:
    """Raise GraphError for floats or negative arcs that ``variant`` does not allow, or sums that could leave int32.

    All pairs add two paths, others a path and an arc. Without negative arcs ``Overflow`` looks at the finished solve.
    """
    if graph.has_floats and not variant.floats:
        raise GraphError(
            f"the weights are {graph.weights.dtype}; {variant.algorithm} {variant.name} needs whole numbers: make "
            "the graph with a scale, or leave the solver to the library"
        )
    if graph.weight_min >= 0:
        return
    if not variant.takes(graph):
        arc = int(np.argmin(graph.weights))
        tail, head = graph.label_of(graph.tails()[arc]), graph.label_of(graph.indices[arc])
        weight = graph.weights[arc]
        takers = "label_correcting takes" if graph.has_floats else "bellman_ford and floyd_warshall take"
        raise GraphError(
            f"arc {tail} -> {head} has weight {weight}; {variant.algorithm} {variant.name} needs weights of at least 0 "
            f"({takers} negative ones)"
        )
    if not graph.has_floats and graph.longest_path_bound * (2 if variant.problem == "apsp" else 1) >= UNREACHABLE:
        raise GraphError(
            f"with negative arcs and weights up to {max(graph.weight_max, -graph.weight_min)}, sums along a path could "
            f"leave 32 bits; {AS_FLOATS}"
        )


def check_no_negative_cycle(graph: Graph, source: int | None) -> None:
    """Raise NegativeCycleError for a cycle of negative weight that ``source`` reaches; without a source, for any."""
    cycle = negative_cycle(graph, source) if graph.weight_min < 0 else []
    if cycle:
        walk = " -> ".join(str(graph.label_of(vertex)) for vertex in [*cycle, cycle[0]])
        raise NegativeCycleError(f"the cycle {walk} has negative weight, so there are no shortest distances")


def negative_cycle(graph: Graph, source: int | None) -> list[int]:
    """The vertices of a cycle of negative weight, in order, or [] if there is none.

    With a ``source``, only cycles that it reaches count.
    """
    from ..cpu.queue import search  # importing Numba is slow

    weights = graph.weights
    # Lengths of paths may not fit 32 bits.
    dtype = weights.dtype if graph.has_floats else np.dtype(np.int64)
    none = np.inf if graph.has_floats else np.iinfo(dtype).max
    distances, predecessors = np.full(graph.vertices, none, dtype), np.full(graph.vertices, -1, np.int32)
    arcs = graph.indptr, graph.indices, weights
    zero: Any = dtype.type(0)
    arguments = *arcs, zero, -1 if source is None else source, distances, predecessors
    vertex = called(lambda: search(*arguments), graph.vertices + graph.arcs)
    if vertex < 0:
        return []
    for _ in range(graph.vertices):  # `vertex` may lie behind the cycle: n steps back lead onto it
        vertex = predecessors[vertex]
    cycle = [int(vertex)]
    while predecessors[cycle[-1]] != vertex:
        cycle.append(int(predecessors[cycle[-1]]))
    return cycle[::-1]


class Overflow:
    """Looks at the answers of one graph, on one device. May raise OutOfMemoryError."""

    def __init__(self, device: Device, graph: Graph):
        self._device, self._graph = device, graph
        self._least = np.int32(0 if graph.has_floats else UNREACHABLE - max(0, graph.weight_max))
        self._find_far: Launch | None = None
        self._grid: tuple[int, ...] = ()

    @cached_property
    def is_possible(self) -> bool:
        """Whether a distance may not fit; False if an upper bound of all does."""
        graph = self._graph
        # With negative weights, `check_weights` refuses the graph before a solve. Floats become infinite.
        if graph.has_floats or graph.weight_min < 0 or (graph.vertices - 1) * graph.weight_max < UNREACHABLE:
            return False
        # A path enters each vertex at most once. On a large graph, the host would take longer than a solve.
        on_device, xp = resident(self._device, graph), self._device.xp
        heaviest_into = xp.zeros(graph.vertices, np.int32)
        xp.maximum.at(heaviest_into, on_device.indices, on_device.weights)
        return bool(int(heaviest_into.sum(dtype=np.int64)) >= UNREACHABLE)

    @cached_property
    def _words(self) -> tuple[Any, np.ndarray]:
        """``far`` on the device, and where the host reads it."""
        return self._device.upload(np.zeros(1, np.int32)), self._device.pinned((1,), np.int32, pooled=True)

    def check(self, distances: Any) -> None:
        """Raise GraphError where a shortest distance of a finished solve does not fit int32.

        ``distances`` are int32 of shape (n,) or (k, n), of the device or the host; those of the host are copied a few
        rows at a time. Takes one launch and one read where none is near the limit.
        """
        if not self.is_possible:
            return
        if self._device.kind == "cpu":
            for row in np.atleast_2d(distances):
                self._check_row(row)
            return
        if isinstance(distances, self._device.xp.ndarray):
            self._check_rows(distances)
            return
        rows = np.atleast_2d(distances)
        at_once = max(1, UPLOADED_BYTES_MAX // rows[:1].nbytes)
        for first in range(0, len(rows), at_once):
            self._check_rows(self._device.upload(np.ascontiguousarray(rows[first : first + at_once])))

    def _check_row(self, distances: np.ndarray) -> None:
        """As ``check``, for one row, without a kernel."""
        unreached = distances == UNREACHABLE
        far = (distances >= self._least) & ~unreached
        if far.any():
            lost = np.flatnonzero(far[self._graph.tails()] & unreached[self._graph.indices])
            if len(lost):
                self._raise_lost(int(lost[0]))

    def _check_rows(self, distances: Any) -> None:
        rows = np.int32(1 if distances.ndim == 1 else len(distances))
        if self._is_any_far(rows, distances):
            arc = self._lost(rows, distances)
            if arc is not None:
                self._raise_lost(arc)

    def _raise_lost(self, arc: int) -> NoReturn:
        vertex = self._graph.label_of(self._graph.indices[arc])
        raise GraphError(f"the distance of vertex {vertex} does not fit 32 bits; {AS_FLOATS}")

    def _is_any_far(self, rows: np.int32, distances: Any) -> bool:
        """Whether a vertex is reached so far away that an arc from it may lose another."""
        cells = CELLS_A_THREAD[self._device.kind]
        grid = blocks_over(self._graph.vertices, BLOCK[0] * cells), min(int(rows), GRID_Y_MAX)
        far, read = self._words
        if self._find_far is None or grid != self._grid:  # binding takes longer than what follows
            kernel = self._device.kernel(_KERNELS, "find_far", {"CELLS_A_THREAD": cells})
            self._grid = grid
            self._find_far = kernel.bind(
                grid,
                BLOCK,
                vertices=np.int32(self._graph.vertices),
                rows=rows,
                all_distances=None,
                least=self._least,
                far=far,
            )
        self._find_far(rows=rows, all_distances=distances)
        self._device.download(far, read)
        if not read[0]:
            return False
        far.fill(0)
        return True

    def _lost(self, rows: np.int32, distances: Any) -> int | None:
        """The number of the first arc that leads to a lost vertex, in the first row that has one."""
        lost = self._device.upload(np.array([_NONE], np.uint64))
        grid = blocks_over(self._graph.vertices, BLOCK[0]), min(int(rows), GRID_Y_MAX)
        self._device.kernel(_KERNELS, "find_lost")(
            grid,
            BLOCK,
            vertices=np.int32(self._graph.vertices),
            **resident(self._device, self._graph).arguments,
            rows=rows,
            all_distances=distances,
            least=self._least,
            lost=lost,
        )
        found = downloaded(self._device, lost)[0]
        return None if found == _NONE else int(found) % 2**32
