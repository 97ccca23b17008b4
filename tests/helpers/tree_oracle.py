"""The tree of shortest paths that every solver gives, by its three rules alone. Slow."""

import numpy as np

from warpath.distances import NO_PREDECESSOR, unreachable
from warpath.graphs.csr import Graph


def distances_from(graph: Graph, source: int) -> np.ndarray:
    """The least sums along paths from ``source``, rounded after each addition, by rounds over all arcs."""
    dtype = graph.weights.dtype if graph.has_floats else np.dtype(np.int64)
    nowhere = np.inf if graph.has_floats else np.iinfo(np.int64).max // 4
    found = np.full(graph.vertices, nowhere, dtype)
    found[source] = 0
    tails, weights = graph.tails(), graph.weights.astype(dtype)
    for _ in range(graph.vertices):
        before = found.copy()
        reached = found[tails] < nowhere
        np.minimum.at(found, graph.indices[reached], (found[tails] + weights)[reached])
        if np.array_equal(found, before):
            break
    return np.where(found < nowhere, found, unreachable(graph.weights.dtype)).astype(graph.weights.dtype)


def tree_from(graph: Graph, source: int) -> np.ndarray:
    """The predecessors, int32 of shape (n,), from ``source``."""
    distances = distances_from(graph, source)
    wide = distances if graph.has_floats else distances.astype(np.int64)
    nowhere = unreachable(graph.weights.dtype)
    tight = [
        (tail, head)
        for tail, head, weight in zip(
            graph.tails().tolist(), graph.indices.tolist(), graph.weights.astype(wide.dtype), strict=True
        )
        if tail != head and head != source and distances[tail] != nowhere and distances[head] != nowhere
        if wide[tail] + weight == wide[head]
    ]
    found = np.full(graph.vertices, NO_PREDECESSOR, np.int32)
    hung = {source}
    if graph.weight_min >= 0:
        for head in range(graph.vertices):
            rising = [tail for tail, other in tight if other == head and distances[tail] < distances[head]]
            if rising:
                found[head] = min(rising)
        hung |= set(np.flatnonzero(found >= 0).tolist())
    while True:
        level: dict[int, int] = {}
        for tail, head in tight:
            if head not in hung and tail in hung:
                level[head] = min(tail, level.get(head, tail))
        if not level:
            return found
        for head, tail in level.items():
            found[head] = tail
        hung |= set(level)
