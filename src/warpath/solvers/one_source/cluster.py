"""Label correcting, cluster: one source on a small graph, in the shared memory of one thread block cluster.

Each block of the cluster owns some vertices. Its threads hold the outgoing arcs of these vertices.
"""

import heapq
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from ...device import Device
from ...device.resident import Resident
from ...errors import DeviceError, NoClustersError, UsageError
from ...graphs.csr import Graph
from ..costs import Facts
from ..shared.grids import blocks_over
from ..shared.lengths import macros_for, words_of
from ..solver import OneSource
from ..trees.predecessors import PUSH_KERNEL, SourceTree, trees_needed
from ..variant import Variant

HEAD_BITS = 16
CLUSTER_BLOCKS = 16
# This number of vertices of the highest degrees are assigned one by one, each to the block with the fewest arcs so far.
# The others are assigned by degree, all vertices of a degree at once.
_HEAVY_MAX = 1024
KERNEL = Path(__file__).with_suffix(".cu")
BLOCK = 512
BLOCK_ALONE = 64
"""On the simulated GPU a cluster is one block, and more threads take longer."""
ARCS_OF_A_THREAD_MAX = 24
"""This number of arcs fits into the 128 registers of a thread, in a block of 512 threads; half of them, if weights have
64 bits."""
ARCS_ALONE_MAX = 2**17
_GAVE_UP = -1


@dataclass(frozen=True)
class Room:
    """The capacity of a cluster of ``blocks`` blocks: vertices and arcs of each block."""

    blocks: int
    vertices: int
    arcs: int

    @property
    def local_bits(self) -> int:
        """The number of bits for the position of a vertex in its block, in the word of an arc."""
        return HEAD_BITS - (self.blocks - 1).bit_length()


@dataclass(frozen=True, eq=False)
class Assignment:
    """The assignment of vertices to blocks.

    The vertices of block b are ``owned[starts[b]:starts[b + 1]]``, int32. ``blocks`` is the block of each vertex, and
    ``positions`` its position there, both int32 of shape (n,). ``arc_counts`` is the number of arcs of each block.
    """

    owned: np.ndarray
    starts: np.ndarray
    positions: np.ndarray
    blocks: np.ndarray
    arc_counts: np.ndarray

    @property
    def vertex_counts(self) -> np.ndarray:
        return np.diff(self.starts)

    def slots(self, room: Room) -> np.ndarray:
        """Block and position of each vertex in one number, as in the kernel; uint32 of shape (n,)."""
        return (self.blocks.astype(np.uint32) << room.local_bits) | self.positions.astype(np.uint32)

    def arcs(self, graph: Graph, room: Room, block: int, thread_arcs: int) -> tuple[np.ndarray, np.ndarray]:
        """The words and the weights of the arcs, uint32 and of the type of the weights.

        Each block has ``thread_arcs`` rows of ``block`` arcs. The upper half of a word is the position of the tail,
        the lower half the slot of the head. A negative weight means that there is no arc.
        """
        words = np.zeros(room.blocks * thread_arcs * block, np.uint32)
        weights = np.full(len(words), -1, graph.weights.dtype)
        degrees = np.diff(graph.indptr)[self.owned]
        ends = np.cumsum(degrees)
        # The number of each arc in the graph, in the order of the owned tails, and its position in ``words``.
        numbers = np.arange(graph.arcs)
        graph_arcs = numbers + np.repeat(graph.indptr[self.owned] - (ends - degrees), degrees)
        first_arcs = np.cumsum(self.arc_counts) - self.arc_counts
        shifts = np.arange(len(first_arcs)) * (thread_arcs * block) - first_arcs
        target = numbers + np.repeat(shifts, self.arc_counts)
        tails = np.repeat(self.positions[self.owned].astype(np.uint32), degrees)
        words[target] = (tails << HEAD_BITS) | self.slots(room)[graph.indices[graph_arcs]]
        weights[target] = graph.weights[graph_arcs]
        return words, weights


