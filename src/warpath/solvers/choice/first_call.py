"""The solver of a first call, which knows little of its graph, and of calls on graphs that are too small for a GPU.

A first call begins with near_far.queue, and goes on with another solver if its first steps reach few vertices.
"""

import sys

import numpy as np

from ...device import Device
from ...graphs.csr import Graph
from .auto import BORDERS, CLUSTER_US_PER_LEVEL, Candidate, Choice, Preparation, borders_suit, borders_us
from .depth import depth_of

_HEAP = Candidate("dijkstra", "heap", "so few vertices, in all or at a time, that the CPU is faster")
# The time of the heap on the CPU, if few vertices wait at a time.
_HEAP_US = 200  # fixed cost
_HEAP_US_PER_VERTEX = 0.05
_HEAP_US_PER_ARC = 0.006
_HEAP_LOADING_US = 20_000  # if Numba is loaded
_HEAP_AND_NUMBA_LOADING_US = 400_000
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


def _loading_us(dtype: np.dtype) -> float:
    """How long it takes to load the solver of the CPU; nothing if a call has loaded it for weights of this type."""
    module = sys.modules.get("warpath.solvers.cpu.heap")
    if module and module.is_loaded(dtype):
        return 0.0
    return _HEAP_LOADING_US if "numba" in sys.modules else _HEAP_AND_NUMBA_LOADING_US


def on_cpu(device: Device, graph: Graph, preparation: Preparation) -> Choice | None:
    """A solver of the CPU, if a call from one source takes less time there than on the GPU ``device``, else None."""
    is_small = graph.vertices <= _HEAP_VERTICES_MAX and graph.arcs <= _HEAP_ARCS_MAX
    if device.kind == "cpu" or not is_small or graph.weight_min < 0:
        return None
    if preparation == "all":
        suits = CLUSTER_US_PER_LEVEL * depth_of(graph, device).levels > _heap_us(graph)
    else:
        suits = not _loading_us(graph.weights.dtype)
    return _HEAP.choice() if suits else None


def steps_at_first(graph: Graph) -> int | None:
    """After so many steps, a first call asks ``choose_again``; None if no other solver can take much less time."""
    other_us = min(_loading_us(graph.weights.dtype) + _heap_us(graph), borders_us(graph))
    may_pay = _STEP_US * graph.vertices > _GAIN_MIN * other_us
    return max(_WATCHED_STEPS_MIN, int(_WATCHED_SHARE * other_us / _STEP_US)) if may_pay else None


def are_short(graph: Graph, steps: int, reached: float) -> bool:
    """Whether paths are too short for partition.borders in a call, if ``steps`` reach this share of the vertices."""
    return _remaining_us(graph, steps, reached) <= borders_us(graph)


def choose_again(device: Device, graph: Graph, steps: int, reached: float) -> Choice | None:
    """A solver that takes less time for a first call than the one that began it; None if there is none.

    ``reached`` is the share of the vertices that it reached in its first ``steps``.
    """
    remaining_us, preparation_us = _remaining_us(graph, steps, reached), borders_us(graph)
    heap_us = _loading_us(graph.weights.dtype) + _heap_us(graph)
    if preparation_us < min(heap_us, remaining_us) and borders_suit(device, graph):
        return BORDERS.choice()
    return _HEAP.choice() if heap_us < remaining_us else None


def _remaining_us(graph: Graph, steps: int, reached: float) -> float:
    """What a first call still takes if it goes on reaching vertices as fast as in its first steps."""
    count = max(1, reached * graph.vertices)
    step_us = _STEP_US if count < _VERTICES_OF_BLOCK * steps else _SHARED_STEP_US
    return step_us * steps * (graph.vertices / count - 1)
