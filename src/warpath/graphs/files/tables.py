"""Edge lists in tables: CSV and TSV, plain or compressed, and Parquet. Each row is an arc.

The first line of a CSV file may have the names of the columns, or counts, which are left out. Without names, the first
three columns are ``source``, ``target`` and ``weight``, and further ones are called by their numbers. Vertices are
whole numbers if all are written as such, without leading zeros, else texts. Lines at the top that begin with ``#`` are
comments.
"""

import csv
import importlib
import io
import os
import re
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import FormatError, GraphError, UsageError
from ..content import MemoryLimit, open_content
from ..csr import Graph
from ..named_arcs import SOURCE, TARGET, WEIGHT
from ..objects.frames import Columns, graph_of, opened
from ..weights import DECIMAL, fit_int32
from .number_lines import LOOSE_RETURN, RETURN_FAULT, check_first_row, first_row, nearest_floats, parse_counts

FORMATS = {
    "csv": "edge list in CSV or TSV, with names of columns or without",
    "parquet": "edge list in Parquet",
}
SUFFIXES = {".csv": "csv", ".tsv": "csv", ".parquet": "parquet", ".pq": "parquet"}
_SEPARATORS = ",\t;|"
_SAMPLE_ROWS, _SAMPLE_BYTES = 1000, 1 << 16
# A number, or a short text in a Python object, with copies.
_BYTES_PER_CELL = 64
_EXCEL = re.compile(rb'"?sep=."?\s*', re.IGNORECASE)  # a line that tells Excel the separator
_NUL = re.compile(rb"\0")
_NUMBER = r"0|-?[1-9][0-9]*"
# A cell that may be a number, but begins with a plus, or with a zero before another digit.
_OTHER_SPELLING = re.compile(rb'[,; \t\r\n"|](?:0[0-9]|-0|\+)')
_PARQUET_MAGIC = b"PAR1"


def is_parquet(path: str | os.PathLike) -> bool:
    """Whether the file begins as Parquet does."""
    with open_content(path) as content:
        return content.read(len(_PARQUET_MAGIC)) == _PARQUET_MAGIC


def may_be_csv(line: bytes) -> bool:
    """Whether the first line of a file may be one of CSV, and not of JSON or XML."""
    try:
        return line[:1] not in b"{[<" and any(separator in line.decode() for separator in _SEPARATORS)
    except UnicodeDecodeError:
        return False


def read(
    path: str | os.PathLike,
    form: str,
    columns: Columns,
    header: bool | None = None,
    scale: int | None = None,
    floats: bool = False,
) -> Graph:
    """Read a table; ``form`` is "csv" or "parquet". ``header`` says whether line 1 of CSV is no arc.

    Raises FormatError if it is malformed, or if names of columns or counts cannot be told from an arc; GraphError if a
    column is missing; UsageError if a library is missing.
    """
    columns = replace(columns, of_file=True)
    with errors_explained(path):
        frame, columns = _csv(path, columns, header) if form == "csv" else _parquet(path, columns, header)
        graph = graph_of(frame, scale, columns, Path(path).name, lambda row: f"arc {row + 1}", floats)
    return replace(graph, metadata={"format": form, **graph.metadata})


def _csv(path: str | os.PathLike, columns: Columns, header: bool | None) -> tuple[Any, Columns]:
    """The data frame of a CSV file, with the columns that are needed, and their names in it."""
    import pandas

    with open_content(path) as content:
        first = first_row(content, b"#")
        if _EXCEL.fullmatch(first.line):
            first = first_row(content, b"#", first.number)
        if header and parse_counts(first.words) and str(columns.tail).encode() not in first.words:
            first, header = first_row(content, b"#", first.number), False
        line = first.line
        if not line:
            raise GraphError("the graph is empty; an edge list needs at least one arc")
        text = b"\n" * first.lines_before + line + content.read()  # lines keep their numbers in messages
        _check_text(path, text)
        separator, count = _separator(text[first.lines_before : _SAMPLE_BYTES])
        content.limit.check(_BYTES_PER_CELL * text.count(b"\n") * count, "its table")

    settings: dict[str, Any] = {
        "sep": separator,
        "header": None,
        "index_col": False,
        "keep_default_na": False,  # NA may be the name of a vertex
        "na_values": [""],
        "skipinitialspace": True,
        "low_memory": False,
        **nearest_floats(),
    }

    def parsed(**options: Any) -> Any:
        return pandas.read_csv(io.BytesIO(text), **settings, **options)

    rows = [[str(cell).strip() for cell in row] for row in parsed(nrows=2, dtype=str).to_numpy()]
    named = _as_named(columns, rows[0])
    may_be_arc = header is None
    if header is None:
        header = _has_header(rows, named, line, "," if separator == ";" else ".")
    names: list[Hashable] = list(rows[0])
    if header:
        columns = named
        for name in (columns.tail, columns.head, columns.weight):
            if names.count(name) > 1:
                raise GraphError(f"it has more than one column {name!r}")
    else:
        names = [*(SOURCE, TARGET, WEIGHT)[: len(names)], *(str(number) for number in range(4, len(names) + 1))]
    table: dict[str, Any] = {"names": names, "skiprows": first.number if header else 0}
    sample = parsed(**table, nrows=_SAMPLE_ROWS)
    if separator == ";":  # whose numbers may have a comma for the point
        with_commas = parsed(**table, nrows=_SAMPLE_ROWS, decimal=",")
        if _numeric(with_commas) > _numeric(sample):
            sample, table["decimal"] = with_commas, ","
    weight = columns.weight_in(opened(sample))
    frame = parsed(**table)
    ends = [columns.tail, columns.head]
    numbers = all(pandas.api.types.is_integer_dtype(frame[end].dtype) for end in ends)
    if not numbers or _OTHER_SPELLING.search(b"\n" + text):
        texts = parsed(**table, usecols=ends, dtype=str)[ends].apply(lambda column: column.str.strip())
        if not numbers or not texts.apply(lambda column: column.str.fullmatch(_NUMBER)).all(axis=None):
            frame[ends] = texts
    if may_be_arc and not header:
        check_first_row(path, first, *(frame[end] for end in ends))
    if weight is not None:
        frame[weight] = _weights(frame[weight])
    return frame, columns


