"""Reading lines of numbers fast: the part that all text formats of graphs share.

A compiled loop parses the bytes and stops at the first malformed line; Python then looks at that line alone, to say
what is wrong with it. Both follow one grammar. Blanks are spaces, tabs, vertical tabs and form feeds; empty lines are
skipped. A line ends with a line feed, and carriage returns stand in front of one alone: elsewhere, what follows might
be meant as a line. An integer is decimal digits with an optional minus. A weight may also have a plus, a point and an
exponent; times the scale it must be whole, exactly: no rounding takes place.
"""

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import FormatError, GraphError
from .content import Content, MemoryLimit
from .csr import ARCS_MAX, VERTICES_MAX, WEIGHT_LIMIT
from .weights import DECIMAL, fault_of_weight

INT64_MAX = 2**63 - 1
LINES_BEFORE_MAX = 1_000_000
LOOSE_RETURN = "a carriage return stands within the line; end every line with a line feed"
# What the arrays take while a graph is made: a row of numbers is there several times, read, joined and sorted.
_BYTES_PER_VERTEX = 14
_COPIES_OF_ROWS = 4
_INT64_DIGITS = 19
_INTEGER = re.compile(rb"-?[0-9]+")
_COUNT = re.compile(rb"[0-9]{1,18}")


@dataclass(frozen=True)
class RowFormat:
    """The lines that are allowed: a comment, or ``tag`` (if there is one), the columns and ``ignored`` words.

    The columns are tail and head, vertices ``first`` to ``last``, and if ``weighted`` a weight, which is multiplied by
    ``scale``; without ``ends`` it is the weight alone.
    """

    first: int
    last: int
    weighted: bool
    tag: str = ""
    comment: str = ""
    ignored: int = 0
    scale: int = 1
    ends: bool = True

    @property
    def columns(self) -> tuple[str, ...]:
        return (*(("tail", "head") if self.ends else ()), *(("weight",) if self.weighted else ()))

    def __str__(self) -> str:
        shown = repr(" ".join([*([self.tag] if self.tag else []), *map(str.upper, self.columns)]))
        return f"{shown} and {self.ignored} more" if self.ignored else shown


def parse_counts(words: Sequence[bytes]) -> tuple[int, ...] | None:
    """The numbers in a header's ``words``; None if one of them is no count."""
    return tuple(map(int, words)) if all(_COUNT.fullmatch(word) for word in words) else None


def is_row(words: Sequence[bytes]) -> bool:
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
    content: Content, comment: bytes, lines_before: int = 0, announcement: re.Pattern | None = None
) -> FirstRow:
    """Read ``content``, of which ``lines_before`` lines have been read, up to and including its first row.

    Raises FormatError for a carriage return within a line, or if there is no row among LINES_BEFORE_MAX lines.
    """
    commented, announced = False, None
    last = lines_before + LINES_BEFORE_MAX
    while line := content.readline():
        if _has_loose_return(line):
            raise FormatError(f"{content.path}, line {lines_before + 1}: {LOOSE_RETURN}")
        text = line.strip()
        if text and not text.startswith(comment):
            break
        commented |= bool(text)
        announced = (announcement and announcement.search(text)) or announced
        lines_before += 1
        if lines_before == last:
            raise FormatError(f"{content.path}, line {last}: still no numbers; is this a graph?")
    return FirstRow(line, lines_before, commented, announced)


