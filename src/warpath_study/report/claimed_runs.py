"""The runs that a claim is about: what its function in ``views.py`` gets."""

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import fmean
from typing import Any

import pandas as pd

from warpath.names import check_known

from ..record import WITHOUT_TIME, parse_run
from ..works.works import Asked
from .quantities import ROW, Number, Series, combined


@dataclass(frozen=True)
class ClaimedRuns:
    """The runs of a group in one suite, by row and column.

    A column has its name in ``work.yaml``, or that name without the algorithm, or the name of its variant if each row
    has only one run of it. ``best`` and ``first`` take all columns of a variant.

    A claim may name any of ``rows`` and ``columns``, which are those of all suites. ``asked`` are the runs of this
    suite. ``lines`` holds the facts of the measured ones, by row and name of the run. ``printed`` says that these are
    the times that the work prints.
    """

    rows: Sequence[str]
    columns: Sequence[str]
    asked: Sequence[Asked] = ()
    lines: Mapping[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict, repr=False)
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
        return self._of_rows(
            {
                row: _least(
                    {column.partition(".")[2]: number for column, number in numbers.items()}, "{} is the fastest"
                )
                for row, numbers in self._times(columns).items()
            }
        )

    def first(self, *columns: str) -> Series:
        """The time of the first of the columns, in each row; one that is not available leaves it to the next."""
        found = {row: list(numbers.values()) for row, numbers in self._times(columns).items()}
        return self._of_rows(
            {row: next((one for one in of if not _without_time(one, "missing")), of[0]) for row, of in found.items()}
        )

    def by(self, parameter: str, variant: str, base: str, **others: int) -> Series:
        """For each value of a parameter, the time of ``variant`` over that of ``base``, mean of the rows.

        The other parameters are at their best, or as given in ``others``.
        """
        bases = self.seconds(base)
        known = {column: parse_run(column)[2] for column in self.columns if _matches(variant, column)}
        check_known("parameter", [parameter, *others], {name for asked in known.values() for name in asked})
        times: dict[str, dict[str, list[Number]]] = {}
        for run in self._named(variant):
            if parameter in run.asked and all(run.asked.get(name) == value for name, value in others.items()):
                rest = [f"{name}={value}" for name, value in parse_run(run.column)[2].items() if name != parameter]
                relative = combined([self._number(run, "seconds"), bases.at(run.row)], operator.truediv)
                times.setdefault(str(run.asked[parameter]), {}).setdefault(",".join(rest), []).append(relative)
        found = {
            value: _least(
                {rest: combined(each, lambda *many: fmean(many)) for rest, each in of_value.items()}, "with {}"
            )
            for value, of_value in sorted(times.items(), key=lambda item: int(item[0]))
        }
        return Series(parameter, found, tuple(str(asked[parameter]) for asked in known.values() if parameter in asked))

    @cached_property
    def _sizes(self) -> dict[str, float]:
        """The number of vertices of each row of which a run was measured."""
        counts = [(row, line.get("vertices")) for (row, _), line in self.lines.items()]
        return {row: float(count) for row, count in reversed(counts) if not pd.isna(count)}

    def _of_rows(self, numbers: Mapping[str, Number]) -> Series:
        return Series(ROW, numbers, tuple(self.rows), self._sizes, self.printed)

    def _times(self, columns: Sequence[str]) -> dict[str, dict[str, Number]]:
        """For each row the seconds of its runs, in the order of ``columns``."""
        found: dict[str, dict[str, Number]] = {}
        for run in dict.fromkeys(run for column in columns for run in self._named(column)):
            found.setdefault(run.row, {})[run.column] = self._number(run, "seconds")
        return found

    def _number(self, run: Asked, name: str) -> Number:
        line = self.lines.get((run.row, run.run))
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

    def _named(self, name: str) -> list[Asked]:
        """The runs of this suite that ``name`` refers to."""
        if not any(_matches(name, column) for column in self.columns):
            short = [column.partition(".")[2] for column in self.columns]
            check_known("column", [name], dict.fromkeys([*(column.partition(".")[0] for column in short), *short]))
        return [run for run in self.asked if _matches(name, run.column)]


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


def _matches(name: str, column: str) -> bool:
    short = column.partition(".")[2]
    return name in (column, short, short.partition(".")[0])
