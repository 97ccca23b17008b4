"""Argument and result of a claim's function in ``views.py``: the runs of a group, and quantities computed from them.

A quantity is a number, or a series of numbers by row or by value of a parameter. Each number lists its runs and its
missing runs, so that a claim can name them. A number with a missing run has no value, and nor has a number computed
from it. The operators ``+ - * / **`` take quantities and plain numbers, and treat a series key by key.
"""

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, linear_regression
from typing import Any

from warpath.system.names import check_known

from ..record import WITHOUT_TIME, parse_run
from ..works.works import RunRequest
from .labels import plain_number, unique
from .runs import Run
from .verdicts import ratio_of_medians, took_turns

ROW = "row"


def _operator_methods(function: Callable[..., float]) -> tuple[Callable[..., "Quantity"], Callable[..., "Quantity"]]:
    """The methods for ``self + other`` and ``other + self``."""
    return (
        lambda self, other: calculated(function, self, other),
        lambda self, other: calculated(function, other, self),
    )


class Quantity:
    """A ``Number`` or a ``Series``."""

    __add__, __radd__ = _operator_methods(operator.add)
    __sub__, __rsub__ = _operator_methods(operator.sub)
    __mul__, __rmul__ = _operator_methods(operator.mul)
    __truediv__, __rtruediv__ = _operator_methods(operator.truediv)
    __pow__, __rpow__ = _operator_methods(operator.pow)


@dataclass(frozen=True)
class Number(Quantity):
    """``used`` are the runs, each a row and a run name, that ``value`` is computed from; ``missing`` are run names.

    ``noted`` are further runs, on which the notes rest.
    """

    value: float | None
    used: frozenset[tuple[str, str]] = frozenset()
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    noted: frozenset[tuple[str, str]] = frozenset()

    def with_note(self, note: str) -> "Number":
        return replace(self, notes=tuple(unique([*self.notes, note])))

    def is_untimed(self, *statuses: str) -> bool:
        """Whether runs are missing and all of them ended without a time, with one of ``statuses`` if given."""
        endings = tuple(f" ({WITHOUT_TIME[status]})" for status in statuses or WITHOUT_TIME)
        return bool(self.missing) and all(name.endswith(endings) for name in self.missing)


@dataclass(frozen=True)
class Series(Quantity):
    """A number for each key: for each row, or for each value of a parameter.

    ``key_name`` is ``row`` or the name of the parameter. ``known_keys`` are the keys of all suites. ``sizes`` are known
    numbers of vertices by row. ``printed`` says whether the numbers are published ones.
    """

    key_name: str
    numbers: Mapping[str, Number]
    known_keys: Sequence[str] = field(repr=False)
    sizes: Mapping[str, int] = field(default_factory=dict, repr=False)
    printed: bool = False

    @property
    def complete(self) -> bool:
        return bool(self.numbers) and len(self.values) == len(self.numbers)

    @property
    def values(self) -> dict[str, float]:
        """The existing values by key."""
        return {key: number.value for key, number in self.numbers.items() if number.value is not None}

    def only(self, *keys: str) -> "Series":
        """The series restricted to ``keys``."""
        return replace(self, numbers={key: self.at(key) for key in keys}, known_keys=keys)

    def at(self, key: str) -> Number:
        """The number at one key."""
        check_known(self.key_name.replace("_", " "), [key], self.known_keys)
        return self.numbers.get(key, Number(None, missing=(f"a run for {self._key_label(key)}",)))

    def largest(self) -> Number:
        """The number of the row with the most vertices; if ``printed``, among the rows with a number.

        A note gives the range over all rows.
        """
        self._check_rows()
        numbers = {key: self.numbers[key] for key in self.values} if self.printed else self.numbers
        unknown = [number for key, number in numbers.items() if key not in self.sizes]
        if unknown or not numbers:
            return combined(unknown, max)
        key = max(numbers, key=self.sizes.__getitem__)
        largest = numbers[key].with_note(f"at {self.sizes[key]:,} vertices")
        if not self.complete or len(numbers) < 2:
            return largest
        least, most = (plain_number(pick(self.values.values()), 4) for pick in (min, max))
        every = frozenset().union(*(number.used for number in numbers.values()))
        return replace(largest.with_note(f"{least} to {most} over {len(numbers)} rows"), noted=every)

    def slope(self) -> Number:
        """The exponent p of the growth as vertices ** p."""
        self._check_rows()
        sizes = [self.sizes[key] for key in self.numbers if key in self.sizes]
        return combined(self.numbers.values(), lambda *values: slope(sizes, values))

    def min(self) -> Number:
        """The least number; a note gives its key."""
        return self._extreme(min)

    def max(self) -> Number:
        """The greatest number; a note gives its key."""
        return self._extreme(max)

    def least_at(self) -> Number:
        """The key with the least number; keys must be numbers."""
        least = self._extreme(min)
        if least.value is None:
            return least
        key = min(self.values, key=self.values.__getitem__)
        try:
            return Number(float(key), least.used, (), self.numbers[key].notes)
        except ValueError:
            raise ValueError(f"least_at() needs keys that are numbers, not {key!r}") from None

    def _extreme(self, pick: Callable[..., str]) -> Number:
        """The number that ``pick``, min or max, selects. It uses the runs of the whole series."""
        every = combined(self.numbers.values(), lambda *values: values[0])
        if not self.complete:
            return every
        key = pick(self.values, key=self.values.__getitem__)
        return replace(self.numbers[key], used=every.used, missing=()).with_note(f"at {self._key_label(key)}")

    def _key_label(self, key: str) -> str:
        """The name of a row, or ``k = 4``."""
        return key if self.key_name == ROW else f"{self.key_name.replace('_', ' ')} = {key}"

    def _check_rows(self) -> None:
        if self.key_name != ROW:
            raise ValueError(f"a quantity by {self.key_name} has no number of vertices")


