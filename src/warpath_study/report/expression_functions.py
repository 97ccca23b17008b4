"""The functions of expressions, and the scope of an expression; ``expressions`` documents each function."""

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

import pandas as pd

from warpath.names import check_known

from ..record import WITHOUT_TIME, parse_run
from ..works.works import Asked
from .quantities import ROW, Number, Quantity, Series, combined, picked, reduced, slope, spelled_key


@dataclass(frozen=True)
class Scope:
    """The runs over which an expression is evaluated.

    An expression may name any of ``rows`` and ``columns``. ``asked`` are the runs of this suite. ``lines`` holds the
    facts of the measured ones, by row and name of the run.
    """

    rows: Sequence[str]
    columns: Sequence[str]
    asked: Sequence[Asked] = ()
    lines: Mapping[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict, repr=False)

    def vertices(self, row: str) -> float | None:
        """The number of vertices of the row's graph; None if no run of the row was measured."""
        found = (line.get("vertices") for (name, _), line in self.lines.items() if name == row)
        return next((float(count) for count in found if not pd.isna(count)), None)


def _seconds(scope: Scope, column: str) -> Series:
    return _fact(scope, "seconds", column)


def _fact(scope: Scope, name: str, column: str) -> Series:
    found: dict[str, Number] = {}
    for run in _named(scope, column):
        if run.row in found:
            raise ValueError(
                f"{column!r} names several runs of the row {run.row}; give its parameters, as in work.yaml"
            )
        found[run.row] = _number(scope, run, name)
    return Series(ROW, found, tuple(scope.rows))


def _best(scope: Scope, *columns: str) -> Series:
    found = _times(scope, columns)
    least = {
        row: _least({column.partition(".")[2]: number for column, number in numbers.items()}, "{} is the fastest")
        for row, numbers in found.items()
    }
    return Series(ROW, least, tuple(scope.rows))


def _first(scope: Scope, *columns: str) -> Series:
    found = {row: list(numbers.values()) for row, numbers in _times(scope, columns).items()}
    chosen = {row: next((one for one in of if not _without_time(one, "missing")), of[0]) for row, of in found.items()}
    return Series(ROW, chosen, tuple(scope.rows))


def _times(scope: Scope, columns: Sequence[str]) -> dict[str, dict[str, Number]]:
    """For each row the seconds of its runs, in the order of ``columns``."""
    found: dict[str, dict[str, Number]] = {}
    for run in dict.fromkeys(run for column in columns for run in _named(scope, column)):
        found.setdefault(run.row, {})[run.column] = _number(scope, run, "seconds")
    return found


def _by(scope: Scope, parameter: str, variant: str, base: str, **others: Number) -> Series:
    bases = _seconds(scope, base)
    known = {column: parse_run(column)[2] for column in scope.columns if _matches(variant, column)}
    check_known("parameter", [parameter, *others], {name for asked in known.values() for name in asked})
    fixed = {name: number.value for name, number in others.items()}
    times: dict[str, dict[str, list[Number]]] = {}
    for run in _named(scope, variant):
        if parameter in run.asked and all(run.asked.get(name) == value for name, value in fixed.items()):
            rest = [f"{name}={value}" for name, value in parse_run(run.column)[2].items() if name != parameter]
            time = _number(scope, run, "seconds")
            relative = combined([time, bases.numbers.get(run.row, Number(None))], operator.truediv)
            times.setdefault(str(run.asked[parameter]), {}).setdefault(",".join(rest), []).append(relative)
    found = {
        value: _least({rest: combined(each, lambda *many: fmean(many)) for rest, each in of_value.items()}, "with {}")
        for value, of_value in sorted(times.items(), key=lambda item: int(item[0]))
    }
    return Series(parameter, found, tuple(str(asked[parameter]) for asked in known.values() if parameter in asked))


def _least(numbers: Mapping[str, Number], note: str) -> Number:
    """The least of ``numbers``. It depends on all of them, except runs that gave no time: too large, wrong, missing."""
    fit = {name: number for name, number in numbers.items() if not _without_time(number)} or numbers
    every = combined(fit.values(), lambda *values: min(values))
    if every.value is None or len(numbers) == 1:
        return every
    values = {name: number.value for name, number in fit.items() if number.value is not None}
    name = min(values, key=values.__getitem__)
    return Number(every.value, every.used, (), fit[name].notes).noted(note.format(name))


