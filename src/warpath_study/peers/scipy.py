"""SciPy: ``scipy.sparse.csgraph.dijkstra``, compiled, one thread.

Stored zeros of its CSR matrix are arcs of weight 0.
"""

from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from warpath.device import Device
from warpath.graphs.csr import Graph

from .contract import Peer, installed


def prepare(graph: Graph, device: Device) -> csr_array:
    """A matrix of the graph's arrays; only the weights are converted."""
    return csr_array((graph.weights.astype(np.float64), graph.indices, graph.indptr), shape=(graph.vertices,) * 2)


def solve(matrix: csr_array, sources: Any) -> np.ndarray:
    """float64 distances, ``inf`` where there is no path."""
    return dijkstra(matrix, indices=sources)


def distances(answer: np.ndarray, matrix: csr_array) -> np.ndarray:
    return answer


PEER = Peer(
    title="SciPy",
    summary="csgraph.dijkstra: a Fibonacci heap, one thread",
    version=installed("scipy"),
    prepare=prepare,
    solve=solve,
    distances=distances,
    all_pairs="by source",
)
