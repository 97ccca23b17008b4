"""Certifies distances and predecessors on the host, from the graph and the answer, without solving again.

Distances d from source s are exact if (1) d(s) = 0, (2) no arc u -> v of weight w has d(u) + w < d(v), and (3) the
predecessor u of every other reached vertex v has a tight arc to it, d(u) + w = d(v), and the predecessors form a tree
with root s. By (2) no path is shorter than d. By (3) there is a path of that length. An arc from a reached vertex to an
unreachable one breaks (2), so unreachable vertices are certified, too. Sums of int32 have 64 bits, so sums that wrapped
in 32 bits fail. Zero and negative weights, loops and parallel arcs are allowed.

With floats, the length of a path is the sum of its weights from the source on, rounded after each addition, and a
distance is the least length of a path. A sum d(u) + w is rounded once. Rounding keeps the order of sums, so (2) and (3)
prove the distances bit for bit. A sum that is rounded to infinity reaches nothing. Nor does a sum of integers beyond 32
bits, where only distances within a cutoff are wanted.

Without predecessors, (3) requires that tight arcs alone lead from the source to every reached vertex.
"""

from collections.abc import Sequence
from typing import Any, NoReturn

import msgspec
import numpy as np

from ..distances import NO_PREDECESSOR, UNREACHABLE, distance_text, unreachable
from ..errors import CertificateError, UsageError
from ..graphs.csr import Graph
from ..graphs.weights import AS_FLOATS
from ..system.cores import UNCOMPILED_STEPS_MAX, for_each, load
from .facts import Certificate, Scope


def certify(
    graph: Graph, source: int | None, distances: np.ndarray, predecessors: np.ndarray | None, scope: Scope = "full"
) -> Certificate:
    """Certify the answer from one source or of all pairs, with one pass over the arcs per source.

    Parameters
    ----------
    graph : Graph
    source : int or None
        None means all pairs.
    distances : array of the type of the weights, of shape (n,), or (n, n) for all pairs
    predecessors : int32 array of the same shape, or None
        Without predecessors, only the distances are certified.
    scope : {"full", "subgraph"}
        What the certificate states.

    Returns
    -------
    Certificate

    Raises
    ------
    CertificateError
        The answer is wrong. The error names the first wrong vertex or arc.
    UsageError
        ``source`` is not a vertex.
    """
    if source is None:
        return certify_each(graph, range(graph.vertices), distances, predecessors, scope)
    check_shapes(graph, (graph.vertices,), distances, predecessors)
    return certify_each(graph, (source,), distances[None], None if predecessors is None else predecessors[None], scope)


def certify_each(
    graph: Graph,
    sources: Sequence[int],
    distances: np.ndarray,
    predecessors: np.ndarray | None,
    scope: Scope = "full",
    *,
    far_is_unreachable: bool = False,
    uncompiled_max: int = UNCOMPILED_STEPS_MAX,
) -> Certificate:
    """Certify the answers from k sources on all cores, with O(n) memory per core.

    ``distances`` and ``predecessors`` have shape (k, n). With ``far_is_unreachable``, an integer beyond 32 bits is no
    distance, as a sum of floats that is infinite. Rows of so few vertices and arcs in all as ``uncompiled_max`` are
    certified without Numba. See ``certify`` for the other parameters and the errors.

    Returns
    -------
    Certificate
    """
    check_shapes(graph, (len(sources), graph.vertices), distances, predecessors)
    check_sources(graph, sources)
    strict = not (graph.has_floats or far_is_unreachable)
    if len(sources) * (graph.vertices + graph.arcs) <= uncompiled_max:
        for row, source in enumerate(sources):
            tree = None if predecessors is None else predecessors[row]
            fault = _fault(graph, source, distances[row], tree, strict)
            if fault:
                raise CertificateError(fault)
        total = int(np.count_nonzero(distances != unreachable(distances.dtype)))
        return Certificate(scope, graph.vertices, len(sources), len(sources) * graph.arcs, total)
    from .compiled import certify_row

    arcs_and_constants = graph.indptr, graph.indices, graph.weights, *constants(graph), strict
    exact, reached = np.zeros(len(sources), bool), np.zeros(len(sources), np.int64)

    def certify_one(row: int) -> None:
        answer = distances[row], None if predecessors is None else predecessors[row]
        exact[row], reached[row] = certify_row(*arcs_and_constants, sources[row], *answer)

    for_each(len(sources), certify_one, graph.vertices + graph.arcs)
    wrong = np.flatnonzero(~exact)
    if len(wrong):
        row = int(wrong[0])
        tree = None if predecessors is None else predecessors[row]
        raise_wrong_answer(graph, sources[row], distances[row], tree, far_is_unreachable)
    return Certificate(scope, graph.vertices, len(sources), len(sources) * graph.arcs, int(reached.sum()))


