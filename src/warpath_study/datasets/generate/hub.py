"""Random digraphs around a hub: sparse, but every vertex reaches every other through vertex 0.

On such a graph, the matrix of Floyd-Warshall is full after the first step, as on a dense graph, so that all later steps
cost the same even for an implementation that skips pairs without a path through k. The graph itself stays sparse, and
is cheap to keep, read and certify.
"""

import numpy as np

from warpath.errors import UsageError
from warpath.graphs import random_numbers
from warpath.graphs.csr import Graph, from_arcs

_TAILS, _HEADS = 0, 1  # streams


def hub(vertices: int, arcs: int, seed: int = 1) -> Graph:
    """Arcs between vertex 0 and every other, both ways, and the rest of the ``arcs`` at random; all weights 1.

    Random arcs may be parallel but are not loops. Raises UsageError for fewer than two vertices or fewer arcs than the
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
