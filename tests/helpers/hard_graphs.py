"""Graphs that meet the limits of kernels: sums about 2**31, heavy degrees, complete cores, components, odd sizes.

Lanes come in 32, pieces of rows in 64 arcs, the top of a hierarchy reads 96 ahead, tiles have up to 128 vertices,
blocks of the tests 32 threads. None of the sizes here is a multiple of any of these.
"""

from functools import cache

import numpy as np
from tiny_graphs import graph

from warpath.distances import UNREACHABLE
from warpath.graphs.csr import Graph, from_arcs

LARGEST = 2**31 - 2
"""The greatest weight, and the greatest distance."""
HALF = 2**30 - 1
NO_PATH = 2**60


def complete(vertices: int, low: int, high: int, seed: int) -> Graph:
    """An arc between any two vertices, of random weights from ``low`` to ``high``."""
    tails, heads = np.nonzero(~np.eye(vertices, dtype=bool))
    return from_arcs(vertices, tails, heads, np.random.default_rng(seed).integers(low, high + 1, len(tails)))


def line(vertices: int, *weights: int) -> list[tuple[int, int, int]]:
    """The arcs of a path through the first vertices, the weights in turn."""
    return [(vertex, vertex + 1, weights[vertex % len(weights)]) for vertex in range(vertices - 1)]


def broom(handles: int) -> Graph:
    """From vertex 0 to ``handles`` vertices at once, the last ones, each of which has one of the others behind it."""
    first = 1 + handles
    out = [(0, first + i, 4 + i % 3) for i in range(handles)]
    behind = [(first + i, 1 + (i * 7) % handles, 1 + i % 5) for i in range(handles)]
    return graph(first + handles, *out, *behind, (1, 0, 1))


def hub(vertices: int, out: int, back: int) -> Graph:
    """Arcs from vertex 1 to all others and from all others to it, in random order: degrees beyond every block."""
    order = np.random.default_rng(vertices).permutation(np.delete(np.arange(vertices), 1))
    one = np.ones(vertices - 1, np.int64)
    weights = np.random.default_rng(1).integers([[out], [back]], [[2 * out + 1], [2 * back + 1]], (2, vertices - 1))
    return from_arcs(vertices, np.append(one, order), np.append(order, one), weights.ravel())


def heavy(vertices: int, seed: int, degree: int) -> Graph:
    """Random arcs, of which some weigh 1 and the others about a half or all of the greatest distance."""
    numbers = np.random.default_rng(seed)
    tails = np.repeat(np.arange(vertices), degree)
    weights = numbers.choice([1, 1, 7, HALF - 3, HALF, HALF + 1, LARGEST - 9, LARGEST], len(tails))
    return from_arcs(vertices, tails, numbers.integers(0, vertices, len(tails)), weights)


def circles(sizes: list[int], seed: int) -> Graph:
    """Strongly connected components of these sizes, each with arcs to two of those before it and none back."""
    numbers = np.random.default_rng(seed)
    firsts = np.cumsum([0, *sizes])
    names = numbers.permutation(firsts[-1])
    arcs = []
    for number, size in enumerate(sizes):
        first = firsts[number]
        arcs += [(first + i, first + (i + 1) % size, int(numbers.integers(0, 5))) for i in range(size)]
        for other in numbers.integers(0, number, min(number, 2)):
            ends = first + numbers.integers(size), firsts[other] + numbers.integers(sizes[other])
            arcs.append((*ends, int(numbers.integers(0, 9))))
    return graph(int(firsts[-1]), *[(int(names[tail]), int(names[head]), weight) for tail, head, weight in arcs])


def ladder(rungs: int) -> Graph:
    """Two lines side by side, each rung both ways: every vertex has many shortest paths, all of zeros and ones."""
    arcs = []
    for i in range(rungs - 1):
        arcs += [(2 * i + side, 2 * i + 2 + side, 1) for side in (0, 1)]
    return graph(2 * rungs, *arcs, *[(2 * i + side, 2 * i + 1 - side, 0) for i in range(rungs) for side in (0, 1)])