def load_certificate(graph: Graph, predecessors: bool) -> None:
    """Load the code that certifies answers for ``graph``, which the first certificate would do."""
    if graph.vertices + graph.arcs <= UNCOMPILED_STEPS_MAX:
        return
    from .compiled import certify_row

    arrays = np.empty(0, graph.weights.dtype), np.empty(0, np.int32) if predecessors else None
    load(certify_row, graph.indptr, graph.indices, graph.weights, *constants(graph), True, 0, *arrays)


def combined(certificates: Sequence[Certificate]) -> Certificate:
    """One certificate for the answers of all ``certificates``, at least one: their counts add up."""
    if len(certificates) == 1:
        return certificates[0]
    return msgspec.structs.replace(
        certificates[0],
        sources=sum(certificate.sources for certificate in certificates),
        arcs_checked=sum(certificate.arcs_checked for certificate in certificates),
        reached=sum(certificate.reached for certificate in certificates),
    )


def constants(graph: Graph) -> tuple[Any, Any]:
    """0 of the type of sums, int64 or that of floats, and the distance that means that there is no path."""
    dtype = graph.weights.dtype
    return dtype.type(0) if graph.has_floats else np.int64(0), unreachable(dtype)


def check_shapes(graph: Graph, shape: tuple[int, ...], distances: Any, predecessors: Any | None) -> None:
    """Raise CertificateError if an array, on the host or a device, has another shape or type than ``graph`` needs."""
    types = graph.weights.dtype, np.dtype(np.int32)
    for name, array, dtype in zip(("distances", "predecessors"), (distances, predecessors), types, strict=True):
        if array is not None and (array.shape != shape or array.dtype != dtype):
            raise CertificateError(
                f"{name} have shape {array.shape} and type {array.dtype} instead of {shape} and {dtype}"
            )


def check_sources(graph: Graph, sources: Sequence[int] | np.ndarray) -> None:
    if len(sources) == 1 and 0 <= sources[0] < graph.vertices:
        return  # ten times as fast as the check below
    numbers = np.asarray(sources)
    wrong = np.flatnonzero((numbers < 0) | (numbers >= graph.vertices))
    if len(wrong):
        raise UsageError(f"source {numbers[wrong[0]]} is not a vertex; vertices are 0..{graph.vertices - 1}")


def raise_wrong_answer(
    graph: Graph,
    source: int,
    distances: np.ndarray,
    predecessors: np.ndarray | None,
    far_is_unreachable: bool = False,
) -> NoReturn:
    """Raise the CertificateError that names the first fault of a wrong answer, shape (n,).

    The code is independent of the certificates that found the answer wrong. Raises AssertionError if it finds no fault.
    """
    fault = _fault(graph, source, distances, predecessors, not (graph.has_floats or far_is_unreachable))
    if fault is None:
        raise AssertionError(f"the two certificates disagree on source {graph.label_of(source)}")
    raise CertificateError(fault)


@np.errstate(over="ignore", invalid="ignore")
def _fault(
    graph: Graph, source: int, distances: np.ndarray, predecessors: np.ndarray | None, strict: bool
) -> str | None:
    """The first fault of an answer, shape (n,), as a sentence that names the source; None if the answer is right."""
    name = f"source {graph.label_of(source)}"
    if distances[source] != 0:
        return f"{name} has distance {distance_text(distances[source], graph.scale)} to itself instead of 0"
    exact = distances + constants(graph)[0]
    reached = distances != unreachable(distances.dtype)
    fault = _broken_arc(graph, exact, reached, strict)
    if fault is None and predecessors is None:
        fault = _distance_without_path(graph, source, exact, reached)
    elif fault is None and predecessors is not None:
        fault = _wrong_predecessor(graph, source, exact, reached, predecessors)
    return fault and f"{name}: {fault}"


