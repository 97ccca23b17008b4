"""A small part of a graph. A variant's answer on it is certified before the variant is timed on the whole graph."""

import numpy as np

from ..graphs.csr import Graph


def around(graph: Graph, source: int | None, vertices_max: int) -> tuple[Graph, int | None]:
    """The subgraph of at most ``vertices_max`` vertices nearest to ``source``, and the source in it.

    Vertices are taken breadth-first, in increasing order within a level. They keep their order under their new numbers,
    and so do all arcs between them; their labels stay. With ``source`` None (all pairs), the search starts at the first
    vertex with the most arcs, and None is returned for the source. A graph that is small enough is returned unchanged.
    """
    if graph.vertices <= vertices_max:
        return graph, source
    start = int(np.argmax(np.diff(graph.indptr))) if source is None else source
    kept = _breadth_first(graph, start, vertices_max)
    positions, counts = _arcs_leaving(graph, kept)
    heads = graph.indices[positions]
    new_heads = np.minimum(np.searchsorted(kept, heads), len(kept) - 1)
    inside = kept[new_heads] == heads
    tails = np.repeat(np.arange(len(kept)), counts)
    indptr = np.zeros(len(kept) + 1, dtype=np.int32)
    np.cumsum(np.bincount(tails[inside], minlength=len(kept)), out=indptr[1:])
    arrays = (indptr, new_heads[inside].astype(np.int32), graph.weights[positions[inside]])
    subgraph = Graph(*arrays, labels=graph.labels[kept])
    return subgraph, None if source is None else int(np.searchsorted(kept, source))


def _breadth_first(graph: Graph, start: int, vertices_max: int) -> np.ndarray:
    """The first vertices that a breadth-first search from ``start`` meets, in increasing order."""
    met = np.zeros(graph.vertices, dtype=bool)
    met[start] = True
    level = np.array([start])
    room = vertices_max - 1
    while len(level) and room:
        heads = np.unique(graph.indices[_arcs_leaving(graph, level)[0]])
        level = heads[~met[heads]][:room]
        met[level] = True
        room -= len(level)
    return np.flatnonzero(met)


def _arcs_leaving(graph: Graph, tails: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions in ``indices`` of all arcs that leave ``tails``, tail by tail, and the number of arcs of each tail."""
    starts = graph.indptr[tails].astype(np.int64)
    counts = graph.indptr[tails + 1] - starts
    before = np.cumsum(counts) - counts
    return np.arange(counts.sum()) + np.repeat(starts - before, counts), counts
