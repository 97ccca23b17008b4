"""Reading lines of numbers, for all text formats of graphs.

pandas parses long text whose lines are alike; a loop in Python parses any other, and explains the first malformed line.
Blanks are spaces, tabs, vertical tabs and form feeds; empty lines are skipped. A line ends with a line feed, and
carriage returns may only stand before one. An integer is decimal digits with an optional minus. A weight may also have
a plus, a point and an exponent. With a scale, weight times scale must be exactly whole. Without one, weights are
float64, each the nearest float to its decimal, unless all are whole and fit 32 bits.
"""

import codecs
import io
import os
import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import FormatError, GraphError
from ..content import Content, MemoryLimit
from ..csr import ARCS_MAX, VERTICES_MAX, WEIGHT_LIMIT
from ..weights import AS_FLOATS, DECIMAL, TOO_LARGE, UNSIGNED, fit_int32, scaled, weight_in

INT64_MAX = 2**63 - 1
LINES_BEFORE_MAX = 1_000_000
LOOSE_RETURN = re.compile(rb"\r(?![\r\n]|\Z)")
RETURN_FAULT = "the line has a carriage return before its end; end each line with a line feed"
# The peak memory of building a graph: each row is read, joined and sorted.
_BYTES_PER_VERTEX = 14
_COPIES_OF_ROWS = 4
# For text up to this length, importing pandas takes longer than it saves.
PLAIN_BYTES_MAX = 1 << 17
# The columns of some lines, int64 or, for weights, float64; whether the graph needs floats; and the error for the first
# integer that is no weight of 32 bits.
_Chunk = tuple[list[np.ndarray], bool, FormatError | None]
_POWERS_OF_TEN = frozenset(10**power for power in range(10))
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
        if LOOSE_RETURN.search(line):
            raise FormatError(f"{content.path}, line {lines_before + 1}: {RETURN_FAULT}")
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
    dtypes = [np.float64 if name == "weight" else end_type for name in form.columns]
    pieces: list[list[np.ndarray]] = [[np.empty(0, dtype)] for dtype in dtypes]
    lines_before, rows, has_floats = first.lines_before, 0, form.floats
    too_large: FormatError | None = None  # for the first integer that is a weight only among floats
    for text in content.chunks_of_lines(first.line):
        chunk = _by_pandas(text, form) if len(text) > PLAIN_BYTES_MAX else None
        columns, some_floats, error = chunk or _by_line(text, form, f"{content.path}, line", lines_before)
        has_floats, too_large = has_floats or some_floats, too_large or error
        for dtype, piece, column in zip(dtypes, pieces, columns, strict=True):
            piece.append(column.astype(dtype))
        lines_before += text.count(b"\n")
        rows += len(columns[-1])
        held_bytes = sum(piece.nbytes for column in pieces for piece in column)
        content.limit.check(_COPIES_OF_ROWS * held_bytes, f"a graph of {rows} arcs or more")
    if too_large and not has_floats:
        raise too_large
    found = dict(zip(form.columns, map(np.concatenate, pieces), strict=True))
    none, weights = np.empty(0, end_type), found.get("weight", np.ones(rows, np.int32))
    weights = weights.astype(np.float64 if has_floats else np.int32, copy=False)
    return found.get("tail", none), found.get("head", none), weights


