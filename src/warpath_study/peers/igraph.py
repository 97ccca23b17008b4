"""igraph: ``Graph.distances`` with weights, which is Dijkstra's algorithm; one thread, answers as Python's lists."""

from typing import Any

import numpy as np

from warpath.graphs.csr import Graph

from .contract import Peer, installed, lightest_arcs, whole


def prepare(graph: Graph) -> Any:
    import igraph

    arcs = lightest_arcs(graph)
    made = igraph.Graph(n=graph.vertices, edges=np.column_stack((arcs.tails, arcs.heads)), directed=True)
    made.es["weight"] = arcs.weights.tolist()
    return made


def solve(made: Any, sources: Any) -> list[list[float]]:
    """A list for each source; a single source has its list alone in another one."""
    chosen = [int(source) for source in np.atleast_1d(sources)]
    found = made.distances(source=chosen, weights="weight", mode="out", algorithm="dijkstra")
    return found if np.ndim(sources) else found[0]


def distances(answer: list, made: Any) -> np.ndarray:
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
