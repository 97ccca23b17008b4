"""What a claim's function in ``views.py`` gets and returns: the runs of a group, and quantities computed from them.

A quantity is a number, or a series of numbers by row or by value of a parameter. Each number knows the runs it was
computed from and the runs that are missing, so that a claim can name them. A number with a missing run has no value,
and neither has anything computed from it. ``+ - * / **`` calculate with quantities and plain numbers, of a series key
by key.
"""

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, linear_regression
from typing import Any

from warpath.names import check_known

from ..record import WITHOUT_TIME, parse_run
from ..works.works import RunRequest
from .labels import each, plain_number
from .runs import Cell

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
        return replace(self, notes=tuple(each([*self.notes, note])))

    def lacks_only(self, *statuses: str) -> bool:
        """Whether all that it lacks are runs that ended without a time, with one of ``statuses`` if given."""
        endings = tuple(f" ({WITHOUT_TIME[status]})" for status in statuses or WITHOUT_TIME)
        return bool(self.missing) and all(name.endswith(endings) for name in self.missing)


@dataclass(frozen=True)
class Series(Quantity):
    """A number for each key: for each row, or for each value of a parameter.

    ``of`` says what the keys are, ``row`` or the parameter's name; ``known`` are all keys of any suite. ``sizes`` are
    the numbers of vertices of rows, as far as known. ``printed`` says that the numbers are those that a work prints.
    """

    of: str
    numbers: Mapping[str, Number]
    known: Sequence[str] = field(repr=False)
    sizes: Mapping[str, int] = field(default_factory=dict, repr=False)
    printed: bool = False

    @property
    def complete(self) -> bool:
        """Whether there are numbers and each has a value."""
        return bool(self.numbers) and len(self.values) == len(self.numbers)

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
        largest = numbers[key].noted(f"at {self.sizes[key]:,} vertices")
        if not self.complete or len(numbers) < 2:
            return largest
        least, most = (plain_number(pick(self.values.values()), 4) for pick in (min, max))
        return largest.noted(f"{least} to {most} over {len(numbers)} rows")

    def slope(self) -> Number:
        """The exponent p if the numbers grow as vertices ** p."""
        self._check_rows()
        sizes = [self.sizes[key] for key in self.numbers if key in self.sizes]
        return combined(self.numbers.values(), lambda *values: slope(sizes, values))

    def min(self) -> Number:
        """The least number; a note gives its key."""
        return self._picked(min)

    def max(self) -> Number:
        """The greatest number; a note gives its key."""
        return self._picked(max)

    def mean(self) -> Number:
        """The mean of the numbers."""
        return combined(self.numbers.values(), lambda *values: fmean(values))

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

    def _picked(self, pick: Callable[..., str]) -> Number:
        """The number that ``pick`` selects by value. It uses the runs of the whole series; a note gives its key."""
        every = combined(self.numbers.values(), lambda *values: values[0])
        if not self.complete:
            return every
        key = pick(self.values, key=self.values.__getitem__)
        return replace(self.numbers[key], used=every.used, missing=()).noted(f"at {self._spelled(key)}")

    def _spelled(self, key: str) -> str:
        """A key for a reader: a row's name, or ``k = 4``."""
        return key if self.of == ROW else f"{self.of.replace('_', ' ')} = {key}"

    def _check_rows(self) -> None:
        if self.of != ROW:
            raise ValueError(f"a quantity by {self.of} has no number of vertices")