@dataclass(frozen=True)
class ClaimedRuns:
    """The runs of a group in one suite, by row and column.

    The name of a column is its name in ``work.yaml``, with or without the algorithm, or the name of its variant if each
    row has only one run of the variant. ``best`` and ``first`` take all columns of a variant.

    ``rows`` and ``columns`` are the known names of all suites. ``requests`` are the runs of this suite, and ``cells``
    the measured runs by row and run name. ``printed`` says whether the times are published ones.
    """

    rows: Sequence[str]
    columns: Sequence[str]
    requests: Sequence[RunRequest] = ()
    cells: Mapping[tuple[str, str], Run] = field(default_factory=dict, repr=False)
    printed: bool = False

    def seconds(self, column: str) -> Series:
        """The time of a column in each row, in seconds."""
        return self.fact("seconds", column)

    def fact(self, name: str, column: str) -> Series:
        """A value of the table of runs, for a column in each row."""
        numbers: dict[str, Number] = {}
        for run in self._named(column):
            if run.row in numbers:
                raise ValueError(
                    f"{column!r} matches several runs of the row {run.row}; add the parameters, as in work.yaml"
                )
            numbers[run.row] = self._number(run, name)
        return self._of_rows(numbers)

    def best(self, *columns: str) -> Series:
        """The least time of several columns, in each row."""
        numbers = {}
        for row, times in self._times(columns, "seconds").items():
            short = {column.partition(".")[2]: number for column, number in times.items()}
            numbers[row] = _least(short, "{} is the fastest")
        return self._of_rows(numbers)

    def first(self, *columns: str) -> Series:
        """The time of the first available column, in each row."""
        times = {row: list(of_row.values()) for row, of_row in self._times(columns, "seconds").items()}
        return self._of_rows(
            {row: next((time for time in of if not time.is_untimed("missing")), of[0]) for row, of in times.items()}
        )

    def times_as_long(self, columns: Sequence[str], base: str) -> Series:
        """The time from random sources of the fastest of ``columns`` over that of ``base``, in each row.

        The median of the ratios from each source if the runs took turns, and else the ratio of the medians.
        """
        bases, numbers = self.fact("median_s", base), {}
        for row, times in self._times(columns, "median_s").items():
            ratios = {}
            for column, time in times.items():
                pair = time, bases.at(row)
                ratio = combined(pair, operator.truediv)
                runs = [self.cells[key] for one in pair for key in one.used]
                if ratio.value is not None and took_turns(*runs):
                    ratio = replace(ratio, value=ratio_of_medians(*runs).value)
                ratios[column.partition(".")[2]] = ratio
            numbers[row] = _least(ratios, "{} is the fastest")
        return self._of_rows(numbers)

    def by(self, parameter: str, variant: str, base: str, **others: int) -> Series:
        """The time of ``variant`` over the time of ``base``, mean of the rows, by value of a parameter.

        The other parameters have their best values, or the values in ``others``.
        """
        bases = self.seconds(base)
        known = [parse_run(column)[2] for column in self.columns if _matches(variant, column)]
        check_known("parameter", [parameter, *others], {name for parameters in known for name in parameters})
        times: dict[int, dict[str, list[Number]]] = {}
        for run in self._named(variant):
            if parameter in run.parameters and all(run.parameters.get(name) == value for name, value in others.items()):
                rest = [f"{name}={value}" for name, value in parse_run(run.column)[2].items() if name != parameter]
                relative = combined([self._number(run, "seconds"), bases.at(run.row)], operator.truediv)
                times.setdefault(run.parameters[parameter], {}).setdefault(",".join(rest), []).append(relative)
        numbers = {}
        for value, of_value in sorted(times.items()):
            means = {rest: combined(of_rest, lambda *many: fmean(many)) for rest, of_rest in of_value.items()}
            numbers[str(value)] = _least(means, "with {}")
        return Series(parameter, numbers, [str(given[parameter]) for given in known if parameter in given])

    def _of_rows(self, numbers: Mapping[str, Number]) -> Series:
        sizes = {row: cell.vertices for (row, _), cell in reversed(list(self.cells.items())) if cell.vertices}
        return Series(ROW, numbers, self.rows, sizes, self.printed)

    def _times(self, columns: Sequence[str], fact: str) -> dict[str, dict[str, Number]]:
        """The times ``fact`` of the runs of each row, in the order of ``columns``."""
        times: dict[str, dict[str, Number]] = {}
        for run in dict.fromkeys(run for column in columns for run in self._named(column)):
            times.setdefault(run.row, {})[run.column] = self._number(run, fact)
        return times

    def _number(self, run: RunRequest, name: str) -> Number:
        cell = self.cells.get((run.row, run.run))
        used = frozenset([(run.row, run.run)])
        if cell is None:
            return Number(None, missing=(f"{run.dataset} {run.column}",))
        if cell.status in WITHOUT_TIME:
            return Number(None, used, (f"{run.dataset} {run.column} ({WITHOUT_TIME[cell.status]})",))
        value = cell.fact(name)
        if isinstance(value, str) and value:
            raise ValueError(f"the value {name!r} of a run is text, not a number")
        if value is None or value == "":
            return Number(None, missing=(f"{name} of {run.dataset} {run.column}",))
        return Number(float(value), used)

    def _named(self, name: str) -> list[RunRequest]:
        """The runs of this suite that match ``name``."""
        if not any(_matches(name, column) for column in self.columns):
            short = [column.partition(".")[2] for column in self.columns]
            check_known("column", [name], dict.fromkeys([*(column.partition(".")[0] for column in short), *short]))
        return [run for run in self.requests if _matches(name, run.column)]


