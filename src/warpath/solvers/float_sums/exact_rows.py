"""Exact distances from many sources of a graph with floats, guided by those of whole weights; see exact_rows.cu."""

from pathlib import Path
from typing import Any

import numpy as np

from ...device.resident import Resident
from ...distances import NO_PREDECESSOR, UNREACHABLE, unreachable
from ...graphs.csr import Graph
from ..cpu.heap import search
from ..shared.lengths import macros_for

KERNEL = Path(__file__).with_name("exact_rows.cu")
# On the simulated GPU, threads cost time.
BLOCKS = {"cuda": (256,), "simulated": (32,)}
# The length of a list. On roads, a round has fewer vertices.
LIST_SIZE = 2**14
# The length of the longest path from one source in units. Whole distances have room for 16 times as much.
LONGEST_IN_UNITS = 2**27
# The slack is so many times the largest difference from one source.
SLACK_FACTOR, SLACK_MAX = 2, 2**31
# The unit and the slack are those of the first of so many sources that reaches half of all vertices, or of the best.
SOURCES_TRIED = 8
# A distance of so many units, or of more, says nothing.
TOO_FAR = UNREACHABLE - 1


class WholeWeights:
    """Weights of ``floats`` in multiples of ``unit``, rounded down: ``graph``, with weights of int32.

    ``slack`` is about the most by which a distance of ``floats``, in units, exceeds that in ``graph``.
    """

    def __init__(self, floats: Graph):
        source, distances = _far_reaching(floats)
        reached = np.isfinite(distances)
        kinds = np.finfo(floats.weights.dtype)
        self.unit = max(distances[reached].max() / kinds.dtype.type(LONGEST_IN_UNITS), kinds.smallest_subnormal)
        with np.errstate(over="ignore"):
            units = np.floor(floats.weights / np.float64(self.unit))
        self.graph = Graph(floats.indptr, floats.indices, np.minimum(units, TOO_FAR).astype(np.int32))
        below = distances[reached] / np.float64(self.unit) - _distances(self.graph, source)[reached]
        self.slack = min(int(SLACK_FACTOR * below.max(initial=0)) + 1, SLACK_MAX)


def _far_reaching(graph: Graph) -> tuple[int, np.ndarray]:
    """A source that reaches many vertices, and the distances from it."""
    tails = np.flatnonzero(np.diff(graph.indptr))
    places = np.linspace(0, len(tails) - 1, SOURCES_TRIED + 2, dtype=int)[1:-1]
    best = 0, _distances(graph, 0)
    most = 0
    for source in tails[places].tolist() if len(tails) else ():
        distances = _distances(graph, source)
        reached = int(np.isfinite(distances).sum())
        if reached > most:
            most, best = reached, (source, distances)
        if 2 * most >= graph.vertices:
            break
    return best


def _distances(graph: Graph, source: int) -> np.ndarray:
    """The distances from ``source``, with sums of at least 64 bits for whole weights."""
    dtype = graph.weights.dtype
    distances = np.full(graph.vertices, unreachable(dtype))
    predecessors = np.full(graph.vertices, NO_PREDECESSOR, np.int32)
    zero: Any = dtype.type(0) if graph.has_floats else np.int64(0)
    search(graph.indptr, graph.indices, graph.weights, zero, source, distances, predecessors)
    return distances


class ExactRows:
    """Makes the distances of ``whole`` exact. Lists have ``list_size`` vertices."""

    def __init__(self, resident: Resident, whole: WholeWeights, positions: Any, list_size: int):
        device, graph = resident.device, resident.graph
        self.device, self.list_size = device, min(list_size, graph.vertices)
        self.kernel, self.block = device.kernel(KERNEL, "exact_rows", macros_for(graph)), BLOCKS[device.kind]
        self.blocks_max = device.resident_blocks(self.kernel, self.block)
        self.of_graph = {
            "vertices": np.int32(graph.vertices),
            **resident.arguments,
            "positions": positions,
            "unit": whole.unit,
            "slack": np.uint32(whole.slack),
        }
        self.lists: Any = None

    def make(self, sources: Any, work: Any, distances: Any) -> None:
        """Enqueue writing the rows of ``distances``. ``work`` has what the sweep found from ``sources``."""
        rows = len(sources)
        blocks = min(rows, self.blocks_max)
        if self.lists is None or len(self.lists) < blocks:
            self.lists = None
            self.lists = self.device.empty((blocks, 2, self.list_size), np.int32)
        self.kernel(
            (blocks,),
            self.block,
            **self.of_graph,
            work=work,
            rows=np.int32(rows),
            sources=sources,
            distances=distances,
            all_lists=self.lists,
            list_size=np.int32(self.list_size),
        )
