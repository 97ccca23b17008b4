"""The shape of a graph: cheap properties by which the solver is chosen."""

from dataclasses import dataclass

import numpy as np

from ...device.resident import Resident
from ...graphs.csr import Graph

# The degree of a heavy vertex is above this factor times the mean degree, plus this number of arcs.
_HEAVY_FACTOR, _HEAVY_ARCS = 16, 64
# Evenly spaced arcs whose tails are examined: they include each vertex with a large share of the arcs.
_ARCS_SAMPLED = 2**8


@dataclass(frozen=True)
class Shape:
    """The properties of a graph that the rules use.

    ``skewed`` is true if a few vertices have a large share of the arcs.
    """

    vertices: int
    arcs: int
    weight_min: float
    weight_max: float
    skewed: bool

    @property
    def degree(self) -> float:
        """The mean outdegree."""
        return self.arcs / max(1, self.vertices)

    @property
    def density(self) -> float:
        """Arcs divided by pairs of different vertices. Parallel arcs and loops count as arcs."""
        return self.arcs / max(1, self.vertices * (self.vertices - 1))

    @property
    def negative(self) -> bool:
        return self.weight_min < 0


def shape_of(resident: Resident) -> Shape:
    """The shape of a graph, found once from small parts of its arrays."""
    return resident.fact("shape", lambda: _found(resident.graph))


def _found(graph: Graph) -> Shape:
    if not graph.arcs:
        return Shape(graph.vertices, 0, 0, 0, False)
    degree = graph.arcs / graph.vertices
    step = (graph.arcs - 1) / (_ARCS_SAMPLED - 1)
    sampled = (step * np.arange(_ARCS_SAMPLED)).astype(np.int32)  # a search in int32 copies nothing
    tails = np.searchsorted(graph.indptr, sampled, side="right") - 1
    degree_max = int((graph.indptr[tails + 1] - graph.indptr[tails]).max())
    skewed = degree_max > _HEAVY_FACTOR * degree + _HEAVY_ARCS
    return Shape(graph.vertices, graph.arcs, graph.weight_min, graph.weight_max, skewed)
