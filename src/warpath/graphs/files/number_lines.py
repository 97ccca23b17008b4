"""Reading lines of numbers fast, for all text formats of graphs.

A compiled loop parses the bytes and stops at the first malformed line; Python then explains that line. Blanks are
spaces, tabs, vertical tabs and form feeds; empty lines are skipped. A line ends with a line feed, and carriage returns
may only stand before one. An integer is decimal digits with an optional minus. A weight may also have a plus, a point
and an exponent. With a scale, weight times scale must be exactly whole. Without one, weights are float64, each the
nearest float to its decimal, unless all are whole and fit 32 bits.
"""

import codecs
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...errors import FormatError, GraphError
from ..content import Content, MemoryLimit
from ..csr import ARCS_MAX, VERTICES_MAX, WEIGHT_LIMIT
from ..weights import DECIMAL, UNSIGNED, fault_of_weight, fit_int32

INT64_MAX = 2**63 - 1
LINES_BEFORE_MAX = 1_000_000
LOOSE_RETURN = "the line has a carriage return before its end; end each line with a line feed"
# The peak memory of building a graph: each row is read, joined and sorted.
_BYTES_PER_VERTEX = 14
_COPIES_OF_ROWS = 4
_INT64_DIGITS = 19
_EXACT_MAX = 2**53 - 1  # among floats
# Up to these numbers of rows, of integers and with floats, importing Numba takes longer than it saves.
_ROWS_WITHOUT_NUMBA, _FLOATS_WITHOUT_NUMBA = 3_000_000, 1_000_000
_INTEGER = re.compile(rb"-?[0-9]+")
_COUNT = re.compile(rb"[0-9]{1,18}")


@dataclass(frozen=True)
class RowFormat:
    """The grammar of a line: the ``tag`` (if not empty), the columns and ``ignored`` words.

    A line that begins with a character of ``comment`` is none.

    The columns are tail and head (if ``ends``), from ``first`` to ``last``, and the weight (if ``weighted``), which is
    multiplied by ``scale``. Weights may be floats if ``scale`` is None, and are if ``floats`` is true.
    """

    first: int
    last: int
    weighted: bool
    tag: str = ""
    comment: str = ""
    ignored: int = 0
    scale: int | None = None
    ends: bool = True
    floats: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        return (*(("tail", "head") if self.ends else ()), *(("weight",) if self.weighted else ()))

    @property
    def may_have_floats(self) -> bool:
        return self.weighted and self.scale is None

    def __str__(self) -> str:
        text = repr(" ".join([self.tag, *map(str.upper, self.columns)]).strip())
        return f"{text} and {self.ignored} more" if self.ignored else text


def parse_counts(words: Sequence[bytes]) -> tuple[int, ...] | None:
    """The numbers in the ``words`` of a header; None if one of them is not a count."""
    return tuple(map(int, words)) if all(_COUNT.fullmatch(word) for word in words) else None


def may_be_counts(words: Sequence[bytes], *ends: np.ndarray) -> bool:
    """Whether the first row, of these ``words``, may be a header ``VERTICES ARCS`` or ``ROWS COLUMNS ENTRIES``.

    ``ends`` are the columns of tails and heads, numbers or names, of all rows.
    """
    *sizes, arcs = parse_counts(words) or (0,)
    if len(words) > 3 or arcs != len(ends[0]) - 1 or len(set(sizes)) != 1 or sizes[0] == 0:
        return False
    names = {name for column in ends for name in column[1:].tolist()}
    numbered = all(isinstance(name, int) and 0 <= name <= sizes[0] for name in names)
    return len(names) == sizes[0] or (numbered and not {0, sizes[0]} <= names)


def is_row(words: Sequence[bytes]) -> bool:
    """Whether ``words`` may be a tail, a head and an optional weight."""
    ends = len(words) in (2, 3) and all(_INTEGER.fullmatch(word) for word in words[:2])
    return ends and all(DECIMAL.fullmatch(word) for word in words[2:])


def check_counts(vertices: int, arcs: int, place: str, limit: MemoryLimit) -> None:
    """Raise GraphError or FormatError, beginning with ``place``, if the announced counts are not possible.

    Only vertices count towards ``limit``: arcs take memory when their lines are read.
    """
    if vertices == 0:
        raise GraphError(f"{place}: the graph is empty; it needs at least one vertex")
    if vertices > VERTICES_MAX or arcs > ARCS_MAX:
        raise GraphError(f"{place}: {vertices} vertices and {arcs} arcs are more than 32-bit indices can number")
    limit.check(_BYTES_PER_VERTEX * vertices, f"a graph of {vertices} vertices", place)


