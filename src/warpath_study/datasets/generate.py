"""Generators of graphs. Equal parameters give equal graphs on every machine."""

import inspect
import math
from collections.abc import Callable

import numpy as np

from warpath.errors import UsageError
from warpath.graphs.csr import ARCS_MAX, Graph, from_arcs
from warpath.graphs.random_numbers import below, hashed, integers, permutation
from warpath.system.names import suggestion

from ..matrix_product.matrices import Matrices, random_matrices
from .gnutella import gnutella
from .road import road

# Streams of random numbers.
_HUB_TAILS, _HUB_HEADS = 0, 1
_RANDOM_TAILS, _RANDOM_HEADS = 40, 41
_POWER_LAW_LABELS = 60
# The first stream for arcs; each round of draws uses the next one.
_POWER_LAW_DRAWS = 61

SAMPLE_ARCS = ((0, 1, 4), (0, 2, 1), (1, 3, 5), (1, 4, 9), (2, 1, 2), (2, 3, 8), (3, 2, 6), (3, 4, 3), (5, 0, 7))
"""Tail, head and weight of each arc. The distances from vertex 0 are 0, 3, 1, 8, 11 and, to vertex 5, none."""


def complete(vertices: int) -> Graph:
    """The complete digraph without loops, with weights of 1.

    D. Bodra, "Accelerating Shortest Path Algorithms on the GPU using CUDA", has one of 100 vertices, sample2.txt, with
    random weights from 1 to 100. Raises UsageError for no vertex or too many arcs.
    """
    arcs = vertices * (vertices - 1)
    if vertices < 1 or arcs > ARCS_MAX:
        raise UsageError(f"a complete digraph needs 1 to {math.isqrt(ARCS_MAX) + 1} vertices, not {vertices}")
    tails, rank = np.divmod(np.arange(arcs), max(vertices - 1, 1))
    heads = rank + (rank >= tails)
    return from_arcs(vertices, tails, heads, np.ones(arcs, dtype=np.int32), {"weights": {"kind": "unit"}})


def hub(vertices: int, arcs: int, seed: int = 1) -> Graph:
    """Arcs between vertex 0 and every other vertex, both ways, and random arcs, which are no loops; weights of 1.

    The graph is sparse, but every vertex reaches every other one through vertex 0. So the matrix of Floyd-Warshall is
    full after the first step, and all later steps cost the same, even if an implementation skips pairs without a path
    through k. Raises UsageError for fewer than two vertices or too few arcs.
    """
    spokes = np.arange(1, vertices)
    random_arcs = arcs - 2 * len(spokes)
    if vertices < 2 or random_arcs < 0:
        raise UsageError(
            f"a hub needs at least two vertices and two arcs per other vertex, not {vertices} vertices and {arcs} arcs"
        )
    tails = integers(seed, _HUB_TAILS, random_arcs, 0, vertices - 1)
    heads = (tails + integers(seed, _HUB_HEADS, random_arcs, 1, vertices - 1)) % vertices
    centre = np.zeros_like(spokes)
    return from_arcs(
        vertices,
        np.concatenate([centre, spokes, tails]),
        np.concatenate([spokes, centre, heads]),
        np.ones(arcs, np.int32),
        {"weights": {"kind": "unit"}},
    )


def random_digraph(vertices: int, arcs: int, seed: int = 1) -> Graph:
    """A digraph of random arcs, which are no loops but may be parallel, like those of Katz and Kider (2008).

    Its weights are 1 and count as given, so that no random ones are drawn. Raises UsageError for impossible counts.
    """
    if vertices < 1 or arcs < 0 or (arcs and vertices < 2):
        raise UsageError(f"a random digraph of {vertices} vertices and {arcs} arcs cannot be made")
    tails = integers(seed, _RANDOM_TAILS, arcs, 0, vertices - 1)
    heads = (tails + integers(seed, _RANDOM_HEADS, arcs, 1, max(vertices - 1, 1))) % vertices
    return from_arcs(vertices, tails, heads, np.ones(arcs, np.int32), {"weights": {"kind": "given"}})


