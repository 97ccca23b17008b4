"""What runs where the caller names no algorithm, or no variant: one table for the library and the command line."""

from ..errors import UsageError
from .registry import Variant, families, find

_ALGORITHMS = {"sssp": "label_correcting", "apsp": "floyd_warshall", "closure": "transitive_closure"}
_VARIANTS = {
    "bellman_ford": "stride_flag",
    "blocked_all_pairs": "register_blocked",
    "dijkstra": "naive",
    "floyd_warshall": "staged",
    "label_correcting": "locality",
    "matrix_path": "frontier",
    "transitive_closure": "bitset",
}
_SAYS = {"sssp": "paths from one source", "apsp": "all pairs", "closure": "the transitive closure", "grid": "matrices"}


def default_algorithm(problem: str) -> str:
    """The algorithm for ``problem``: "sssp", "apsp" or "closure"."""
    return _ALGORITHMS[problem]


def default_variant(algorithm: str) -> str:
    """The variant of ``algorithm`` that runs where none is named; the first one of a family that has no default."""
    return _VARIANTS.get(algorithm) or families().get(algorithm, ("",))[0]


def chosen_variant(problem: str, algorithm: str | None = None, variant: str | None = None) -> Variant:
    """The variant for ``problem``, by what the caller names.

    Raises UsageError for unknown names, and where the named one solves another problem.
    """
    algorithm = algorithm or default_algorithm(problem)
    definition = find(algorithm, variant or default_variant(algorithm))
    if definition.problem == problem:
        return definition
    others = sorted({other.problem for other in (find(algorithm, name) for name in families()[algorithm])})
    if problem in others:
        fitting = [name for name in families()[algorithm] if find(algorithm, name).problem == problem]
        advice = f"{algorithm} {fitting[0]} does"
    else:
        advice = f"{default_algorithm(problem)} does"
    named = f"{algorithm} {variant}" if variant else algorithm
    raise UsageError(f"{named} solves {_SAYS[definition.problem]}, not {_SAYS[problem]}; {advice}")
