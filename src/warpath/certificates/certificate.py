"""Is this distance array exactly right? Decided from the answer itself, without solving the problem again.

Distances d from source s are exact if (1) d(s) = 0, (2) no arc u -> v of weight w has d(u) + w < d(v), and (3) every
other reached vertex has as predecessor the tail of an arc that is tight, d(u) + w = d(v), and these predecessors form
a tree with root s. By (2) no path is shorter than d says; by (3) there is a path of exactly that length. An arc from a
reached vertex to an unreachable one breaks (2) as well, so that "unreachable" is certified too. Sums are taken in 64
bits: a sum that wrapped in 32 bits cannot pass. Zero and negative weights, loops and parallel arcs are all allowed.

Where no predecessors are given, (3) asks that every reached vertex can be reached by tight arcs alone.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import CertificateError, UsageError
from ..facts import Certificate, Scope
from ..graphs.csr import Graph
from .compiled import certify_distances, certify_distances_of_rows, certify_row, certify_rows
from .witness import refuse


def certify(
    graph: Graph, source: int | None, distances: np.ndarray, predecessors: np.ndarray | None, scope: Scope = "full"
) -> Certificate:
    """Certify the answer from one source, shape (n,), or of all pairs, shape (n, n), if ``source`` is None; int32.

    Without predecessors, the distances alone are certified. Raises CertificateError, which names the first wrong vertex
    or arc; UsageError for a source that is no vertex. Costs one pass over the arcs per source; for all pairs see
    ``certify_each``.
    """
    if source is None:
        return certify_each(graph, range(graph.vertices), distances, predecessors, scope)
    refuse_wrong_shape((graph.vertices,), distances, predecessors)
    refuse_wrong_sources(graph, (source,))
    arcs = graph.indptr, graph.indices, graph.weights
    if predecessors is None:
        exact, reached = certify_distances(*arcs, source, distances)
    else:
        exact, reached = certify_row(*arcs, source, distances, predecessors)
    if not exact:
        refuse(graph, source, distances, predecessors)
    return Certificate(scope, graph.vertices, 1, graph.arcs, int(reached))


def certify_each(
    graph: Graph,
    sources: Sequence[int],
    distances: np.ndarray,
    predecessors: np.ndarray | None,
    scope: Scope = "full",
) -> Certificate:
    """Certify the answers from k sources, shape (k, n), int32, on every core, with O(n) memory per core.

    Raises CertificateError, which names the first wrong source, and its vertex or arc; UsageError for a source that is
    no vertex.
    """
    refuse_wrong_shape((len(sources), graph.vertices), distances, predecessors)
    refuse_wrong_sources(graph, sources)
    arcs, numbers = (graph.indptr, graph.indices, graph.weights), np.array(sources, np.int64)
    if predecessors is None:
        exact, reached = certify_distances_of_rows(*arcs, numbers, distances)
    else:
        exact, reached = certify_rows(*arcs, numbers, distances, predecessors)
    wrong = np.flatnonzero(~exact)
    if len(wrong):
        row = int(wrong[0])
        refuse(graph, sources[row], distances[row], None if predecessors is None else predecessors[row])
    return Certificate(scope, graph.vertices, len(sources), len(sources) * graph.arcs, int(reached.sum()))


def refuse_wrong_shape(shape: tuple[int, ...], distances: Any, predecessors: Any | None) -> None:
    """Raise CertificateError for arrays, of the host or a device, of another shape or type than int32."""
    for name, array in (("distances", distances), ("predecessors", predecessors)):
        if array is not None and (array.shape != shape or array.dtype != np.int32):
            raise CertificateError(
                f"{name} have shape {array.shape} and type {array.dtype} instead of {shape} and int32"
            )


def refuse_wrong_sources(graph: Graph, sources: Sequence[int] | np.ndarray) -> None:
    """Raise UsageError for the first source that is no vertex."""
    if len(sources) == 1 and 0 <= sources[0] < graph.vertices:
        return  # the same answer, in a tenth of the time
    numbers = np.asarray(sources)
    wrong = np.flatnonzero((numbers < 0) | (numbers >= graph.vertices))
    if len(wrong):
        raise UsageError(f"source {numbers[wrong[0]]} is no vertex; sources are indices 0..{graph.vertices - 1}")
