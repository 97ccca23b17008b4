"""Quantities: what a claim computes from runs, which is a number or a series of numbers.

Each number knows the runs it was computed from and the runs that are missing, so that a claim can name them. A number
with a missing run has no value, and neither has anything computed from it. ``+ - * / **`` calculate with quantities and
plain numbers, of a series key by key.
"""

import math
import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any

from warpath.names import check_known

from .labels import plain_number

ROW = "row"


def _both_ways(function: Callable[..., float]) -> tuple[Callable[..., "Quantity"], Callable[..., "Quantity"]]:
    """The methods ``self + other`` and ``other + self`` of an operator."""
    return (
        lambda self, other: calculated(function, self, other),
        lambda self, other: calculated(function, other, self),
    )


class Quantity:
    """A ``Number`` or a ``Series``."""

    __add__, __radd__ = _both_ways(operator.add)
    __sub__, __rsub__ = _both_ways(operator.sub)
    __mul__, __rmul__ = _both_ways(operator.mul)
    __truediv__, __rtruediv__ = _both_ways(operator.truediv)
    __pow__, __rpow__ = _both_ways(operator.pow)


@dataclass(frozen=True)
class Number(Quantity):
    """``used`` are the runs behind it, each a row and the run's name; ``missing`` names the runs that it lacks."""

    value: float | None
    used: frozenset[tuple[str, str]] = frozenset()
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def noted(self, note: str) -> "Number":
        """The same number with one more note for readers."""
        return replace(self, notes=_once([*self.notes, note]))


@dataclass(frozen=True)
class Series(Quantity):
    """A number for each key: for each row, or for each value of a parameter.

    ``of`` says what the keys are, ``row`` or the parameter's name; ``known`` are all keys of any suite. ``sizes`` are
    the numbers of vertices of rows, as far as known. ``printed`` says that the numbers are those that a work prints.
    """

    of: str
    numbers: Mapping[str, Number]
    known: tuple[str, ...] = field(repr=False)
    sizes: Mapping[str, float] = field(default_factory=dict, repr=False)
    printed: bool = False

    @property
    def complete(self) -> bool:
        """Whether there are numbers and each has a value."""
        return bool(self.numbers) and all(number.value is not None for number in self.numbers.values())

    @property
    def values(self) -> dict[str, float]:
        """The values of all numbers that have one, by key."""
        return {key: number.value for key, number in self.numbers.items() if number.value is not None}

    def only(self, *keys: str) -> "Series":
        """The series at these keys alone."""
        return replace(self, numbers={key: self.at(key) for key in keys}, known=keys)

    def at(self, key: str) -> Number:
        """The number at one key."""
        check_known(self.of.replace("_", " "), [key], self.known)
        return self.numbers.get(key, Number(None, missing=(f"a run for {self._spelled(key)}",)))

    def largest(self) -> Number:
        """The number in the row with the most vertices; of printed numbers, among the rows that have one.

        A note gives the range over all rows.
        """
        self._check_rows()
        numbers = {key: self.numbers[key] for key in self.values} if self.printed else self.numbers
        unknown = [number for key, number in numbers.items() if key not in self.sizes]
        if unknown or not numbers:
            return combined(unknown, max)
        key = max(numbers, key=self.sizes.__getitem__)
        largest = numbers[key].noted(f"at {self.sizes[key]:,.0f} vertices")
        if not self.complete or len(numbers) < 2:
            return largest
        least, most = (plain_number(pick(self.values.values()), 4) for pick in (min, max))
        return largest.noted(f"{least} to {most} over {len(numbers)} rows")

    def slope(self) -> Number:
        """The exponent p if the numbers grow as vertices ** p."""
        self._check_rows()
        sizes = [self.sizes[key] for key in self.numbers if key in self.sizes]
        return self._reduced(lambda *values: slope(sizes, values))

    def min(self) -> Number:
        """The least number; a note gives its key."""
        return self._picked(min)

    def max(self) -> Number:
        """The greatest number; a note gives its key."""
        return self._picked(max)

    def mean(self) -> Number:
        """The mean of the numbers."""
        return self._reduced(lambda *values: fmean(values))

    def least_at(self) -> Number:
        """The key with the least number; keys must be numbers."""
        least = self._picked(min)
        if least.value is None:
            return least
        key = min(self.values, key=self.values.__getitem__)
        try:
            return Number(float(key), least.used, (), self.numbers[key].notes)
        except ValueError:
            raise ValueError(f"least_at() needs keys that are numbers; {key!r} is none") from None

    def _reduced(self, function: Callable[..., float]) -> Number:
        """One number computed from all numbers."""
        return combined(self.numbers.values(), function)

    def _picked(self, pick: Callable[..., str]) -> Number:
        """The number that ``pick`` selects by value. It uses the runs of the whole series; a note gives its key."""
        every = self._reduced(lambda *values: values[0])
        if not self.complete:
            return every
        key = pick(self.values, key=self.values.__getitem__)
        number = self.numbers[key]
        return Number(number.value, every.used, (), number.notes).noted(f"at {self._spelled(key)}")

    def _spelled(self, key: str) -> str:
        """A key for a reader: a row's name, or ``k = 4``."""
        return key if self.of == ROW else f"{self.of.replace('_', ' ')} = {key}"

    def _check_rows(self) -> None:
        if self.of != ROW:
            raise ValueError(f"a quantity by {self.of} has no number of vertices")


def combined(numbers: Iterable[Number], function: Callable[..., float]) -> Number:
    """``function`` of all the values; no value if one of them is missing. It uses the runs of all numbers."""
    numbers = list(numbers)
    if not numbers:
        return Number(None, missing=("any run of it among those of this suite",))
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


def calculated(function: Callable[..., float], *operands: Any) -> Number | Series:
    """``function`` of quantities and plain numbers, key by key if some are series; a number is the same at each key.

    Raises ValueError if two series have keys of different kinds.
    """
    quantities = [each if isinstance(each, Number | Series) else Number(float(each)) for each in operands]
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
    return replace(series[0], numbers=at_key, known=known)


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