@dataclass(frozen=True)
class FirstRow:
    """The first line that is neither empty nor a comment; empty if there is none.

    ``commented`` says whether there are comments before it; ``announced`` is the last match in them.
    """

    line: bytes
    lines_before: int
    commented: bool = False
    announced: re.Match | None = None

    @property
    def number(self) -> int:
        """The number of the line."""
        return self.lines_before + 1

    @property
    def words(self) -> list[bytes]:
        """The cells, whatever separates them."""
        return re.findall(rb'[^\s,;|"]+', self.line)


def first_row(
    content: Content, comment: bytes, lines_before: int = 0, announcement: re.Pattern | None = None
) -> FirstRow:
    """Read up to and including the next row; ``lines_before`` lines have been read already.

    ``comment`` is a regular expression for the beginning of a comment.

    Raises FormatError for a carriage return within a line, or if there is no row within LINES_BEFORE_MAX lines.
    """
    commented, announced = False, None
    last = lines_before + LINES_BEFORE_MAX
    while line := content.readline():
        if lines_before == 0:
            line = line.removeprefix(codecs.BOM_UTF8)
        if _has_loose_return(line):
            raise FormatError(f"{content.path}, line {lines_before + 1}: {LOOSE_RETURN}")
        text = line.strip()
        if text and not re.match(comment, text):
            break
        commented |= bool(text)
        announced = (announcement and announcement.search(text)) or announced
        lines_before += 1
        if lines_before == last:
            raise FormatError(f"{content.path}, line {last}: there are no numbers up to here; is this a graph?")
    return FirstRow(line, lines_before, commented, announced)


def check_first_row(path: str | os.PathLike, first: FirstRow, *ends: np.ndarray) -> None:
    """Raise FormatError if the first row ``may_be_counts``."""
    if may_be_counts(first.words, *ends):
        rows = int(first.words[-1])
        metis = "; a METIS file cannot be read" if int(first.words[0]) == rows else ""
        raise FormatError(
            f"{path}, line {first.number}: {quoted(first.line)} may be an arc, or the counts before {rows} arcs; say "
            f"which with --no-header or --header (in Python header=False or header=True){metis}"
        )


