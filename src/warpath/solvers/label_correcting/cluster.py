"""Label correcting, cluster: one source on a small graph, in the shared memory of one thread block cluster.

Vertices are dealt out to the blocks of the cluster, and their outgoing arcs to the threads of their block.
"""

import heapq
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from ...device import Device
from ...errors import DeviceError, NoClustersError, UsageError
from ...graphs.csr import Graph
from .. import predecessors
from ..grids import blocks_over
from ..registry import Variant
from ..shape import cached_by_graph
from ..source_plan import OneLaunchPlan

HEAD_BITS = 16
CLUSTER_BLOCKS = 16
# So many of the heaviest vertices go, one after another, to the block with the fewest arcs so far. The others are dealt
# out by their degrees, all of one degree at once.
_HEAVY = 1024
KERNEL = Path(__file__).with_suffix(".cu")
BLOCK = 512
BLOCK_ALONE = 64
"""Where a cluster is one block, as on the host device, more threads only take longer."""
ARCS_OF_A_THREAD_MAX = 24
"""So many fit the 128 registers of a thread, of 512 in a block."""
ARCS_ALONE_MAX = 2**17
_WORD_BYTES = 4
_SOURCE, _ARRAYS = 4, 6  # positions among the arguments of the kernel
_ARRAYS_OF_A_SOLVE = 3
_GAVE_UP = -1


@dataclass(frozen=True)
class Room:
    """What a cluster of ``blocks`` blocks holds: so many vertices and so many arcs a block."""

    blocks: int
    vertices: int
    arcs: int

    @property
    def local_bits(self) -> int:
        """The bits of an arc's word that say where in its block a vertex is."""
        return HEAD_BITS - (self.blocks - 1).bit_length()


@dataclass(frozen=True, eq=False)
class Dealing:
    """Which block has which vertices.

    ``owned`` are all vertices, int32: those of block b from ``begins[b]`` up to ``begins[b + 1]``. ``places`` is where
    in its block each vertex is, ``blocks`` its block, both int32 of shape (n,). ``arc_counts`` are the arcs of each
    block.
    """

    owned: np.ndarray
    begins: np.ndarray
    places: np.ndarray
    blocks: np.ndarray
    arc_counts: np.ndarray

    @property
    def vertex_counts(self) -> np.ndarray:
        return np.diff(self.begins)

    def slots(self, room: Room) -> np.ndarray:
        """Block and place of each vertex in one number, as the kernel has it; uint32 of shape (n,)."""
        return (self.blocks.astype(np.uint32) << room.local_bits) | self.places.astype(np.uint32)

    def arcs(self, graph: Graph, room: Room, block: int, of_a_thread: int) -> tuple[np.ndarray, np.ndarray]:
        """The words and the weights of the arcs, uint32 and int32.

        Each block in turn has ``of_a_thread`` rows of ``block`` arcs. A word is the place of the tail above the head. A
        weight below 0 marks where there is no arc.
        """
        words = np.zeros(room.blocks * of_a_thread * block, np.uint32)
        weights = np.full(len(words), -1, np.int32)
        degrees = np.diff(graph.indptr)[self.owned]
        ends = np.cumsum(degrees)
        # Arc by arc, in the order of their tails: where it is in the graph, and where it is among those of its block.
        numbers = np.arange(graph.arcs)
        of_graph = numbers + np.repeat(graph.indptr[self.owned] - (ends - degrees), degrees)
        first_arcs = np.cumsum(self.arc_counts) - self.arc_counts
        shifts = np.arange(len(first_arcs)) * (of_a_thread * block) - first_arcs
        there = numbers + np.repeat(shifts, self.arc_counts)
        tails = np.repeat(self.places[self.owned].astype(np.uint32), degrees)
        words[there] = (tails << HEAD_BITS) | self.slots(room)[graph.indices[of_graph]]
        weights[there] = graph.weights[of_graph]
        return words, weights


