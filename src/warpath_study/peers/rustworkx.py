"""rustworkx: Dijkstra from one source, and for all pairs, with one thread per source.

Its answers map vertices to distances, without the source and unreachable vertices.
"""

from typing import Any

import numpy as np

from warpath.device import Device
from warpath.graphs.csr import Graph

from .contract import Peer, every_core, installed


def prepare(graph: Graph, device: Device) -> Any:
    import rustworkx

    form = rustworkx.PyDiGraph()
    form.add_nodes_from(range(graph.vertices))
    form.add_edges_from(list(zip(graph.tails().tolist(), graph.indices.tolist(), graph.weights.tolist(), strict=True)))
    return form


def solve(form: Any, source: int) -> tuple[int, Any]:
    """The source, and its mapping of distances."""
    import rustworkx

    return int(source), rustworkx.dijkstra_shortest_path_lengths(form, int(source), float)


def solve_all(form: Any) -> Any:
    """A mapping from each source to its mapping of distances."""
    import rustworkx

    return rustworkx.all_pairs_dijkstra_path_lengths(form, float)


def distances(answer: Any, form: Any) -> np.ndarray:
    vertices = len(form)
    if isinstance(answer, tuple):
        source, lengths = answer
        return _row(source, lengths, vertices)
    rows = np.empty((vertices, vertices))
    for source, lengths in answer.items():
        rows[source] = _row(source, lengths, vertices)
    return rows


def _row(source: int, lengths: Any, vertices: int) -> np.ndarray:
    row = np.full(vertices, np.inf)
    reached = np.fromiter(lengths.keys(), np.int64, len(lengths))
    row[reached] = np.fromiter(lengths.values(), np.float64, len(lengths))
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