def combined(numbers: Iterable[Number], function: Callable[..., float]) -> Number:
    """``function`` of all values; no value if one of them is missing."""
    numbers = list(numbers)
    if not numbers:
        return Number(None, missing=("a run in this suite",))
    used = frozenset().union(*(number.used for number in numbers))
    noted = frozenset().union(*(number.noted for number in numbers))
    missing = tuple(unique(name for number in numbers for name in number.missing))
    notes = tuple(unique(note for number in numbers for note in number.notes))
    values = [number.value for number in numbers]
    if missing or None in values:
        return Number(None, used, missing, notes, noted)
    try:
        value = float(function(*values))
    except (ArithmeticError, TypeError, ValueError):  # x / 0, 10 ** 400, (-1) ** 0.5
        value = math.nan
    if not math.isfinite(value):
        return Number(None, used, ("a finite value",), notes, noted)
    return Number(value, used, (), notes, noted)


def calculated(function: Callable[..., float], *operands: Any) -> Number | Series:
    """``function`` of quantities and plain numbers, key by key if some are series.

    Raises ValueError if two series have different kinds of keys.
    """
    quantities = [operand if isinstance(operand, Number | Series) else Number(float(operand)) for operand in operands]
    series = [quantity for quantity in quantities if isinstance(quantity, Series)]
    if not series:
        return combined([quantity for quantity in quantities if isinstance(quantity, Number)], function)
    if len({one.key_name for one in series}) > 1:
        raise ValueError("one operand has a value for each row, the other for each value of a parameter")
    at_key = {
        key: combined([one.numbers[key] if isinstance(one, Series) else one for one in quantities], function)
        for key in series[0].numbers
        if all(key in one.numbers for one in series)
    }
    known = [key for key in series[0].known_keys if all(key in one.known_keys for one in series)]
    return replace(series[0], numbers=at_key, known_keys=known)


def slope(sizes: Iterable[float], values: Iterable[float]) -> float:
    """The exponent p of ``value = c * size ** p``, by least squares of the logarithms.

    Raises ValueError for fewer than two different sizes, and for numbers that are not positive.
    """
    x, y = ([math.log(number) for number in numbers] for numbers in (sizes, values))
    return linear_regression(x, y).slope


def _least(numbers: Mapping[str, Number], note: str) -> Number:
    """The least of ``numbers``, which must all have values, except runs that ended without a time."""
    timed = {name: number for name, number in numbers.items() if not number.is_untimed()} or numbers
    least = combined(timed.values(), lambda *values: min(values))
    if least.value is None or len(numbers) == 1:
        return least
    name = next(name for name, number in timed.items() if number.value == least.value)
    return replace(least, notes=timed[name].notes).with_note(note.format(name))


def _matches(name: str, column: str) -> bool:
    short = column.partition(".")[2]
    return name in (column, short, short.partition(".")[0])
