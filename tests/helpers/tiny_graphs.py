"""Small graphs with a corner each, and random ones, for every test that solves something."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from hypothesis import strategies

from warpath.graphs.csr import Graph, from_arcs


def graph(vertices: int, *arcs: tuple[int, int, int]) -> Graph:
    """A graph of (tail, head, weight) arcs."""
    tails, heads, weights = np.array(arcs, dtype=np.int64).reshape(-1, 3).T
    return from_arcs(vertices, tails, heads, weights)


def grid_of(vertices: int, weight: int) -> Graph:
    """A two-way path through all vertices, all weights the same: many ties, every vertex reached."""
    arcs = [(v, v + 1, weight) for v in range(vertices - 1)] + [(v + 1, v, weight) for v in range(vertices - 1)]
    return graph(vertices, *arcs)


def scattered_path(vertices: int) -> Graph:
    """A path from vertex 0 through all others in random order: every block and tile has a vertex that others need."""
    numbers = np.random.default_rng(vertices)
    order = np.append(0, 1 + numbers.permutation(vertices - 1))
    return from_arcs(vertices, order[:-1], order[1:], numbers.integers(1, 9, vertices - 1))


TINY = {
    "one vertex": graph(1),
    "one vertex, a loop": graph(1, (0, 0, 3)),
    "no arcs": graph(4),
    "one arc": graph(2, (0, 1, 7)),
    "arc into the source": graph(2, (1, 0, 7)),
    "unreachable part": graph(5, (0, 1, 1), (3, 4, 1), (4, 3, 1)),
    "loops": graph(3, (0, 0, 0), (0, 1, 2), (1, 1, 5), (1, 2, 2)),
    "parallel arcs, lightest last": graph(3, (0, 1, 9), (0, 1, 4), (1, 2, 3), (1, 2, 3)),
    "zero weights in a circle": graph(4, (0, 1, 2), (1, 2, 0), (2, 1, 0), (2, 3, 0), (3, 1, 0)),
    "zero weights back to the source": graph(3, (0, 1, 0), (1, 0, 0), (1, 2, 0), (2, 0, 0)),
    "all weights zero": graph(4, *[(u, v, 0) for u in range(4) for v in range(4)]),
    "ties": graph(4, (0, 1, 1), (0, 2, 1), (1, 3, 1), (2, 3, 1)),
    "a longer way is lighter": graph(4, (0, 3, 10), (0, 1, 1), (1, 2, 1), (2, 3, 1)),
    "sinks": graph(6, (0, 1, 1), (0, 2, 2), (3, 4, 1), (0, 5, 9)),
    "largest distance": graph(3, (0, 1, 2**31 - 3), (1, 2, 1)),
    "through vertex 0 and another of its tile": graph(12, (9, 0, 1), (0, 3, 1), (3, 10, 1)),
    "path of 33": grid_of(33, 2),
    "path of 64": grid_of(64, 1),
    "scattered path of 97": scattered_path(97),
}

NEGATIVE = {
    "negative arc": graph(3, (0, 1, 5), (0, 2, 4), (2, 1, -3)),
    "negative arcs against the order": graph(5, (0, 4, 9), (4, 3, -1), (3, 2, -1), (2, 1, -1), (0, 1, 7)),
    "circle of weight zero": graph(4, (0, 1, 3), (1, 2, -2), (2, 1, 2), (2, 3, -4), (3, 2, 4)),
}


@contextmanager
def named(what: str) -> Iterator[None]:
    """A failure within says what it was about: the graph of a loop, say."""
    try:
        yield
    except Exception as error:
        error.add_note(f"with {what}")
        raise


# Two in eight with zeros. Few weights make ties, and large ones leave no room in keys beside a vertex.
WEIGHT_RANGES = [(1, 3), (1, 3), (1, 9), (1, 9), (1, 10**6), (10**7, 2 * 10**7), (0, 1), (0, 9)]


@strategies.composite
def random_graphs(
    draw, vertices_max: int = 40, arcs_per_vertex: int = 4, weights: tuple[int, int] | None = None, negative=False
) -> Graph:
    """Any digraph: loops, parallel arcs and parts without connection included.

    Most have more than half of ``vertices_max`` vertices, and weights from 1 up. ``weights`` fixes the range of
    weights. With ``negative``, some graphs have negative arcs too, but none has a cycle of negative weight.
    """
    vertices = draw(strategies.integers(vertices_max // 2 + 1, vertices_max) | strategies.integers(1, vertices_max))
    count = draw(strategies.integers(vertices, arcs_per_vertex * vertices) | strategies.integers(0, vertices))
    low, high = weights or draw(strategies.sampled_from(WEIGHT_RANGES))
    numbers = np.random.default_rng(draw(strategies.integers(0, 2**32 - 1)))
    tails, heads = numbers.integers(0, vertices, (2, count))
    lengths = numbers.integers(low, high + 1, count)
    if negative and draw(strategies.integers(0, 4)) == 4:
        # Weights shifted by the heights of their ends: cycles keep their length, arcs become negative.
        heights = numbers.integers(-50, 51, vertices)
        lengths += heights[tails] - heights[heads]
    return from_arcs(vertices, tails, heads, lengths)
