"""What SciPy finds, in the numbers of warpath."""

import numpy as np
from scipy.sparse.csgraph import bellman_ford, dijkstra

from warpath.distances import UNREACHABLE
from warpath.graphs.csr import Graph


def reference(graph: Graph, source: int | None) -> np.ndarray:
    """SciPy's distances as int32, shape (n,), or (n, n) where ``source`` is None."""
    solver = bellman_ford if graph.weight_min < 0 else dijkstra
    distances = solver(graph.to_scipy(), indices=source)
    return np.where(np.isinf(distances), UNREACHABLE, distances).astype(np.int32)
