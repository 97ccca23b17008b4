"""Reads the tables of answers, .csv, .json and .parquet, and the labels and numbers in their cells.

A table is read in one way or refused: a line with a cell too few or too many, a key twice, a number that would have to
be rounded. Faults are UsageErrors and ValueErrors.
"""

import csv
import json
import math
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import UsageError
from ..graphs.content import MemoryLimit
from ..graphs.decimals import UNSIGNED
from ._answer_files import pyarrow

COLUMNS = ("vertex", "distance", "predecessor", "source")

# The cells of a column, one a line. None and '' are empty.
Column = Sequence[Any]

_WHOLE = re.compile(r"([+-]?[0-9]{1,40})(\.0*)?", re.ASCII)
_DECIMAL = re.compile(r"[+-]?+" + UNSIGNED.decode(), re.ASCII)
_INFINITE = re.compile(r"[+-]?inf(inity)?", re.ASCII | re.IGNORECASE)
_EXACT_MAX = 2**53 - 1
_SHOWN = 40
_KINDS = frozenset({str, int, float, type(None)})


def read_csv(path: Path) -> dict[str, Column]:
    """The columns of a table with a heading. Blank lines count for nothing."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        lines = csv.reader(file, strict=True)
        rows = (row for row in lines if len(row) > 1 or any(map(str.strip, row)))
        heading = next(rows, None)
        if heading is None:
            raise ValueError("it is empty")
        known = _known(path, heading)
        same: dict[str, str] = {}  # one copy of each text
        columns: dict[str, list[str]] = {name: [] for name in known}
        for row in rows:
            if len(row) != len(heading):
                raise UsageError(f"{path}, line {lines.line_num}: has {len(row)} cells below {len(heading)} headings")
            for name, place in known.items():
                columns[name].append(same.setdefault(row[place], row[place]))
    return dict(columns)


def read_json(path: Path) -> dict[str, Column]:
    """The columns of a list of mappings that have the same keys."""
    with open(path, encoding="utf-8") as file:
        lines = json.load(file, object_pairs_hook=_mapping)
    if not isinstance(lines, list) or not all(isinstance(line, dict) for line in lines):
        raise UsageError(
            f"{path}: has no column 'vertex'; give a list of mappings: [{{'vertex': 1, 'distance': 0}}, …]"
        )
    heading = list(lines[0]) if lines else []
    known = _known(path, heading)
    for place, line in enumerate(lines):
        if line.keys() != lines[0].keys():
            raise UsageError(f"{path}: line {place + 1} of the table has other keys than the first")
    return {name: [line[name] for line in lines] for name in known}


def read_parquet(path: Path) -> dict[str, Column]:
    _, parquet = pyarrow(path)
    with parquet.ParquetFile(path) as file:
        known = _known(path, file.schema_arrow.names)
        needed = file.metadata.num_rows * len(known) * 16
        MemoryLimit.of(path, os.path.getsize(path)).check(needed, "its uncompressed content")
        table = file.read(columns=list(known))
    return {name: table[name].to_pylist() for name in known}


def whole_numbers(path: Path, name: str, column: Column) -> tuple[list[int], np.ndarray]:
    """The labels in a column as int, and a mask of its empty cells, which are 0. UsageError for what is no label."""
    values = _each(column, _whole, lambda cell: f"{path}: the {name} {_shown(cell)} is not a whole number")
    return [0 if value is None else value for value in values], np.array([value is None for value in values], bool)


def distances(path: Path, column: Column) -> np.ndarray:
    """The numbers in a column as float64, ``inf`` for an empty cell. UsageError for what is no number."""
    values = _each(column, _number, lambda cell: f"{path}: the distance {_shown(cell)} is not a number")
    return np.array([math.inf if value is None else value for value in values], np.float64)


def is_empty(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str) and not cell)


def _known(path: Path, heading: Sequence[str]) -> dict[str, int]:
    """The place of each column that counts. UsageError if vertex or distance is missing, or a column is there twice."""
    for name in ("vertex", "distance"):
        if name not in heading:
            there = ", ".join(map(str, heading))[:200] or "none"
            raise UsageError(f"{path}: has no column {name!r}; it has {there}, and may have {', '.join(COLUMNS)}")
    for name in COLUMNS:
        if list(heading).count(name) > 1:
            raise UsageError(f"{path}: has more than one column {name!r}")
    return {name: list(heading).index(name) for name in COLUMNS if name in heading}


def _mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        raise ValueError("a key is there twice")
    return mapping


class _Read(dict[Any, Any]):
    """What each cell means, None for an empty one: a cell that comes again is looked up."""

    def __init__(self, read: Callable[[Any], Any]):
        super().__init__()
        self._read = read

    def __missing__(self, cell: Any) -> Any:
        value = self[cell] = None if is_empty(cell) else self._read(cell)
        return value


def _each(column: Column, read: Callable[[Any], Any], refusal: Callable[[Any], str]) -> list[Any]:
    """``read`` of each cell, None for an empty one. A ValueError or TypeError of ``read`` is a UsageError."""
    if not _KINDS.issuperset(map(type, column)):  # True equals 1, and a list cannot be looked up
        raise UsageError(refusal(next(cell for cell in column if type(cell) not in _KINDS)))
    found = _Read(read)
    try:
        return list(map(found.__getitem__, column))
    except (ValueError, TypeError, OverflowError):
        raise UsageError(refusal(next(cell for cell in column if cell not in found))) from None


def _whole(cell: Any) -> int:
    """A whole number, written as one, or as a float that is exact."""
    if isinstance(cell, str) and (match := _WHOLE.fullmatch(cell.strip(" "))):
        return int(match[1])
    if isinstance(cell, int):
        return cell
    number = _number(cell)
    if not number.is_integer() or abs(number) > _EXACT_MAX:
        raise ValueError
    return int(number)


def _number(cell: Any) -> float:
    """A number or an infinity; what is too large for a float is neither."""
    if isinstance(cell, str):
        text = cell.strip(" ")
        if not _DECIMAL.fullmatch(text) and not _INFINITE.fullmatch(text):
            raise ValueError
        number = float(text)
        if math.isinf(number) and not _INFINITE.fullmatch(text):
            raise ValueError
    else:
        number = float(cell)
    if math.isnan(number):
        raise ValueError
    return number


def _shown(cell: Any) -> str:
    text = repr(cell)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