def _without_time(number: Number, *statuses: str) -> bool:
    """Whether all that ``number`` lacks are runs that ended without a time, and with one of ``statuses`` if given."""
    endings = tuple(f" ({WITHOUT_TIME[status]})" for status in statuses or WITHOUT_TIME)
    return bool(number.missing) and all(name.endswith(endings) for name in number.missing)


def _number(scope: Scope, run: "Asked", name: str) -> Number:
    line = scope.lines.get((run.row, run.run))
    used = frozenset([(run.row, run.run)])
    if line is None:
        return Number(None, missing=(f"{run.dataset} {run.column}",))
    if (status := line.get("status")) in WITHOUT_TIME:
        return Number(None, used, (f"{run.dataset} {run.column} ({WITHOUT_TIME[status]})",))
    value = line.get(name)
    if isinstance(value, str) and value:
        raise ValueError(f"the fact {name!r} of a run is text and no number")
    if value is None or value == "" or pd.isna(value):
        return Number(None, missing=(f"{name} of {run.dataset} {run.column}",))
    return Number(float(value), used)


def _named(scope: Scope, name: str) -> "list[Asked]":
    """The runs of this suite that ``name`` refers to."""
    if not any(_matches(name, column) for column in scope.columns):
        short = [column.partition(".")[2] for column in scope.columns]
        check_known("column", [name], dict.fromkeys([*(column.partition(".")[0] for column in short), *short]))
    return [run for run in scope.asked if _matches(name, run.column)]


def _matches(name: str, column: str) -> bool:
    short = column.partition(".")[2]
    return name in (column, short, short.partition(".")[0])


def _only(scope: Scope, x: Series, *keys: str) -> Series:
    check_known(x.of.replace("_", " "), keys, x.known)
    return Series(x.of, {key: x.numbers.get(key, _absent(x, key)) for key in keys}, keys)


def _at(scope: Scope, x: Series, key: str) -> Number:
    check_known(x.of.replace("_", " "), [key], x.known)
    return x.numbers.get(key, _absent(x, key))


def _absent(x: Series, key: str) -> Number:
    return Number(None, missing=(f"a run for {spelled_key(x, key)}",))


def _largest(scope: Scope, x: Series) -> Number:
    return _at_size(scope, x, max)


def _smallest(scope: Scope, x: Series) -> Number:
    return _at_size(scope, x, min)


def _at_size(scope: Scope, x: Series, pick: Callable[..., str]) -> Number:
    sizes = _sizes(scope, x)
    unknown = [number for key, number in x.numbers.items() if sizes[key] is None]
    if unknown or not sizes:
        return reduced(Series(x.of, {str(place): number for place, number in enumerate(unknown)}, ()), max)
    key = pick(sizes, key=sizes.__getitem__)
    return x.numbers[key].noted(f"at {sizes[key]:,.0f} vertices")


def _sizes(scope: Scope, x: Series) -> dict[str, float | None]:
    if x.of != ROW:
        raise ValueError(f"a quantity by {x.of} has no number of vertices")
    return {row: scope.vertices(row) for row in x.numbers}


def _slope(scope: Scope, x: Series) -> Number:
    sizes = [size for size in _sizes(scope, x).values() if size is not None]
    return reduced(x, lambda *values: slope(sizes, values))


def _min(scope: Scope, x: Series) -> Number:
    return picked(x, min)


def _max(scope: Scope, x: Series) -> Number:
    return picked(x, max)


def _mean(scope: Scope, x: Series) -> Number:
    return reduced(x, lambda *values: fmean(values))


def _least_at(scope: Scope, x: Series) -> Number:
    least = picked(x, min)
    if least.value is None:
        return least
    key = min(x.values, key=x.values.__getitem__)
    try:
        return Number(float(key), least.used, (), x.numbers[key].notes)
    except ValueError:
        raise ValueError(f"least_at() needs keys that are numbers; {key!r} is none") from None


FUNCTIONS: dict[str, Callable[..., Quantity]] = {
    "seconds": _seconds,
    "fact": _fact,
    "best": _best,
    "first": _first,
    "by": _by,
    "only": _only,
    "at": _at,
    "largest": _largest,
    "smallest": _smallest,
    "slope": _slope,
    "min": _min,
    "max": _max,
    "mean": _mean,
    "least_at": _least_at,
}
