"""Rows cut into pieces, so that no warp has many more arcs than others."""

from dataclasses import dataclass

import numpy as np

from ...graphs.csr import Graph


@dataclass(frozen=True)
class Pieces:
    """The arcs of heavy vertices beyond the first ``length`` of each: the tail and the first arc of each piece.

    A piece ends after ``length`` arcs or with the arcs of its tail. Shapes (k,), int32.
    """

    length: int
    tails: np.ndarray
    firsts: np.ndarray


def pieces_of(graph: Graph, length: int) -> Pieces:
    """The pieces of ``graph``; none where no vertex has more than ``length`` arcs."""
    degrees = np.diff(graph.indptr)
    heavy = np.flatnonzero(degrees > length)
    counts = (degrees[heavy] - 1) // length
    tails = np.repeat(heavy, counts)
    rank = np.arange(len(tails)) - np.repeat(np.cumsum(counts) - counts, counts)
    firsts = graph.indptr[tails] + (rank + 1) * length
    return Pieces(length, tails.astype(np.int32), firsts.astype(np.int32))