@dataclass(frozen=True)
class ClaimedRuns:
    """The runs of a group in one suite, by row and column.

    A column has its name in ``work.yaml``, or that name without the algorithm, or the name of its variant if each row
    has only one run of it. ``best`` and ``first`` take all columns of a variant.

    A claim may name any of ``rows`` and ``columns``, which are those of all suites. ``asked`` are the runs of this
    suite; ``cells`` are the measured ones, by row and name of the run. ``printed`` says that these are the times that
    the work prints.
    """

    rows: Sequence[str]
    columns: Sequence[str]
    asked: Sequence[RunRequest] = ()
    cells: Mapping[tuple[str, str], Cell] = field(default_factory=dict, repr=False)
    printed: bool = False

    def seconds(self, column: str) -> Series:
        """The time of a column in each row, in seconds."""
        return self.fact("seconds", column)

    def fact(self, name: str, column: str) -> Series:
        """A fact of the table of runs of a column, in each row."""
        found: dict[str, Number] = {}
        for run in self._named(column):
            if run.row in found:
                raise ValueError(
                    f"{column!r} names several runs of the row {run.row}; give its parameters, as in work.yaml"
                )
            found[run.row] = self._number(run, name)
        return self._of_rows(found)

    def best(self, *columns: str) -> Series:
        """The least time of the columns named, in each row."""
        found = {}
        for row, of_row in self._times(columns).items():
            short = {column.partition(".")[2]: number for column, number in of_row.items()}
            found[row] = _least(short, "{} is the fastest")
        return self._of_rows(found)

    def first(self, *columns: str) -> Series:
        """The time of the first of the columns, in each row; one that is not available leaves it to the next."""
        found = {row: list(of_row.values()) for row, of_row in self._times(columns).items()}
        return self._of_rows(
            {row: next((one for one in of if not one.lacks_only("missing")), of[0]) for row, of in found.items()}
        )

    def by(self, parameter: str, variant: str, base: str, **others: int) -> Series:
        """For each value of a parameter, the time of ``variant`` over that of ``base``, mean of the rows.

        The other parameters are at their best, or as given in ``others``.
        """
        bases = self.seconds(base)
        known = [parse_run(column)[2] for column in self.columns if _matches(variant, column)]
        check_known("parameter", [parameter, *others], {name for asked in known for name in asked})
        times: dict[int, dict[str, list[Number]]] = {}
        for run in self._named(variant):
            if parameter in run.parameters and all(run.parameters.get(name) == value for name, value in others.items()):
                rest = [f"{name}={value}" for name, value in parse_run(run.column)[2].items() if name != parameter]
                relative = combined([self._number(run, "seconds"), bases.at(run.row)], operator.truediv)
                times.setdefault(run.parameters[parameter], {}).setdefault(",".join(rest), []).append(relative)
        found = {}
        for value, of_value in sorted(times.items()):
            means = {rest: combined(of_rest, lambda *many: fmean(many)) for rest, of_rest in of_value.items()}
            found[str(value)] = _least(means, "with {}")
        return Series(parameter, found, [str(asked[parameter]) for asked in known if parameter in asked])

    def _of_rows(self, numbers: Mapping[str, Number]) -> Series:
        sizes = {row: cell.vertices for (row, _), cell in reversed(list(self.cells.items())) if cell.vertices}
        return Series(ROW, numbers, self.rows, sizes, self.printed)

    def _times(self, columns: Sequence[str]) -> dict[str, dict[str, Number]]:
        """For each row the seconds of its runs, in the order of ``columns``."""
        found: dict[str, dict[str, Number]] = {}
        for run in dict.fromkeys(run for column in columns for run in self._named(column)):
            found.setdefault(run.row, {})[run.column] = self._number(run, "seconds")
        return found

    def _number(self, run: RunRequest, name: str) -> Number:
        cell = self.cells.get((run.row, run.run))
        used = frozenset([(run.row, run.run)])
        if cell is None:
            return Number(None, missing=(f"{run.dataset} {run.column}",))
        if cell.status in WITHOUT_TIME:
            return Number(None, used, (f"{run.dataset} {run.column} ({WITHOUT_TIME[cell.status]})",))
        value = cell.fact(name)
        if isinstance(value, str) and value:
            raise ValueError(f"the fact {name!r} of a run is text and no number")
        if value is None or value == "":
            return Number(None, missing=(f"{name} of {run.dataset} {run.column}",))
        return Number(float(value), used)

    def _named(self, name: str) -> list[RunRequest]:
        """The runs of this suite that ``name`` refers to."""
        if not any(_matches(name, column) for column in self.columns):
            short = [column.partition(".")[2] for column in self.columns]
            check_known("column", [name], dict.fromkeys([*(column.partition(".")[0] for column in short), *short]))
        return [run for run in self.asked if _matches(name, run.column)]


def combined(numbers: Iterable[Number], function: Callable[..., float]) -> Number:
    """``function`` of all the values; no value if one of them is missing. It uses the runs of all numbers."""
    numbers = list(numbers)
    if not numbers:
        return Number(None, missing=("any run of it among those of this suite",))
    used = frozenset().union(*(number.used for number in numbers))
    missing = tuple(each(name for number in numbers for name in number.missing))
    notes = tuple(each(note for number in numbers for note in number.notes))
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
    quantities = [one if isinstance(one, Number | Series) else Number(float(one)) for one in operands]
    series = [quantity for quantity in quantities if isinstance(quantity, Series)]
    if not series:
        return combined([quantity for quantity in quantities if isinstance(quantity, Number)], function)
    if len({one.of for one in series}) > 1:
        raise ValueError("one side has a value for each row and the other one for each value of a parameter")
    at_key = {
        key: combined([one.numbers[key] if isinstance(one, Series) else one for one in quantities], function)
        for key in series[0].numbers
        if all(key in one.numbers for one in series)
    }
    known = [key for key in series[0].known if all(key in one.known for one in series)]
    return replace(series[0], numbers=at_key, known=known)


def slope(sizes: Iterable[float], values: Iterable[float]) -> float:
    """The exponent p of the power law ``value = c * size ** p`` that fits best, by least squares of the logarithms.

    Raises ValueError for fewer than two different sizes, or one that is not positive.
    """
    x, y = ([math.log(number) for number in numbers] for numbers in (sizes, values))
    return linear_regression(x, y).slope


def _least(numbers: Mapping[str, Number], note: str) -> Number:
    """The least of ``numbers``. It depends on all of them, except runs that gave no time: too large, wrong, missing."""
    fit = {name: number for name, number in numbers.items() if not number.lacks_only()} or numbers
    least = combined(fit.values(), lambda *values: min(values))
    if least.value is None or len(numbers) == 1:
        return least
    name = next(name for name, number in fit.items() if number.value == least.value)
    return replace(least, notes=fit[name].notes).noted(note.format(name))


def _matches(name: str, column: str) -> bool:
    short = column.partition(".")[2]
    return name in (column, short, short.partition(".")[0])
