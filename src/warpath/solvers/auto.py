"""What runs: the variant that the caller names, or the one that suits the graph where none is named.

The choice is two tables of rules; the first that holds comes first. ``benchmarks/auto.py`` measures how much it loses
to the best of the others.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ..device import Device
from ..distances import UNREACHABLE
from ..errors import UsageError
from ..graphs.csr import Graph
from .plan import Plan
from .registry import Configured, Variant, default_of, families, find
from .shape import Shape, once_a_graph, shape_of

# So many sources in one launch, a block each, take no longer than one after another over the whole GPU.
_SEVERAL = 4
# From so many sources on, a contraction hierarchy answers sooner than one solve after another: if it is there already,
# and if it has to be made for a single call.
_MANY = 8
_MANY_AT_ONCE = 256
# To make one for more vertices than this takes the better part of a minute.
_LARGE, _MANY_LARGE = 1_000_000, 20_000
# Borders pay from so many vertices on, at this depth or more, or up to this mean degree: trees are easy to cut.
_PARTED, _PARTED_DEPTH, _TREE_DEGREE = 2_048, 3.0, 2.2
# From this depth on, and up to this mean degree, they answer sooner than a cluster of blocks that holds the graph.
_PARTED_DEPTH_OF_SMALL, _ROAD_DEGREE = 6.0, 3
# Up to these mean degrees, pushing alone is as fast as with inbound arcs: in later calls, and in a first call.
_PUSHED_DEGREE, _PUSHED_FIRST_DEGREE = 8, 32
# Pairs of vertices of which so many have an arc are a matrix rather than a sparse graph.
_DENSE = 0.05
# Distances of so many of the heaviest arcs have to fit 16 bits for a try with them to be worth it.
_ARCS_OF_16_BITS = 8
# A family for each problem: of a closure it is the default, of the others the one that messages name.
_ALGORITHMS = {"sssp": "label_correcting", "apsp": "floyd_warshall", "closure": "transitive_closure"}
_SAYS = {"sssp": "paths from one source", "apsp": "all pairs", "closure": "the transitive closure"}


@dataclass(frozen=True)
class Suits:
    """A variant, by its names, and the reason as half a sentence."""

    algorithm: str
    variant: str
    reason: str


@dataclass(frozen=True)
class _Request:
    """What is to be solved, and how much of it."""

    device: Device
    graph: Graph
    shape: Shape
    sources: int
    prepared: bool


_Rules = tuple[tuple[Callable[[_Request], bool], Suits], ...]


def _core_fits(request: _Request) -> bool:
    from .sparse_all_pairs._rows import fits

    return fits(request.device, request.graph)


@once_a_graph
def _cluster_fits(graph: Graph) -> bool:
    from .label_correcting.cluster import fits

    return fits(graph)


def _has_clusters(device: Device) -> bool:
    from .label_correcting.cluster import CLUSTER_BLOCKS

    return device.cluster_blocks >= CLUSTER_BLOCKS


def _cluster_suits(request: _Request) -> bool:
    shape = request.shape
    pulling_pays = shape.skewed and shape.degree > _PUSHED_DEGREE and shape.vertices > _PARTED
    few = request.sources < _SEVERAL and not pulling_pays
    return few and _cluster_fits(request.graph) and _has_clusters(request.device)


@once_a_graph
def _parts_fit(graph: Graph) -> bool:
    from .partition.borders import fits

    return fits(graph)


@once_a_graph
def _sweep_suits(graph: Graph) -> bool:
    from .contraction_hierarchy._elimination import has_small_separators

    return graph.weight_min >= 0 and has_small_separators(graph)


def _sweep_pays(request: _Request) -> bool:
    least = _MANY_LARGE if request.graph.vertices > _LARGE else _MANY if request.prepared else _MANY_AT_ONCE
    return request.sources >= least and request.shape.deep and _sweep_suits(request.graph)


def _borders_pay(request: _Request) -> bool:
    shape = request.shape
    falls_apart = shape.depth >= _PARTED_DEPTH or shape.degree <= _TREE_DEGREE
    pays = request.prepared and shape.vertices > _PARTED and falls_apart and _parts_fit(request.graph)
    hard_to_cut = shape.depth < _PARTED_DEPTH_OF_SMALL and shape.degree > _ROAD_DEGREE
    return pays and not (hard_to_cut and _cluster_suits(request))


def _pushing_suffices(request: _Request) -> bool:
    degree_max = _PUSHED_DEGREE if request.prepared else _PUSHED_FIRST_DEGREE
    return _TREE_DEGREE < request.shape.degree <= degree_max and not request.shape.skewed


_FROM_SOURCES: _Rules = (
    (lambda request: request.shape.negative, Suits("label_correcting", "four_arcs", "some weights are negative")),
    (
        lambda request: request.sources >= _SEVERAL and not request.shape.deep and _core_fits(request),
        Suits(
            "sparse_all_pairs", "narrow", "several sources, and a block's shared memory holds the distances from one"
        ),
    ),
    (_sweep_pays, Suits("contraction_hierarchy", "sweep", "many sources, and long paths as on roads")),
    (_borders_pay, Suits("partition", "borders", "long paths as on roads, and prepared for many calls")),
    (
        _cluster_suits,
        Suits("label_correcting", "cluster", "the shared memory of one cluster of blocks holds the distances"),
    ),
    (lambda request: request.shape.deep, Suits("near_far", "queue", "long paths")),
    (_pushing_suffices, Suits("near_far", "queue", "short paths, and no vertex with very many arcs")),
    (lambda request: True, Suits("near_far", "whole_grid", "short paths")),
)

_ALL_PAIRS: _Rules = (
    (
        lambda request: request.shape.negative and bool(2 * request.graph.longest_path_bound < UNREACHABLE),
        Suits("floyd_warshall", "lookahead", "some weights are negative"),
    ),
    (
        lambda request: request.shape.negative,
        Suits("label_correcting", "four_arcs", "some weights are negative, and two paths together may leave 32 bits"),
    ),
    (
        lambda request: request.shape.density < _DENSE and _core_fits(request),
        Suits("sparse_all_pairs", "narrow", "few arcs, and a block's shared memory holds the distances from a source"),
    ),
    (
        lambda request: request.shape.density < _DENSE and _sweep_pays(request),
        Suits("contraction_hierarchy", "sweep", "few arcs, and long paths as on roads"),
    ),
    (
        lambda request: request.shape.weight_max * _ARCS_OF_16_BITS < 2**15,
        Suits("floyd_warshall", "narrow", "many arcs, light enough for distances of 16 bits"),
    ),
    (lambda request: True, Suits("floyd_warshall", "lookahead", "many arcs")),
)


def choose_sssp(device: Device, graph: Graph, sources: int, prepared: bool) -> list[Suits]:
    """What solves ``graph`` from so many sources, best first; ``prepared`` where it may take its time for many calls.

    Those after the first are for where preparing shows that the graph does not suit it after all.
    """
    return _those_that_hold(_FROM_SOURCES, _Request(device, graph, shape_of(graph), sources, prepared))


def solvers_of_sources() -> list[tuple[str, str]]:
    """Algorithm and variant of whatever ``choose_sssp`` may name, each once."""
    return list(dict.fromkeys((suits.algorithm, suits.variant) for _, suits in _FROM_SOURCES))


def choose_apsp(device: Device, graph: Graph) -> list[Suits]:
    """What solves all pairs of ``graph``, best first."""
    return _those_that_hold(_ALL_PAIRS, _Request(device, graph, shape_of(graph), graph.vertices, True))


def _those_that_hold(rules: _Rules, request: _Request) -> list[Suits]:
    return [suits for holds, suits in rules if holds(request)]


@dataclass(frozen=True)
class Choice:
    """A variant with its settings, and why it runs: "as named", or what of the graph decided.

    ``otherwise`` runs in its place where preparing shows that the graph does not suit it.
    """

    configured: Configured
    reason: str
    otherwise: "Choice | None" = None

    @property
    def variant(self) -> Variant:
        return self.configured.variant

    @property
    def name(self) -> str:
        """The family and the variant, "partition.borders"."""
        return f"{self.variant.algorithm}.{self.variant.name}"

    @property
    def by_rows(self) -> bool:
        """Whether it solves from any sources, rather than all pairs at once."""
        return self.variant.problem == "sssp" or self.variant.many_sources

    def plan(self, device: Device, graph: Graph, source: int | None, predecessors: bool) -> Plan:
        """A plan that leaves predecessors out, where the variant can, unless they are request for."""
        request = {"predecessors": predecessors} if self.variant.optional_predecessors else {}
        return self.configured.plan(device, graph, source, **request)


def chosen(
    problem: Literal["sssp", "apsp"],
    device: Device,
    graph: Graph,
    sources: int,
    prepared: bool,
    algorithm: str | None = None,
    variant: str | None = None,
    parameters: Mapping[str, int] | None = None,
) -> Choice:
    """What solves ``graph`` on ``device`` from so many sources; ``prepared`` where many calls are to come.

    Raises UsageError for unknown names, for parameters that do not suit, and where the named variant solves another
    problem.
    """
    if algorithm is None:
        if variant is not None or parameters:
            what = "a variant" if variant is not None else "parameters"
            raise UsageError(f"{what} without an algorithm: name the algorithm, too")
        if problem == "sssp":
            suiting = choose_sssp(device, graph, sources, prepared)
        else:
            suiting = choose_apsp(device, graph)
        choice = None
        for suits in reversed(suiting):
            definition = find(suits.algorithm, suits.variant)
            if definition.negative_arcs or graph.weight_min >= 0:
                choice = Choice(definition.configured(), suits.reason, choice)
        assert choice  # the last rule always holds
        return choice
    definition = chosen_variant(problem, algorithm, variant)
    return Choice(definition.configured(parameters), "as named" if variant else "its default variant")


def default_algorithm(problem: str) -> str:
    """An algorithm for ``problem``: "sssp", "apsp" or "closure"."""
    return _ALGORITHMS[problem]


def default_variant(algorithm: str) -> str:
    """The variant of ``algorithm`` that runs where none is named; the first one of a family that has no default."""
    return default_of(algorithm) or families().get(algorithm, ("",))[0]


def chosen_variant(problem: str, algorithm: str, variant: str | None = None) -> Variant:
    """The variant of ``algorithm`` for ``problem``: ``variant``, or its default.

    One that solves from many sources at once solves all pairs, too, whichever of the two it is listed for. Raises
    UsageError for unknown names, and where the named one solves another problem.
    """
    definition = find(algorithm, variant or default_variant(algorithm))
    if definition.problem == problem or (definition.many_sources and problem in ("sssp", "apsp")):
        return definition
    others = sorted({other.problem for other in (find(algorithm, name) for name in families()[algorithm])})
    if problem in others:
        fitting = [name for name in families()[algorithm] if find(algorithm, name).problem == problem]
        advice = f"{algorithm} {fitting[0]} does"
    else:
        advice = f"{default_algorithm(problem)} does"
    named = f"{algorithm} {variant}" if variant else algorithm
    raise UsageError(
        f"{named} solves {_SAYS.get(definition.problem, definition.problem)}, not {_SAYS[problem]}; {advice}"
    )


def check_names(algorithm: Any, variant: Any) -> None:
    """Raise UsageError where one is neither a string nor None."""
    for what, name in (("algorithm", algorithm), ("variant", variant)):
        if name is not None and not isinstance(name, str):
            raise UsageError(f"the {what} is named by a string, as `warpath list variants` has it, not by {name!r}")