def read_rows(content: Content, form: RowFormat, first: FirstRow) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Tails, heads (int32, or int64 for large ids) and weights (int32 or float64, default 1) from ``first`` on.

    Raises FormatError that names the first malformed line.
    """
    end_type = np.int32 if form.last < 2**31 else np.int64
    dtypes = [np.int32 if name == "weight" else end_type for name in form.columns]
    lows, highs = np.array(
        [(-WEIGHT_LIMIT, WEIGHT_LIMIT) if name == "weight" else (form.first, form.last) for name in form.columns]
    ).T.copy()
    pieces: list[list[np.ndarray]] = [[np.empty(0, dtype)] for dtype in dtypes]
    lines_before, rows_before = first.lines_before, 0
    has_floats = form.floats
    too_large: FormatError | None = None  # for the first integer that is a weight only among floats
    for text in content.chunks_of_lines(first.line):
        quick = rows_before < (_FLOATS_WITHOUT_NUMBA if has_floats else _ROWS_WITHOUT_NUMBA)
        chunk = (_regular(text, form, lows, highs) if quick else None) or _parsed(text, form, lows, highs, has_floats)
        at = chunk.malformed if chunk.malformed >= 0 else chunk.too_large
        if at >= 0:
            number = lines_before + text.count(b"\n", 0, at) + 1
            error = FormatError(f"{content.path}, line {number}: {_fault(text[at:], form, chunk.columns[-1])}")
            if chunk.malformed >= 0:
                raise error
            too_large = too_large or error
        has_floats |= chunk.has_floats
        for dtype, piece, column in zip(dtypes, pieces, chunk.columns, strict=True):
            piece.append(column if column.dtype.kind == "f" else column.astype(dtype))
        lines_before += text.count(b"\n")
        rows_before += len(chunk.columns[-1])
        held_bytes = sum(piece.nbytes for column in pieces for piece in column)
        content.limit.check(_COPIES_OF_ROWS * held_bytes, f"a graph of {rows_before} arcs or more")
    if too_large and not has_floats:
        raise too_large
    columns = dict(zip(form.columns, map(np.concatenate, pieces), strict=True))
    none, ones = np.empty(0, end_type), np.ones(rows_before, np.int32)
    weights = columns.get("weight", ones)
    return (
        columns.get("tail", none),
        columns.get("head", none),
        weights.astype(np.float64 if has_floats else np.int32, copy=False),
    )


@dataclass(frozen=True)
class _Chunk:
    """The columns of some lines, int64 or, for weights, float64. ``has_floats``: whether the graph needs floats.

    ``malformed`` is the offset of the first malformed line. ``too_large`` is the offset of the first integer that is no
    weight of 32 bits. Both are -1 if there is none.
    """

    columns: tuple[np.ndarray, ...]
    has_floats: bool = False
    malformed: int = -1
    too_large: int = -1


def _regular(text: bytes, form: RowFormat, lows: np.ndarray, highs: np.ndarray) -> _Chunk | None:
    """The columns of regular lines, without Numba."""
    whole = parse_regular(text, form, text.count(b"\n"), lows, highs)
    if whole is not None:
        return _Chunk(tuple(whole))
    floats = parse_regular_floats(text, form, lows, highs) if form.may_have_floats else None
    return None if floats is None else _Chunk(floats, not fit_int32(floats[-1]).all())


def _parsed(text: bytes, form: RowFormat, lows: np.ndarray, highs: np.ndarray, has_floats: bool) -> _Chunk:
    """The columns of lines, by Numba. With ``has_floats``, integers are not tried first."""
    from .parse_lines import parse  # importing Numba is slow

    lines = text.count(b"\n")
    array = np.frombuffer(text, np.uint8)
    values = np.empty((len(form.columns), lines), np.int64)
    decimal = len(form.columns) - 1 if form.weighted else -1
    comments = np.frombuffer(form.comment.encode(), np.uint8)
    grammar = ord(form.tag or "\0"), comments, form.ignored, decimal, form.scale or 1, lows, highs
    if not (has_floats and form.may_have_floats):
        none = np.empty(0, np.uint8), np.empty(0, np.int64)
        rows, malformed = parse(array, *grammar, values, *none)
        if malformed < 0 or not form.may_have_floats:
            return _Chunk(tuple(values[:, :rows]), malformed=malformed)
    words, begins = np.full(len(text), ord(" "), np.uint8), np.empty(lines, np.int64)
    rows, malformed = parse(array, *grammar, values, words, begins)
    weights, begins = np.fromstring(words.tobytes(), np.float64, sep=" ")[:rows], begins[:rows]
    fit, is_integer = fit_int32(weights), begins >= 0
    infinite, too_large = np.flatnonzero(np.isinf(weights)), np.flatnonzero(is_integer & ~fit)
    if len(infinite):
        malformed = int(np.maximum(begins, ~begins)[infinite[0]])
    return _Chunk(
        (*values[:-1, :rows], weights),
        not (fit | is_integer).all(),
        malformed,
        int(begins[too_large[0]]) if len(too_large) else -1,
    )


def parse_regular(text: bytes, form: RowFormat, lines: int, lows: np.ndarray, highs: np.ndarray) -> np.ndarray | None:
    """The columns of ``text``, int64 of shape (columns, lines), without Numba.

    None unless each line has the tag and digits only, with one blank between them. Other text may be valid, too. None
    as well if a number is out of range.
    """
    blank = b"\t" if b"\t" in text[: text.index(b"\n")] else b" "
    others = (form.tag.encode() + blank if form.tag else b"") + blank * (len(form.columns) - 1) + b"\n"
    if form.ignored or (form.scale or 1) != 1 or text.translate(None, b"0123456789") != others * lines:
        return None
    # Where the bytes of each line that are not digits are: numbers are between all but the tag and its neighbours.
    at = np.flatnonzero(np.frombuffer(text, np.uint8) - np.uint8(ord("0")) > 9).reshape(lines, len(others))
    begins = np.append(0, at[:-1, -1] + 1)
    if form.tag and not (np.array_equal(at[:, 0], begins) and np.array_equal(at[:, 1], begins + 1)):
        return None
    if not form.tag and (at[:, 0] == begins).any():
        return None
    if (np.diff(at[:, 1:] if form.tag else at) == 1).any():
        return None
    values = np.fromstring(text.replace(form.tag.encode(), b" ") if form.tag else text, np.int64, sep=" ")
    values = values.reshape(lines, -1).T
    # A number beyond 64 bits becomes the largest one.
    least, most = values.min(axis=1, initial=INT64_MAX), values.max(axis=1, initial=0)
    return values if (lows <= least).all() and (most <= np.minimum(highs, INT64_MAX - 1)).all() else None


def parse_regular_floats(
    text: bytes, form: RowFormat, lows: np.ndarray, highs: np.ndarray
) -> tuple[np.ndarray, ...] | None:
    """The columns of ``text``, int64, and float64 for weights, without Numba.

    None unless each line has the tag and the columns. Other text may be valid, too. None as well if a number is out of
    range, or a weight may be an integer that does not fit.
    """
    words = [rb"[0-9]++"] * (len(form.columns) - 1) + [rb"[+-]?+" + UNSIGNED]
    line = rb"[ \t]++".join([form.tag.encode(), *words] if form.tag else words)
    if form.ignored or re.sub(rb"(?m)^[ \t]*+" + line + rb"[ \t]*+\r*+\n", b"", text):
        return None
    values = np.fromstring(text.replace(form.tag.encode(), b" ") if form.tag else text, np.float64, sep=" ")
    *ends, weights = values.reshape(-1, len(words)).T
    if (np.abs(weights) > (np.finfo(np.float64).max if form.floats else WEIGHT_LIMIT)).any():
        return None
    for end, low, high in zip(ends, lows, highs, strict=False):
        if (end < low).any() or (end > min(high, _EXACT_MAX)).any():
            return None
    return (*(end.astype(np.int64) for end in ends), weights.copy())  # not a view of all columns


def check_complete(path: str | os.PathLike, line: int, announced: int, count: int, what: str = "arcs") -> None:
    """Raise FormatError if the number of rows differs from the number announced in ``line``."""
    if count != announced:
        raise FormatError(
            f"{path}: line {line} announces {announced} {what}, but the file has {count}; is it complete?"
        )


def quoted(text: bytes, limit: int = 40) -> str:
    """``text`` for an error message: in quotes, escaped, at most ``limit`` characters."""
    decoded = text.strip().decode("utf-8", errors="backslashreplace")
    return repr(decoded if len(decoded) <= limit else decoded[:limit] + "…")


def _has_loose_return(line: bytes) -> bool:
    return b"\r" in line.rstrip(b"\r\n")


def _fault(text: bytes, form: RowFormat, weights_before: np.ndarray) -> str:
    """What is wrong with the first line of ``text``."""
    line = text[: text.index(b"\n")]
    if _has_loose_return(line):
        return LOOSE_RETURN
    words = line.split()
    if form.tag and words[0] != form.tag.encode():
        return f"{quoted(line)} where {form} was expected"
    words = words[1:] if form.tag else words
    for column, (word, name) in enumerate(zip(words, form.columns, strict=False), bool(form.tag)):
        if name == "weight":
            largest = int(np.abs(weights_before).max(initial=0)) // form.scale if form.scale else 0
            rows = (row.split(maxsplit=column + 1) for row in text.split(b"\n"))
            fault = fault_of_weight(
                word, form.scale, (row[column] for row in rows if len(row) > column), largest, form.floats
            )
            if fault:
                return f"weight {fault}"
        elif not _INTEGER.fullmatch(word):
            advice = "; names need --format csv (in Python format='csv')" if form.last == INT64_MAX else ""
            return f"{name} {quoted(word)} is not an integer{advice}"
        elif not form.first <= _clipped(word) <= form.last:
            if form.last == INT64_MAX:
                return f"{name} {quoted(word)[1:-1]} is not a vertex id; ids are 0..2^63-1"
            return f"{name} {quoted(word)[1:-1]} is not a vertex; vertices are {form.first}..{form.last}"
    return f"{quoted(line)} where {form} was expected"


def _clipped(word: bytes) -> int:
    """An integer; one beyond 64 bits, perhaps of thousands of digits, becomes 2**63 or -2**63."""
    digits = word.lstrip(b"-").lstrip(b"0") or b"0"
    size = int(digits) if len(digits) <= _INT64_DIGITS else INT64_MAX + 1
    return -size if word.startswith(b"-") else size
