"""The solver of a first call, which knows little of its graph, and of calls on graphs that are too small for a GPU.

A first call begins with near_far.queue, and goes on with another solver if its first steps reach few vertices.
"""

from ...device.resident import Resident
from ...graphs.csr import Graph
from .auto import (
    BORDERS,
    CLUSTER_US_PER_LEVEL,
    SMALL,
    Candidate,
    Choice,
    Preparation,
    borders_suit,
    borders_us,
    needs_no_compiler,
)
from .depth import depth_of

_HEAP = Candidate("dijkstra", "heap", "so few vertices, in all or at a time, that the CPU is faster")
# The time of the heap on the CPU, if few vertices wait at a time.
_HEAP_US = 200  # fixed cost
_HEAP_US_PER_VERTEX = 0.05
_HEAP_US_PER_ARC = 0.006
# On graphs of up to this size, the heap takes less time than a first call on a GPU, and if paths are long, than a
# prepared call.
_HEAP_VERTICES_MAX = 1_280
_HEAP_ARCS_MAX = 2**15
# The time of a step of near_far.queue. All blocks share a step that reaches more vertices than one block takes.
_STEP_US = 1.0
_SHARED_STEP_US = 1.8
_VERTICES_OF_BLOCK = 32
# A first call is watched if a path through all vertices would take _GAIN_MIN times as long as another solver.
_GAIN_MIN = 4
_WATCHED_SHARE = 0.06  # of the time that the other solver takes
_WATCHED_STEPS_MIN = 160


def _heap_us(graph: Graph) -> float:
    return _HEAP_US + _HEAP_US_PER_VERTEX * graph.vertices + _HEAP_US_PER_ARC * graph.arcs


def on_cpu(resident: Resident, preparation: Preparation) -> Choice | None:
    """A solver of the CPU, if a call from one source takes less time there than on the GPU of ``resident``, else None.

    The time to load it, once in a process, does not count, as that to compile kernels does not.
    """
    device, graph = resident.device, resident.graph
    is_small = graph.vertices <= _HEAP_VERTICES_MAX and graph.arcs <= _HEAP_ARCS_MAX
    if device.kind == "cpu" or not is_small or graph.weight_min < 0:
        return None
    if preparation == "all" and CLUSTER_US_PER_LEVEL * depth_of(resident).levels <= _heap_us(graph):
        return None
    return (SMALL if needs_no_compiler(graph, 1) else _HEAP).choice()


def steps_at_first(graph: Graph) -> int | None:
    """After so many steps, a first call asks ``choose_again``; None if no other solver can take much less time."""
    other_us = min(_heap_us(graph), borders_us(graph))
    may_pay = _STEP_US * graph.vertices > _GAIN_MIN * other_us
    return max(_WATCHED_STEPS_MIN, int(_WATCHED_SHARE * other_us / _STEP_US)) if may_pay else None


def are_short(graph: Graph, steps: int, reached: float) -> bool:
    """Whether paths are too short for partition.borders in a call, if ``steps`` reach this share of the vertices."""
    return _remaining_us(graph, steps, reached) <= borders_us(graph)


def choose_again(resident: Resident, steps: int, reached: float) -> Choice | None:
    """A solver that takes less time for a first call than the one that began it; None if there is none.

    ``reached`` is the share of the vertices that it reached in its first ``steps``.
    """
    graph = resident.graph
    remaining_us, preparation_us, heap_us = _remaining_us(graph, steps, reached), borders_us(graph), _heap_us(graph)
    if preparation_us < min(heap_us, remaining_us) and borders_suit(resident):
        return BORDERS.choice()
    return _HEAP.choice() if heap_us < remaining_us else None


def _remaining_us(graph: Graph, steps: int, reached: float) -> float:
    """What a first call still takes if it goes on reaching vertices as fast as in its first steps."""
    count = max(1, reached * graph.vertices)
    step_us = _STEP_US if count < _VERTICES_OF_BLOCK * steps else _SHARED_STEP_US
    return step_us * steps * (graph.vertices / count - 1)
