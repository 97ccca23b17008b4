"""Random digraphs around a hub: sparse, and yet every vertex reaches every other after the first vertex has joined.

Floyd-Warshall on such a graph has a full matrix from its second step on, as on a dense graph, so that all steps cost
the same, also to an implementation that leaves pairs without a path through k. But the graph needs no n x n arcs to be
kept, read and certified.
"""

import numpy as np

from ...errors import UsageError
from .. import random_numbers
from ..csr import Graph, from_arcs

_TAILS, _HEADS = 0, 1  # streams


def hub(vertices: int, arcs: int, seed: int = 1) -> Graph:
    """An arc from vertex 0 to every other and one back, the rest of the ``arcs`` at random; all weights 1.

    Random arcs may be parallel, and are no loops. Raises UsageError for fewer than two vertices, or fewer arcs than the
    hub has.
    """
    if vertices < 2:
        raise UsageError(f"a digraph around a hub needs at least two vertices, not {vertices}")
    spokes = np.arange(1, vertices)
    at_random = arcs - 2 * len(spokes)
    if at_random < 0:
        raise UsageError(
            f"a digraph of {vertices} vertices around a hub has at least {2 * len(spokes)} arcs, not {arcs}"
        )
    tails = random_numbers.integers(seed, _TAILS, at_random, 0, vertices - 1)
    heads = (tails + random_numbers.integers(seed, _HEADS, at_random, 1, vertices - 1)) % vertices
    centre = np.zeros_like(spokes)
    return from_arcs(
        vertices,
        np.concatenate([centre, spokes, tails]),
        np.concatenate([spokes, centre, heads]),
        np.ones(arcs, np.int32),
        {"weights": {"kind": "unit"}},
    )
