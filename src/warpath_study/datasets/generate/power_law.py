"""Power-law digraphs: a few vertices have a large part of all arcs, as in graphs of links and of followers.

Both ends of an arc are drawn independently, vertex i of n with a chance that falls off as (i + 1)^(-2/3): it is
n · u³ for a random u of 0..1. So expected degrees, out and in, follow a power law with exponent 5/2; a vertex with many
arcs out of it has many into it, too. This is the model of Chung and Lu: F. Chung and L. Lu, "Connected components in
random graphs with given expected degree sequences", Annals of Combinatorics 6, 2002.
"""

import numpy as np

from warpath.errors import UsageError
from warpath.graphs.csr import Graph, from_arcs
from warpath.graphs.random_numbers import below, hashed, permutation

_STREAM_LABELS = 60
_STREAM_DRAWS = 61
"""The first stream for drawing arcs; each round of draws takes the next one."""


def power_law(vertices: int, arcs: int, seed: int = 1) -> Graph:
    """A simple digraph of ``arcs`` arcs without loops whose degrees follow a power law; all weights 1.

    Vertex 0 has outgoing arcs, if there are arcs. Raises UsageError for counts that no such graph has, and for more
    than half of the arcs of a complete digraph, which random draws would take long to find.
    """
    arcs_max = vertices * (vertices - 1) // 2
    if vertices < 1 or not 0 <= arcs <= arcs_max:
        raise UsageError(
            f"a power-law digraph of {vertices} vertices and {arcs} arcs cannot be made: it needs at least one vertex, "
            f"and at most half as many arcs as a complete digraph has"
        )
    tails, heads = np.divmod(_distinct_pairs(vertices, arcs, seed), vertices)
    labels = permutation(seed, _STREAM_LABELS, vertices)
    if arcs:
        # Vertex 0 is the usual source, so it must reach others. The tail in the middle is neither the largest nor last.
        middle = tails[arcs // 2]
        labels[labels == 0], labels[middle] = labels[middle], 0
    ends = np.sort(labels[tails] * vertices + labels[heads])
    tails, heads = np.divmod(ends, vertices)
    return from_arcs(vertices, tails, heads, np.ones(arcs, np.int32), {"weights": {"kind": "unit"}})


def _distinct_pairs(vertices: int, count: int, seed: int) -> np.ndarray:
    """``count`` pairs of different vertices, no pair twice: tail · vertices + head, in rising order, int64."""
    pairs = np.empty(0, np.int64)
    stream = _STREAM_DRAWS
    while len(pairs) < count:
        drawn = hashed(seed, stream, count - len(pairs))
        tails = _ranks(drawn >> np.uint64(32), vertices)
        heads = _ranks(drawn & np.uint64(2**32 - 1), vertices)
        drawn = (tails * vertices + heads)[tails != heads]
        pairs = np.concatenate([pairs, np.sort(drawn)])
        pairs.sort(kind="stable")  # two sorted parts: a merge
        pairs = pairs[np.diff(pairs, prepend=-1) != 0]  # np.unique would hash, which takes a hundred times as long
        stream += 1
    return pairs


def _ranks(numbers: np.ndarray, vertices: int) -> np.ndarray:
    """``vertices`` · u³ for u = ``numbers`` / 2³², in integers, so that every machine draws the same."""
    cubes = (numbers * numbers >> np.uint64(32)) * numbers
    return below(cubes, vertices)
