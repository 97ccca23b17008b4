"""Partition, borders: from border to border by a table of distances, then each part by itself."""

from pathlib import Path

import numpy as np

from ...device import Device
from ...device.copies import copy_on
from ...errors import DeviceError
from ...graphs.csr import Graph
from .. import predecessors
from ..grids import blocks_over
from ..predecessors import BLOCK as BLOCK_OF_PREDECESSORS
from ..predecessors import OneSource
from ..registry import Variant
from ..source_plan import OneAllocationPlan
from ._border_table import table_on
from ._exchange import Exchange

KERNEL = Path(__file__).with_suffix(".cu")
VERTICES_A_PART = 1003  # METIS makes parts up to 1 % larger; a part of 1,024 takes a thread a vertex
QUESTIONS_MAX = 1 << 20
"""After so many questions, about a second on a GPU, a block gives up."""

_LEFT, _GAVE_UP = 0, 1  # words of the state, as in agreement.cuh
_ROADS_ARCS_OF_VERTEX = 6
_ROADS_DEGREE_MAX = 64


def fits(graph: Graph) -> bool:
    """Whether ``graph`` has the degrees of a road network and no negative arcs."""
    return (
        0 < graph.arcs <= _ROADS_ARCS_OF_VERTEX * graph.vertices
        and graph.weight_min >= 0
        and int(np.diff(graph.indptr).max()) <= _ROADS_DEGREE_MAX
    )


class BordersPlan(OneAllocationPlan):
    """An iteration is a round: an exchange between all parts and the finish of each. A GPU takes one.

    Counters of one solve: ``rounds``, ``launches``, and ``host_reads`` (of a state, each waited for). Raises UsageError
    for a graph that is no road network or alike: one whose parts are joined by too many arcs.
    """

    def __init__(
        self,
        device: Device,
        graph: Graph,
        source: int,
        predecessors: bool = True,
        vertices_a_part: int = VERTICES_A_PART,
        questions_max: int = QUESTIONS_MAX,
    ):
        super().__init__(device, graph, source, predecessors)
        # A round brings each shortest path over one border at least, back to the source's part at most; the last round
        # finds nothing to do.
        self.iterations = graph.vertices + 2
        self.table = table_on(device, graph, blocks_over(graph.vertices, vertices_a_part))
        self.preparation_s = self.table.preparation_s
        self.exchange = Exchange(device, self.table, questions_max)
        names = ("leave_source", "finish_parts")
        leave, finish = (device.kernel(KERNEL, name, self.table.macros) for name in names)
        self.of_source: OneSource | None = None
        if predecessors:
            csr = copy_on(device, graph).arrays
            grid = (blocks_over(graph.vertices, BLOCK_OF_PREDECESSORS[0]),)
            self.of_source = OneSource(device, graph, csr, grid, BLOCK_OF_PREDECESSORS)
        self.state, self.host_state = device.upload(np.zeros(2, np.int32)), device.pinned((2,), np.int32)
        table, exchange, number = self.table, self.exchange, np.int32(0)
        to_others = (number, number, *table.arcs, table.outside, exchange.reached)
        of_exchange = (table.entered, exchange.relaxed_first, exchange.reached, exchange.relaxed_with)
        of_parts = (number, number, *table.arcs, *of_exchange, table.order)
        self.answer_position = len(of_parts)
        of_parts += (None, None, self.state)
        self.launches = (
            leave.bind((1,), table.block, to_others, table.shared_bytes),
            exchange.bind(self.state),
            finish.bind((table.parts.count,), table.block, of_parts, table.shared_bytes),
        )
        self.quiet = False

    def take(self) -> None:
        self.allocate()
        self.launches[-1].replace(self.answer_position, self.distances, self.predecessors)

    def begin(self) -> None:
        leave, _, finish = self.launches
        position = self.table.parts.position[self.source]
        part = np.searchsorted(self.table.parts.first, position, side="right") - 1
        leave.replace(0, np.int32(part))
        leave.replace(1, np.int32(position))
        finish.replace(0, np.int32(position))
        self.exchange.begin()
        self.quiet = False

    def iterate(self, first: int, last: int) -> None:
        leave, relay, finish = self.launches
        for round_ in range(first, last):
            if self.quiet:
                return
            number = self.exchange.next_number()
            relay.replace(0, number)
            finish.replace(1, number)
            launches = [relay, finish] if round_ else [leave, relay, finish]
            self.device.enqueue(launches)
            self.counters["rounds"] += 1
            self.counters["launches"] += len(launches)
            self.counters["host_reads"] += 1
            self.read_state()

    def read_state(self) -> None:
        """Wait for the round and see how it ended. Raises DeviceError where it gave up."""
        self.device.download(self.state, self.host_state)
        if self.host_state[_GAVE_UP] == self.exchange.number:
            raise DeviceError(
                f"partition gave up: the blocks on {self.device.name} did not agree on an end; another algorithm may "
                "take this graph"
            )
        self.quiet = self.exchange.clean = bool(self.host_state[_LEFT] != self.exchange.number)

    def run_until_settled(self) -> None:
        self.iterate(0, self.iterations)
        self.finish()

    def finish(self) -> None:
        if not self.quiet:
            raise DeviceError(f"partition gave up: work is left after {self.iterations:,} rounds on {self.device.name}")
        if self.of_source:
            self.counters.update(self.of_source.find(self.source, self.distances, self.predecessors))

    def settled(self) -> bool:
        return self.quiet


VARIANT = Variant(
    problem="sssp",
    origin="warpath",
    summary="from border to border of parts by a table made once a graph, then each part in shared memory",
    plan=BordersPlan,
    kernels=(KERNEL, predecessors.KERNEL),
    negative_arcs=False,
    smallest={"vertices_a_part": 12},
    same_cost=False,
    optional_predecessors=True,
)
