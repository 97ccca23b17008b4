"""The facts of a graph by which a solver is chosen, found from small parts of its arrays and a short search."""

from dataclasses import replace

import numpy as np

from ...device.resident import Resident
from ...distances import UNREACHABLE
from ...graphs.csr import Graph
from ..costs import Facts
from .depth import levels_of

# The degree of a heavy vertex is above this factor times the mean degree, plus this number of arcs.
_HEAVY_FACTOR, _HEAVY_ARCS = 16, 64
# Evenly spaced arcs whose tails are examined: they include each vertex with a large share of the arcs.
_ARCS_SAMPLED = 2**8


def facts_of(resident: Resident) -> Facts:
    """The facts of a graph, with levels that are measured on its device. May raise OutOfMemoryError."""
    return resident.fact("facts", lambda: replace(shape_of(resident), levels=max(1.0, levels_of(resident))))


def shape_of(resident: Resident) -> Facts:
    """The facts that take no search: ``levels`` is 1."""
    return resident.fact("shape", lambda: _found(resident.graph))


def _found(graph: Graph) -> Facts:
    is_negative = graph.arcs > 0 and graph.weight_min < 0
    return Facts(
        vertices=graph.vertices,
        arcs=graph.arcs,
        levels=1.0,
        is_skewed=graph.arcs > 0 and _is_skewed(graph),
        has_floats=graph.has_floats,
        weight_min=graph.weight_min if graph.arcs else 0,
        weight_max=graph.weight_max if graph.arcs else 0,
        sums_fit=not is_negative or graph.has_floats or 2 * graph.longest_path_bound < int(UNREACHABLE),
    )


def _is_skewed(graph: Graph) -> bool:
    step = (graph.arcs - 1) / (_ARCS_SAMPLED - 1)
    sampled = (step * np.arange(_ARCS_SAMPLED)).astype(np.int32)  # a search in int32 copies nothing
    tails = np.searchsorted(graph.indptr, sampled, side="right") - 1
    degree_max = int((graph.indptr[tails + 1] - graph.indptr[tails]).max())
    return degree_max > _HEAVY_FACTOR * graph.arcs / graph.vertices + _HEAVY_ARCS
