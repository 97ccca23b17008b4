"""rustworkx: Dijkstra from one source, and for all pairs with a thread a source.

Its answers are mappings from vertex to distance; they leave out the source and what is not reached.
"""

from typing import Any

import numpy as np

from warpath.distances import UNREACHABLE
from warpath.graphs.csr import Graph

from .contract import Peer, every_core, installed, lightest_arcs, whole


def prepare(graph: Graph) -> Any:
    import rustworkx

    arcs = lightest_arcs(graph)
    made = rustworkx.PyDiGraph()
    made.add_nodes_from(range(graph.vertices))
    made.add_edges_from(list(zip(arcs.tails.tolist(), arcs.heads.tolist(), arcs.weights.tolist(), strict=True)))
    return made


def solve(made: Any, source: int) -> tuple[int, Any]:
    """The source, and the mapping of distances from it."""
    import rustworkx

    return int(source), rustworkx.dijkstra_shortest_path_lengths(made, int(source), float)


def solve_all(made: Any) -> Any:
    """A mapping from source to the mapping of distances from it."""
    import rustworkx

    return rustworkx.all_pairs_dijkstra_path_lengths(made, float)


def distances(answer: Any, made: Any) -> np.ndarray:
    vertices = len(made)
    if isinstance(answer, tuple):
        source, found = answer
        return _row(source, found, vertices)
    rows = np.empty((vertices, vertices), np.int32)
    for source, found in answer.items():
        rows[source] = _row(source, found, vertices)
    return rows


def _row(source: int, found: Any, vertices: int) -> np.ndarray:
    row = np.full(vertices, UNREACHABLE, np.int32)
    row[np.fromiter(found.keys(), np.int64, len(found))] = whole(
        np.fromiter(found.values(), np.float64, len(found)), np.inf
    )
    row[source] = 0
    return row


PEER = Peer(
    title="rustworkx",
    summary="Dijkstra: a binary heap, one thread a source; all pairs on every core",
    version=installed("rustworkx"),
    prepare=prepare,
    solve=solve,
    distances=distances,
    all_pairs="at once",
    solve_all=solve_all,
    threads=lambda problem: every_core("RAYON_NUM_THREADS") if problem == "apsp" else 1,
)