def power_law(vertices: int, arcs: int, seed: int = 1) -> Graph:
    """A simple digraph without loops whose degrees follow a power law, with weights of 1.

    Both ends of an arc are drawn independently, as n · u³ for a random u in 0..1: vertex i has a probability
    proportional to (i + 1)^(-2/3). Expected out- and in-degrees then follow a power law with exponent 5/2, and a vertex
    with many outgoing arcs has many incoming ones. This is the model of F. Chung and L. Lu, "Connected components in
    random graphs with given expected degree sequences", Annals of Combinatorics 6, 2002.

    Vertex 0 has outgoing arcs, if there are arcs. Raises UsageError for impossible counts, and for more than half of
    the arcs of a complete digraph, which random draws would take long to find.
    """
    arcs_max = vertices * (vertices - 1) // 2
    if vertices < 1 or not 0 <= arcs <= arcs_max:
        raise UsageError(
            f"a power-law digraph of {vertices} vertices and {arcs} arcs cannot be made: it needs at least one vertex, "
            f"and at most half as many arcs as a complete digraph has"
        )
    tails, heads = np.divmod(_distinct_pairs(vertices, arcs, seed), vertices)
    labels = permutation(seed, _POWER_LAW_LABELS, vertices)
    if arcs:
        # Vertex 0 is the default source, so it must reach others. The middle tail has a medium degree.
        middle = tails[arcs // 2]
        labels[labels == 0], labels[middle] = labels[middle], 0
    ends = np.sort(labels[tails] * vertices + labels[heads])
    tails, heads = np.divmod(ends, vertices)
    return from_arcs(vertices, tails, heads, np.ones(arcs, np.int32), {"weights": {"kind": "unit"}})


def _distinct_pairs(vertices: int, count: int, seed: int) -> np.ndarray:
    """Sorted numbers tail · vertices + head of distinct pairs of different vertices, shape (count,), int64."""
    pairs = np.empty(0, np.int64)
    stream = _POWER_LAW_DRAWS
    while len(pairs) < count:
        drawn = hashed(seed, stream, count - len(pairs))
        tails = _ranks(drawn >> np.uint64(32), vertices)
        heads = _ranks(drawn & np.uint64(2**32 - 1), vertices)
        drawn = (tails * vertices + heads)[tails != heads]
        pairs = np.concatenate([pairs, np.sort(drawn)])
        pairs.sort(kind="stable")  # two sorted parts: a merge
        pairs = pairs[np.diff(pairs, prepend=-1) != 0]  # np.unique is a hundred times slower
        stream += 1
    return pairs


def _ranks(numbers: np.ndarray, vertices: int) -> np.ndarray:
    """``vertices`` · u³ for u = ``numbers`` / 2³², in integers, so that the result is the same on every machine."""
    cubes = (numbers * numbers >> np.uint64(32)) * numbers
    return below(cubes, vertices)


def paper_sample() -> Graph:
    """A graph of 6 vertices and 9 arcs, to check by hand.

    D. Bodra, "Accelerating Shortest Path Algorithms on the GPU using CUDA", has a sample1.txt of this size but does
    not print it; this graph is warpath's own. It has a detour shorter than the direct arc (0 2 1), a cycle (1 3 2), a
    vertex without outgoing arcs (4), and one without incoming arcs (5).
    """
    tails, heads, weights = np.array(SAMPLE_ARCS).T
    return from_arcs(6, tails, heads, weights, {"weights": {"kind": "given"}})


GENERATORS: dict[str, Callable[..., Graph | Matrices]] = {
    "road": road,
    "gnutella": gnutella,
    "complete": complete,
    "hub": hub,
    "random": random_digraph,
    "power_law": power_law,
    "paper_sample": paper_sample,
    "matrices": random_matrices,
}


def generate(kind: str, **parameters: int) -> Graph | Matrices:
    """Make a graph, or two matrices, with the generator ``kind``. ``about`` records the generator and its parameters.

    Raises UsageError for an unknown kind, for a parameter that is missing, unknown or not an integer, and for
    impossible parameters.
    """
    if kind not in GENERATORS:
        raise UsageError(f"unknown kind of graph {kind!r}; {suggestion(kind, GENERATORS)}")
    for name, value in parameters.items():
        if not isinstance(value, int):
            raise UsageError(f"a {kind} graph needs an integer for {name!r}, not {value!r}")
    known = inspect.signature(GENERATORS[kind])
    try:
        known.bind(**parameters)
    except TypeError as error:
        raise UsageError(f"a {kind} graph takes the parameters {', '.join(known.parameters)} ({error})") from None
    graph = GENERATORS[kind](**parameters)
    graph.metadata.update(origin="generated", generator=kind, parameters=parameters)
    return graph
