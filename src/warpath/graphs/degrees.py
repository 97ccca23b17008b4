"""Statistics of the out-degrees of a graph."""

from dataclasses import dataclass

import numpy as np

from .csr import Graph


@dataclass(frozen=True)
class OutDegrees:
    """Counts of a graph and statistics of its out-degrees; ``deviation`` is their standard deviation."""

    vertices: int
    arcs: int
    maximum: int
    deviation: float
    median: float


def out_degrees(graph: Graph) -> OutDegrees:
    """The statistics of ``graph``; parallel arcs and loops count."""
    degrees = np.diff(graph.indptr)
    return OutDegrees(graph.vertices, graph.arcs, int(degrees.max()), float(degrees.std()), float(np.median(degrees)))
