"""What the work prints: Table 1, and the claims of its text and figures."""

import csv
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from ...errors import FormatError

# Which variant does what a column of Table 1 was measured on.
COLUMNS = {"single_gpu": "blocked", "dual_gpu": "several_devices", "cpu_tuned_authors": "cpu_tuned"}
_TABLE1 = ["nodes", *COLUMNS, "cpu_tuned_han"]
_CLAIMS = ["claim", "low", "high", "unit", "where"]

Line = TypeVar("Line")


@dataclass(frozen=True)
class Claim:
    """A number that the paper states, or the range in which it lies, and where."""

    claim: str
    low: float
    high: float
    unit: str
    where: str


def read_table1(path: str | os.PathLike) -> dict[int, dict[str, str]]:
    """Seconds as printed by number of vertices and column, empty where there are none."""

    def row(cells: list[str]) -> tuple[int, dict[str, str]]:
        for cell in cells[1:]:
            float(cell or 0)
        return int(cells[0]), dict(zip(_TABLE1[1:], cells[1:], strict=True))

    return dict(_read(path, _TABLE1, row))


def read_claims(path: str | os.PathLike) -> list[Claim]:
    """The claims in the file's order."""
    return _read(path, _CLAIMS, lambda cells: Claim(cells[0], float(cells[1]), float(cells[2]), *cells[3:]))


def _read(path: str | os.PathLike, columns: list[str], read: Callable[[list[str]], Line]) -> list[Line]:
    """A file's lines; raises FormatError with file and line where they are not as expected."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            header, *lines = list(csv.reader(file)) or [[]]
    except FileNotFoundError:
        raise FormatError(f"{path}: no such file; the published values are in data/published") from None
    if header != columns:
        raise FormatError(f"{path}, line 1: expected the columns {','.join(columns)}")
    found = []
    for number, cells in enumerate(lines, start=2):
        if len(cells) != len(columns):
            raise FormatError(f"{path}, line {number}: {len(cells)} cells where the header has {len(columns)}")
        try:
            found.append(read(cells))
        except ValueError as error:
            raise FormatError(f"{path}, line {number}: {error}") from None
    return found
