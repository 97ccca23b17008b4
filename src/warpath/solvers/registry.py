"""The variants by name: a list of this library's solvers, and the lists of other distributions.

An entry point of the group ``warpath.variants`` names a list of another distribution. The first entry of an algorithm
is its default. Entries are read without importing variants, some of which import Numba.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from typing import Any

from ..errors import UsageError
from ..system.names import defined, suggestion
from .all_pairs import costs as all_pairs
from .cpu import costs as cpu
from .many_sources import costs as many_sources
from .one_source import costs as one_source
from .variant import PREDECESSORS, Entry, Variant

GROUP = "warpath.variants"


# fmt: off
SOLVERS = (
    Entry("contraction_hierarchy.sweep", "sssp", "warpath.solvers.many_sources.sweep.sweep",
          "up the elimination tree from each source, then down to all vertices, a lane for each source or vertex",
          many_sources.sweep),
    Entry("floyd_warshall.lookahead", "apsp", "warpath.solvers.all_pairs.lookahead",
          "a min-plus product near the chip's limit, the next stage's primary row and column first",
          all_pairs.lookahead),
    Entry("floyd_warshall.narrow", "apsp", "warpath.solvers.all_pairs.narrow",
          "as lookahead, with two lengths of 16 bits a word; 32 bits where the distances do not fit",
          all_pairs.narrow),
    Entry("floyd_warshall.shared_rows", "apsp", "warpath.solvers.all_pairs.shared_rows",
          "as lookahead, with the rows of the matrix shared among the GPUs of a machine"),
    Entry("label_correcting.four_arcs", "sssp", "warpath.solvers.one_source.four_arcs",
          "locality that reads four arcs of a vertex at once",
          one_source.four_arcs),
    Entry("label_correcting.batch", "sssp", "warpath.solvers.many_sources.batch",
          "rounds that pull for 32 or 64 sources at a time, for many sources on graphs of low diameter",
          many_sources.batch),
    Entry("label_correcting.cluster", "sssp", "warpath.solvers.one_source.cluster",
          "one cluster of blocks, arcs in registers and distances in shared memory, for small graphs of low diameter",
          one_source.cluster),
    Entry("near_far.whole_grid", "sssp", "warpath.solvers.one_source.near_far.whole_grid",
          "near-far by all blocks in one launch, for graphs of low diameter with heavy degrees",
          one_source.whole_grid),
    Entry("near_far.queue", "sssp", "warpath.solvers.one_source.near_far.queue",
          "near-far by all blocks in one launch, several hops of a block between barriers, for long paths",
          one_source.queue),
    Entry("partition.borders", "sssp", "warpath.solvers.one_source.borders.borders",
          "from border to border of parts by a table made once a graph, then each part in shared memory",
          one_source.borders),
    Entry("sparse_all_pairs.narrow", "apsp", "warpath.solvers.many_sources.core.narrow",
          "sweeps in shared memory, distances of 16 bits with a guard, whole words where 16 bits are too few",
          many_sources.core),
    Entry("transitive_closure.bitset", "closure", "warpath.solvers.closure.bitset",
          "64 columns a word, three passes over blocks of 64 vertices"),
)
CPU_SOLVERS = (
    Entry("bellman_ford.queue", "sssp", "warpath.solvers.cpu.queue",
          "on the CPU, a queue of the vertices that came nearer; a core for each of several sources",
          cpu.queue),
    Entry("dijkstra.heap", "sssp", "warpath.solvers.cpu.heap",
          "on the CPU, a heap in which distances decrease; a core for each of several sources",
          cpu.heap),
    Entry("dijkstra.small", "sssp", "warpath.solvers.cpu.small",
          "on the CPU, in plain Python, for few vertices and arcs",
          cpu.small),
    Entry("transitive_closure.components", "closure", "warpath.solvers.closure.components",
          "on the CPU, a row of bits for each strongly connected component"),
)
# fmt: on
"""These come after the lists of other distributions: without a variant's name, an algorithm runs on the device."""

