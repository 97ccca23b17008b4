"""What may be said about a graph, ``Graph.about``: every part of it that this package reads has the type it expects."""

from typing import Any

from ..errors import GraphError

_SCALE_MAX = 2**30
_WORDS = ("format", "origin", "dataset", "title", "derived_from", "generator")
_KINDS = ("given", "random", "unit")


def check_about(about: Any) -> None:
    """Raise GraphError if ``about`` is no mapping of text to JSON values, or says something of the wrong type."""
    if not isinstance(about, dict):
        raise GraphError(f"about is a {type(about).__name__}; it must be a mapping")
    for name in about:
        if not isinstance(name, str):
            raise GraphError(f"about has the key {name!r}; a key is a string")
    for name in _WORDS:
        if not isinstance(about.get(name, ""), str | None):
            raise GraphError(f"about[{name!r}] is a {type(about[name]).__name__}; it must be a string")
    weights = about.get("weights", {})
    if not isinstance(weights, dict):
        raise GraphError(f"about['weights'] is a {type(weights).__name__}; it must be a mapping")
    if weights.get("kind", "given") not in _KINDS:
        raise GraphError(f"about['weights']['kind'] is {weights['kind']!r}; it must be one of {', '.join(_KINDS)}")
    for name in ("seed", "min", "max") if weights.get("kind") == "random" else ():
        if not _is_whole(weights.get(name)):
            raise GraphError(f"about['weights'][{name!r}] is {weights.get(name)!r}; it must be a whole number")
    if not isinstance(weights.get("like", ""), str):
        raise GraphError(f"about['weights']['like'] is a {type(weights['like']).__name__}; it must be a string")
    scale = weights.get("scale", 1)
    if not _is_whole(scale) or not 1 <= scale <= _SCALE_MAX:
        raise GraphError(f"about['weights']['scale'] is {scale!r}; it must be a whole number from 1 to {_SCALE_MAX}")


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
