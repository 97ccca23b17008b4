"""Tight arcs, whose weight is the difference of the distances of their ends: predecessors are chosen among them."""

from ..graphs.csr import Graph


def trees_needed(graph: Graph) -> bool:
    """Whether tight arcs can form a cycle, so that predecessors have to be grown as a tree from the source.

    Along a tight arc of positive weight the distance rises.
    """
    return graph.weight_min <= 0 and graph.arcs > 0
