"""Parts of a graph: the first vertices, and arcs of one weight."""

from dataclasses import replace

import numpy as np

from ..errors import UsageError
from .csr import Graph, from_arcs

# As many weights as a sentence has room for; a graph of relationships has fewer.
_LISTED = 8


def first_vertices(graph: Graph, vertices: int, weight: int) -> Graph:
    """The arcs of ``weight`` between the first ``vertices`` vertices, each counting 1.

    Raises UsageError where the graph has fewer vertices, or no such arc.
    """
    if not 1 <= vertices <= graph.vertices:
        raise UsageError(
            f"the first {vertices} vertices cannot be had of a graph that has {graph.vertices}; choose from 1 to "
            f"{graph.vertices}"
        )
    tails = graph.sources()
    between = (tails < vertices) & (graph.indices < vertices)
    if not between.any():
        raise UsageError(f"there is no arc between the first {vertices} vertices; choose more")
    kept = between & (graph.weights == weight)
    if not kept.any():
        there = [str(other) for other in np.unique(graph.weights[between])]
        listed = ", ".join(there[:_LISTED] + ["..."] * (len(there) > _LISTED))
        raise UsageError(f"no arc between the first {vertices} vertices has weight {weight}; there are {listed}")
    part = from_arcs(vertices, tails[kept], graph.indices[kept], np.ones(int(kept.sum()), np.int32))
    about = {
        **graph.about,
        "part": f"first {vertices} vertices, arcs of weight {weight}",
        "weights": {"kind": "given"},
    }
    return replace(part, about=about)