def read_rows(content: Content, form: RowFormat, first: FirstRow) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Tails, heads and weights of ``first`` and what follows it, of shape (rows,); weights are 1 if there are none.

    Weights are int32; tails and heads, too, if vertices have such numbers, else int64. Raises FormatError that names
    the first malformed line.
    """
    from .parse_lines import parse  # Numba takes long to import

    end_type = np.int32 if form.last < 2**31 else np.int64
    dtypes = [np.int32 if name == "weight" else end_type for name in form.columns]
    lows, highs = np.array(
        [(-WEIGHT_LIMIT, WEIGHT_LIMIT) if name == "weight" else (form.first, form.last) for name in form.columns]
    ).T.copy()
    pieces: list[list[np.ndarray]] = [[np.empty(0, dtype)] for dtype in dtypes]
    row_bytes = sum(np.dtype(dtype).itemsize for dtype in dtypes)
    decimal = len(dtypes) - 1 if form.weighted else -1
    lines_before, rows_before = first.lines_before, 0
    for text in content.chunks_of_lines(first.line):
        lines = text.count(b"\n")
        values = np.empty((len(dtypes), lines), dtype=np.int64)
        rows, bad = parse(
            np.frombuffer(text, dtype=np.uint8),
            ord(form.tag or "\0"),
            ord(form.comment or "\0"),
            form.ignored,
            decimal,
            form.scale,
            lows,
            highs,
            values,
        )
        if bad >= 0:
            number = lines_before + text.count(b"\n", 0, bad) + 1
            raise FormatError(f"{content.path}, line {number}: {_fault(text[bad:], form, values[decimal, :rows])}")
        for dtype, piece, found in zip(dtypes, pieces, values, strict=True):
            piece.append(found[:rows].astype(dtype))
        lines_before += lines
        rows_before += rows
        content.limit.check(_COPIES_OF_ROWS * row_bytes * rows_before, "a graph of so many arcs")
    columns = dict(zip(form.columns, map(np.concatenate, pieces), strict=True))
    none, ones = np.empty(0, end_type), np.ones(rows_before, np.int32)
    return columns.get("tail", none), columns.get("head", none), columns.get("weight", ones)


def check_complete(path: str | os.PathLike, line: int, announced: int, found: int, what: str = "arcs") -> None:
    """Raise FormatError if a file has other than the rows that its ``line`` announces."""
    if found != announced:
        raise FormatError(
            f"{path}: line {line} announces {announced} {what}, but the file has {found}; is it complete?"
        )


def quoted(text: bytes, limit: int = 40) -> str:
    """``text`` in quotes for an error message: escaped, and cut after ``limit`` characters."""
    shown = text.strip().decode("utf-8", errors="backslashreplace")
    return repr(shown if len(shown) <= limit else shown[:limit] + "…")


def _has_loose_return(line: bytes) -> bool:
    return b"\r" in line.rstrip(b"\r\n")


def _fault(text: bytes, form: RowFormat, weights_before: np.ndarray) -> str:
    """What is wrong with the first line of ``text``, which ``parse`` rejected."""
    line = text[: text.index(b"\n")]
    if _has_loose_return(line):
        return LOOSE_RETURN
    words = line.split()
    if form.tag and words[0] != form.tag.encode():
        return f"{quoted(line)} where {form} was expected"
    words = words[1:] if form.tag else words
    for place, (word, name) in enumerate(zip(words, form.columns, strict=False)):
        if name == "weight":
            largest = int(np.abs(weights_before).max(initial=0)) // form.scale
            others = _column_of(text, place + bool(form.tag))
            fault = fault_of_weight(word, form.scale, others, largest)
            if fault:
                return f"weight {fault}"
        elif not _INTEGER.fullmatch(word):
            return f"{name} {quoted(word)} is not an integer"
        elif not form.first <= _clipped(word) <= form.last:
            if form.last == INT64_MAX:
                return f"{name} {quoted(word)[1:-1]} is not a vertex id; ids are 0..2^63-1"
            return f"{name} {quoted(word)[1:-1]} is not a vertex; vertices are {form.first}..{form.last}"
    return f"{quoted(line)} where {form} was expected"


def _clipped(word: bytes) -> int:
    """An integer, or for one of more than 64 bits, thousands of digits even, one beyond them."""
    digits = word.lstrip(b"-").lstrip(b"0") or b"0"
    size = int(digits) if len(digits) <= _INT64_DIGITS else INT64_MAX + 1
    return -size if word.startswith(b"-") else size


def _column_of(text: bytes, place: int) -> Iterable[bytes]:
    """The words in one column of the lines of ``text``."""
    rows = (line.split(maxsplit=place + 1) for line in text.split(b"\n"))
    return (row[place] for row in rows if len(row) > place)
