"""Comparison with scipy, a second opinion beside the certificate."""

import numpy as np
from scipy.sparse import csgraph

from ..distances import UNREACHABLE
from ..errors import CertificateError
from ..graphs.adjacency_matrix import to_scipy
from ..graphs.csr import Graph


def scipy_distances(graph: Graph, source: int | None) -> np.ndarray:
    """scipy's distances from one source, shape (n,), or from all, shape (n, n); int64, UNREACHABLE without a path.

    Uses Dijkstra's algorithm, or Johnson's if an arc is negative.
    """
    solver = csgraph.johnson if graph.weight_min < 0 else csgraph.dijkstra
    distances = solver(to_scipy(graph), indices=source)
    return np.where(np.isinf(distances), UNREACHABLE, distances).astype(np.int64)


def compare(graph: Graph, source: int | None, distances: np.ndarray) -> None:
    """Raise CertificateError, which names the first distance that differs from scipy's."""
    expected = scipy_distances(graph, source)
    different = np.argwhere(distances != expected)
    if len(different):
        *row, vertex = different[0]
        at = tuple(different[0])
        raise CertificateError(
            f"vertex {vertex} has distance {distances[at]} from source {row[0] if row else source}; "
            f"scipy finds {expected[at]}"
        )
