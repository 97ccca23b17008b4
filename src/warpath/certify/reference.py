"""The comparison with scipy, for who wants a second opinion beside the certificate."""

import numpy as np
from scipy.sparse import csgraph

from ..distances import UNREACHABLE
from ..errors import CertificateError
from ..graphs.csr import Graph
from ..graphs.matrices import to_scipy


def scipy_distances(graph: Graph, source: int | None) -> np.ndarray:
    """scipy's distances of one source, shape (n,), or of all, shape (n, n); int64, UNREACHABLE where there is no path.

    Dijkstra's algorithm, or Johnson's where arcs are negative.
    """
    solver = csgraph.johnson if graph.weight_min < 0 else csgraph.dijkstra
    distances = solver(to_scipy(graph), indices=source)
    return np.where(np.isinf(distances), UNREACHABLE, distances).astype(np.int64)


def compare(graph: Graph, source: int | None, distances: np.ndarray) -> None:
    """Raise CertificateError naming the first distance that is not scipy's."""
    expected = scipy_distances(graph, source)
    different = np.argwhere(distances != expected)
    if len(different):
        *row, vertex = different[0]
        at = tuple(different[0])
        raise CertificateError(
            f"vertex {vertex} has distance {distances[at]} from source {row[0] if row else source}; "
            f"scipy finds {expected[at]}"
        )
