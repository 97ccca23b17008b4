"""Parameters of variants: whole numbers that a work varies in its experiments, such as vertices per thread."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import UsageError
from ..names import suggestion


@dataclass(frozen=True)
class Parameter:
    """What a parameter means, its default, and its range: ``low`` to ``high``, both included."""

    meaning: str
    default: int
    low: int
    high: int = 2**31 - 1


def chosen(owner: str, parameters: Mapping[str, Parameter], given: Mapping[str, int]) -> dict[str, int]:
    """A value for each of ``parameters``: the one ``given``, else its default.

    Raises UsageError, naming ``owner``, for a parameter that it does not have and for a value out of range.
    """
    for name, value in given.items():
        if name not in parameters:
            known = suggestion(name, parameters) if parameters else "it has none"
            raise UsageError(f"{owner} has no parameter {name!r}; {known}")
        low, high = parameters[name].low, parameters[name].high
        if not low <= value <= high:
            raise UsageError(f"{name} of {owner} must be a whole number from {low} to {high}, not {value}")
    return {name: given.get(name, parameter.default) for name, parameter in parameters.items()}


def pairs(given: Any) -> tuple[tuple[str, int], ...]:
    """Names and values of a mapping, sorted, none of None; UsageError unless it maps names to whole numbers."""
    if given is None:
        return ()
    sound = isinstance(given, Mapping) and all(
        isinstance(name, str) and isinstance(value, (int, np.integer)) and not isinstance(value, bool)
        for name, value in given.items()
    )
    if not sound:
        raise UsageError(f"parameters map names to whole numbers, as {{'k': 4}} does, not {given!r}")
    return tuple(sorted((name, int(value)) for name, value in given.items()))


def parse(text: str) -> dict[str, int]:
    """``"k=3,vertices_per_thread=2"`` as a mapping. Raises UsageError for anything else."""
    values: dict[str, int] = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        try:
            number = int(value)
        except ValueError:
            number = None
        if number is None or not name.isidentifier() or name in values:
            raise UsageError(f"parameters {text!r}: expected NAME=WHOLE_NUMBER, each once, joined by commas")
        values[name] = number
    return values
