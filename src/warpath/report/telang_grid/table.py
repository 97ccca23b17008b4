"""The table of results, in the work's columns, and its comparison with the published row.

The published matrices are not known, so that values of another matrix cannot agree with them; what does not depend on
the matrices' scale is compared as well: the second smallest entry over the smallest, and what a step of the path
costs, over the smallest entry, if the path were as short as its ends allow.
"""

import csv
import os
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

from ...errors import FormatError
from ..csv_text import csv_text


@dataclass(frozen=True)
class Result:
    """A row of the published table; indices count from 0."""

    size: int
    minimum: float
    minimum_row: int
    minimum_col: int
    second_minimum: float
    second_row: int
    second_col: int
    path_weight: float

    @property
    def cells_apart(self) -> int:
        """Steps between the two entries on the shortest way."""
        return abs(self.minimum_row - self.second_row) + abs(self.minimum_col - self.second_col)

    @property
    def second_over_minimum(self) -> float:
        return self.second_minimum / self.minimum

    @property
    def step_over_minimum(self) -> float:
        """The path's weight over that of a way as short as possible, on which every cell were the smallest."""
        return self.path_weight / self.cells_apart / self.minimum


@dataclass(frozen=True)
class Compared:
    """One quantity of one size; ``published`` is None for sizes that are not the work's."""

    size: int
    quantity: str
    published: float | None
    measured: float
    comparable: str
    device: str
    date: str


_SCALE_FREE = ("second_over_minimum", "step_over_minimum")
_OF_THE_MATRICES = ("minimum", "second_minimum", "cells_apart", "path_weight")


def result_of(record: dict[str, Any]) -> Result:
    """The row of one record."""
    minimum, second = record["minimum"], record["second_minimum"]
    return Result(
        record["size"],
        minimum["value"],
        minimum["row"],
        minimum["column"],
        second["value"],
        second["row"],
        second["column"],
        record["path"]["weight"],
    )


def table_csv(records: list[dict[str, Any]]) -> str:
    """The work's columns, a line for each record; six decimals, as published."""
    lines = [list(Result.__annotations__)]
    for record in records:
        lines.append([f"{value:f}" if isinstance(value, float) else str(value) for value in astuple(result_of(record))])
    return "".join(f"{','.join(line)}\n" for line in lines)


def comparison_csv(records: list[dict[str, Any]], published: dict[int, Result]) -> str:
    """A line for each quantity of each record, beside the published one of that size."""
    lines = []
    for record in records:
        measured, original = result_of(record), published.get(record["size"])
        for quantity in _OF_THE_MATRICES + _SCALE_FREE:
            lines.append(
                Compared(
                    measured.size,
                    quantity,
                    None if original is None else float(getattr(original, quantity)),
                    float(getattr(measured, quantity)),
                    "yes" if original and quantity in _SCALE_FREE else "no",
                    record["device"]["name"],
                    record["started"][:10],
                )
            )
    return csv_text(Compared, lines)


def read_published(path: str | os.PathLike) -> dict[int, Result]:
    """The published rows by size. Raises FormatError where the file is not such a table."""
    try:
        with Path(path).open(encoding="utf-8", newline="") as file:
            rows = [
                Result(*(kind(row[name]) for name, kind in Result.__annotations__.items()))
                for row in csv.DictReader(file)
            ]
    except FileNotFoundError:
        raise FormatError(f"{path}: no such file; give data/published/telang_grid/results.csv") from None
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"{path}: not the published table of results ({error})") from None
    return {row.size: row for row in rows}
