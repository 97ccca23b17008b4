"""Reading lines of numbers fast: the part that all text formats of graphs share.

A compiled loop parses the bytes and stops at the first malformed line; Python then looks at that line alone, to say
what is wrong with it. Both follow the grammar of ``parse_lines``; empty lines are skipped.
"""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from ..errors import FormatError, GraphError
from .content import chunks_of_lines
from .csr_arrays import ARCS_MAX, VERTICES_MAX, WEIGHT_LIMIT
from .decimals import DECIMAL, fault_of_weight
from .parse_lines import INT64_MAX, parse

LINE_BYTES_MAX = 1 << 16
ANY = -1
_INTEGER = re.compile(rb"-?[0-9]+")
_COUNT = re.compile(rb"[0-9]{1,18}")


@dataclass(frozen=True)
class Column:
    """One number of a row: its name, its smallest and largest value, and the complaint about any other value.

    A ``decimal`` column may have fractions, which the scale makes whole.
    """

    name: str
    low: int
    high: int
    otherwise: str = ""
    decimal: bool = False


WEIGHT = Column("weight", -WEIGHT_LIMIT, WEIGHT_LIMIT, decimal=True)
VERTEX_IDS = tuple(Column(name, 0, INT64_MAX, "is not a vertex id; ids are 0..2^63-1") for name in ("tail", "head"))


@dataclass(frozen=True)
class RowFormat:
    """The lines that are allowed: a comment, or ``tag`` (if there is one), the columns and ``ignored`` words (or ANY).

    The decimal column, if there is one, is multiplied by ``scale``.
    """

    columns: tuple[Column, ...]
    tag: str = ""
    comment: str = ""
    ignored: int = 0
    scale: int = 1

    def __str__(self) -> str:
        words = [self.tag] if self.tag else []
        return " ".join([*words, *(column.name.upper() for column in self.columns), *["WEIGHT"] * self.ignored])


def vertex_columns(first: int, last: int) -> tuple[Column, Column]:
    """Tail and head, each a vertex ``first``..``last``."""
    complaint = f"is not a vertex; vertices are {first}..{last}"
    return Column("tail", first, last, complaint), Column("head", first, last, complaint)


def parse_counts(words: list[bytes]) -> tuple[int, int] | None:
    """The numbers of vertices and arcs in a header's ``words``; None if these are not two numbers."""
    if len(words) != 2 or not all(_COUNT.fullmatch(word) for word in words):
        return None
    return int(words[0]), int(words[1])


def is_row(words: list[bytes]) -> bool:
    """Whether these may be tail and head, and a weight if there is a third."""
    ends = len(words) in (2, 3) and all(_INTEGER.fullmatch(word) for word in words[:2])
    return ends and all(DECIMAL.fullmatch(word) for word in words[2:])


def check_counts(vertices: int, arcs: int, place: str) -> None:
    """Raise GraphError, beginning with ``place``, if a graph cannot have these numbers of vertices and arcs."""
    if vertices == 0:
        raise GraphError(f"{place}: the graph is empty; it needs at least one vertex")
    if vertices > VERTICES_MAX or arcs > ARCS_MAX:
        raise GraphError(f"{place}: {vertices} vertices and {arcs} arcs are more than 32-bit indices can number")


def first_row(file: BinaryIO, comment: bytes) -> tuple[list[bytes], bytes]:
    """Read up to and including the first line that is neither empty nor a comment: the lines before it, and the line.

    The line is empty if there is none.
    """
    before = []
    while line := file.readline(LINE_BYTES_MAX):
        if line.strip() and not line.lstrip().startswith(comment):
            break
        before.append(line)
    return before, line


def read_rows(
    file: BinaryIO, form: RowFormat, path: str | os.PathLike, lines_before: int, first_line: bytes = b""
) -> list[np.ndarray]:
    """The rest of ``file``, one array per column, of shape (rows,): int32 if the column's range fits, else int64.

    The caller has read ``lines_before`` lines of ``path``, and then ``first_line``, which is the first of the rows.
    Raises FormatError that names the first malformed line.
    """
    pieces: list[list[np.ndarray]] = [[np.empty(0, _dtype(column))] for column in form.columns]
    decimal = next((place for place, column in enumerate(form.columns) if column.decimal), -1)
    for text in chunks_of_lines(file, first_line):
        lines = text.count(b"\n")
        values = np.empty((len(form.columns), lines), dtype=np.int64)
        rows, bad = parse(
            np.frombuffer(text, dtype=np.uint8),
            ord(form.tag or "\0"),
            ord(form.comment or "\0"),
            form.ignored,
            decimal,
            form.scale,
            np.array([column.low for column in form.columns], dtype=np.int64),
            np.array([column.high for column in form.columns], dtype=np.int64),
            values,
        )
        if bad >= 0:
            number = lines_before + text.count(b"\n", 0, bad) + 1
            raise FormatError(f"{path}, line {number}: {_fault(text[bad:], form, values[decimal, :rows])}")
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


def _fault(text: bytes, form: RowFormat, weights_before: np.ndarray) -> str:
    """What is wrong with the first line of ``text``, which ``parse`` rejected."""
    line = text[: text.index(b"\n")]
    words = line.split()
    if form.tag and words[0] != form.tag.encode():
        return f"{quoted(line)} where '{form}' was expected"
    words = words[1:] if form.tag else words
    for place, (word, column) in enumerate(zip(words, form.columns, strict=False)):
        if column.decimal:
            largest = int(np.abs(weights_before).max(initial=0)) // form.scale
            others = _column_of(text, place + bool(form.tag))
            fault = fault_of_weight(word, form.scale, column.high, others, largest)
            if fault:
                return f"{column.name} {fault}"
        elif not _INTEGER.fullmatch(word):
            return f"{column.name} {quoted(word)} is not an integer"
        elif not column.low <= int(word) <= column.high:
            return f"{column.name} {word.decode()} {column.otherwise}"
    return f"{quoted(line)} where '{form}' was expected"


def _column_of(text: bytes, place: int) -> Iterable[bytes]:
    """The words in one column of the lines of ``text``."""
    rows = (line.split(maxsplit=place + 1) for line in text.splitlines())
    return (row[place] for row in rows if len(row) > place)
