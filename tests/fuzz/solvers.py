"""Random small graphs through every variant on the simulated GPU: distances are scipy's, predecessors lead there."""

from typing import Any

import numpy as np
from scipy.sparse.csgraph import NegativeCycleError, bellman_ford

import warpath
from fuzz.case import Case, FindingError
from warpath.solvers.registry import variants
from warpath.solvers.variant import Variant

_UNREACHABLE = 2**31 - 1
_ODD_CUTOFFS = (0, -1, 3, 7.5, 1e300, np.inf, -np.inf, np.nan, "3", None, 10**30)


def prepare() -> None:
    """Compile the kernels, which the limit of time of a case is not for."""
    graph = warpath.from_arcs(3, [0, 1], [1, 2], [4, 5])
    for variant in _variants():
        _solve(graph, variant, {}, 0)


def case(case: Case) -> None:
    """One graph through one variant with random options."""
    chosen = case.random
    graph = _graph(case)
    variant = chosen.choice(_variants())
    options: dict[str, Any] = {}
    if variant.parameters and case.chance(0.5):
        name, parameter = chosen.choice(list(variant.parameters.items()))
        near = [parameter.low - 1, parameter.low, parameter.low + 1, parameter.default, min(parameter.high, 64)]
        options["parameters"] = {name: chosen.choice(near)}
    if variant.problem != "closure" and case.chance(0.3):
        options["cutoff"] = chosen.choice(_ODD_CUTOFFS)
    source: Any = chosen.randrange(graph.vertices)
    if case.chance(0.3):
        source = chosen.sample(range(graph.vertices), chosen.randint(1, min(3, graph.vertices)))
    arrays = {name: getattr(graph, name).tolist() for name in ("indptr", "indices", "weights")}
    case.write("graph.txt", f"{arrays}\n{variant.algorithm}.{variant.name} source={source!r} {options!r}\n")
    answer = case.attempt(lambda: _solve(graph, variant, options, source))
    if answer is None:
        _expected_refusal(case, graph, variant, options)
        return
    expected = _expected(graph)
    if variant.problem == "closure":
        reachable = np.isfinite(expected) if expected is not None else None
        if reachable is not None and not np.array_equal(answer.reachable, reachable):
            raise FindingError(f"{variant.name}: another closure than scipy's")
        return
    if expected is None:
        return  # from this source no negative cycle is reached
    _compare(answer, expected, graph, options, source if variant.problem == "sssp" else None)


def _compare(answer: Any, expected: np.ndarray, graph: warpath.Graph, options: dict[str, Any], source: Any) -> None:
    sources = list(range(graph.vertices)) if source is None else np.atleast_1d(source).astype(int).tolist()
    rows = expected[sources]
    cutoff = options.get("cutoff")
    if cutoff is not None:
        rows = np.where(rows <= float(cutoff), rows, np.inf)
    wanted = np.where(np.isfinite(rows), rows, _UNREACHABLE).astype(np.int64)
    found = np.asarray(answer.distances)
    if not np.array_equal(found.reshape(wanted.shape), wanted):
        raise FindingError(f"distances {found.tolist()} and not {wanted.tolist()}"[:400])
    predecessors = np.asarray(answer.predecessors).reshape(len(sources), graph.vertices)
    arcs = _arcs(graph)
    for row, start in enumerate(sources):
        for vertex in range(graph.vertices):
            _follow(predecessors[row], rows[row], arcs, start, vertex, graph.weight_min < 0)


def _follow(
    predecessors: np.ndarray, distances: np.ndarray, arcs: np.ndarray, start: int, vertex: int, negative: bool
) -> None:
    """The path to ``vertex`` ends at ``start``, over arcs that add up to its distance.

    With negative arcs, vertices beyond the cutoff keep their predecessors.
    """
    if not np.isfinite(distances[vertex]):
        if predecessors[vertex] != -1 and not negative:
            raise FindingError(f"vertex {vertex} is not reached and has predecessor {predecessors[vertex]}")
        return
    at, length = vertex, 0.0
    for _ in range(len(distances) + 1):
        if at == start and (predecessors[at] == -1):
            break
        length += arcs[predecessors[at], at]
        at = int(predecessors[at])
    if at != start or length != distances[vertex]:
        raise FindingError(f"predecessors lead from {vertex} to {at} and not {start}, over {length}")


def _expected(graph: warpath.Graph) -> np.ndarray | None:
    """Distances of all pairs, (n, n), as floats with inf; None if there is a negative cycle."""
    try:
        return bellman_ford(graph.to_scipy())
    except NegativeCycleError:
        return None


def _arcs(graph: warpath.Graph) -> np.ndarray:
    """The lightest arc between two vertices, (n, n), inf where there is none."""
    arcs = np.full((graph.vertices, graph.vertices), np.inf)
    tails = np.repeat(np.arange(graph.vertices), np.diff(graph.indptr))
    np.minimum.at(arcs, (tails, graph.indices), graph.weights.astype(float))
    return arcs


def _expected_refusal(case: Case, graph: warpath.Graph, variant: Variant, options: dict[str, Any]) -> None:
    """A plain question on a graph with small weights, none negative, is answered."""
    plain = {"parameters"}.isdisjoint(options) and options.get("cutoff") in (None, 0, 3, 7.5)
    if plain and graph.weight_min >= 0 and graph.weight_max * graph.vertices < _UNREACHABLE:
        raise FindingError(f"{variant.algorithm}.{variant.name} refused: {case.note}")


def _solve(graph: warpath.Graph, variant: Variant, options: dict[str, Any], source: Any) -> Any:
    if variant.problem == "closure":
        return warpath.closure(graph, variant=variant.name, device="simulated")
    named: dict[str, Any] = {"algorithm": variant.algorithm, "variant": variant.name, "device": "simulated", **options}
    return warpath.sssp(graph, source, **named) if variant.problem == "sssp" else warpath.apsp(graph, **named)


def _graph(case: Case) -> warpath.Graph:
    vertices = case.random.choice((1, 2, 3, 5, 8, 17, 33, 40))
    arcs = case.random.choice((0, 1, vertices, 3 * vertices, vertices * vertices))
    low, high = case.random.choice(
        ((1, 10), (0, 3), (0, 0), (1, 100_000), (-2, 60), (1, 2**31 - 2), (10**9, 2**31 - 2))
    )
    return warpath.from_arcs(
        vertices,
        case.numpy.integers(0, vertices, arcs),
        case.numpy.integers(0, vertices, arcs),
        case.numpy.integers(low, high, arcs, endpoint=True),
    )


def _variants() -> list[Variant]:
    return [variant for variant in variants() if variant.problem in ("sssp", "apsp", "closure")]
