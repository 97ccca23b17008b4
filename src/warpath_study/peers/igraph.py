"""igraph: ``Graph.distances`` with weights, which is Dijkstra's algorithm; one thread, answers as lists."""

from typing import Any

import numpy as np

from warpath.graphs.csr import Graph

from .contract import Peer, installed, lightest_arcs, whole


def prepare(graph: Graph) -> Any:
    import igraph

    arcs = lightest_arcs(graph)
    form = igraph.Graph(n=graph.vertices, edges=np.column_stack((arcs.tails, arcs.heads)), directed=True)
    form.es["weight"] = arcs.weights.tolist()
    return form


def solve(form: Any, sources: Any) -> list[Any]:
    """A list of distances, or a list of such lists for an array of sources."""
    vertices = [int(source) for source in np.atleast_1d(sources)]
    rows = form.distances(source=vertices, weights="weight", mode="out", algorithm="dijkstra")
    return rows if np.ndim(sources) else rows[0]


def distances(answer: list, form: Any) -> np.ndarray:
    return whole(np.array(answer, np.float64), np.inf)


PEER = Peer(
    title="igraph",
    summary="Graph.distances: Dijkstra with a two-way heap, one thread",
    version=installed("igraph"),
    prepare=prepare,
    solve=solve,
    distances=distances,
    all_pairs="by source",
)
