"""How many levels a graph has, by breadth-first searches in parts of it, on the device (depth.cu)."""

from dataclasses import dataclass
from math import log2
from pathlib import Path

import numpy as np

from ...device.copies import allocate_together, downloaded
from ...device.resident import Resident

KERNEL = Path(__file__).with_suffix(".cu")
BLOCK, SIMULATED_BLOCK = (512,), (64,)
_SHARES = np.linspace(0.03, 0.97, 8)  # of the vertices, where searches start
_ARCS_MAX, _LEVELS_MAX = 16_384, 1_024
_VERTICES_MIN = 256  # A search that finds fewer says little, unless all do.


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


def searched(
    starts: np.ndarray, resident: Resident, arcs_max: int = _ARCS_MAX, levels_max: int = _LEVELS_MAX
) -> list[Search]:
    """From each start, a search of ``arcs_max`` arcs and the rest of their level, or of ``levels_max`` levels."""
    device, graph, count = resident.device, resident.graph, len(starts)
    arcs_max, width = min(arcs_max, graph.arcs), 2 * levels_max + 3
    table_size = 1 << (2 * min(arcs_max + 1, graph.vertices)).bit_length()
    tables, queues, results = allocate_together(device, count * table_size, count * arcs_max, count * width)
    block = BLOCK if device.kind == "cuda" else SIMULATED_BLOCK
    device.kernel(KERNEL, "search")(
        (count,),
        block,
        indptr=resident.indptr,
        indices=resident.indices,
        starts=device.upload(starts.astype(np.int32)),
        arcs_max=np.int32(arcs_max),
        levels_max=np.int32(levels_max),
        table_size=np.int32(table_size),
        tables=tables,
        queues=queues,
        results=results,
    )
    return [_search_of(counts, levels_max) for counts in downloaded(device, results).reshape(count, width)]


def _search_of(counts: np.ndarray, levels_max: int) -> Search:
    vertices, arcs = (counts[first : first + counts[0] + 1].tolist() for first in (1, 2 + levels_max))
    is_whole = arcs[-1:] == arcs[-2:-1]
    if vertices[-1:] == vertices[-2:-1]:  # no vertices are at this level
        del vertices[-1], arcs[-1]
    return Search(vertices, arcs, is_whole)


def levels_of(resident: Resident) -> float:
    """About how many levels a breadth-first search of the whole graph has, measured once. May raise OutOfMemoryError.

    A search in a part of the graph gives its dimension, and so the levels of the whole: a grid has four times as many
    vertices within twice as many levels, a long grid twice as many. Such estimates differ from start to start; the
    geometric mean counts.
    """
    return resident.of_arcs("levels", lambda: _measured(resident))


def _measured(resident: Resident) -> float:
    graph = resident.graph
    if not graph.arcs:
        return 0.0
    # Many graphs consist mostly of vertices without arcs: the next one with some is a start.
    arcs = np.minimum(graph.indptr[(_SHARES * graph.vertices).astype(np.int32)], np.int32(graph.arcs - 1))
    searches = searched(np.searchsorted(graph.indptr, arcs, side="right") - 1, resident)
    found = [_levels_and_count(search, graph.vertices) for search in searches]
    enough = min(_VERTICES_MIN, max(count for _, count in found))
    return float(np.exp(np.mean([np.log(levels) for levels, count in found if count >= enough])))


def _levels_and_count(search: Search, vertices: int) -> tuple[float, float]:
    """The levels of the whole graph, and the vertices that the search has found.

    The numbers of vertices up to each level grow by a power of it, after a beginning that differs: a search of a long
    grid first grows to its whole width. So the power follows from how much they grow in the last two octaves.
    """
    levels, count, nearer = search.first(_ARCS_MAX)
    whole: float = max(1, levels)
    if nearer:
        steps = (levels - 1) // 8
        near, middle, far = (search.vertices[octave * steps] for octave in (2, 4, 8))
        if steps and count < 2 * far:
            dimension = max(1.0, log2((far - middle) / (middle - near)))
            longer = 1 + (vertices - far) * (1 - 2**-dimension) / (far - middle)
            whole = 8 * steps * longer ** (1 / dimension)
        else:  # few levels, or a heavy vertex in the last one
            whole *= max(1.0, vertices / count) ** (1 / max(1.0, log2(count / nearer)))
    return whole, count
