"""The matrices that the dense algorithms start from, filled in place so that large ones need no second copy."""

import numpy as np

from ..distances import NO_PREDECESSOR, UNREACHABLE
from ..graphs.csr import Graph


def fill_costs(graph: Graph, costs: np.ndarray) -> None:
    """Weights of the arcs, shape (n, n): the lightest of parallel arcs, UNREACHABLE where there is no arc."""
    costs.fill(UNREACHABLE)
    np.minimum.at(costs, (graph.sources(), graph.indices), graph.weights)


def fill_starting_paths(graph: Graph, distances: np.ndarray, predecessors: np.ndarray) -> None:
    """Paths of at most one arc, shape (n, n): 0 on the diagonal, the tail as predecessor of each head."""
    fill_costs(graph, distances)
    predecessors.fill(NO_PREDECESSOR)
    tails = graph.sources()
    predecessors[tails, graph.indices] = tails
    np.fill_diagonal(distances, 0)
    np.fill_diagonal(predecessors, NO_PREDECESSOR)


def fill_roots(distances: np.ndarray, predecessors: np.ndarray) -> None:
    """Paths of no arc, shape (n, n): 0 on the diagonal, UNREACHABLE elsewhere, no predecessors."""
    distances.fill(UNREACHABLE)
    np.fill_diagonal(distances, 0)
    predecessors.fill(NO_PREDECESSOR)
