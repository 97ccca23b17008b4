"""Is this distance array exactly right? Decided from the answer itself, without solving the problem again.

Distances d from source s are exact if (1) d(s) = 0, (2) no arc u -> v of weight w has d(u) + w < d(v), and (3) every
other reached vertex has as predecessor the tail of an arc that is tight, d(u) + w = d(v), and these predecessors form
a tree with root s. By (2) no path is shorter than d says; by (3) there is a path of exactly that length. An arc from a
reached vertex to an unreachable one breaks (2) as well, so that "unreachable" is certified too. Sums are taken in 64
bits: a sum that wrapped in 32 bits cannot pass. Zero and negative weights, loops and parallel arcs are all allowed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

import numpy as np

from ..distances import NO_PREDECESSOR, UNREACHABLE
from ..errors import CertificateError
from ..graphs.csr import Graph
from .compiled import certify_row, certify_rows


@dataclass(frozen=True)
class Certificate:
    """States that the distances and predecessors from ``sources`` sources are exact.

    ``scope`` is "full" for the answer on the whole graph, "subgraph" for one on a part of it. ``arcs_checked`` counts
    each arc once per source. ``reached`` counts the pairs of a source and a vertex it reaches, itself included.
    ``tolerances`` are relative; only float32 answers have them.
    """

    scope: str
    vertices: int
    sources: int
    arcs_checked: int
    reached: int
    verdict: str = "exact"
    tolerances: Mapping[str, float] = field(default_factory=dict)


def certify(
    graph: Graph, source: int | None, distances: np.ndarray, predecessors: np.ndarray, scope: str = "full"
) -> Certificate:
    """Certify the answer from one source, shape (n,), or of all pairs, shape (n, n), if ``source`` is None; int32.

    Raises CertificateError, which names the first wrong vertex or arc. Costs one pass over the arcs per source; for all
    pairs see ``certify_each``.
    """
    if source is None:
        return certify_each(graph, range(graph.vertices), distances, predecessors, scope)
    _refuse_wrong_shape((graph.vertices,), distances=distances, predecessors=predecessors)
    exact, reached = certify_row(graph.indptr, graph.indices, graph.weights, source, distances, predecessors)
    if not exact:
        _refuse(graph, source, distances, predecessors)
    return Certificate(scope, graph.vertices, 1, graph.arcs, int(reached))


def certify_each(
    graph: Graph, sources: Sequence[int], distances: np.ndarray, predecessors: np.ndarray, scope: str = "full"
) -> Certificate:
    """Certify the answers from k sources, shape (k, n), int32, on every core, with O(n) memory per core.

    Raises CertificateError, which names the first wrong source, and its vertex or arc.
    """
    _refuse_wrong_shape((len(sources), graph.vertices), distances=distances, predecessors=predecessors)
    arcs = graph.indptr, graph.indices, graph.weights
    exact, reached = certify_rows(*arcs, np.array(sources, np.int64), distances, predecessors)
    wrong = _first(~exact)
    if wrong is not None:
        _refuse(graph, sources[wrong], distances[wrong], predecessors[wrong])
    return Certificate(scope, graph.vertices, len(sources), len(sources) * graph.arcs, int(reached.sum()))


def _refuse(graph: Graph, source: int, distances: np.ndarray, predecessors: np.ndarray) -> NoReturn:
    """Raise the error that says what is wrong with one source's answer. Slower than finding that it is wrong."""
    if distances[source] != 0:
        raise CertificateError(f"source {source} has distance {distances[source]} to itself instead of 0")
    exact = distances.astype(np.int64)
    reached = distances != UNREACHABLE
    has_tight_arc = _vertices_with_tight_arc(graph, source, exact, reached, predecessors)
    needs_predecessor = reached.copy()
    needs_predecessor[source] = False
    _refuse_wrong_predecessors(source, exact, needs_predecessor, has_tight_arc, predecessors)
    _refuse_circles(source, exact, needs_predecessor, predecessors)
    raise AssertionError(f"the two certificates disagree on source {source}")


def _refuse_wrong_shape(shape: tuple[int, ...], **arrays: np.ndarray) -> None:
    for name, array in arrays.items():
        if array.shape != shape or array.dtype != np.int32:
            raise CertificateError(
                f"{name} have shape {array.shape} and type {array.dtype} instead of {shape} and int32"
            )


def _vertices_with_tight_arc(
    graph: Graph, source: int, distances: np.ndarray, reached: np.ndarray, predecessors: np.ndarray
) -> np.ndarray:
    """Which vertices have a tight arc from their predecessor, shape (n,); raises if an arc gives a shorter path."""
    tails, heads = graph.sources(), graph.indices
    sums = distances[tails] + graph.weights
    usable = reached[tails]
    wrong = _first(usable & ((sums < distances[heads]) | ~reached[heads]))
    if wrong is not None:
        tail, head, total = int(tails[wrong]), int(heads[wrong]), int(sums[wrong])
        arc = f"source {source}: vertex {tail} at distance {distances[tail]} and arc {tail} -> {head} of weight "
        arc += f"{graph.weights[wrong]} give {total}"
        if reached[head]:
            raise CertificateError(f"{arc}, but vertex {head} has distance {distances[head]}")
        if total >= UNREACHABLE:
            raise CertificateError(
                f"{arc}, which does not fit 32 bits, so vertex {head} looks unreachable; scale the weights down"
            )
        raise CertificateError(f"{arc}, but vertex {head} is called unreachable")
    tight = usable & (sums == distances[heads]) & (predecessors[heads] == tails)
    has_tight_arc = np.zeros(graph.vertices, dtype=bool)
    has_tight_arc[heads[tight]] = True
    return has_tight_arc


def _refuse_wrong_predecessors(
    source: int,
    distances: np.ndarray,
    needs_predecessor: np.ndarray,
    has_tight_arc: np.ndarray,
    predecessors: np.ndarray,
) -> None:
    wrong = _first(~needs_predecessor & (predecessors != NO_PREDECESSOR))
    if wrong is not None:
        why = "is the source" if wrong == source else "is unreachable"
        raise CertificateError(f"source {source}: vertex {wrong} {why} but has predecessor {predecessors[wrong]}")
    wrong = _first(needs_predecessor & ~has_tight_arc)
    if wrong is not None:
        raise CertificateError(
            f"source {source}: no arc from predecessor {predecessors[wrong]} to vertex {wrong} explains "
            f"its distance {distances[wrong]}"
        )


def _refuse_circles(
    source: int, distances: np.ndarray, needs_predecessor: np.ndarray, predecessors: np.ndarray
) -> None:
    """Raise if the predecessors do not lead back to the source."""
    vertices = len(distances)
    ancestors = np.where(needs_predecessor, predecessors, np.arange(vertices, dtype=np.int32))
    if (distances[ancestors] < distances)[needs_predecessor].all():
        return  # distances fall with every step back, so no step returns
    for _ in range(vertices.bit_length()):
        ancestors = ancestors[ancestors]  # each round doubles how far back they reach
        if (ancestors[needs_predecessor] == source).all():
            return
    caught = ancestors[_first(needs_predecessor & (ancestors != source))]
    raise CertificateError(f"source {source}: the predecessors of vertex {caught} run in a circle")


def _first(flags: np.ndarray) -> int | None:
    """Index of the first true flag."""
    hits = np.flatnonzero(flags)
    return int(hits[0]) if len(hits) else None
