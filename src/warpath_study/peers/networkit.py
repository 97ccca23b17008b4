"""NetworKit: ``distance.Dijkstra`` from one source, ``distance.APSP`` for all pairs, with one thread per source."""

import sys
from typing import Any

import numpy as np

from warpath.device import Device
from warpath.graphs.csr import Graph

from .contract import Peer, every_core, installed


def prepare(graph: Graph, device: Device) -> Any:
    import networkit

    form = networkit.Graph(graph.vertices, weighted=True, directed=True)
    if graph.arcs:
        ends = graph.tails().astype(np.uint64), graph.indices.astype(np.uint64)
        form.addEdges((graph.weights.astype(np.float64), ends))
    return form


def solve(form: Any, source: int) -> Any:
    import networkit

    search = networkit.distance.Dijkstra(form, int(source), storePaths=False)
    search.run()
    return search


def solve_all(form: Any) -> Any:
    import networkit

    search = networkit.distance.APSP(form)
    search.run()
    return search


def distances(search: Any, form: Any) -> np.ndarray:
    found = np.asarray(search.getDistances(asarray=True))
    return np.where(found == sys.float_info.max, np.inf, found)


PEER = Peer(
    title="NetworKit",
    summary="Dijkstra: a d-ary heap, one thread a source; all pairs on every core",
    version=installed("networkit"),
    prepare=prepare,
    solve=solve,
    distances=distances,
    all_pairs="at once",
    solve_all=solve_all,
    threads=lambda problem: every_core() if problem == "apsp" else 1,
)
