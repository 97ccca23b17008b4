"""Parts of a graph: the first vertices, and arcs of one weight."""

from dataclasses import replace

import numpy as np

from ..errors import UsageError
from .csr import Graph, from_arcs


def first_vertices(graph: Graph, vertices: int, weight: int) -> Graph:
    """The arcs of ``weight`` between the first ``vertices`` vertices, each counting 1.

    Raises UsageError where the graph has fewer vertices, or no such arc.
    """
    if not 1 <= vertices <= graph.vertices:
        raise UsageError(f"the first {vertices} vertices cannot be had of a graph that has {graph.vertices}")
    tails = graph.sources()
    kept = (tails < vertices) & (graph.indices < vertices) & (graph.weights == weight)
    if not kept.any():
        raise UsageError(f"no arc between the first {vertices} vertices has weight {weight}")
    part = from_arcs(vertices, tails[kept], graph.indices[kept], np.ones(int(kept.sum()), np.int32))
    about = {
        **graph.about,
        "part": f"first {vertices} vertices, arcs of weight {weight}",
        "weights": {"kind": "given"},
    }
    return replace(part, about=about)
