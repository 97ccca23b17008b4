"""Label correcting, cluster: one source on a small graph, in the shared memory of one thread block cluster."""

from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from ...device import Device
from ...errors import DeviceError, NoClustersError, UsageError
from ...graphs.csr import Graph
from .. import predecessors
from ..grids import blocks_over
from ..one_launch import OneLaunchPlan
from ..registry import Variant
from ._dealing import CLUSTER_BLOCKS, HEAD_BITS, Room, dealt, refusal

KERNEL = Path(__file__).with_suffix(".cu")
BLOCK = 512
BLOCK_ALONE = 64
"""Where a cluster is one block, as on the host device, more threads only take longer."""
ARCS_OF_A_THREAD_MAX = 24
"""So many fit the 128 registers of a thread, of 512 in a block."""
ROOM = Room(CLUSTER_BLOCKS, vertices=2**12, arcs=ARCS_OF_A_THREAD_MAX * BLOCK)
ARCS_ALONE_MAX = 2**17
_WORD_BYTES = 4
_SOURCE, _ARRAYS = 4, 6  # positions among the arguments of the kernel
_ARRAYS_OF_A_SOLVE = 3
_GAVE_UP = -1


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
        sizes = {
            "CLUSTER_BLOCKS": room.blocks,
            "LOCAL_BITS": room.local_bits,
            "BLOCK": block[0],
            "ARCS": of_a_thread,
        }
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
    origin="warpath",
    summary="one cluster of blocks, arcs in registers and distances in shared memory, for small graphs of low diameter",
    plan=ClusterPlan,
    kernels=(KERNEL, predecessors.KERNEL),
    negative_arcs=False,
    same_cost=False,
    optional_predecessors=True,
    smallest={"block": (32,)},
)
