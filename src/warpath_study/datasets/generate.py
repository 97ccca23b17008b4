"""Graphs that are generated, for machines without the published ones and for sizes that nobody published.

Equal parameters give equal graphs, on every machine.
"""

import inspect
from collections.abc import Callable

import numpy as np

from warpath.errors import UsageError
from warpath.graphs.csr import ARCS_MAX, Graph, from_arcs
from warpath.graphs.random_numbers import below, hashed, integers, permutation
from warpath.names import suggestion

from ..matrix_product.matrices import Matrices, random_matrices
from .gnutella import gnutella
from .road import road

# Streams of random numbers.
_HUB_TAILS, _HUB_HEADS = 0, 1
_RANDOM_TAILS, _RANDOM_HEADS = 40, 41
_POWER_LAW_LABELS = 60
# The first stream for drawing arcs; each round of draws takes the next one.
_POWER_LAW_DRAWS = 61

SAMPLE_ARCS = ((0, 1, 4), (0, 2, 1), (1, 3, 5), (1, 4, 9), (2, 1, 2), (2, 3, 8), (3, 2, 6), (3, 4, 3), (5, 0, 7))
"""Tail, head and weight of every arc of the sample. From vertex 0 the distances are 0, 3, 1, 8, 11, and none to 5."""


def complete(vertices: int) -> Graph:
    """The complete digraph without loops, all weights 1, like the larger sample graph of the paper.

    Source: D. Bodra, "Accelerating Shortest Path Algorithms on the GPU using CUDA", whose sample2.txt has 100 vertices
    and random weights from 1 to 100. Raises UsageError for no vertex or too many arcs.
    """
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


def hub(vertices: int, arcs: int, seed: int = 1) -> Graph:
    """Arcs between vertex 0 and every other, both ways, and the rest of the ``arcs`` at random; all weights 1.

    Sparse, but every vertex reaches every other through vertex 0. So the matrix of Floyd-Warshall is full after the
    first step, as on a dense graph, and all later steps cost the same even for an implementation that skips pairs
    without a path through k. Random arcs may be parallel but are not loops.

    Raises UsageError for fewer than two vertices or fewer arcs than the hub has.
    """
    if vertices < 2:
        raise UsageError(f"a digraph around a hub needs at least two vertices, not {vertices}")
    spokes = np.arange(1, vertices)
    at_random = arcs - 2 * len(spokes)
    if at_random < 0:
        raise UsageError(
            f"a digraph of {vertices} vertices around a hub has at least {2 * len(spokes)} arcs, not {arcs}"
        )
    tails = integers(seed, _HUB_TAILS, at_random, 0, vertices - 1)
    heads = (tails + integers(seed, _HUB_HEADS, at_random, 1, vertices - 1)) % vertices
    centre = np.zeros_like(spokes)
    return from_arcs(
        vertices,
        np.concatenate([centre, spokes, tails]),
        np.concatenate([spokes, centre, heads]),
        np.ones(arcs, np.int32),
        {"weights": {"kind": "unit"}},
    )


def random_digraph(vertices: int, arcs: int, seed: int = 1) -> Graph:
    """A digraph of ``arcs`` random arcs, which may be parallel but are not loops, as Katz and Kider (2008) made theirs.

    Its weights are 1, and count as given: the length of a path is its number of arcs. Raises UsageError for counts that
    no graph has.
    """
    if vertices < 1 or arcs < 0 or (arcs and vertices < 2):
        raise UsageError(f"a random digraph of {vertices} vertices and {arcs} arcs cannot be made")
    tails = integers(seed, _RANDOM_TAILS, arcs, 0, vertices - 1)
    heads = (tails + integers(seed, _RANDOM_HEADS, arcs, 1, max(vertices - 1, 1))) % vertices
    return from_arcs(vertices, tails, heads, np.ones(arcs, np.int32), {"weights": {"kind": "given"}})


def power_law(vertices: int, arcs: int, seed: int = 1) -> Graph:
    """A simple digraph of ``arcs`` arcs without loops whose degrees follow a power law; all weights 1.

    A few vertices have a large part of all arcs, as in graphs of links and of followers. Both ends of an arc are drawn
    independently, vertex i of n with a chance that falls off as (i + 1)^(-2/3): it is n · u³ for a random u of 0..1. So
    expected degrees, out and in, follow a power law with exponent 5/2; a vertex with many arcs out of it has many into
    it, too. This is the model of Chung and Lu: F. Chung and L. Lu, "Connected components in random graphs with given
    expected degree sequences", Annals of Combinatorics 6, 2002.

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
    labels = permutation(seed, _POWER_LAW_LABELS, vertices)
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
    stream = _POWER_LAW_DRAWS
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


def paper_sample() -> Graph:
    """A graph to check by hand, with the size of the paper's small sample: 6 vertices, 9 arcs.

    D. Bodra, "Accelerating Shortest Path Algorithms on the GPU using CUDA", names a sample1.txt of this size but does
    not print it; this graph is our own. It contains what an implementation may get wrong: a detour shorter than the
    direct arc (0 2 1), a cycle (1 3 2), a vertex without outgoing arcs (4), and one without incoming arcs (5).
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
    """Make a graph, or for "matrices" a pair of them, with the generator ``kind``.

    ``metadata`` records the generator and its parameters.

    Raises UsageError for an unknown kind, for a parameter that is missing, unknown or not an integer, and for
    parameters that no graph can have.
    """
    if kind not in GENERATORS:
        raise UsageError(f"unknown kind of graph {kind!r}; {suggestion(kind, GENERATORS)}")
    known = inspect.signature(GENERATORS[kind]).parameters
    for name, value in parameters.items():
        if name not in known:
            raise UsageError(f"a {kind} graph has no parameter {name!r}; it has {', '.join(known) or 'none'}")
        if not isinstance(value, int):
            raise UsageError(f"a {kind} graph needs an integer for {name!r}, not {value!r}")
    for name, parameter in known.items():
        if parameter.default is parameter.empty and name not in parameters:
            raise UsageError(f"a {kind} graph needs the parameter {name!r}")
    graph = GENERATORS[kind](**parameters)
    graph.metadata.update(origin="generated", generator=kind, parameters=parameters)
    return graph