def _check_text(path: str | os.PathLike, text: bytes) -> None:
    """Raise FormatError for a byte that would become part of a name, or end a line for pandas alone."""
    nul = "there is a NUL byte; if the text is UTF-16, convert it with iconv"
    for fault, what in (_NUL.search(text), nul), (LOOSE_RETURN.search(text), RETURN_FAULT):
        if fault:
            line = text.count(b"\n", 0, fault.start()) + 1
            raise FormatError(f"{path}, line {line}: {what}")


def _as_named(columns: Columns, names: Sequence[Hashable]) -> Columns:
    """``columns`` with the ``names`` of the table for those that differ from one of them in capitals only."""

    def found(name: Hashable) -> Hashable:
        same = [other for other in names if str(other).casefold() == str(name).casefold()]
        return same[0] if name not in names and len(same) == 1 else name

    weight = None if columns.weight is None else found(columns.weight)
    return replace(columns, tail=found(columns.tail), head=found(columns.head), weight=weight)


def _weights(column: Any) -> Any:
    """A column with integers instead of floats if all are whole; texts stay only where there is no number."""
    import pandas

    if not pandas.api.types.is_numeric_dtype(column.dtype):
        numbers = pandas.to_numeric(column, errors="coerce")
        return numbers.astype(object).where(numbers.notna(), column)
    whole = column.dtype == np.float64 and fit_int32(column.to_numpy()).all()
    return column.astype(np.int32) if whole else column


def _separator(text: bytes) -> tuple[str, int]:
    """What separates the columns of the first lines, and their number; if several may, that of the most columns."""
    # Bytes have fewer ends of lines than text.
    lines = [line.decode(errors="replace") for line in text.splitlines()[:_SAMPLE_ROWS]]

    def columns(separator: str) -> tuple[int, int]:
        try:
            counts = [len(row) for row in csv.reader(lines, delimiter=separator) if row]
        except csv.Error:
            return 1, 1
        return counts[0], min(counts[:-1], default=counts[0])  # the last line may be cut

    best = max(_SEPARATORS, key=columns)
    count = columns(best)[0]
    return (best, count) if count > 1 else (r"\s+", len(lines[0].split()))


def _numeric(frame: Any) -> int:
    """The number of columns of numbers."""
    return len(frame.select_dtypes("number").columns)


def _has_header(rows: list[list[str]], columns: Columns, line: bytes, point: str) -> bool:
    """Whether the first of ``rows`` has the names of the columns. Raises FormatError if it may also be an arc."""
    numbers = [any(DECIMAL.fullmatch(cell.replace(point, ".").encode()) for cell in row) for row in rows]
    if {columns.tail, columns.head} <= set(rows[0]):
        return True
    if numbers[0]:
        return False
    if numbers[-1]:
        return True
    raise FormatError(
        f"the line {line.decode().strip()!r} may have the names of the columns, or be an arc; "
        "say which with --header or --no-header (in Python header=True or header=False)"
    )


def _parquet(path: str | os.PathLike, columns: Columns, header: bool | None) -> tuple[Any, Columns]:
    if header is not None:
        raise UsageError(f"{path}: Parquet has the names of its columns; leave out the header")
    with open(path, "rb") as source:
        file = pyarrow(path)[1].ParquetFile(source)
        names = [name for name in file.schema_arrow.names if not name.startswith("__index_level_")]
        if twice := [name for name, count in Counter(names).items() if count > 1]:
            raise FormatError(f"{path}: there is more than one column {twice[0]!r}; rename one")
        columns = _as_named(columns, names)
        weight = columns.weight_in(opened(file.schema_arrow.empty_table().select(names)))
        needed = [name for name in names if name in (columns.tail, columns.head, weight)]
        limit = MemoryLimit.of(path, os.path.getsize(path))
        limit.check(_BYTES_PER_CELL * file.metadata.num_rows * len(needed), "its table")
        table = file.read(needed)
        table.validate(full=True)  # text that is not UTF-8 would be found only when it is used
        return table, columns


def pyarrow(path: str | os.PathLike) -> tuple[Any, Any]:
    """The modules pyarrow and pyarrow.parquet. Raises UsageError if they are not installed."""
    try:
        return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise UsageError(f"{path}: Parquet needs pyarrow, which is not installed; install it, or use .csv") from None


@contextmanager
def errors_explained(path: str | os.PathLike) -> Iterator[None]:
    """Begin messages with the path, and turn errors of pandas and pyarrow into FormatError."""
    try:
        yield
    except (GraphError, FormatError) as error:
        message = str(error)
        raise type(error)(message if message.startswith(str(path)) else f"{path}: {message}") from None
    except UnicodeDecodeError:
        raise FormatError(f"{path}: the text is not UTF-8; convert it, for instance with iconv") from None
    except FileNotFoundError:
        raise FormatError(f"{path}: no such file") from None
    except (ValueError, OSError, csv.Error) as error:  # among them the errors of the parsers
        reason = " ".join(str(error).removeprefix("Error tokenizing data. C error: ").split())
        raise FormatError(f"{path}: the table cannot be read ({reason[:200]})") from None
