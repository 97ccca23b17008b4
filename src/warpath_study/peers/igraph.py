"""igraph: ``Graph.distances`` with weights, which is Dijkstra's algorithm; one thread, answers as lists."""

from typing import Any

import numpy as np

from warpath.device import Device
from warpath.graphs.csr import Graph

from .contract import Peer, installed


def prepare(graph: Graph, device: Device) -> tuple[Any, list[float]]:
    """The graph, and its weights as a list: a call reads a list faster than an attribute or an array."""
    import igraph

    ends = np.column_stack((graph.tails(), graph.indices))
    return igraph.Graph(n=graph.vertices, edges=ends, directed=True), graph.weights.astype(np.float64).tolist()


def solve(form: tuple[Any, list[float]], sources: Any) -> list[Any]:
    """A list of distances, or a list of such lists for an array of sources."""
    graph, weights = form
    vertices = [int(source) for source in np.atleast_1d(sources)]
    rows = graph.distances(source=vertices, weights=weights, mode="out", algorithm="dijkstra")
    return rows if np.ndim(sources) else rows[0]


def distances(answer: list, form: Any) -> np.ndarray:
    return np.array(answer, np.float64)


PEER = Peer(
    title="igraph",
    summary="Graph.distances: Dijkstra with a two-way heap, one thread",
    version=installed("igraph"),
    prepare=prepare,
    solve=solve,
    distances=distances,
    all_pairs="by source",
)
