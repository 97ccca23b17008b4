"""The choice of the solver: the variant that the caller names, or a suitable one if no variant is named.

The choice follows tables of rules; the first rule that applies has priority. ``benchmarks/auto.py`` compares the
choice with the fastest alternative.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, cast

from ...device import Device
from ...device.resident import Resident
from ...distances import UNREACHABLE
from ...errors import UsageError
from ...graphs.csr import Graph
from ...system.cores import UNCOMPILED_STEPS_MAX
from ...system.progress import Progress
from ..registry import default_algorithm, families, find, variant_for
from ..solver import RowSolver
from ..variant import Configured, Variant
from .depth import Depth, depth_of
from .shape import Shape, shape_of

# A launch with one block for each source is as fast as single solves on the whole GPU from this number of sources.
_SOURCES_MIN = 4
# A contraction hierarchy is faster than single solves from these numbers of sources: if it is kept for later calls,
# for whole weights and for floats, and if it is made for a single call.
_SOURCES_MIN_SWEEP, _SOURCES_MIN_SWEEP_FLOATS, _SOURCES_MIN_SWEEP_ONE_CALL = 8, 24, 256
# Distances of targets alone are faster than whole rows up to one target for so many vertices, and from one source.
_VERTICES_A_TARGET, _VERTICES_A_TARGET_OF_ONE = 16, 64
# Above this number of vertices, making the hierarchy takes most of a minute.
_LARGE_VERTICES, _SOURCES_MIN_SWEEP_LARGE = 1_000_000, 20_000
# On graphs of low diameter, groups of sources are faster than single solves from these numbers of sources: usually, if
# near_far.queue would save sorting the arcs, and on trees.
_SOURCES_MIN_BATCH, _SOURCES_MIN_BATCH_UNSORTED, _SOURCES_MIN_BATCH_TREE = 16, 32, 64
# partition.borders is fast from this number of vertices, for this depth or this mean degree: trees are easy to cut.
_BORDERS_VERTICES_MIN, _BORDERS_DEPTH_MIN, _TREE_DEGREE_MAX = 512, 2.9, 2.2
# For floats, below this number of levels, near_far is faster than partition.borders, which adds again.
_BORDERS_LEVELS_MIN_FLOATS = 45
# Times of prepared calls, beyond what all solvers take on small graphs: of partition.borders,
_BORDERS_US = 57  # fixed cost
_BORDERS_US_FOR_FLOATS = 110  # added to it
_BORDERS_US_PER_DEGREE = 6
# and of a cluster of blocks.
CLUSTER_US_PER_LEVEL = 1.0
_CLUSTER_US_PER_LEVEL_OF_WEIGHTS = 0.6  # added if the weights differ, and so is the next
_CLUSTER_US_PER_LEVEL_DEGREE_AND_ARC = 4.3e-6
# Above this number of arcs and this mean degree, near_far.queue may be much faster than a cluster, if weights differ.
_CLUSTER_ARCS_MAX, _CLUSTER_DEGREE_MAX = 150_000, 5
# Above this number of vertices, near_far.whole_grid, which pulls from heavy vertices, is faster than the cluster.
_PULL_VERTICES_MIN = 2_048
# The time of a call without preparation.
_US_PER_LEVEL = 3.5
_US_PER_LEVEL_IN_CLUSTER = 0.6  # if a cluster of blocks holds the graph
# The time of the preparation for partition.borders, on graphs of many levels.
_BORDERS_PREPARATION_US = 12_000  # fixed cost
_BORDERS_PREPARATION_US_PER_VERTEX = 0.006
_BORDERS_PREPARATION_US_PER_ARC = 0.0015
# Up to these mean degrees, inbound arcs save no time: in many calls, and in a few.
_PUSH_DEGREE_MAX, _PUSH_DEGREE_MAX_FEW_CALLS = 8, 32
# In many calls they do save time above this number of arcs, which do not stay in the cache of a GPU, up to this depth.
_PUSH_ARCS_MAX, _PULL_DEPTH_MAX = 6_000_000, 1.8
# Up to this number of arcs, they save no time in many calls up to a larger mean degree.
_PUSH_ARCS_MAX_SMALL, _PUSH_DEGREE_MAX_SMALL = 2_000_000, 24
# Above this number of arcs, a first call sorts them if some vertices have very many.
_SORTED_AT_ONCE_ARCS_MIN = 100_000_000
# From this density, a graph is solved as a dense matrix.
_DENSITY_MIN = 0.05
# Distances of 16 bits are worth a try if this number of the heaviest arcs fits.
_HEAVY_ARCS_IN_16_BITS = 8
# What a call may make for later calls: nothing, what a few calls repay, or what many calls repay.
Preparation = Literal["none", "some", "all"]
# The solver of closures on a device without kernels.
_CLOSURE_ON_CPU = "components"
# The solvers of these algorithms support all graphs for which their rules hold.
_ALWAYS_SUITABLE = "near_far", "dijkstra"
# Keys of what was made for a resident graph begin with this for its solvers.
SOLVER = "solver"


@dataclass(frozen=True)
class Candidate:
    """The names of a variant, and why it suits the graph, as half a sentence."""

    algorithm: str
    variant: str
    reason: str

    def choice(self, otherwise: "Choice | None" = None) -> "Choice":
        return Choice(find(self.algorithm, self.variant).configured(), self.reason, otherwise)


@dataclass(frozen=True)
class _Request:
    """The graph, the device, the number of sources, and what the call may make for later calls.

    ``table``: a few targets are wanted, without predecessors and certificate. ``long_paths``: paths may be long enough
    for a call to pay for preparation.
    """

    resident: Resident
    sources: int
    preparation: Preparation
    table: bool = False
    long_paths: bool = True

    @property
    def device(self) -> Device:
        return self.resident.device

    @property
    def graph(self) -> Graph:
        return self.resident.graph

    @property
    def shape(self) -> Shape:
        return shape_of(self.resident)

    @property
    def depth(self) -> Depth:
        return depth_of(self.resident)


_Rules = tuple[tuple[Callable[[_Request], bool], Candidate], ...]


def _all_sums_fit(graph: Graph) -> bool:
    """Whether the sum of two paths fits a distance."""
    return graph.has_floats or 2 * graph.longest_path_bound < int(UNREACHABLE)


def _core_fits(request: _Request) -> bool:
    from ..many_sources.core._core import fits

    return fits(request.device, request.graph)


def _cluster_fits(request: _Request) -> bool:
    from ..one_source.cluster import fits

    return request.resident.fact("fits a cluster", lambda: fits(request.resident))


def _has_clusters(device: Device) -> bool:
    from ..one_source.cluster import CLUSTER_BLOCKS

    return device.cluster_blocks >= CLUSTER_BLOCKS


def _cluster_applies(request: _Request) -> bool:
    shape = request.shape
    pulling_is_faster = shape.skewed and shape.degree > _PUSH_DEGREE_MAX and shape.vertices > _PULL_VERTICES_MIN
    is_crowded = shape.arcs > _CLUSTER_ARCS_MAX and shape.degree > _CLUSTER_DEGREE_MAX
    pushing_is_faster = is_crowded and shape.weight_min < shape.weight_max
    if request.sources >= _SOURCES_MIN or request.preparation == "none" or pulling_is_faster or pushing_is_faster:
        return False
    return _cluster_fits(request) and _has_clusters(request.device)


def _parts_fit(request: _Request) -> bool:
    from ..one_source.borders.borders import fits

    graph, levels = request.graph, request.depth.levels
    return request.resident.fact("fits parts", lambda: fits(graph, levels))


def _separators_are_small(request: _Request) -> bool:
    from ..many_sources.sweep._elimination import has_small_separators

    return request.resident.fact("small separators", lambda: has_small_separators(request.graph))


def _sweep_is_fast(request: _Request) -> bool:
    sources_min = (
        _SOURCES_MIN_SWEEP_LARGE
        if request.graph.vertices > _LARGE_VERTICES
        else 1
        if request.preparation == "all" and request.table and not request.graph.has_floats
        else _SOURCES_MIN_SWEEP_ONE_CALL
        if request.preparation != "all"
        else _SOURCES_MIN_SWEEP_FLOATS
        if request.graph.has_floats
        else _SOURCES_MIN_SWEEP
    )
    wanted = request.sources >= sources_min and request.depth.is_deep and not request.shape.negative
    return wanted and _separators_are_small(request)


def _borders_are_fast(request: _Request) -> bool:
    shape = request.shape
    if shape.vertices <= _BORDERS_VERTICES_MIN:
        return False
    if request.preparation != "all" and not _a_call_pays_for_borders(request):
        return False
    depth = request.depth
    if not (depth.relative >= _BORDERS_DEPTH_MIN or shape.degree <= _TREE_DEGREE_MAX):
        return False
    if request.graph.has_floats and depth.levels < _BORDERS_LEVELS_MIN_FLOATS:
        return False
    return _parts_fit(request) and not (_cluster_applies(request) and _cluster_is_fast(request))


def _cluster_is_fast(request: _Request) -> bool:
    """Whether a cluster of blocks takes less time than partition.borders."""
    shape, level_us = request.shape, CLUSTER_US_PER_LEVEL
    if shape.weight_min < shape.weight_max:
        level_us += _CLUSTER_US_PER_LEVEL_OF_WEIGHTS + _CLUSTER_US_PER_LEVEL_DEGREE_AND_ARC * shape.degree * shape.arcs
    other_us = _BORDERS_US + _BORDERS_US_PER_DEGREE * shape.degree + _BORDERS_US_FOR_FLOATS * request.graph.has_floats
    return level_us * request.depth.levels < other_us


def _a_call_pays_for_borders(request: _Request) -> bool:
    """Whether preparation takes less time than a call without it, as on chains."""
    level_us = request.sources * (_US_PER_LEVEL_IN_CLUSTER if _cluster_applies(request) else _US_PER_LEVEL)
    preparation_us = borders_us(request.graph)
    may_pay = level_us * request.graph.vertices / 2 > preparation_us  # for a path from its middle
    return request.long_paths and may_pay and level_us * request.depth.levels > preparation_us


def borders_suit(resident: Resident) -> bool:
    """Whether partition.borders is fast in calls from one source once it is prepared."""
    return _borders_are_fast(_Request(resident, 1, "all"))


def borders_us(graph: Graph) -> float:
    """Microseconds of preparation for partition.borders, on graphs of many levels."""
    return (
        _BORDERS_PREPARATION_US
        + _BORDERS_PREPARATION_US_PER_VERTEX * graph.vertices
        + _BORDERS_PREPARATION_US_PER_ARC * graph.arcs
    )


def _pushing_suffices(request: _Request) -> bool:
    shape = request.shape
    if request.preparation != "all":
        return shape.degree <= _PUSH_DEGREE_MAX_FEW_CALLS and not shape.skewed
    degree_max = _PUSH_DEGREE_MAX if shape.arcs > _PUSH_ARCS_MAX_SMALL else _PUSH_DEGREE_MAX_SMALL
    if not _TREE_DEGREE_MAX < shape.degree <= degree_max or shape.skewed:
        return False
    return shape.arcs <= _PUSH_ARCS_MAX or request.depth.relative > _PULL_DEPTH_MAX


def _sorts_at_once(request: _Request) -> bool:
    """Whether a first call from one source sorts the arcs, because a later call that did would take very long."""
    return request.graph.arcs > _SORTED_AT_ONCE_ARCS_MIN and request.shape.skewed


def needs_no_compiler(graph: Graph, sources: int) -> bool:
    """Whether plain Python solves this before the code of Numba is loaded."""
    return sources * (graph.vertices + graph.arcs) <= UNCOMPILED_STEPS_MAX


def _batch_is_fast(request: _Request) -> bool:
    if request.sources < _SOURCES_MIN_BATCH or request.depth.is_deep:
        return False
    sources_min = (
        _SOURCES_MIN_BATCH_TREE
        if _borders_are_fast(request)
        else _SOURCES_MIN_BATCH_UNSORTED
        if request.preparation != "all" and _pushing_suffices(request)
        else _SOURCES_MIN_BATCH
    )
    return request.sources >= sources_min


BORDERS = Candidate("partition", "borders", "long paths as on roads, and preparation for them pays")
SMALL = Candidate("dijkstra", "small", "so few vertices and arcs that Numba is not worth loading")

_FROM_SOURCES: _Rules = (
    (
        lambda request: request.graph.weight_min < 0,
        Candidate("label_correcting", "four_arcs", "some weights are negative"),
    ),
    (
        lambda request: request.preparation == "none" and not _sorts_at_once(request),
        Candidate("near_far", "queue", "the first call from one source, which may be the last, prepares nothing"),
    ),
    (
        lambda request: request.sources >= _SOURCES_MIN and not request.depth.is_deep and _core_fits(request),
        Candidate(
            "sparse_all_pairs", "narrow", "several sources, and a block's shared memory holds the distances from one"
        ),
    ),
    (
        _sweep_is_fast,
        Candidate("contraction_hierarchy", "sweep", "many sources or a few targets, and long paths as on roads"),
    ),
    (_batch_is_fast, Candidate("label_correcting", "batch", "many sources, and short paths")),
    (_borders_are_fast, BORDERS),
    (
        _cluster_applies,
        Candidate("label_correcting", "cluster", "the shared memory of one cluster of blocks holds the distances"),
    ),
    (
        lambda request: _pushing_suffices(request) or request.depth.is_deep,
        Candidate("near_far", "queue", "no vertex with very many arcs, or long paths"),
    ),
    (lambda request: True, Candidate("near_far", "whole_grid", "short paths")),
)

_ON_CPU: _Rules = (
    (lambda request: request.graph.weight_min < 0, Candidate("bellman_ford", "queue", "some weights are negative")),
    (lambda request: needs_no_compiler(request.graph, request.sources), SMALL),
    (lambda request: True, Candidate("dijkstra", "heap", "no weight is negative")),
)

_ALL_PAIRS: _Rules = (
    (
        lambda request: request.shape.negative and _all_sums_fit(request.graph),
        Candidate("floyd_warshall", "lookahead", "some weights are negative"),
    ),
    (
        lambda request: request.shape.negative,
        Candidate(
            "label_correcting", "four_arcs", "some weights are negative, and two paths together may leave 32 bits"
        ),
    ),
    (
        lambda request: request.shape.density < _DENSITY_MIN and _core_fits(request),
        Candidate(
            "sparse_all_pairs", "narrow", "few arcs, and a block's shared memory holds the distances from a source"
        ),
    ),
    (
        lambda request: request.shape.density < _DENSITY_MIN and _sweep_is_fast(request),
        Candidate("contraction_hierarchy", "sweep", "few arcs, and long paths as on roads"),
    ),
    (
        lambda request: request.shape.weight_max * _HEAVY_ARCS_IN_16_BITS < 2**15,
        Candidate("floyd_warshall", "narrow", "many arcs, light enough for distances of 16 bits"),
    ),
    (lambda request: True, Candidate("floyd_warshall", "lookahead", "many arcs")),
)


def are_few(targets: int, sources: int, vertices: int) -> bool:
    """Whether a table for so many targets and sources is faster than whole rows."""
    return (_VERTICES_A_TARGET if sources > 1 else _VERTICES_A_TARGET_OF_ONE) * targets <= vertices


def choose_sssp(
    resident: Resident,
    sources: int,
    preparation: Preparation,
    table: bool = False,
    long_paths: bool = True,
) -> list[Candidate]:
    """Suitable variants for paths from ``sources`` sources, best first.

    ``preparation`` is what the call may make for later calls. ``table``: only distances of a few targets are wanted.
    ``long_paths`` is false if an earlier call from one source has reached many vertices in its first steps.
    A later candidate is used if preparation shows that an earlier one does not support the graph.
    """
    rules = _ON_CPU if resident.device.kind == "cpu" else _FROM_SOURCES
    return _applicable(rules, _Request(resident, sources, preparation, table, long_paths))


def candidates(problem: str, device_kind: str, one_source: bool = False) -> list[tuple[str, str]]:
    """Algorithm and variant of each candidate for the problem "sssp" or "apsp" on a device of this kind.

    With ``one_source``, those for paths from one source to all vertices.
    """
    on_gpu = _ALL_PAIRS if problem == "apsp" else _FROM_SOURCES
    rules = _ON_CPU if device_kind == "cpu" else on_gpu
    names = dict.fromkeys((candidate.algorithm, candidate.variant) for _, candidate in rules)
    return [each for each in names if not (one_source and rules is _FROM_SOURCES and find(*each).many_sources)]


def choose_apsp(resident: Resident) -> list[Candidate]:
    """Suitable variants for all pairs, best first."""
    rules = _ON_CPU if resident.device.kind == "cpu" else _ALL_PAIRS
    return _applicable(rules, _Request(resident, resident.graph.vertices, "all"))


def _applicable(rules: _Rules, request: _Request) -> list[Candidate]:
    found = []
    for applies, candidate in rules:
        if applies(request):
            found.append(candidate)
            if candidate.algorithm in _ALWAYS_SUITABLE:  # further rules may take as long as a small solve
                break
    return found


def drop_solvers(resident: Resident, named: tuple = ()) -> None:
    """Drop the solvers of a graph, or those with a ``Choice.key``."""
    beginning = SOLVER, *named
    for key in [key for key in resident.made if key[: len(beginning)] == beginning]:
        resident.made.pop(key, None)


@dataclass(frozen=True)
class Choice:
    """A variant with its settings, and the reason: "as named", or a property of the graph.

    ``otherwise`` is used instead if preparation shows that the variant does not support the graph.
    """

    configured: Configured
    reason: str
    otherwise: "Choice | None" = None

    @cached_property
    def variant(self) -> Variant:
        return self.configured.variant

    @cached_property
    def name(self) -> str:
        """Algorithm and variant, such as "partition.borders"."""
        return f"{self.variant.algorithm}.{self.variant.name}"

    @cached_property
    def key(self) -> tuple[Any, ...]:
        """The name and the settings."""
        return self.name, *sorted(self.configured.settings.items())

    @property
    def by_rows(self) -> bool:
        """Whether the variant solves from given sources, rather than all pairs at once."""
        return self.variant.problem == "sssp" or self.variant.many_sources

    def solver(self, resident: Resident, predecessors: bool) -> RowSolver:
        """The solver for a graph, made once; one that finds ``predecessors`` also serves those who want none."""
        both = self.variant.many_sources or predecessors or not self.variant.optional_predecessors
        options = {"predecessors": both} if self.variant.optional_predecessors else {}
        key = SOLVER, *self.key, both
        solver = resident.made.get(key)
        if solver is None:
            with Progress("preparing the graph"):
                solver = resident.made[key] = self.configured.solver(resident, **options)
        return cast(RowSolver, solver)


def choose(
    problem: Literal["sssp", "apsp"],
    resident: Resident,
    sources: int,
    preparation: Preparation,
    algorithm: str | None = None,
    variant: str | None = None,
    parameters: Mapping[str, int] | None = None,
    table: bool = False,
    long_paths: bool = True,
) -> Choice:
    """Choose the variant for a graph on a device: the named one, or a suitable one if ``algorithm`` is None.

    Parameters
    ----------
    sources : int
        The number of sources of one call.
    preparation : {"none", "some", "all"}
        What the call may make for later calls: nothing, what a few calls repay, or what many calls repay.
    algorithm, variant, parameters
        Names and parameters from the caller. Without ``variant``, the first one of ``algorithm`` that solves this runs,
        the default before others.
    table : bool
        Distances of a few targets are wanted, without predecessors and certificate.
    long_paths : bool
        False if an earlier call from one source has reached many vertices in its first steps.

    Raises
    ------
    UsageError
        If a name or parameter is unknown, a value is out of range, or the variant solves another problem or needs
        another device.
    """
    device, graph = resident.device, resident.graph
    if algorithm is None:
        if variant is not None or parameters:
            what = "a variant" if variant is not None else "parameters"
            raise UsageError(f"{what} without an algorithm: name the algorithm, too")
        if problem == "sssp":
            candidates = choose_sssp(resident, sources, preparation, table, long_paths or sources > 1)
        else:
            candidates = choose_apsp(resident)
            if graph.has_floats:  # the solvers of dense matrices may not take them
                candidates += choose_sssp(resident, graph.vertices, preparation)
        choice = None
        for candidate in reversed(candidates):
            definition = find(candidate.algorithm, candidate.variant)
            if definition.takes(graph):
                choice = candidate.choice(choice)
        assert choice  # the last rule always applies
        return choice
    definition = variant_for(problem, algorithm, variant)
    _check_device(device, definition)
    is_default = definition.name == families()[algorithm][0]
    reason = "as named" if variant else "its default variant" if is_default else "its first variant that solves this"
    return Choice(definition.configured(parameters), reason)


def choose_closure(device: Device, variant: str | None) -> Variant:
    """The variant for a closure on ``device``: the named one, or the default. Raises UsageError as ``choose`` does."""
    default = _CLOSURE_ON_CPU if device.kind == "cpu" else None
    definition = variant_for("closure", default_algorithm("closure"), variant or default)
    _check_device(device, definition)
    return definition


def _check_device(device: Device, variant: Variant) -> None:
    if device.kind == "cpu" and not variant.on_cpu:
        raise UsageError(
            f"{variant.algorithm} {variant.name} runs on a GPU, which device='simulated' simulates slowly; choose "
            "that, or leave the solver to the library"
        )
