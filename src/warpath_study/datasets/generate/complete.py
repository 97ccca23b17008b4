"""Complete digraphs: an arc from every vertex to every other, like the larger sample graph of the paper.

Source: D. Bodra, "Accelerating Shortest Path Algorithms on the GPU using CUDA", whose sample2.txt has 100 vertices and
random weights from 1 to 100.
"""

import numpy as np

from warpath.errors import UsageError
from warpath.graphs.csr import ARCS_MAX, Graph, from_arcs


def complete(vertices: int) -> Graph:
    """The complete digraph without loops, all weights 1; raises UsageError for no vertex or too many arcs."""
    if vertices < 1:
        raise UsageError(f"a complete digraph of {vertices} vertices cannot be made: it needs at least one")
    arcs = vertices * (vertices - 1)
    if arcs > ARCS_MAX:
        raise UsageError(
            f"a complete digraph of {vertices} vertices cannot be made: {arcs} arcs are too many for 32-bit indices"
        )
    tails, rank = np.divmod(np.arange(arcs), max(vertices - 1, 1))
    heads = rank + (rank >= tails)
    return from_arcs(vertices, tails, heads, np.ones(arcs, dtype=np.int32), {"weights": {"kind": "unit"}})