def refusal(resident: Resident, room: Room) -> str | None:
    """The reason that a graph does not fit into ``room``, as the first half of a sentence; None if it fits."""
    graph = resident.graph
    if graph.vertices > room.blocks * room.vertices or graph.arcs > room.blocks * room.arcs:
        return (
            f"{graph.vertices:,} vertices and {graph.arcs:,} arcs do not fit a cluster, which holds "
            f"{room.blocks * room.vertices:,} vertices and {room.blocks * room.arcs:,} arcs"
        )
    assignment = assignment_of(resident, room.blocks)
    if assignment.vertex_counts.max() > room.vertices or assignment.arc_counts.max() > room.arcs:
        return (
            f"the heaviest vertices have too many of the {graph.arcs:,} arcs: a block would get "
            f"{assignment.vertex_counts.max():,} vertices and {assignment.arc_counts.max():,} arcs, and holds "
            f"{room.vertices:,} and {room.arcs:,}"
        )
    return None


def assignment_of(resident: Resident, blocks: int) -> Assignment:
    return resident.of_arcs(("assignment", blocks), lambda: assign(resident.graph, blocks))


def assign(graph: Graph, blocks: int) -> Assignment:
    """Assign vertices to blocks, so that the blocks have about equal numbers of arcs, and of vertices."""
    degrees = np.diff(graph.indptr)
    # NumPy sorts numbers of 16 bits or fewer in linear time.
    falling = int(degrees.max(initial=0)) - degrees
    order = np.argsort(falling.astype(np.min_scalar_type(int(falling.max(initial=0)))), kind="stable")
    to = np.empty(graph.vertices, np.int32)  # in the order of ``order``
    heavy = min(_HEAVY_MAX, int(np.count_nonzero(degrees)))
    to[:heavy] = _least_loaded_blocks(degrees[order[:heavy]].tolist(), blocks)
    loads = np.bincount(to[:heavy], weights=degrees[order[:heavy]], minlength=blocks).astype(np.int64)
    begin = heavy
    of_others = np.unique(degrees[order[heavy:]], return_counts=True)
    for degree, count in zip(*(array[::-1].tolist() for array in of_others), strict=True):
        # Vertices without arcs go to blocks with few vertices.
        counts = loads // degree if degree else np.bincount(to[:begin], minlength=blocks)
        shares = _shares(counts, count)
        to[begin : begin + count] = np.repeat(np.arange(blocks), shares)
        loads += degree * shares
        begin += count
    owned = order[np.argsort(to.astype(np.uint8), kind="stable")].astype(np.int32)
    block_of = np.empty(graph.vertices, np.int32)
    block_of[order] = to
    starts = np.zeros(blocks + 1, np.int32)
    np.cumsum(np.bincount(to, minlength=blocks), out=starts[1:])
    positions = np.empty(graph.vertices, np.int32)
    positions[owned] = np.arange(graph.vertices) - np.repeat(starts[:-1], np.diff(starts))
    arc_counts = np.bincount(block_of, weights=degrees, minlength=blocks).astype(np.int64)
    return Assignment(owned, starts, positions, block_of, arc_counts)


def _least_loaded_blocks(degrees: list[int], blocks: int) -> list[int]:
    """The block for each degree in turn: the first of the blocks with the fewest arcs so far."""
    loads = [(0, block) for block in range(blocks)]
    assigned = []
    for degree in degrees:
        load, block = loads[0]
        heapq.heapreplace(loads, (load + degree, block))
        assigned.append(block)
    return assigned


def _shares(counts: np.ndarray, more: int) -> np.ndarray:
    """How many of ``more`` vertices each block receives, so that the sums with ``counts`` are as equal as possible."""
    order = np.argsort(counts, kind="stable")
    lowest = counts[order]
    levels = (np.cumsum(lowest) + more) // np.arange(1, len(counts) + 1)
    filled = int(np.count_nonzero(lowest <= levels))  # blocks below the common level
    shares = np.zeros(len(counts), np.int64)
    shares[order[:filled]] = levels[filled - 1] - lowest[:filled]
    shares[order[: more - int(shares.sum())]] += 1
    return shares


ROOM = Room(CLUSTER_BLOCKS, vertices=2**12, arcs=ARCS_OF_A_THREAD_MAX * BLOCK)
"""The capacity of a cluster of a GPU, for weights of 32 bits."""


