"""SciPy: ``scipy.sparse.csgraph.dijkstra``, compiled, one thread.

Stored zeros of its CSR matrix are arcs of weight 0. ``Graph.to_scipy`` removes parallel arcs, which SciPy would add up.
"""

from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from warpath.graphs.csr import Graph

from .contract import Peer, installed, whole


def solve(matrix: csr_array, sources: Any) -> np.ndarray:
    """float64 distances, ``inf`` where there is no path."""
    return dijkstra(matrix, indices=sources)


def distances(answer: np.ndarray, matrix: csr_array) -> np.ndarray:
    return whole(answer, np.inf)


PEER = Peer(
    title="SciPy",
    summary="csgraph.dijkstra: a Fibonacci heap, one thread",
    version=installed("scipy"),
    prepare=Graph.to_scipy,
    solve=solve,
    distances=distances,
    all_pairs="by source",
)
