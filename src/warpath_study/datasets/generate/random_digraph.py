"""Random digraphs: arcs of weight 1 between random vertices, as Katz and Kider (2008) made theirs."""

import numpy as np

from warpath.errors import UsageError
from warpath.graphs import random_numbers
from warpath.graphs.csr import Graph, from_arcs

_TAILS, _HEADS = 40, 41  # streams


def random_digraph(vertices: int, arcs: int, seed: int = 1) -> Graph:
    """A digraph of ``arcs`` random arcs, which may be parallel but are not loops.

    Its weights are 1, and count as given: the length of a path is its number of arcs. Raises UsageError for counts that
    no graph has.
    """
    if vertices < 1 or arcs < 0 or (arcs and vertices < 2):
        raise UsageError(f"a random digraph of {vertices} vertices and {arcs} arcs cannot be made")
    tails = random_numbers.integers(seed, _TAILS, arcs, 0, vertices - 1)
    heads = (tails + random_numbers.integers(seed, _HEADS, arcs, 1, max(vertices - 1, 1))) % vertices
    return from_arcs(vertices, tails, heads, np.ones(arcs, np.int32), {"weights": {"kind": "given"}})