def _distance_without_path(graph: Graph, source: int, distances: np.ndarray, reached: np.ndarray) -> str | None:
    """The first reached vertex to which no path of tight arcs leads, as a sentence; None if there is none."""
    wrong = _first(reached & ~_met_by_tight_arcs(graph, source, distances, reached))
    if wrong is None:
        return None
    length = distance_text(distances[wrong], graph.scale)
    return f"no path to vertex {graph.label_of(wrong)} has its distance {length}"


def _met_by_tight_arcs(graph: Graph, source: int, distances: np.ndarray, reached: np.ndarray) -> np.ndarray:
    """Which vertices have a path of tight arcs from the source, shape (n,)."""
    if graph.vertices + graph.arcs > UNCOMPILED_STEPS_MAX:
        from .compiled import met_by_tight_arcs

        arcs = graph.indptr, graph.indices, graph.weights
        return met_by_tight_arcs(*arcs, *constants(graph), source, distances.astype(graph.weights.dtype))
    tails, heads = graph.tails(), graph.indices
    is_tight = distances[tails] + graph.weights == distances[heads]
    tails, heads = (ends[is_tight & reached[heads]] for ends in (tails, heads))
    met = np.zeros(graph.vertices, bool)
    met[source], before = True, 0
    while (count := int(met.sum())) > before:
        before = count
        met[heads[met[tails]]] = True
    return met


def _broken_arc(graph: Graph, distances: np.ndarray, reached: np.ndarray, strict: bool) -> str | None:
    """The first arc that gives a shorter path than the distance of its head, as a sentence; None if there is none.

    If ``strict``, an arc to an unreachable vertex does, whatever the sum is.
    """
    tails, heads = graph.tails(), graph.indices
    sums = distances[tails] + graph.weights
    broken = sums < distances[heads]
    if strict:
        broken |= ~reached[heads]
    wrong = _first(reached[tails] & broken)
    if wrong is None:
        return None
    tail, head = graph.label_of(int(tails[wrong])), graph.label_of(int(heads[wrong]))
    numbers = distances[tails[wrong]], graph.weights[wrong], sums[wrong], distances[heads[wrong]]
    at_tail, weight, total, at_head = (distance_text(number, graph.scale) for number in numbers)
    arc = f"vertex {tail} at distance {at_tail} and arc {tail} -> {head} of weight {weight} give {total}"
    if reached[heads[wrong]]:
        return f"{arc}, but vertex {head} has distance {at_head}"
    if not graph.has_floats and sums[wrong] >= UNREACHABLE:
        return f"{arc}, which does not fit 32 bits, so vertex {head} seems unreachable; {AS_FLOATS}"
    return f"{arc}, but vertex {head} is called unreachable"


def _wrong_predecessor(
    graph: Graph, source: int, distances: np.ndarray, reached: np.ndarray, predecessors: np.ndarray
) -> str | None:
    """The first wrong predecessor, as a sentence; None if there is none."""
    needed = reached.copy()
    needed[source] = False

    def named(vertex: int) -> str:
        predecessor = int(predecessors[vertex])
        return str(graph.label_of(predecessor) if 0 <= predecessor < graph.vertices else predecessor)

    wrong = _first(~needed & (predecessors != NO_PREDECESSOR))
    if wrong is not None:
        why = "is the source" if wrong == source else "is unreachable"
        return f"vertex {graph.label_of(wrong)} {why} but has predecessor {named(wrong)}"
    tails, heads = graph.tails(), graph.indices
    tight = distances[tails] + graph.weights == distances[heads]
    tight &= reached[tails] & reached[heads] & (predecessors[heads] == tails)
    has_tight_arc = np.zeros(graph.vertices, dtype=bool)
    has_tight_arc[heads[tight]] = True
    wrong = _first(needed & ~has_tight_arc)
    if wrong is not None:
        return (
            f"no arc from predecessor {named(wrong)} to vertex {graph.label_of(wrong)} explains its distance "
            f"{distance_text(distances[wrong], graph.scale)}"
        )
    ancestors = np.where(needed, predecessors, np.arange(graph.vertices, dtype=np.int32))
    for _ in range(graph.vertices.bit_length()):
        ancestors = ancestors[ancestors]  # each round doubles the number of steps
    wrong = _first(needed & (ancestors != source))
    if wrong is not None:
        return f"the predecessors of vertex {graph.label_of(int(ancestors[wrong]))} form a cycle"
    return None


def _first(flags: np.ndarray) -> int | None:
    hits = np.flatnonzero(flags)
    return int(hits[0]) if len(hits) else None
