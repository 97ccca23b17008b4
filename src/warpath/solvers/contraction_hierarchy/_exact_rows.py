"""Exact distances from many sources of a graph with floats, guided by those of whole weights; see exact_rows.cu."""

from pathlib import Path
from typing import Any

import numpy as np

from ...device import Device
from ...device.copies import copy_on
from ...distances import NO_PREDECESSOR, UNREACHABLE, unreachable
from ...graphs.csr import Graph
from ..dijkstra.heap import search
from ..lengths import macros_for

KERNEL = Path(__file__).with_name("exact_rows.cu")
# On the host device, threads cost time.
BLOCKS = {"cuda": (256,), "host": (32,)}
# The length of a list. On roads, a round has fewer vertices.
LIST_SIZE = 2**14
# The length of the longest path from one source in units. Whole distances have room for 16 times as much.
LONGEST_IN_UNITS = 2**27
# The slack is that of a path with so many times the arcs of the longest path from one source. Of the largest rounding
# error of its sums it has a part, because errors mostly cancel out. With more slack, more labels fall twice.
ARCS_FACTOR, PART_OF_ERRORS, SLACK_MAX = 2, 1 / 8, 2**31


class WholeWeights:
    """Weights of ``floats`` in multiples of ``unit``, rounded down: ``graph``, with weights of int32.

    In units, a distance of ``floats`` exceeds that in ``graph`` by at most one for each arc of a path, and by errors of
    rounding. ``slack`` is an estimate of the most, from the paths of one source.
    """

    def __init__(self, floats: Graph):
        dtype = floats.weights.dtype
        distances = np.full(floats.vertices, unreachable(dtype))
        predecessors = np.full(floats.vertices, NO_PREDECESSOR, np.int32)
        source = int(np.diff(floats.indptr).argmax())
        search(floats.indptr, floats.indices, floats.weights, dtype.type(0), source, distances, predecessors)
        farthest = float(distances[np.isfinite(distances)].max())
        kinds = np.finfo(dtype)
        self.unit = max(dtype.type(farthest / LONGEST_IN_UNITS), kinds.smallest_subnormal)
        with np.errstate(over="ignore"):
            units = np.floor(floats.weights / np.float64(self.unit))
        self.graph = Graph(floats.indptr, floats.indices, np.minimum(units, UNREACHABLE - 1).astype(np.int32))
        arcs = ARCS_FACTOR * _arcs_of_longest(predecessors) + 1
        self.slack = min(arcs * (1 + PART_OF_ERRORS * LONGEST_IN_UNITS * float(kinds.eps)), SLACK_MAX)


def _arcs_of_longest(predecessors: np.ndarray) -> int:
    """The number of arcs of the longest path of a tree."""
    arcs, ancestors = (predecessors >= 0).astype(np.int64), predecessors
    while (ancestors >= 0).any():  # twice as far up each time
        arcs += np.where(ancestors >= 0, arcs[ancestors], 0)
        ancestors = np.where(ancestors >= 0, ancestors[ancestors], -1)
    return int(arcs.max())


class ExactRows:
    """Makes the distances of ``whole`` exact. Lists have ``list_size`` vertices."""

    def __init__(self, device: Device, graph: Graph, whole: WholeWeights, positions: Any, list_size: int):
        self.device, self.list_size = device, min(list_size, graph.vertices)
        self.kernel, self.block = device.kernel(KERNEL, "exact_rows", macros_for(graph)), BLOCKS[device.kind]
        self.blocks_max = device.resident_blocks(self.kernel, self.block)
        self.of_graph = np.int32(graph.vertices), *copy_on(device, graph).arrays, positions
        self.guide = whole.unit, np.uint32(whole.slack)
        self.lists: Any = None

    def make(self, sources: Any, work: Any, distances: Any) -> None:
        """Enqueue writing the rows of ``distances``. ``work`` has what the sweep found from ``sources``."""
        rows = len(sources)
        blocks = min(rows, self.blocks_max)
        if self.lists is None or len(self.lists) < blocks:
            self.lists = None
            self.lists = self.device.empty((blocks, 2, self.list_size), np.int32)
        arguments = (work, np.int32(rows), sources, *self.guide, distances, self.lists, np.int32(self.list_size))
        self.kernel((blocks,), self.block, (*self.of_graph, *arguments))
