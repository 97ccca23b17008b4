"""How deep a graph is, by a breadth-first search in a part of it, on the device (depth.cu)."""

from dataclasses import dataclass
from math import log, log2
from pathlib import Path

import numpy as np

from ...device.copies import allocate_together, downloaded
from ...device.resident import Resident

KERNEL = Path(__file__).with_suffix(".cu")
BLOCK, SIMULATED_BLOCK = (512,), (64,)
# A search that finds too few vertices is repeated elsewhere.
_SHARES, _VERTICES_MIN = np.linspace(0.5, 0.95, 8).tolist(), 256
_ARCS_MAX, _LEVELS_MAX = 16_384, 1_024
# The beginning of a search shows that a graph is shallow.
_ARCS_OF_BEGINNING, _SHALLOW_MAX = 2_048, 1.5
# A graph is deep from this depth.
_DEEP_MIN = 2.3


@dataclass(frozen=True)
class Depth:
    """``relative`` is the number of levels of a search, divided by that expected in a random graph of the same degree.

    It is about 1 in random graphs, and 3 or more on roads, grids and chains. ``levels`` is about the number of levels
    that a search of the whole graph has.
    """

    relative: float = 0.0
    levels: float = 0.0

    @property
    def is_deep(self) -> bool:
        """Whether shortest paths have many arcs for the size of the graph."""
        return self.relative >= _DEEP_MIN


@dataclass(frozen=True)
class Search:
    """The numbers of vertices, and of their arcs, up to each level.

    ``is_whole``: the search has found all vertices that a path leads to.
    """

    vertices: list[int]
    arcs: list[int]
    is_whole: bool

    def first(self, arcs_max: int) -> tuple[int, float, int]:
        """The levels and the vertices of a search of so many arcs, and the vertices in half of the levels.

        The level that is cut short counts, so that a heavy vertex does not hide it. Its vertices are estimated from
        the level before. The last number is 0 if the search is whole.
        """
        level = next((level for level, arcs in enumerate(self.arcs) if arcs > arcs_max), None)
        if level is None:
            level = len(self.vertices) - 1
            return level, self.vertices[level], 0 if self.is_whole else self.vertices[level // 2]
        found, arcs = [0, 0, *self.vertices][level : level + 3], [0, 0, *self.arcs][level : level + 2]
        found_by_an_arc = (found[2] - found[1]) / (arcs[1] - arcs[0]) if level else 1
        return level + 1, found[2] + (arcs_max - arcs[1]) * found_by_an_arc, self.vertices[(level + 1) // 2]


def searched(start: int, resident: Resident, arcs_max: int = _ARCS_MAX, levels_max: int = _LEVELS_MAX) -> Search:
    """A search of ``arcs_max`` arcs and the rest of their level, or of ``levels_max`` levels, on the device."""
    device, graph = resident.device, resident.graph
    arcs_max = min(arcs_max, graph.arcs)
    table_size = 1 << (2 * min(arcs_max + 1, graph.vertices)).bit_length()
    table, queue, result = allocate_together(device, table_size, arcs_max, 2 * levels_max + 3)
    block = BLOCK if device.kind == "cuda" else SIMULATED_BLOCK
    device.kernel(KERNEL, "search")(
        (1,),
        block,
        indptr=resident.indptr,
        indices=resident.indices,
        start=np.int32(start),
        arcs_max=np.int32(arcs_max),
        levels_max=np.int32(levels_max),
        table_size=np.int32(table_size),
        table=table,
        queue=queue,
        result=result,
    )
    counts = downloaded(device, result)
    vertices, arcs = (counts[first : first + counts[0] + 1].tolist() for first in (1, 2 + levels_max))
    is_whole = arcs[-1:] == arcs[-2:-1]
    if vertices[-1:] == vertices[-2:-1]:  # no vertices are at this level
        del vertices[-1], arcs[-1]
    return Search(vertices, arcs, is_whole)


def depth_of(resident: Resident) -> Depth:
    """The depth of a graph, measured once on the device. May raise OutOfMemoryError.

    A search in a part of the graph gives its dimension, and so the levels of the whole: a grid has four times as many
    vertices within twice as many levels, a long grid twice as many.
    """
    return resident.of_arcs("depth", lambda: _measured(resident))


def _measured(resident: Resident) -> Depth:
    graph = resident.graph
    if not graph.arcs:
        return Depth()
    depth, degree = Depth(), max(2.0, graph.arcs / graph.vertices)
    for share in _SHARES:
        search = _search_at(share, resident)
        for arcs_max in (_ARCS_OF_BEGINNING, _ARCS_MAX):
            levels, count, nearer = search.first(arcs_max)
            relative = levels / max(1.0, log(count) / log(degree))
            if nearer:
                levels *= max(1.0, graph.vertices / count) ** (1 / max(1.0, log2(count / nearer)))
            found = Depth(max(depth.relative, relative), max(depth.levels, levels))
            if relative < _SHALLOW_MAX and count >= _VERTICES_MIN:
                return found
        depth = found
        if count >= min(_VERTICES_MIN, graph.vertices // 2):
            break
    return depth


def _search_at(share: float, resident: Resident) -> Search:
    """A search from a vertex with arcs, because many graphs consist mostly of sinks."""
    graph = resident.graph
    first_arc = min(graph.indptr[int(share * graph.vertices)], np.int32(graph.arcs - 1))
    return searched(int(np.searchsorted(graph.indptr, first_arc, side="right")) - 1, resident)
