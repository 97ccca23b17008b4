"""A part of a graph: the arcs of one weight between its first vertices."""

import numpy as np

from warpath.errors import UsageError
from warpath.graphs.csr import Graph, from_arcs

# How many weights an error message lists.
_LISTED = 8


def first_vertices(graph: Graph, vertices: int, weight: int) -> Graph:
    """The arcs of weight ``weight`` between the first ``vertices`` vertices, all with weight 1.

    Raises UsageError if the graph has fewer vertices or no such arc.
    """
    if not 1 <= vertices <= graph.vertices:
        raise UsageError(
            f"a graph of {graph.vertices} vertices has no first {vertices}; choose from 1 to {graph.vertices}"
        )
    tails = graph.sources()
    between = (tails < vertices) & (graph.indices < vertices)
    if not between.any():
        raise UsageError(f"there is no arc between the first {vertices} vertices; choose more")
    kept = between & (graph.weights == weight)
    if not kept.any():
        there = [str(other) for other in np.unique(graph.weights[between])]
        listed = ", ".join(there[:_LISTED] + ["..."] * (len(there) > _LISTED))
        raise UsageError(f"no arc between the first {vertices} vertices has weight {weight}; weights are {listed}")
    ones = np.ones(int(kept.sum()), np.int32)
    about = {
        **graph.about,
        "part": f"first {vertices} vertices, arcs of weight {weight}",
        "weights": {"kind": "given"},
    }
    return from_arcs(vertices, tails[kept], graph.indices[kept], ones, about, graph.labels[:vertices])
