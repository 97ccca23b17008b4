"""A graph to check by hand, with the size of the paper's small sample: 6 vertices, 9 arcs.

D. Bodra, "Accelerating Shortest Path Algorithms on the GPU using CUDA", names a sample1.txt of this size but does not
print it; this graph is our own. It contains what an implementation may get wrong: a detour shorter than the direct arc
(0 2 1), a cycle (1 3 2), a vertex without outgoing arcs (4), and one without incoming arcs (5).
"""

import numpy as np

from warpath.graphs.csr import Graph, from_arcs

ARCS = (
    (0, 1, 4),
    (0, 2, 1),
    (1, 3, 5),
    (1, 4, 9),
    (2, 1, 2),
    (2, 3, 8),
    (3, 2, 6),
    (3, 4, 3),
    (5, 0, 7),
)
"""Tail, head and weight of every arc. From vertex 0 the distances are 0, 3, 1, 8, 11, and none to 5."""


def paper_sample() -> Graph:
    """The sample graph."""
    tails, heads, weights = np.array(ARCS).T
    return from_arcs(6, tails, heads, weights, {"weights": {"kind": "given"}})
