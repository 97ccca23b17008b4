"""What is wrong with an answer: its first witness, in a sentence that names vertices by their labels.

The certificates on the host and on devices decide that an answer is wrong, and ask here what about it is. This is
slower than they are, and written apart from them; if it finds nothing wrong, it says that the two disagree.
"""

from typing import NoReturn

import numpy as np

from ..distances import NO_PREDECESSOR, UNREACHABLE
from ..errors import CertificateError
from ..graphs.csr import Graph
from .compiled import met_by_tight_arcs


def refuse(graph: Graph, source: int, distances: np.ndarray, predecessors: np.ndarray | None) -> NoReturn:
    """Raise the CertificateError that says what is wrong with the answer from one source, shape (n,)."""
    name = f"source {graph.label_of(source)}"
    if distances[source] != 0:
        raise CertificateError(f"{name} has distance {distances[source]} to itself instead of 0")
    exact = distances.astype(np.int64)
    reached = distances != UNREACHABLE
    _refuse_broken_arcs(graph, name, exact, reached)
    if predecessors is None:
        _refuse_unexplained(graph, name, source, distances, reached)
    else:
        needs_predecessor = reached.copy()
        needs_predecessor[source] = False
        _refuse_wrong_predecessors(graph, name, source, exact, needs_predecessor, predecessors)
        _refuse_circles(graph, name, source, needs_predecessor, predecessors)
    raise AssertionError(f"the two certificates disagree on {name}")


def _refuse_broken_arcs(graph: Graph, name: str, distances: np.ndarray, reached: np.ndarray) -> None:
    """Raise if an arc gives a shorter path than its head's distance."""
    tails, heads = graph.sources(), graph.indices
    sums = distances[tails] + graph.weights
    wrong = _first(reached[tails] & ((sums < distances[heads]) | ~reached[heads]))
    if wrong is None:
        return
    tail, head = graph.label_of(int(tails[wrong])), graph.label_of(int(heads[wrong]))
    arc = f"{name}: vertex {tail} at distance {distances[tails[wrong]]} and arc {tail} -> {head} of weight "
    arc += f"{graph.weights[wrong]} give {sums[wrong]}"
    if reached[heads[wrong]]:
        raise CertificateError(f"{arc}, but vertex {head} has distance {distances[heads[wrong]]}")
    if sums[wrong] >= UNREACHABLE:
        raise CertificateError(
            f"{arc}, which does not fit 32 bits, so vertex {head} looks unreachable; scale the weights down"
        )
    raise CertificateError(f"{arc}, but vertex {head} is called unreachable")


def _refuse_unexplained(graph: Graph, name: str, source: int, distances: np.ndarray, reached: np.ndarray) -> None:
    """Raise if no path of tight arcs leads from the source to a reached vertex."""
    met = met_by_tight_arcs(graph.indptr, graph.indices, graph.weights, source, distances)
    wrong = _first(reached & ~met)
    if wrong is not None:
        raise CertificateError(
            f"{name}: no path to vertex {graph.label_of(wrong)} is as short as its distance {distances[wrong]}"
        )


def _refuse_wrong_predecessors(
    graph: Graph,
    name: str,
    source: int,
    distances: np.ndarray,
    needs_predecessor: np.ndarray,
    predecessors: np.ndarray,
) -> None:
    wrong = _first(~needs_predecessor & (predecessors != NO_PREDECESSOR))
    if wrong is not None:
        why = "is the source" if wrong == source else "is unreachable"
        raise CertificateError(
            f"{name}: vertex {graph.label_of(wrong)} {why} but has predecessor {_named(graph, predecessors[wrong])}"
        )
    tails, heads = graph.sources(), graph.indices
    tight = distances[tails] + graph.weights == distances[heads]
    tight &= (distances[tails] != UNREACHABLE) & (predecessors[heads] == tails)
    has_tight_arc = np.zeros(graph.vertices, dtype=bool)
    has_tight_arc[heads[tight]] = True
    wrong = _first(needs_predecessor & ~has_tight_arc)
    if wrong is not None:
        raise CertificateError(
            f"{name}: no arc from predecessor {_named(graph, predecessors[wrong])} to vertex {graph.label_of(wrong)} "
            f"explains its distance {distances[wrong]}"
        )


def _refuse_circles(
    graph: Graph, name: str, source: int, needs_predecessor: np.ndarray, predecessors: np.ndarray
) -> None:
    """Raise if the predecessors do not lead back to the source."""
    ancestors = np.where(needs_predecessor, predecessors, np.arange(graph.vertices, dtype=np.int32))
    for _ in range(graph.vertices.bit_length()):
        ancestors = ancestors[ancestors]  # each round doubles how far back they reach
    wrong = _first(needs_predecessor & (ancestors != source))
    if wrong is not None:
        caught = graph.label_of(int(ancestors[wrong]))
        raise CertificateError(f"{name}: the predecessors of vertex {caught} run in a circle")


def _named(graph: Graph, predecessor: int) -> str:
    """The label of a predecessor; the number itself if it is no vertex."""
    return str(graph.label_of(int(predecessor)) if 0 <= predecessor < graph.vertices else predecessor)


def _first(flags: np.ndarray) -> int | None:
    """Index of the first true flag."""
    hits = np.flatnonzero(flags)
    return int(hits[0]) if len(hits) else None
