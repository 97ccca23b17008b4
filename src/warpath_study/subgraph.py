"""A small part of a graph. A variant's answer on it is certified before the variant is timed on the whole graph."""

import numpy as np

from warpath.graphs.csr import Graph, from_arcs


def nearest_subgraph(graph: Graph, source: int | None, vertices_max: int) -> tuple[Graph, int | None]:
    """The subgraph of at most ``vertices_max`` vertices nearest to ``source``, and the index of the source in it.

    The search is breadth-first, and takes the vertices of a level in increasing order. The subgraph keeps the order of
    vertices and arcs, and the labels. Without a source, the search starts at the first vertex with the most arcs, and
    the returned source is None. A graph that is small enough is returned unchanged.
    """
    if graph.vertices <= vertices_max:
        return graph, source
    start = int(np.argmax(np.diff(graph.indptr))) if source is None else source
    vertices = _breadth_first(graph, start, vertices_max)
    index = np.full(graph.vertices, -1, np.int32)
    index[vertices] = np.arange(len(vertices))
    arcs, counts = _arcs_leaving(graph, vertices)
    heads, tails = index[graph.indices[arcs]], np.repeat(index[vertices], counts)
    inside = heads >= 0
    weights = graph.weights[arcs[inside]]
    subgraph = from_arcs(len(vertices), tails[inside], heads[inside], weights, labels=graph.labels[vertices])
    return subgraph, None if source is None else int(index[source])


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
