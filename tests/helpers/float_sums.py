"""Graphs with floats whose sums are rounded, and their distances, added from the source on in the same type."""

import numpy as np

from warpath.graphs.csr import Graph

FLOAT_KINDS = ["random", "tenths", "of all sizes", "about the largest", "about the smallest"]


def with_floats(of: Graph, kind: str, dtype) -> Graph:
    """``of`` with weights whose sums are rounded."""
    numbers = np.random.default_rng(of.arcs)
    weights = {
        "random": numbers.random(of.arcs),
        "tenths": numbers.integers(0, 4, of.arcs) / 10,  # many ties, which rounding breaks, and zeros
        "of all sizes": 10.0 ** numbers.integers(-20, 20, of.arcs),
        "about the largest": numbers.random(of.arcs) * np.finfo(dtype).max,
        "about the smallest": numbers.integers(0, 9, of.arcs) * float(np.finfo(dtype).smallest_subnormal),
    }[kind]
    return Graph(of.indptr, of.indices, weights.astype(dtype))


def least_sums(of: Graph, source: int, rounds: int | None = None) -> np.ndarray:
    """The least length of a path to each vertex, by Bellman-Ford in the type of the weights; or after ``rounds``."""
    distances = np.full(of.vertices, np.inf, of.weights.dtype)
    distances[source] = 0
    tails, heads = of.tails(), of.indices
    while rounds is None or rounds:
        before = distances.copy()
        rounds = rounds and rounds - 1
        with np.errstate(over="ignore"):
            np.minimum.at(distances, heads, distances[tails] + of.weights)
        if np.array_equal(before, distances):
            break
    return distances


def least_sums_of_all(graph: Graph) -> np.ndarray:
    """As ``least_sums``, from each vertex; shape (n, n)."""
    found = np.full((graph.vertices, graph.vertices), np.inf, graph.weights.dtype)
    np.fill_diagonal(found, 0)
    tails, before = graph.tails(), None
    with np.errstate(over="ignore"):
        while before is None or (found != before).any():
            before = found.copy()
            np.minimum.at(found.T, graph.indices, (found[:, tails] + graph.weights).T)
    return found
