"""Quantities: the value of an expression over runs, which is a number or a series of numbers.

Each number knows the runs it was computed from and the runs that are missing, so that a claim can name them. A number
with a missing run has no value, and neither has anything computed from it.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

ROW = "row"


@dataclass(frozen=True)
class Number:
    """``used`` are the runs behind it, each a row and the run's name; ``missing`` names the runs that it lacks."""

    value: float | None
    used: frozenset[tuple[str, str]] = frozenset()
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def noted(self, note: str) -> "Number":
        """The same number with one more note for readers."""
        return replace(self, notes=_once([*self.notes, note]))


@dataclass(frozen=True)
class Series:
    """A number for each key: for each row, or for each value of a parameter.

    ``of`` says what the keys are, ``row`` or the parameter's name; ``known`` are all keys of any suite.
    """

    of: str
    numbers: Mapping[str, Number]
    known: tuple[str, ...] = field(repr=False)

    def map(self, function: Callable[[Number], Number]) -> "Series":
        """The series with ``function`` applied to each number."""
        return replace(self, numbers={key: function(number) for key, number in self.numbers.items()})

    @property
    def complete(self) -> bool:
        """Whether there are numbers and each has a value."""
        return bool(self.numbers) and all(number.value is not None for number in self.numbers.values())

    @property
    def values(self) -> dict[str, float]:
        """The values of all numbers that have one, by key."""
        return {key: number.value for key, number in self.numbers.items() if number.value is not None}


Quantity = Number | Series


def combined(numbers: Iterable[Number], function: Callable[..., float]) -> Number:
    """``function`` of all the values; no value if one of them is missing. It uses the runs of all numbers."""
    numbers = list(numbers)
    used = frozenset().union(*(number.used for number in numbers))
    missing = _once(name for number in numbers for name in number.missing)
    notes = _once(note for number in numbers for note in number.notes)
    values = [number.value for number in numbers]
    if missing or None in values:
        return Number(None, used, missing, notes)
    try:
        value = float(function(*values))
    except (ArithmeticError, TypeError, ValueError):  # such as x / 0, 10 ** 400 and (-1) ** 0.5
        value = math.nan
    if not math.isfinite(value):
        return Number(None, used, ("a finite value, as the measured numbers give none",), notes)
    return Number(value, used, (), notes)


def calculated(function: Callable[..., float], *quantities: Quantity) -> Quantity:
    """``function`` of the quantities, key by key if some are series; a number is the same at each key.

    Raises ValueError if two series have keys of different kinds.
    """
    series = [quantity for quantity in quantities if isinstance(quantity, Series)]
    if not series:
        return combined([quantity for quantity in quantities if isinstance(quantity, Number)], function)
    if len({each.of for each in series}) > 1:
        raise ValueError("one side has a value for each row and the other one for each value of a parameter")
    keys = [key for key in series[0].numbers if all(key in each.numbers for each in series)]
    known = tuple(key for key in series[0].known if all(key in each.known for each in series))
    at_key = {
        key: combined([each.numbers[key] if isinstance(each, Series) else each for each in quantities], function)
        for key in keys
    }
    return Series(series[0].of, at_key, known)


def reduced(series: Series, function: Callable[..., float], note: str = "") -> Number:
    """One number computed from all numbers of a series."""
    if not series.numbers:
        return Number(None, missing=("any run of it among those of this suite",))
    number = combined(series.numbers.values(), function)
    return number.noted(note) if note else number


def picked(series: Series, pick: Callable[..., str]) -> Number:
    """The number that ``pick`` selects by value. It uses the runs of the whole series; a note gives its key."""
    every = reduced(series, lambda *values: values[0])
    if not series.complete:
        return every
    key = pick(series.values, key=series.values.__getitem__)
    number = series.numbers[key]
    return Number(number.value, every.used, (), number.notes).noted(f"at {spelled_key(series, key)}")


def spelled_key(series: Series, key: str) -> str:
    """A key for a reader: a row's name, or ``k = 4``."""
    return key if series.of == ROW else f"{series.of.replace('_', ' ')} = {key}"


def slope(sizes: Iterable[float], values: Iterable[float]) -> float:
    """The exponent p of the power law ``value = c * size ** p`` that fits best, by least squares of the logarithms.

    Raises ValueError for fewer than two different sizes, or one that is not positive.
    """
    points = [(math.log(size), math.log(value)) for size, value in zip(sizes, values, strict=True)]
    middle = math.fsum(x for x, _ in points) / len(points)
    height = math.fsum(y for _, y in points) / len(points)
    spread = math.fsum((x - middle) ** 2 for x, _ in points)
    if len({x for x, _ in points}) < 2:
        raise ValueError("a slope needs two different sizes")
    return math.fsum((x - middle) * (y - height) for x, y in points) / spread


def _once(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
