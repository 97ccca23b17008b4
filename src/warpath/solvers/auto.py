"""Which variant suits a graph, where the caller names none: two tables of rules, the first that holds comes first.

``benchmarks/auto.py`` measures how much the choice loses to the best of the others.
"""

from collections.abc import Callable
from dataclasses import dataclass

from ..device import Device
from ..distances import UNREACHABLE
from ..graphs.csr import Graph
from .shape import Shape, once_a_graph, shape_of

# So many sources in one launch, a block each, take no longer than one after another over the whole GPU.
_SEVERAL = 4
# From so many sources on, a contraction hierarchy answers sooner than one solve after another: if it is there already,
# and if it has to be made for a single call.
_MANY = 8
_MANY_AT_ONCE = 256
# To make one for more vertices than this takes the better part of a minute.
_LARGE, _MANY_LARGE = 1_000_000, 20_000
# Pairs of vertices of which so many have an arc are a matrix rather than a sparse graph.
_DENSE = 0.05
# Distances of so many of the heaviest arcs have to fit 16 bits for a try with them to be worth it.
_ARCS_OF_16_BITS = 8


@dataclass(frozen=True)
class Suits:
    """A variant, by its names, and the reason as half a sentence."""

    algorithm: str
    variant: str
    reason: str


@dataclass(frozen=True)
class _Asked:
    """What is to be solved, and how much of it."""

    device: Device
    graph: Graph
    shape: Shape
    sources: int
    prepared: bool


_Rules = tuple[tuple[Callable[[_Asked], bool], Suits], ...]


def _core_fits(asked: _Asked) -> bool:
    from .sparse_all_pairs._rows import fits

    return fits(asked.device, asked.graph)


@once_a_graph
def _cluster_fits(graph: Graph) -> bool:
    from .label_correcting.cluster import fits

    return fits(graph)


def _has_clusters(device: Device) -> bool:
    from .label_correcting.cluster import CLUSTER_BLOCKS

    return device.cluster_blocks >= CLUSTER_BLOCKS


@once_a_graph
def _parts_fit(graph: Graph) -> bool:
    from .partition.borders import fits

    return fits(graph)


@once_a_graph
def _sweep_suits(graph: Graph) -> bool:
    from .contraction_hierarchy.sweep import suits

    return suits(graph)


def _sweep_pays(asked: _Asked) -> bool:
    least = _MANY_LARGE if asked.graph.vertices > _LARGE else _MANY if asked.prepared else _MANY_AT_ONCE
    return asked.sources >= least and asked.shape.deep and _sweep_suits(asked.graph)


_FROM_SOURCES: _Rules = (
    (
        lambda asked: asked.shape.negative,
        Suits("label_correcting", "four_arcs", "some weights are negative"),
    ),
    (
        lambda asked: asked.sources >= _SEVERAL and not asked.shape.deep and _core_fits(asked),
        Suits(
            "sparse_all_pairs", "narrow", "several sources, and a block's shared memory holds the distances from one"
        ),
    ),
    (
        _sweep_pays,
        Suits("contraction_hierarchy", "sweep", "many sources, and long paths as on roads"),
    ),
    (
        lambda asked: asked.shape.deep and asked.prepared and _parts_fit(asked.graph),
        Suits("partition", "borders", "long paths as on roads, and prepared for many calls"),
    ),
    (
        lambda asked: asked.shape.deep,
        Suits("near_far", "whole_grid", "nothing to prepare"),
    ),
    (
        lambda asked: asked.sources < _SEVERAL and _cluster_fits(asked.graph) and _has_clusters(asked.device),
        Suits(
            "label_correcting",
            "cluster",
            "short paths, and the shared memory of one cluster of blocks holds the distances",
        ),
    ),
    (
        lambda asked: True,
        Suits("near_far", "whole_grid", "short paths"),
    ),
)

_ALL_PAIRS: _Rules = (
    (
        lambda asked: asked.shape.negative and bool(2 * asked.graph.longest_path_bound < UNREACHABLE),
        Suits("floyd_warshall", "lookahead", "some weights are negative"),
    ),
    (
        lambda asked: asked.shape.negative,
        Suits("label_correcting", "four_arcs", "some weights are negative, and two paths together may leave 32 bits"),
    ),
    (
        lambda asked: asked.shape.density < _DENSE and _core_fits(asked),
        Suits("sparse_all_pairs", "narrow", "few arcs, and a block's shared memory holds the distances from a source"),
    ),
    (
        lambda asked: asked.shape.density < _DENSE and _sweep_pays(asked),
        Suits("contraction_hierarchy", "sweep", "few arcs, and long paths as on roads"),
    ),
    (
        lambda asked: asked.shape.weight_max * _ARCS_OF_16_BITS < 2**15,
        Suits("floyd_warshall", "narrow", "many arcs, light enough for distances of 16 bits"),
    ),
    (
        lambda asked: True,
        Suits("floyd_warshall", "lookahead", "many arcs"),
    ),
)


def choose_sssp(device: Device, graph: Graph, sources: int, prepared: bool) -> list[Suits]:
    """What solves ``graph`` from so many sources, best first; ``prepared`` where it may take its time for many calls.

    Those after the first are for where preparing shows that the graph does not suit it after all.
    """
    return _those_that_hold(_FROM_SOURCES, _Asked(device, graph, shape_of(graph), sources, prepared))


def solvers_of_sources() -> list[tuple[str, str]]:
    """Algorithm and variant of whatever ``choose_sssp`` may name, each once."""
    return list(dict.fromkeys((suits.algorithm, suits.variant) for _, suits in _FROM_SOURCES))


def choose_apsp(device: Device, graph: Graph) -> list[Suits]:
    """What solves all pairs of ``graph``, best first."""
    return _those_that_hold(_ALL_PAIRS, _Asked(device, graph, shape_of(graph), graph.vertices, True))


def _those_that_hold(rules: _Rules, asked: _Asked) -> list[Suits]:
    return [suits for holds, suits in rules if holds(asked)]