def refusal(graph: Graph, room: Room) -> str | None:
    """Why ``graph`` does not fit ``room``, as the first half of a sentence; None if it fits."""
    if graph.vertices > room.blocks * room.vertices or graph.arcs > room.blocks * room.arcs:
        return (
            f"{graph.vertices:,} vertices and {graph.arcs:,} arcs do not fit a cluster, which holds "
            f"{room.blocks * room.vertices:,} vertices and {room.blocks * room.arcs:,} arcs"
        )
    dealing = dealt(graph, room.blocks)
    if dealing.vertex_counts.max() > room.vertices or dealing.arc_counts.max() > room.arcs:
        return (
            f"the heaviest vertices have too many of the {graph.arcs:,} arcs: a block would get "
            f"{dealing.vertex_counts.max():,} vertices and {dealing.arc_counts.max():,} arcs, and holds "
            f"{room.vertices:,} and {room.arcs:,}"
        )
    return None


def dealt(graph: Graph, blocks: int) -> Dealing:
    return _to_a_cluster(graph) if blocks == CLUSTER_BLOCKS else deal(graph, blocks)


def deal(graph: Graph, blocks: int) -> Dealing:
    """Deal out the vertices, so that blocks get about as many arcs, and about as many vertices."""
    degrees = np.diff(graph.indptr)
    order = np.argsort(-degrees, kind="stable")
    to = np.empty(graph.vertices, np.int32)  # in that order
    heavy = min(_HEAVY, int(np.count_nonzero(degrees)))
    to[:heavy] = _to_the_least(degrees[order[:heavy]].tolist(), blocks)
    loads = np.bincount(to[:heavy], weights=degrees[order[:heavy]], minlength=blocks).astype(np.int64)
    begin = heavy
    of_others = np.unique(degrees[order[heavy:]], return_counts=True)
    for degree, count in zip(*(array[::-1].tolist() for array in of_others), strict=True):
        # Vertices without arcs go where there are few vertices.
        counts = loads // degree if degree else np.bincount(to[:begin], minlength=blocks)
        shares = _shares(counts, count)
        to[begin : begin + count] = np.repeat(np.arange(blocks), shares)
        loads += degree * shares
        begin += count
    owned = order[np.argsort(to, kind="stable")].astype(np.int32)
    of = np.empty(graph.vertices, np.int32)
    of[order] = to
    begins = np.zeros(blocks + 1, np.int32)
    np.cumsum(np.bincount(to, minlength=blocks), out=begins[1:])
    places = np.empty(graph.vertices, np.int32)
    places[owned] = np.arange(graph.vertices) - np.repeat(begins[:-1], np.diff(begins))
    arc_counts = np.bincount(of, weights=degrees, minlength=blocks).astype(np.int64)
    return Dealing(owned, begins, places, of, arc_counts)


@cached_by_graph
def _to_a_cluster(graph: Graph) -> Dealing:
    return deal(graph, CLUSTER_BLOCKS)


def _to_the_least(degrees: list[int], blocks: int) -> list[int]:
    """A block for each of the vertices of such degrees: the one with the fewest arcs, and of these the first."""
    loads = [(0, block) for block in range(blocks)]
    chosen = []
    for degree in degrees:
        load, block = loads[0]
        heapq.heapreplace(loads, (load + degree, block))
        chosen.append(block)
    return chosen


def _shares(counts: np.ndarray, more: int) -> np.ndarray:
    """How many of ``more`` go to each block, so that blocks that have ``counts`` are as even as can be."""
    order = np.argsort(counts, kind="stable")
    lowest = counts[order]
    levels = (np.cumsum(lowest) + more) // np.arange(1, len(counts) + 1)
    filled = int(np.count_nonzero(lowest <= levels))  # the lowest blocks, up to a level of their own
    shares = np.zeros(len(counts), np.int64)
    shares[order[:filled]] = levels[filled - 1] - lowest[:filled]
    shares[order[: more - int(shares.sum())]] += 1
    return shares


ROOM = Room(CLUSTER_BLOCKS, vertices=2**12, arcs=ARCS_OF_A_THREAD_MAX * BLOCK)


