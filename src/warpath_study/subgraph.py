"""A small part of a graph. A variant's answer on it is certified before the variant is timed on the whole graph."""

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order

from warpath.graphs.csr import Graph, from_arcs


def nearest_subgraph(graph: Graph, source: int | None, vertices_max: int) -> tuple[Graph, int | None]:
    """The subgraph of at most ``vertices_max`` vertices nearest to ``source``, and the index of the source in it.

    The search is breadth-first. The subgraph keeps the order of vertices and arcs, and the labels. Without a source,
    the search starts at the first vertex with the most arcs, and the returned source is None. A graph that is small
    enough is returned unchanged.
    """
    if graph.vertices <= vertices_max:
        return graph, source
    start = int(np.argmax(np.diff(graph.indptr))) if source is None else source
    arcs = csr_array((np.ones(graph.arcs, np.int8), graph.indices, graph.indptr), shape=(graph.vertices,) * 2)
    vertices = np.sort(breadth_first_order(arcs, start, return_predecessors=False)[:vertices_max])
    index = np.full(graph.vertices, -1, np.int32)
    index[vertices] = np.arange(len(vertices))
    tails, heads = index[graph.tails()], index[graph.indices]
    inside = (tails >= 0) & (heads >= 0)
    weights, labels = graph.weights[inside], graph.labels[vertices]
    subgraph = from_arcs(len(vertices), tails[inside], heads[inside], weights, labels=labels)
    return subgraph, None if source is None else int(index[source])
