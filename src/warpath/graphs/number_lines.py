"""Reading lines of numbers fast: the part that all text formats of graphs share.

A compiled loop parses the bytes and stops at the first malformed line; Python then looks at that line alone, to say
what is wrong with it. Both follow the grammar of ``parse_lines``; empty lines are skipped.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ..errors import FormatError, GraphError
from .content import LINE_BYTES_MAX, Content, chunks_of_lines, has_loose_return, skip_line
from .csr_arrays import ARCS_MAX, VERTICES_MAX, WEIGHT_LIMIT
from .decimals import DECIMAL, fault_of_weight
from .memory_limit import MemoryLimit
from .parse_lines import INT64_MAX, parse

LINES_BEFORE_MAX = 1_000_000
TOO_LONG = f"the line is longer than {LINE_BYTES_MAX} bytes; no comment, it is no line of a graph"
LOOSE_RETURN = "a carriage return stands within the line; end every line with a line feed"
# What the arrays take while a graph is made: a row of numbers is there several times, read, joined and sorted.
_BYTES_PER_VERTEX = 14
_COPIES_OF_ROWS = 4
_INT64_DIGITS = 19
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
    """The lines that are allowed: a comment, or ``tag`` (if there is one), the columns and ``ignored`` words.

    The decimal column, if there is one, is multiplied by ``scale``.
    """

    columns: tuple[Column, ...]
    tag: str = ""
    comment: str = ""
    ignored: int = 0
    scale: int = 1

    def __str__(self) -> str:
        words = [self.tag] if self.tag else []
        shown = repr(" ".join([*words, *(column.name.upper() for column in self.columns)]))
        return f"{shown} and {self.ignored} more" if self.ignored else shown


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


def check_counts(vertices: int, arcs: int, place: str, limit: MemoryLimit) -> None:
    """Raise GraphError or FormatError, beginning with ``place``, if a graph or ``limit`` does not admit these counts.

    Only vertices are held against ``limit``: they take memory before a line of the file bears them out.
    """
    if vertices == 0:
        raise GraphError(f"{place}: the graph is empty; it needs at least one vertex")
    if vertices > VERTICES_MAX or arcs > ARCS_MAX:
        raise GraphError(f"{place}: {vertices} vertices and {arcs} arcs are more than 32-bit indices can number")
    limit.check(_BYTES_PER_VERTEX * vertices, f"a graph of {vertices} vertices", place)


@dataclass(frozen=True)
class FirstRow:
    """The first line that is neither empty nor a comment, empty if there is none, and what is in front of it.

    ``announced`` is the last match in these comments of what was looked for.
    """

    line: bytes
    lines_before: int
    commented: bool = False
    announced: re.Match | None = None

    @property
    def number(self) -> int:
        """The number of the line."""
        return self.lines_before + 1


def first_row(
    content: Content,
    comment: bytes,
    lines_before: int = 0,
    announcement: re.Pattern | None = None,
    of_any_length: bool = False,
) -> FirstRow:
    """Read ``content``, of which ``lines_before`` lines have been read, up to and including its first row.

    In a comment, ``announcement`` is looked for within LINE_BYTES_MAX. A row that is longer than that is cut if it may
    be ``of_any_length``. Raises FormatError if it may not, for a carriage return within a line, or if there is no row
    among LINES_BEFORE_MAX lines.
    """
    commented, announced = False, None
    last = lines_before + LINES_BEFORE_MAX
    while line := content.readline(LINE_BYTES_MAX + 2):
        text = line[: LINE_BYTES_MAX + 1].strip()
        is_comment = text.startswith(comment)
        too_long = len(line.removesuffix(b"\n")) > LINE_BYTES_MAX
        loose = skip_line(content, line) if is_comment or of_any_length else has_loose_return(line)
        if loose and not of_any_length:
            raise FormatError(f"{content.path}, line {lines_before + 1}: {LOOSE_RETURN}")
        if too_long and not is_comment and not of_any_length:
            raise FormatError(f"{content.path}, line {lines_before + 1}: {TOO_LONG}")
        if text and not is_comment:
            break
        commented |= bool(text)
        announced = (announcement and text and announcement.search(text)) or announced
        lines_before += 1
        if lines_before == last:
            raise FormatError(f"{content.path}, line {last}: still no numbers; is this a graph?")
    return FirstRow(line, lines_before, commented, announced)


def read_rows(content: Content, form: RowFormat, first: FirstRow) -> list[np.ndarray]:
    """``first`` and what follows it, one array per column, of shape (rows,): int32 if its range fits, else int64.

    Raises FormatError that names the first malformed line.
    """
    pieces: list[list[np.ndarray]] = [[np.empty(0, _dtype(column))] for column in form.columns]
    decimal = next((place for place, column in enumerate(form.columns) if column.decimal), -1)
    row_bytes = sum(np.dtype(_dtype(column)).itemsize for column in form.columns)
    lines_before, rows_before = first.lines_before, 0
    for text in chunks_of_lines(content, first.line):
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
            raise FormatError(f"{content.path}, line {number}: {_fault(text[bad:], form, values[decimal, :rows])}")
        for column, piece, found in zip(form.columns, pieces, values, strict=True):
            piece.append(found[:rows].astype(_dtype(column)))
        lines_before += lines
        rows_before += rows
        content.limit.check(_COPIES_OF_ROWS * row_bytes * rows_before, "a graph of so many arcs")
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
    if has_loose_return(line):
        return LOOSE_RETURN
    if len(line) > LINE_BYTES_MAX:
        return TOO_LONG
    words = line.split()
    if form.tag and words[0] != form.tag.encode():
        return f"{quoted(line)} where {form} was expected"
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
        elif not _within(word, column):
            return f"{column.name} {quoted(word)[1:-1]} {column.otherwise}"
    return f"{quoted(line)} where {form} was expected"


def _within(word: bytes, column: Column) -> bool:
    digits = word.lstrip(b"-").lstrip(b"0") or b"0"  # Python refuses to convert thousands of them
    if len(digits) > _INT64_DIGITS:
        return False
    return column.low <= (-int(digits) if word.startswith(b"-") else int(digits)) <= column.high


def _column_of(text: bytes, place: int) -> Iterable[bytes]:
    """The words in one column of the lines of ``text``."""
    rows = (line.split(maxsplit=place + 1) for line in text.split(b"\n"))
    return (row[place] for row in rows if len(row) > place)