HARD = {
    "a sum beyond 32 bits is no shorter way": graph(
        8, *line(5, HALF), (0, 5, 1), (5, 6, 1), (6, 7, 1), (7, 3, 1), (0, 4, LARGEST)
    ),
    "sums of the two heaviest": graph(6, (0, 1, LARGEST), (1, 2, LARGEST), (0, 3, 5), (3, 2, LARGEST - 5), (2, 4, 0)),
    "lengths up to the greatest": graph(
        8, *line(3, HALF), (0, 3, LARGEST), (0, 4, LARGEST - 1), (4, 5, 1), (5, 6, 0), (4, 7, 2), (0, 7, LARGEST)
    ),
    "about a half, many ties": complete(13, HALF - 1, HALF + 1, 3),
    "a heavy line with light steps between": graph(
        67, *line(67, 0, 1, 2), *[(i, (i * 29 + 5) % 67, LARGEST - i) for i in range(67)]
    ),
    "heavy and sparse": heavy(67, 1, 2),
    "heavy, three each": heavy(41, 2, 3),
    "heavy, many each": heavy(35, 3, 37),
    "a core of 131, each arc the shortest way": complete(131, 1000, 1999, 1),
    "a core of 37, few weights": complete(37, 1, 3, 2),
    "a core of 37, heavy": complete(37, LARGEST // 3, LARGEST, 2),
    "a core whose arcs go around": graph(
        43, *[(u, v, (v - u) ** 2 + 1) for u in range(43) for v in range(43) if u != v], (0, 42, 2)
    ),
    "a hub of 162 arcs": hub(163, 3, 5),
    "a hub, heavy": hub(133, HALF // 2, HALF // 2 - 2),
    "a broom": broom(67),
    "no arcs, 67 vertices": graph(67),
    "sources without arcs, and sinks": graph(
        71, *[(u, v, 1 + (u * v) % 11) for u in range(20, 40) for v in range(40, 71)], (3, 20, 1), (5, 3, 2)
    ),
    "components of every size": circles([1, 2, 3, 1, 9, 1, 1, 33, 2, 5, 7, 1], 1),
    "weakly connected, one by one": graph(69, *[(u + 1, u, 2) for u in range(68)]),
    "two halves without a way between": graph(
        66, *[(u, (u + 1) % 33, 3) for u in range(33)], *[(33 + u, 33 + (u + 4) % 33, u % 4) for u in range(33)]
    ),
    "all weights zero, all arcs": complete(35, 0, 0, 1),
    "a ladder of zeros and ones": ladder(35),
    "arcs in parallel, and loops": graph(
        5,
        *[(u, u + 1, 50 - i) for u in range(4) for i in range(40)],
        *[(u, u, weight) for u in range(5) for weight in (0, 1, LARGEST)],
        *[(4, 0, LARGEST - i) for i in range(35)],
    ),
    "a long line": graph(131, *line(131, 1, 0, 9, 2)),
}
"""Shortest paths of some do not fit 32 bits: from some vertices there is none shorter than LARGEST."""

HARD_NEGATIVE = {
    "up and down by a third": graph(3, (0, 1, LARGEST // 3), (1, 2, -LARGEST // 3), (2, 0, LARGEST // 3), (0, 2, 7)),
    "each step back is lighter": graph(37, *[(v, u, -1 - (u * v) % 7) for v in range(37) for u in range(v)]),
    "circles of weight zero": graph(
        35, *[(u, (u + 1) % 35, 34 if u == 34 else -1) for u in range(35)], *[(u, u, 0) for u in range(35)]
    ),
    "a hub below zero": graph(
        133, *[(1, v, v % 5 - 9) for v in range(133) if v != 1], *[(v, 1, 9) for v in range(133) if v != 1]
    ),
}


GRAPHS = {**HARD, **HARD_NEGATIVE}


@cache
def lengths(of: Graph) -> np.ndarray:
    """The length of a shortest path between any two vertices, int64 of shape (n, n); NO_PATH where there is none."""
    found = lightest_arcs(of).copy()
    np.fill_diagonal(found, 0)
    for middle in range(of.vertices):
        through = found[:, middle, None] + found[None, middle]
        np.minimum(found, np.where(through < NO_PATH // 2, through, NO_PATH), out=found)
    return found


@cache
def lightest_arcs(of: Graph) -> np.ndarray:
    """The weight of the lightest arc between any two vertices, int64 of shape (n, n); NO_PATH where there is none."""
    found = np.full((of.vertices, of.vertices), NO_PATH)
    np.minimum.at(found, (of.tails(), of.indices), of.weights.astype(np.int64))
    return found


def distances(of: Graph) -> np.ndarray:
    """``lengths`` as warpath gives them, int32; UNREACHABLE also for those that do not fit."""
    return np.where(lengths(of) <= LARGEST, lengths(of), UNREACHABLE).astype(np.int32)


def fits(of: Graph) -> bool:
    """Whether every shortest path fits 32 bits."""
    return not ((lengths(of) > LARGEST) & (lengths(of) < NO_PATH)).any()


def tree(of: Graph, source: int) -> np.ndarray:
    """Predecessors on shortest paths from ``source``, int32 of shape (n,)."""
    between, lightest = lengths(of)[source], lightest_arcs(of)
    found, waiting = np.full(of.vertices, -1, np.int32), [source]
    hangs = (np.arange(of.vertices) == source) | (between > LARGEST)
    while waiting:
        tail = waiting.pop()
        heads = np.flatnonzero(~hangs & (between[tail] + lightest[tail] == between))
        found[heads], hangs[heads] = tail, True
        waiting += heads.tolist()
    return found


def closing_arcs(of: Graph, source: int, predecessors: np.ndarray) -> np.ndarray:
    """Heads and tails, shape (k, 2), of the tight arcs whose tail hangs on their head, or is it: with such a tail as
    predecessor, the head would be on a circle.
    """
    between, steps = lengths(of)[source], np.where(predecessors < 0, np.arange(of.vertices), predecessors)
    hangs, back = np.zeros((of.vertices, of.vertices), bool), np.arange(of.vertices)
    for _ in range(of.vertices):
        hangs[back, np.arange(of.vertices)] = True
        back = steps[back]
    tight = (between[:, None] <= LARGEST) & (between[:, None] + lightest_arcs(of) == between)
    tight[:, source] = False
    return np.argwhere(hangs & tight.T)


def assert_trees(of: Graph, sources: np.ndarray, predecessors: np.ndarray) -> None:
    """Each row of ``predecessors``, shape (k, n), leads back to its source along shortest paths."""
    rows, between = np.arange(len(sources))[:, None], lengths(of)[sources]
    inner = between <= LARGEST
    inner[np.arange(len(sources)), sources] = False
    assert (predecessors[(between == NO_PATH)] == -1).all() and (predecessors[rows[:, 0], sources] == -1).all()
    assert ((predecessors >= 0) & (predecessors < of.vertices))[inner].all()
    last = np.where(inner, predecessors, np.arange(of.vertices))
    arcs = lightest_arcs(of)[last, np.arange(of.vertices)]
    np.testing.assert_array_equal((between[rows, last] + arcs)[inner], between[inner])
    for _ in range(of.vertices.bit_length()):
        last = last[rows, last]
    assert (last == np.asarray(sources)[:, None])[inner].all()
