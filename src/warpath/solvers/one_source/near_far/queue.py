"""Near-far, queue: one source on the whole GPU, for long paths, without preparation."""

from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from ....device import Device
from ....device.copies import allocate_together, copy_on
from ....graphs.csr import Graph
from ...shared.lengths import macros_for
from ...trees import predecessors as of_predecessors
from ...variant import Variant
from ._all_blocks import CONTROL_WORDS, AllBlocksPlan, default_block, delta_max, usual_delta

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


class QueuePlan(AllBlocksPlan):
    """A plan without preparation. Its first solve also writes the records of arcs that all solves read.

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

    name = "queue"
    _begun: int | None = None  # the source of a solve that `begin_solve` has begun

    def __init__(
        self,
        device: Device,
        graph: Graph,
        source: int,
        predecessors: bool = True,
        delta: float | None = None,
        lanes: int | None = None,
        share: int = _SHARE,
        hops: int | None = None,
        block: tuple[int] | None = None,
        macros: dict[str, int] | None = None,
    ):
        super().__init__(device, graph, source, predecessors, kernel_finds_predecessors=False)
        self.copy = copy_on(device, graph)
        self.lanes = lanes or lanes_for(graph)
        hops = hops or (_HOPS if self.lanes < _LANES_MANY else _HOPS_MANY_LANES)
        block = block or default_block(device)
        sizes = {"BLOCK": block[0], "LANES": self.lanes, **macros_for(graph)}
        kernel = device.kernel(KERNEL, "solve", {**sizes, **(macros or {})})
        self.grid, self.block = (device.resident_blocks(kernel, block),), block
        first = delta or usual_delta(graph, _WEIGHTS_SAMPLED)
        weight = graph.weights.dtype.type
        self.launch = kernel.bind(
            self.grid,
            block,
            vertices=np.int32(graph.vertices),
            **self.copy.arguments,
            source=np.int32(source),
            delta=weight(first),
            delta_max=weight(min(_DELTA_GROWTH_MAX * first, delta_max(graph))),
            share=np.int32(share),
            hops=np.int32(hops),
            hops_alone=np.int32(max(hops, _HOPS_ALONE)),
            distances=None,
            done=None,
            queues=None,
            records=None,
            control=None,
            record_now=np.int32(1),
            resumed=np.int32(0),
            steps_max=np.int64(_NO_LIMIT),
            set=np.int32(0),
            status=self.status_for_kernels,
        )

    def of_answer(self) -> dict[str, Any]:
        return {"distances": self.distances}

    def allocate(self) -> dict[str, Any]:
        vertices, length = self.graph.vertices, self.length_words
        words = length * vertices, 2 * vertices, 2 * length * self.lanes * vertices, CONTROL_WORDS
        done, queues, records, control = allocate_together(self.device, *words)
        self.launch.set(record_now=np.int32(1))
        done = done.view(self.graph.weights.dtype)
        return {"done": done, "queues": queues, "records": records, "control": control}

    def begin_solve(self, source: int, steps: int) -> tuple[bool, float]:
        if source != self._begun:
            began = perf_counter()
            self.start(source)
            self._launch(False, steps)
            self.device.synchronize()
            self._begun, self.begun_s = source, perf_counter() - began
        return not self.status[_UNFINISHED], int(self.status[_REACHED]) / (_SAMPLES * self.block[0])

    def start(self, source: int | None) -> None:
        if source != self._begun:
            super().start(source)

    def begin(self) -> None:
        super().begin()
        self._begun, self.begun_s = None, 0.0

    def iterate(self, first: int, last: int) -> None:
        resumed = self._begun is not None
        if not resumed or self.status[_UNFINISHED]:
            self._launch(resumed, _NO_LIMIT)
        self._begun = None

    def _launch(self, resumed: bool, steps: int) -> None:
        self.launch.set(resumed=np.int32(resumed), steps_max=np.int64(steps))
        super().iterate(0, 1)
        self.launch.set(record_now=np.int32(0))

    def check_outcome(self) -> None:
        self.sums_fit = not self.status[_OVERFLOWED]
        super().check_outcome()


class LoweringPlan(QueuePlan):
    """Lowers distances, which are there before a solve, as long as an arc gives a shorter path.

    Each distance is that of a path from the source, or infinite, and that of the source is 0.
    """

    def __init__(self, device: Device, graph: Graph, predecessors: bool = True):
        super().__init__(device, graph, 0, predecessors, macros={"GIVEN": 1})


def lanes_for(graph: Graph) -> int:
    """4, 8 or 16: the first that is not less than the degree of 85 % of the sampled vertices, else 16."""
    step = max(1, graph.vertices // _DEGREES_SAMPLED)
    degrees = np.sort(graph.indptr[1::step] - graph.indptr[:-1:step])
    degree = degrees[int(_DEGREE_QUANTILE * len(degrees))]
    return 4 if degree <= 4 else 8 if degree <= 8 else 16


VARIANT = Variant(
    plan=QueuePlan,
    kernels=(KERNEL, of_predecessors.KERNEL, of_predecessors.TREES_KERNEL),
    only_for_trees=(of_predecessors.TREES_KERNEL,),
    negative_arcs=False,
    floats=True,
    same_cost=False,
    optional_predecessors=True,
    smallest={"block": (32,), "share": 1, "hops": 2, "lanes": 2},
)
