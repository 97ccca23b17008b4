"""Variants that a caller names, for a problem: "sssp", "apsp" or "closure"."""

from typing import Any

from ..errors import UsageError
from .registry import Variant, default_of, families, find

# An algorithm for each problem. Messages about other problems suggest it.
_DEFAULT_ALGORITHMS = {"sssp": "label_correcting", "apsp": "floyd_warshall", "closure": "transitive_closure"}
_PROBLEM_TITLES = {"sssp": "paths from one source", "apsp": "all pairs", "closure": "the transitive closure"}


def default_algorithm(problem: str) -> str:
    """The algorithm that messages suggest for ``problem``: "sssp", "apsp" or "closure"."""
    return _DEFAULT_ALGORITHMS[problem]


def default_variant(algorithm: str) -> str:
    """The default variant of ``algorithm``; the first in alphabetical order if its package names none."""
    return default_of(algorithm) or families().get(algorithm, ("",))[0]


def solving(problem: str, algorithm: str, variant: str | None = None) -> Variant | None:
    """The ``variant`` of ``algorithm`` if it solves ``problem``; without a name, the default or the first that does.

    A variant for many sources solves both "sssp" and "apsp". Raises UsageError if a name is unknown.
    """
    default = variant or default_variant(algorithm)
    for name in [default] if variant else [default, *families().get(algorithm, ())]:
        definition = find(algorithm, name)
        if definition.problem == problem or (definition.many_sources and problem in ("sssp", "apsp")):
            return definition
    return None


def variant_for(problem: str, algorithm: str, variant: str | None = None) -> Variant:
    """As ``solving``. Raises UsageError if there is none."""
    found = solving(problem, algorithm, variant)
    if found:
        return found
    definition = find(algorithm, variant or default_variant(algorithm))
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
