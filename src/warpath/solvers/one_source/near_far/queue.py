"""Near-far, queue: one source on the whole GPU, for long paths, without preparation."""

from pathlib import Path
from typing import Any

import numpy as np

from ....device.copies import allocate_together
from ....device.resident import Resident
from ....graphs.csr import Graph
from ...shared.lengths import macros_for, words_of
from ...solver import OneSource, Rows
from ...trees.predecessors import PUSH_KERNEL, SourceTree
from ...variant import Variant
from ._all_blocks import CONTROL_WORDS, GAVE_UP, STATUS_WORDS, default_block, delta_max, gave_up, usual_delta

KERNEL = Path(__file__).with_suffix(".cu")
_DELTA_GROWTH_MAX = 256  # the largest step of the threshold, in multiples of the first one
_SHARE = 4
_HOPS, _HOPS_MANY_LANES, _LANES_MANY = 20, 12, 8
_HOPS_ALONE = 4096
_WEIGHTS_SAMPLED, _DEGREES_SAMPLED = 2**12, 2**10
_DEGREE_QUANTILE = 0.85
_NO_LIMIT = 2**63 - 1
_OVERFLOWED, _UNFINISHED, _REACHED = 1, 2, 3  # words of the status
_SAMPLES = 8  # of each thread of a block


class Queue(OneSource):
    """A solver without preparation. Its first launch also writes the records of arcs that all launches read.

    Parameters
    ----------
    delta : number, optional
        The first step of the threshold; by default ``usual_delta``.
    lanes : int, optional
        Threads that relax a vertex, a power of two up to 32; by default ``lanes_for``.
    share : int
        The smallest number of vertices that a block takes from the queue.
    hops : int, optional
        How many hops a block follows its vertices before the barrier of all blocks; by default 20, or 12 from 8 lanes.
    block : tuple of int, optional
        Threads of a block; by default ``default_block``.
    macros : dict, optional
        Further macros of the kernel.
    """

    def __init__(
        self,
        resident: Resident,
        predecessors: bool = True,
        delta: float | None = None,
        lanes: int | None = None,
        share: int = _SHARE,
        hops: int | None = None,
        block: tuple[int] | None = None,
        macros: dict[str, int] | None = None,
    ):
        device, graph = resident.device, resident.graph
        super().__init__(device)
        lanes = lanes or lanes_for(graph)
        hops = hops or (_HOPS if lanes < _LANES_MANY else _HOPS_MANY_LANES)
        block = block or default_block(device)
        sizes = {"BLOCK": block[0], "LANES": lanes, **macros_for(graph)}
        kernel = device.kernel(KERNEL, "solve", {**sizes, **(macros or {})})
        dtype, vertices, length = graph.weights.dtype, graph.vertices, words_of(graph.weights.dtype)
        words = length * vertices, 2 * vertices, 2 * length * lanes * vertices, CONTROL_WORDS
        done, queues, records, control = allocate_together(device, *words)
        device.set_bytes(control, 0)
        self.status, status = device.mapped((STATUS_WORDS,), np.int32)
        first = delta or usual_delta(graph, _WEIGHTS_SAMPLED)
        self.launch = kernel.bind(
            (device.resident_blocks(kernel, block),),
            block,
            vertices=np.int32(vertices),
            **resident.arguments,
            source=np.int32(0),
            delta=dtype.type(first),
            delta_max=dtype.type(min(_DELTA_GROWTH_MAX * first, delta_max(graph))),
            share=np.int32(share),
            hops=np.int32(hops),
            hops_alone=np.int32(max(hops, _HOPS_ALONE)),
            distances=None,
            done=done.view(dtype),
            queues=queues,
            records=records,
            control=control,
            record_now=np.int32(1),
            resumed=np.int32(0),
            steps_max=np.int64(_NO_LIMIT),
            set=np.int32(0),
            status=status,
        )
        self.trees = SourceTree(resident) if predecessors else None
        self._samples = _SAMPLES * block[0]
        self._launches = 0
        self._begun: tuple[int, Any] | None = None  # the source and the distances of a solve that `begin` has begun

    def solve_one(self, source: int, distances: Any, predecessors: Any) -> None:
        begun = self._begun is not None and self._begun[0] == source and self._begun[1] is distances
        self._begun = None
        if not begun or self.status[_UNFINISHED]:
            self._enqueue(source, distances, begun, _NO_LIMIT)
        if predecessors is not None:
            assert self.trees
            self.counters.update(self.trees.find(source, distances, predecessors))

    def begin(self, source: int, into: Rows, steps: int) -> tuple[bool, float]:
        self._enqueue(source, into.distances, False, steps)
        self.device.synchronize()
        self._begun = source, into.distances
        return not self.status[_UNFINISHED], int(self.status[_REACHED]) / self._samples

    def _enqueue(self, source: int, distances: Any, resumed: bool, steps: int) -> None:
        number = self._launches
        self._launches += 1
        self.counters["launches"] += 1
        if not resumed:
            self.status.fill(0)
        self.launch(
            source=np.int32(source),
            distances=distances,
            record_now=np.int32(number == 0),
            resumed=np.int32(resumed),
            steps_max=np.int64(steps),
            set=np.int32(number % 2),
        )

    def check(self) -> bool:
        if self.status[GAVE_UP]:
            raise gave_up("queue")
        self.sums_fit = not self.status[_OVERFLOWED]
        return True


class Lowering(Queue):
    """Lowers distances, which are there before a solve, as long as an arc gives a shorter path.

    Each distance is that of a path from the source, or infinite, and that of the source is 0.
    """

    def __init__(self, resident: Resident, predecessors: bool = True):
        super().__init__(resident, predecessors, macros={"GIVEN": 1})


def lanes_for(graph: Graph) -> int:
    """4, 8 or 16: the first that is not less than the degree of 85 % of the sampled vertices, else 16."""
    step = max(1, graph.vertices // _DEGREES_SAMPLED)
    degrees = np.sort(graph.indptr[1::step] - graph.indptr[:-1:step])
    degree = degrees[int(_DEGREE_QUANTILE * len(degrees))]
    return 4 if degree <= 4 else 8 if degree <= 8 else 16


VARIANT = Variant(
    solver=Queue,
    kernels=(KERNEL, PUSH_KERNEL),
    negative_arcs=False,
    floats=True,
    same_cost=False,
    optional_predecessors=True,
    smallest={"block": (32,), "share": 1, "hops": 2, "lanes": 2},
)
