"""The arcs that shortest paths take: of those from one vertex to another, the lightest."""

from typing import Any

import numpy as np


class LightestArcs:
    """The lightest arc from one vertex to another, of equally light ones that of the lowest row.

    An arc of a shortest path is as light as any beside it, even where sums of floats are rounded: rounding keeps order.

    Attributes
    ----------
    keys : int64 array of shape (r,)
        The tail, times 2**32, plus the head; in increasing order, each once.
    positions : int32 array of shape (r,)
        The arc of each key.
    """

    def __init__(self, graph: Any):
        keys = graph.tails().astype(np.int64)
        keys <<= 32
        keys |= graph.indices
        order = np.argsort(keys, kind="stable")  # merges the rows, which are in order already
        keys = keys[order]
        first = np.flatnonzero(np.diff(keys, prepend=-1))
        if len(first) < len(keys):
            counts = np.diff(first, append=len(keys))
            parallel = np.flatnonzero(np.repeat(counts > 1, counts))
            arcs = order[parallel]
            order[parallel] = arcs[np.lexsort((graph.rows[arcs], graph.weights[arcs], keys[parallel]))]
        self.keys, self.positions = keys[first], order[first].astype(np.int32)

    def between(self, tails: np.ndarray, heads: np.ndarray) -> np.ndarray:
        """The arcs from ``tails`` to ``heads``, integers of shape (k,), which all exist; int32 of shape (k,)."""
        return self.positions[np.searchsorted(self.keys, tails.astype(np.int64) << 32 | heads)]

    def of_tree(self, predecessors: np.ndarray) -> np.ndarray:
        """The arc to each vertex from its predecessor, -1 where there is none; both int32 of shape (n,)."""
        arcs = np.full_like(predecessors, -1)
        heads = np.flatnonzero(predecessors >= 0)
        arcs[heads] = self.between(predecessors[heads], heads)
        return arcs