def _by_pandas(text: bytes, form: RowFormat) -> _Chunk | None:
    """The columns of ``text``; None if it is not regular, or has a number out of range. It may be valid even so.

    pandas alone would take more for a row than ``form`` does, and would not name the line of every mistake.
    """
    import pandas  # slow

    marks = form.comment.encode()
    if any(mark in text for mark in marks):
        text = re.sub(rb"(?m)^[ \t]*+[" + marks + rb"][^\r\n]*+\r?+\n", b"", text)
    weight = UNSIGNED
    if form.scale is not None:  # so few digits that the decimal times the scale is whole if its float is
        weight = rb"(?![0-9.]{17})[0-9]++\.?+[0-9]" + (b"*+" if form.scale in _POWERS_OF_TEN else b"{0,6}+")
    words = [rb"[+-]?+" + weight if name == "weight" else rb"[0-9]{1,19}+" for name in form.columns]
    row = rb"[ \t]++".join([form.tag.encode()] * bool(form.tag) + words + [rb"[!#-~]++"] * form.ignored)
    if not re.fullmatch(rb"(?:[ \t]*+(?:" + row + rb"[ \t]*+)?+\r?+\n)*+", text):
        return None
    places = range(bool(form.tag), bool(form.tag) + len(words))
    types = {at: "float64" if name == "weight" else "int64" for at, name in zip(places, form.columns, strict=True)}
    try:
        frame: Any = pandas.read_csv(
            io.BytesIO(text), sep=r"\s+", header=None, usecols=places, dtype=types, na_filter=False, **nearest_floats()
        )
    except ValueError:  # an integer of more than 64 bits, or no row
        return None
    columns = [frame[at].to_numpy() for at in places]
    ends, weights = columns[: len(columns) - form.weighted], columns[-1]
    if any(end.min() < form.first or end.max() > form.last for end in ends):
        return None
    if not form.weighted:
        return columns, False, None
    if form.scale is not None:
        products, fit = scaled(weights, form.scale)
        return ([*ends, products], False, None) if fit.all() else None
    fit = fit_int32(weights)
    # Large whole numbers may be integers, which need a fraction beside them.
    known = form.floats or fit.all() or (weights != np.rint(weights)).any()
    return (columns, not fit.all(), None) if known and np.isfinite(weights).all() else None


def nearest_floats() -> dict[str, Any]:
    """The options of ``pandas.read_csv`` for the nearest float to each decimal, which later versions always take."""
    import pandas

    return {"float_precision": "round_trip"} if int(pandas.__version__.partition(".")[0]) < 3 else {}


def _by_line(text: bytes, form: RowFormat, place: str, lines_before: int) -> _Chunk:
    """The columns of ``text``. Raises FormatError that names the first malformed line."""
    columns = [array("d" if name == "weight" else "q") for name in form.columns]
    has_floats, too_large = False, None
    last = bool(form.tag) + len(form.columns) - 1

    def weights() -> Iterator[bytes]:
        return (row[last] for row in map(bytes.split, io.BytesIO(text)) if len(row) > last)

    for number, line in enumerate(io.BytesIO(text), lines_before + 1):
        words = line.split()
        try:
            if LOOSE_RETURN.search(line):
                raise ValueError(RETURN_FAULT)
            if not words or words[0][0] in form.comment.encode():
                continue
            values = _numbers(line, words, form, weights)
        except ValueError as fault:
            raise FormatError(f"{place} {number}: {fault}") from None
        for column, value in zip(columns, values, strict=True):
            column.append(value)
        if form.weighted and not (abs(values[-1]) <= WEIGHT_LIMIT and values[-1] % 1 == 0):
            if not words[last].lstrip(b"+-").isdigit():
                has_floats = True
            elif not too_large:
                word = quoted(words[last])[1:-1]
                too_large = FormatError(f"{place} {number}: weight {word} {TOO_LARGE}; {AS_FLOATS}")
    return [np.array(column) for column in columns], has_floats, too_large


def _numbers(line: bytes, words: list[bytes], form: RowFormat, weights: Callable[[], Iterable[bytes]]) -> list[Any]:
    """The numbers in the columns of a line. Raises ValueError, which says what is wrong."""
    tagged = not form.tag or words[0] == form.tag.encode()
    words = words[bool(form.tag) :]
    numbers = []
    for word, name in zip(words, form.columns if tagged else (), strict=False):
        is_weight = name == "weight"
        if not (DECIMAL if is_weight else _INTEGER).fullmatch(word):
            advice = "; names need --format csv (in Python format='csv')" if form.last == INT64_MAX else ""
            raise ValueError(f"{name} {quoted(word)} is not {'a number' if is_weight else f'an integer{advice}'}")
        try:
            numbers.append(weight_in(word, form.scale, weights) if is_weight else _integer(word))
            if not is_weight and not form.first <= numbers[-1] <= form.last:
                raise ValueError(f"is not a vertex; vertices are {form.first}..{form.last}")
        except ValueError as fault:
            raise ValueError(f"{name} {quoted(word)[1:-1]} {fault}") from None
    if not tagged or len(words) != len(form.columns) + form.ignored:
        raise ValueError(f"{quoted(line)} where {form} was expected")
    return numbers


def _integer(word: bytes) -> int:
    """The integer ``word``; one of thousands of digits becomes another that exceeds 64 bits."""
    size = int(word.lstrip(b"-").lstrip(b"0")[:20] or b"0")
    return -size if word.startswith(b"-") else size


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
