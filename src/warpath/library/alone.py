"""The answer from a source without arcs, which reaches itself alone. It needs no solver."""

import numpy as np

from ..certificates.facts import Certificate
from ..distances import NO_PREDECESSOR, unreachable
from ..graphs.csr import Graph

NAME, REASON = "host.search", "no arc leaves the source"


def solve(graph: Graph, source: int, predecessors: bool) -> tuple[np.ndarray, np.ndarray | None]:
    """Distances and predecessors, of shape (n,)."""
    distances = np.full(graph.vertices, unreachable(graph.weights.dtype))
    distances[source] = 0
    return distances, np.full(graph.vertices, NO_PREDECESSOR) if predecessors else None


def certify(graph: Graph, source: int, distances: np.ndarray, predecessors: np.ndarray | None) -> Certificate:
    """Certify an answer of shape (n,). Raises CertificateError if it is wrong."""
    far = unreachable(graph.weights.dtype)
    is_right = graph.indptr[source] == graph.indptr[source + 1] and distances[source] == 0
    is_right &= np.count_nonzero(distances != far) == 1
    if predecessors is not None:
        is_right &= bool((predecessors == NO_PREDECESSOR).all())
    if not is_right:
        from ..certificates.certificate import raise_wrong_answer

        raise_wrong_answer(graph, source, distances, predecessors)
    return Certificate("full", graph.vertices, 1, graph.arcs, 1)
