"""Published tables and claims of a work: CSV files in the work's folder ``published``.

The first column of a table names the row; ``nodes`` and ``edges`` are optional counts of its graph. Every other column
is a variant, under its own name or one that ``columns`` maps to it. A cell is a time in seconds, a bound such as
``>3600``, or empty.
"""

import csv
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from warpath.errors import FormatError

_CELL = re.compile(r"|[<>]?[0-9]{1,15}(\.[0-9]+)?")
_COUNT = re.compile(r"|[0-9]{1,18}")
_COUNTS = ("nodes", "edges")
_CLAIMS = ["claim", "low", "high", "unit", "where"]


@dataclass(frozen=True)
class PublishedRow:
    """A graph of the work; unpublished counts are None. ``cells`` maps a column to its text."""

    nodes: int | None
    edges: int | None
    cells: Mapping[str, str]

    def has_size(self, nodes: int, edges: int) -> bool:
        return self.nodes == nodes and self.edges in (edges, None)

    def arcs_missing(self, edges: int) -> int:
        """How many arcs a graph of ``edges`` arcs lacks; 0 if the work gives no count."""
        return max(0, (self.edges or 0) - edges)


@dataclass(frozen=True)
class PublishedTable:
    """``columns`` are the variants and ``rows`` the graphs by name, both in the published order."""

    columns: list[str]
    rows: dict[str, PublishedRow]

    def cell(self, row: str, *names: str) -> str:
        """The text in the first existing column of ``names``; "" without one."""
        cells = self.rows[row].cells if row in self.rows else {}
        return next((cells[name] for name in names if name in cells), "")


@dataclass(frozen=True)
class PublishedClaim:
    """A published number or range; an open bound is None."""

    claim: str
    low: float | None
    high: float | None
    unit: str
    where: str


NO_TABLE = PublishedTable([], {})


def parse_seconds(cell: str) -> float | None:
    """The time in a cell; None for an empty cell or a bound."""
    return float(cell) if cell[:1].isdigit() else None


def read_table(path: str | os.PathLike, columns: Mapping[str, str] | None = None) -> PublishedTable:
    """Read a published table; ``columns`` maps column names of the file to variants.

    Raises FormatError, with file and line, for any other file.
    """
    header, lines = _read_csv(path)
    names = [name for name in header[1:] if name not in _COUNTS]
    if not names or len(set(header)) < len(header):
        raise FormatError(f"{path}, line 1: expected the name of the row, nodes and edges, and then each variant once")
    variants = {name: (columns or {}).get(name, name) for name in names}
    rows: dict[str, PublishedRow] = {}
    for position, line in lines:
        row, counts = line[header[0]], [line.get(count, "") for count in _COUNTS]
        if not row or row in rows:
            raise FormatError(f"{position}: the row {row!r} is empty or appears twice")
        if not all(_COUNT.fullmatch(count) for count in counts):
            raise FormatError(f"{position}: nodes and edges must be whole numbers")
        for text in [line[name] for name in names]:
            if not _CELL.fullmatch(text) or parse_seconds(text) == 0:
                raise FormatError(f"{position}: {text!r} is neither seconds, nor a bound like >3600, nor empty")
        nodes, edges = (int(count) if count else None for count in counts)
        rows[row] = PublishedRow(nodes, edges, {variant: line[name] for name, variant in variants.items()})
    return PublishedTable(list(variants.values()), rows)


def read_claims(path: str | os.PathLike) -> dict[str, PublishedClaim]:
    """The claims of a work by their sentence, in the order of the file.

    One column ``value`` may replace ``low`` and ``high``: a number, or ``>1`` or ``<1`` for an open range.
    """
    header, lines = _read_csv(path)
    if header not in (_CLAIMS, ["claim", "value", *_CLAIMS[3:]]):
        raise FormatError(f"{path}, line 1: expected the columns {','.join(_CLAIMS)}")
    claims: dict[str, PublishedClaim] = {}
    for position, line in lines:
        claim, value = line["claim"], line.get("value", "")
        ends = {">": (value[1:], ""), "<": ("", value[1:])}.get(value[:1], (value, value))
        try:
            low, high = (float(end) if end else None for end in (line.get("low", ends[0]), line.get("high", ends[1])))
        except ValueError as error:
            raise FormatError(f"{position}: {error}") from None
        if not all(bound is None or isfinite(bound) for bound in (low, high)):
            raise FormatError(f"{position}: a bound must be a finite number")
        if low is not None and high is not None and low > high:
            raise FormatError(f"{position}: the lower bound {low:g} is above the upper bound {high:g}")
        if not claim or claim in claims:
            raise FormatError(f"{position}: the claim {claim!r} is empty or appears twice")
        claims[claim] = PublishedClaim(claim, low, high, line["unit"], line["where"])
    return claims


def read_lines(path: str | os.PathLike, columns: Mapping[str, Callable[[str], Any]]) -> list[dict[str, Any]]:
    """The lines of a CSV file; ``columns`` maps each column to the function that converts its text.

    Raises FormatError, with file and line, for a missing column and for text that cannot be converted.
    """
    header, lines = _read_csv(path)
    if missing := [name for name in columns if header.count(name) != 1]:
        raise FormatError(f"{path}, line 1: expected the column {missing[0]} once")
    values = []
    for position, line in lines:
        try:
            values.append({name: convert(line[name]) for name, convert in columns.items()})
        except ValueError as error:
            raise FormatError(f"{position}: {error}") from None
    return values


def _read_csv(path: str | os.PathLike) -> tuple[list[str], list[tuple[str, dict[str, str]]]]:
    """The header, and each line with its position for messages."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            header, *lines = list(csv.reader(file)) or [[]]
    except FileNotFoundError:
        raise FormatError(f"{path}: no such file; published values belong in the work's folder 'published'") from None
    except OSError as error:
        raise FormatError(f"{path}: cannot be read ({error.strerror})") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise FormatError(f"{path}: not a table of comma-separated values in UTF-8 ({error})") from None
    numbered = [(f"{path}, line {number}", line) for number, line in enumerate(lines, start=2)]
    for position, line in numbered:
        if len(line) != len(header):
            raise FormatError(f"{position}: {len(line)} cells where the header has {len(header)}")
    return header, [(position, dict(zip(header, line, strict=True))) for position, line in numbered]