class ClusterPlan(OneLaunchPlan):
    """All rounds are one launch of one cluster. The arcs are on the device before the timed region.

    ``block`` is the number of threads of a block, a multiple of 32, by default BLOCK; ``macros`` are further ones of
    the kernel. The counter ``rounds`` counts those of all solves.
    """

    def __init__(
        self,
        device: Device,
        graph: Graph,
        source: int,
        predecessors: bool = True,
        block: tuple[int] | None = None,
        macros: dict[str, int] | None = None,
    ):
        room = room_of(device)
        super().__init__(device, graph, source, predecessors)
        began = perf_counter()
        if refused := refusal(graph, room):
            raise UsageError(f"{refused}; near_far takes graphs of any size")
        dealing = dealt(graph, room.blocks)
        block = block or (BLOCK if device.kind == "cuda" else BLOCK_ALONE,)
        of_a_thread = max(1, blocks_over(int(dealing.arc_counts.max()), block[0]))
        if device.kind != "cuda":
            of_a_thread = 1 << (of_a_thread - 1).bit_length()  # so that few kernels are compiled
        words, weights = dealing.arcs(graph, room, block[0], of_a_thread)
        self.slots = dealing.slots(room)
        self.preparation_s = perf_counter() - began
        sizes = {"CLUSTER_BLOCKS": room.blocks, "LOCAL_BITS": room.local_bits, "BLOCK": block[0], "ARCS": of_a_thread}
        kernel = device.kernel(KERNEL, "solve", {**sizes, **(macros or {})})
        kernel.allow_large_clusters()
        arguments = (
            *map(device.upload, (words, weights, dealing.owned, dealing.begins)),
            np.int32(self.slots[source]),
            np.int32(graph.vertices + 2),
            *[None] * _ARRAYS_OF_A_SOLVE,
        )
        shared_bytes = _WORD_BYTES * int(dealing.vertex_counts.max())
        self.launch = kernel.bind((room.blocks,), block, arguments, shared_bytes)

    def take(self) -> None:
        """Allocates; the kernel writes all starting values."""
        (self.rounds,) = self.allocate(1)
        self.launch.replace(_ARRAYS, self.distances, self.found_by_kernel, self.rounds)

    def begin(self) -> None:
        self.launch.replace(_SOURCE, np.int32(self.slots[self.source]))

    @property
    def outcome(self) -> Any:
        return self.rounds

    def check_outcome(self, outcome: int) -> None:
        if outcome == _GAVE_UP:
            raise DeviceError("label_correcting cluster gave up: distances still fell after as many rounds as vertices")
        self.counters["rounds"] += outcome

    def forget(self) -> None:
        super().forget()
        self.rounds = None
        self.launch.replace(_ARRAYS, *[None] * _ARRAYS_OF_A_SOLVE)


def fits(graph: Graph) -> bool:
    """Whether a cluster of a GPU holds ``graph``."""
    return refusal(graph, ROOM) is None


def room_of(device: Device) -> Room:
    """What a cluster of ``device`` holds. Raises NoClustersError for a GPU without clusters of 16 blocks."""
    if device.kind != "cuda":
        words = device.shared_memory_bytes // _WORD_BYTES
        return Room(1, vertices=min(2**HEAD_BITS, words), arcs=ARCS_ALONE_MAX)
    if device.cluster_blocks < CLUSTER_BLOCKS:
        raise NoClustersError(
            f"{device.name} runs no thread block clusters of {CLUSTER_BLOCKS} blocks, which label_correcting cluster "
            "needs; whole GPUs of compute capability 9.0 and 10.0 do (H100, H200, B200), and near_far runs on any"
        )
    return ROOM


VARIANT = Variant(
    problem="sssp",
    summary="one cluster of blocks, arcs in registers and distances in shared memory, for small graphs of low diameter",
    plan=ClusterPlan,
    kernels=(KERNEL, predecessors.KERNEL),
    negative_arcs=False,
    same_cost=False,
    optional_predecessors=True,
    smallest={"block": (32,)},
)