class Cluster(OneSource):
    """A solve is one launch of one cluster, which has its arcs before.

    The kernel finds predecessors, too, unless the graph needs trees (``trees_needed``). ``block`` has the threads of a
    block, a multiple of 32, by default BLOCK. ``macros`` are further macros of the kernel. The counter ``rounds`` is
    the number of rounds of all solves.
    """

    def __init__(
        self,
        resident: Resident,
        predecessors: bool = True,
        block: tuple[int] | None = None,
        macros: dict[str, int] | None = None,
    ):
        device, graph = resident.device, resident.graph
        room = room_of(device, graph)
        super().__init__(device)
        began = perf_counter()
        if refused := refusal(resident, room):
            raise UsageError(f"{refused}; near_far takes graphs of any size")
        assignment = assignment_of(resident, room.blocks)
        block = block or (BLOCK if device.kind == "cuda" else BLOCK_ALONE,)
        thread_arcs = max(1, blocks_over(int(assignment.arc_counts.max()), block[0]))
        if device.kind != "cuda":
            thread_arcs = 1 << (thread_arcs - 1).bit_length()  # so that few kernels are compiled
        words, weights = assignment.arcs(graph, room, block[0], thread_arcs)
        self.slots = assignment.slots(room)
        self.preparation_s = perf_counter() - began
        sizes = {
            "CLUSTER_BLOCKS": room.blocks,
            "LOCAL_BITS": room.local_bits,
            "BLOCK": block[0],
            "ARCS": thread_arcs,
        }
        kernel = device.kernel(KERNEL, "solve", {**sizes, **macros_for(graph), **(macros or {})})
        kernel.allow_large_clusters()
        self.rounds, rounds = device.mapped((1,), np.int32)
        self.launch = kernel.bind(
            (room.blocks,),
            block,
            shared_mem=graph.weights.itemsize * int(assignment.vertex_counts.max()),
            arcs=device.upload(words),
            weights=device.upload(weights),
            owned=device.upload(assignment.owned),
            begins=device.upload(assignment.starts),
            source=np.int32(0),
            rounds_max=np.int32(graph.vertices + 2),
            distances=None,
            predecessors=None,
            rounds=rounds,
        )
        self.trees = SourceTree(resident) if predecessors and trees_needed(graph) else None

    def solve_one(self, source: int, distances: Any, predecessors: Any) -> None:
        own = None if self.trees else predecessors
        self.launch(source=np.int32(self.slots[source]), distances=distances, predecessors=own)
        self.counters["launches"] += 1
        if self.trees and predecessors is not None:
            self.counters.update(self.trees.find(source, distances, predecessors))

    def check(self) -> bool:
        rounds = int(self.rounds[0])
        if rounds == _GAVE_UP:
            raise DeviceError(
                "label_correcting cluster gave up: the GPU has no clusters, or distances still fell after as many "
                "rounds as vertices"
            )
        self.counters["rounds"] += rounds
        return True


def fits(resident: Resident, facts: Facts) -> bool:
    """Whether the device has clusters, and the graph fits into one."""
    has_clusters = resident.device.cluster_blocks >= CLUSTER_BLOCKS
    return has_clusters and refusal(resident, _room_of_gpu(resident.graph)) is None


def _room_of_gpu(graph: Graph) -> Room:
    return replace(ROOM, arcs=ROOM.arcs // words_of(graph.weights.dtype))


def room_of(device: Device, graph: Graph) -> Room:
    """The capacity of a cluster of ``device``, for weights of the type of ``graph``.

    Raises NoClustersError for a GPU without clusters of 16 blocks.
    """
    if device.kind != "cuda":
        words = device.shared_memory_bytes // graph.weights.itemsize
        return Room(1, vertices=min(2**HEAD_BITS, words), arcs=ARCS_ALONE_MAX)
    if device.cluster_blocks < CLUSTER_BLOCKS:
        raise NoClustersError(
            f"{device.name} runs no thread block clusters of {CLUSTER_BLOCKS} blocks, which label_correcting cluster "
            "needs; whole GPUs of compute capability 9.0 and 10.0 do (H100, H200, B200), and near_far runs on any"
        )
    return _room_of_gpu(graph)


VARIANT = Variant(
    solver=Cluster,
    kernels=(KERNEL, PUSH_KERNEL),
    only_for_trees=(PUSH_KERNEL,),
    negative_arcs=False,
    floats=True,
    same_cost=False,
    optional_predecessors=True,
    smallest={"block": (32,)},
    revision=2,
    fits=fits,
)
