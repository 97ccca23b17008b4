"""Dataclasses as lines of a CSV file, and back."""

import csv
import io
import os
from collections.abc import Iterable, Sequence
from dataclasses import astuple, fields
from typing import TypeVar

from ..errors import FormatError
from .labels import plain_seconds

Line = TypeVar("Line")


def csv_text(kind: type[Line], lines: Iterable[Line]) -> str:
    """A header with the fields of ``kind``, then one line each; None is empty and a float has six digits."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([field.name for field in fields(kind)])
    writer.writerows([_text(value) for value in astuple(line)] for line in lines)
    return buffer.getvalue()


def read_csv(path: str | os.PathLike, kind: type[Line], made_by: str) -> list[Line]:
    """Read what ``csv_text`` wrote, for fields that are str, int, float, or one of these or None.

    Raises FormatError with file and line, and the command ``made_by`` that makes the file again, where it is not that.
    """
    columns = [field.name for field in fields(kind)]
    try:
        with open(path, encoding="utf-8", newline="") as file:
            header, *lines = list(csv.reader(file)) or [[]]
    except FileNotFoundError:
        raise FormatError(f"{path}: no such file; make it with `{made_by}`") from None
    if header != columns:
        raise FormatError(f"{path}, line 1: expected the columns {','.join(columns)}; make it with `{made_by}`")
    return [_read(kind, cells, f"{path}, line {number}", made_by) for number, cells in enumerate(lines, start=2)]


def _read(kind: type[Line], cells: Sequence[str], place: str, made_by: str) -> Line:
    try:
        return kind(*(_value(field.type, cell) for field, cell in zip(fields(kind), cells, strict=True)))
    except ValueError as error:
        raise FormatError(f"{place}: {error}; make the file again with `{made_by}`") from None


def _text(value: object) -> str:
    if value is None:
        return ""
    return plain_seconds(value) if isinstance(value, float) else str(value)


def _value(kind: object, cell: str) -> str | int | float | None:
    if kind is str:
        return cell
    if not cell:
        if kind in (int, float):
            raise ValueError("a number is missing")
        return None
    return int(cell) if kind in (int, int | None) else float(cell)
