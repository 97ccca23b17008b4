"""Reading lines of integers fast: the part that all text formats of graphs share.

A compiled loop parses the bytes and stops at the first malformed line; Python then looks at that line alone, to say
what is wrong with it. Both follow one grammar: blanks are spaces, tabs, carriage returns, vertical tabs and form feeds;
an integer is decimal digits with an optional minus; empty lines are skipped.
"""

import os
import re
from dataclasses import dataclass
from typing import BinaryIO

import numba
import numpy as np

from ..errors import FormatError, GraphError
from .content import chunks_of_lines
from .csr import ARCS_MAX, VERTICES_MAX, WEIGHT_LIMIT

INT64_MAX = 2**63 - 1
LINE_BYTES_MAX = 1 << 16
_INTEGER = re.compile(rb"-?[0-9]+")
_COUNT = re.compile(rb"[0-9]{1,18}")


@dataclass(frozen=True)
class Column:
    """One integer of a row: its name, its smallest and largest value, and the complaint about any other value."""

    name: str
    low: int
    high: int
    otherwise: str


WEIGHT = Column(
    "weight", -WEIGHT_LIMIT, WEIGHT_LIMIT, f"does not fit 32 bits (at most {WEIGHT_LIMIT} in absolute value)"
)


@dataclass(frozen=True)
class RowFormat:
    """The lines that are allowed: a comment, or ``tag`` (if there is one) and then the columns.

    With ``more_columns`` anything after the last column is ignored.
    """

    columns: tuple[Column, ...]
    tag: str = ""
    comment: str = ""
    more_columns: bool = False

    def __str__(self) -> str:
        words = [self.tag] if self.tag else []
        return " ".join(words + [column.name.upper() for column in self.columns])


def vertex_column(name: str, first: int, last: int) -> Column:
    return Column(name, first, last, f"is not a vertex; vertices are {first}..{last}")


def parse_counts(words: list[bytes]) -> tuple[int, int] | None:
    """The numbers of vertices and arcs in a header's ``words``; None if these are not two numbers."""
    if len(words) != 2 or not all(_COUNT.fullmatch(word) for word in words):
        return None
    return int(words[0]), int(words[1])


def check_counts(vertices: int, arcs: int, place: str) -> None:
    """Raise GraphError, beginning with ``place``, if a graph cannot have these numbers of vertices and arcs."""
    if vertices == 0:
        raise GraphError(f"{place}: the graph is empty; it needs at least one vertex")
    if vertices > VERTICES_MAX or arcs > ARCS_MAX:
        raise GraphError(f"{place}: {vertices} vertices and {arcs} arcs are more than 32-bit indices can number")


def read_rows(
    file: BinaryIO, form: RowFormat, path: str | os.PathLike, lines_before: int, first_line: bytes = b""
) -> list[np.ndarray]:
    """The rest of ``file``, one array per column, of shape (rows,): int32 if the column's range fits, else int64.

    The caller has read ``lines_before`` lines of ``path``, and then ``first_line``, which is the first of the rows.
    Raises FormatError that names the first malformed line.
    """
    pieces = [[np.empty(0, _dtype(column))] for column in form.columns]
    for text in chunks_of_lines(file, first_line):
        lines = text.count(b"\n")
        values = np.empty((len(form.columns), lines), dtype=np.int64)
        rows, bad = _parse(
            np.frombuffer(text, dtype=np.uint8),
            ord(form.tag or "\0"),
            ord(form.comment or "\0"),
            form.more_columns,
            np.array([column.low for column in form.columns], dtype=np.int64),
            np.array([column.high for column in form.columns], dtype=np.int64),
            values,
        )
        if bad >= 0:
            number = lines_before + text.count(b"\n", 0, bad) + 1
            fault = _fault(text[bad : text.index(b"\n", bad)], form)
            raise FormatError(f"{path}, line {number}: {fault}")
        for column, piece, found in zip(form.columns, pieces, values, strict=True):
            piece.append(found[:rows].astype(_dtype(column)))
        lines_before += lines
    return [np.concatenate(piece) for piece in pieces]


def quoted(text: bytes, limit: int = 40) -> str:
    """``text`` in quotes for an error message: escaped, and cut after ``limit`` characters."""
    shown = text.strip().decode("utf-8", errors="backslashreplace")
    return repr(shown if len(shown) <= limit else shown[:limit] + "…")


def _dtype(column: Column) -> type:
    return np.int32 if column.high < 2**31 else np.int64


def _fault(line: bytes, form: RowFormat) -> str:
    """What is wrong with a line that ``_parse`` rejected."""
    words = line.split()
    if form.tag and words[0] != form.tag.encode():
        return f"{quoted(line)} where '{form}' was expected"
    words = words[1:] if form.tag else words
    for word, column in zip(words, form.columns, strict=False):
        if not _INTEGER.fullmatch(word):
            return f"{column.name} {quoted(word)} is not an integer"
        if not column.low <= int(word) <= column.high:
            return f"{column.name} {word.decode()} {column.otherwise}"
    return f"{quoted(line)} where '{form}' was expected"


@numba.njit(cache=True)
def _parse(text, tag, comment, more_columns, lows, highs, values):
    """Fill ``values``, shape (columns, lines of ``text`` or more), from ``text``, uint8, its last byte a line feed.

    ``tag`` and ``comment`` are bytes, 0 for none. Returns the number of rows and the offset of the first malformed
    line, -1 if there is none. The inner loops do not check for the end of the text, because they stop at a line feed.
    """
    row = 0
    at = 0
    while at < len(text):
        start = at
        at = _skip_blanks(text, at)
        if text[at] == 10:
            at += 1
            continue
        if comment != 0 and text[at] == comment:
            at = _skip_line(text, at)
            continue
        if tag != 0:
            if text[at] != tag or not _is_blank(text[at + 1]):
                return row, start
            at = _skip_blanks(text, at + 1)
        for column in range(len(lows)):
            negative = text[at] == 45
            if negative:
                at += 1
            digits_start = at
            value = np.int64(0)
            while 48 <= text[at] <= 57:
                digit = np.int64(text[at]) - 48
                if value > (INT64_MAX - digit) // 10:
                    return row, start
                value = value * 10 + digit
                at += 1
            if at == digits_start or not (text[at] == 10 or _is_blank(text[at])):
                return row, start
            if negative:
                value = -value
            if value < lows[column] or value > highs[column]:
                return row, start
            values[column, row] = value
            at = _skip_blanks(text, at)
        if text[at] != 10 and not more_columns:
            return row, start
        at = _skip_line(text, at)
        row += 1
    return row, -1


@numba.njit(cache=True, inline="always")
def _is_blank(byte):
    return byte == 32 or byte == 9 or byte == 13 or byte == 11 or byte == 12


@numba.njit(cache=True, inline="always")
def _skip_blanks(text, at):
    while _is_blank(text[at]):
        at += 1
    return at


@numba.njit(cache=True, inline="always")
def _skip_line(text, at):
    """The offset of the next line."""
    while text[at] != 10:
        at += 1
    return at + 1
