"""Random digraphs: arcs between random vertices, each counting 1, as Katz and Kider (2008) made theirs."""

import numpy as np

from ...errors import UsageError
from .. import random_numbers
from ..csr import Graph, from_arcs

_TAILS, _HEADS = 40, 41  # streams


def random_digraph(vertices: int, arcs: int, seed: int = 1) -> Graph:
    """So many arcs, both ends at random; they may be parallel and are no loops. Raises UsageError where there is none.

    A path's length is its number of arcs: weights are 1 by intent, not for want of others.
    """
    if vertices < 1 or arcs < 0 or (arcs and vertices < 2):
        raise UsageError(f"a random digraph of {vertices} vertices and {arcs} arcs cannot be made")
    tails = random_numbers.integers(seed, _TAILS, arcs, 0, vertices - 1)
    heads = (tails + random_numbers.integers(seed, _HEADS, arcs, 1, max(vertices - 1, 1))) % vertices
    return from_arcs(vertices, tails, heads, np.ones(arcs, np.int32), {"weights": {"kind": "given"}})