# An algorithm for each problem. Messages about other problems suggest it.
_DEFAULT_ALGORITHMS = {"sssp": "label_correcting", "apsp": "floyd_warshall", "closure": "transitive_closure"}
_PROBLEM_TITLES = {"sssp": "paths from one source", "apsp": "all pairs", "closure": "the transitive closure"}


@cache
def entries() -> tuple[Entry, ...]:
    """All variants, each name once."""
    from importlib.metadata import entry_points  # takes longer than most of this module's work

    others = [entry for point in sorted(entry_points(group=GROUP)) for entry in defined(point.module, point.attr)]
    listed: dict[str, Entry] = {}
    for entry in (*SOLVERS, *others, *CPU_SOLVERS):
        listed.setdefault(entry.name, entry)
    return tuple(listed.values())


@cache
def families() -> dict[str, tuple[str, ...]]:
    """The names of all algorithms, sorted, each with the names of its variants, the default first."""
    algorithms = sorted({entry.algorithm for entry in entries()})
    return {name: tuple(entry.variant for entry in entries() if entry.algorithm == name) for name in algorithms}


@cache
def find(algorithm: str, name: str) -> Variant:
    """The variant ``name`` of ``algorithm``. Raises UsageError with similar names if it does not exist."""
    if variant := find_in(entries(), algorithm, name):
        return variant
    known = families()
    if algorithm not in known:
        raise UsageError(f"unknown algorithm {algorithm!r}; {suggestion(algorithm, known)}")
    raise UsageError(f"{algorithm} has no variant {name!r}; {suggestion(name, sorted(known[algorithm]))}")


def find_in(listed: Iterable[Entry], algorithm: str, name: str) -> Variant | None:
    """The variant ``name`` of ``algorithm`` in a list; None if there is none."""
    for entry in listed:
        if (entry.algorithm, entry.variant) == (algorithm, name):
            variant: Variant = defined(entry.module, "VARIANT")
            extra = {"predecessors": PREDECESSORS} if variant.optional_predecessors else {}
            return replace(
                variant,
                algorithm=algorithm,
                name=name,
                problem=entry.problem,
                summary=entry.summary,
                parameters={**variant.parameters, **extra},
            )
    return None


def variants(problem: str | None = None) -> list[Variant]:
    """All variants, or those of one problem, in alphabetical order."""
    named = sorted((entry.algorithm, entry.variant) for entry in entries() if problem in (None, entry.problem))
    return [find(algorithm, name) for algorithm, name in named]


def default_algorithm(problem: str) -> str:
    """The algorithm that messages suggest for ``problem``: "sssp", "apsp" or "closure"."""
    return _DEFAULT_ALGORITHMS[problem]


def solving(problem: str, algorithm: str, variant: str | None = None) -> Variant | None:
    """The ``variant`` of ``algorithm`` if it solves ``problem``; without a name, the first that does.

    A variant for many sources solves both "sssp" and "apsp". Raises UsageError if a name is unknown.
    """
    for name in [variant] if variant else families().get(algorithm, ("",)):
        definition = find(algorithm, name)
        if definition.problem == problem or (definition.many_sources and problem in ("sssp", "apsp")):
            return definition
    return None


def variant_for(problem: str, algorithm: str, variant: str | None = None) -> Variant:
    """As ``solving``. Raises UsageError if there is none."""
    found = solving(problem, algorithm, variant)
    if found:
        return found
    definition = find(algorithm, variant or families()[algorithm][0])
    other = solving(problem, algorithm)
    title = _PROBLEM_TITLES.get(definition.problem, definition.problem)
    raise UsageError(
        f"{algorithm}{f' {variant}' if variant else ''} solves {title}, not {_PROBLEM_TITLES[problem]}; "
        f"{f'{algorithm} {other.name}' if other else default_algorithm(problem)} does"
    )


def check_names(algorithm: Any, variant: Any) -> None:
    """Raise UsageError unless each is a string or None."""
    for what, name in (("algorithm", algorithm), ("variant", variant)):
        if name is not None and not isinstance(name, str):
            raise UsageError(f"{what}={name!r} is not a string; `warpath list variants` prints the names")
