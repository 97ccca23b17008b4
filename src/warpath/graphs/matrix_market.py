"""MatrixMarket files, ``.mtx``, read through scipy: entry (u, v) is the weight of the arc from u to v, counted from 1.

A symmetric matrix stands for both its triangles, and a pattern has no weights. https://math.nist.gov/MatrixMarket
"""

import io
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io

from ..errors import FormatError, GraphError
from .adjacency_matrix import graph_of_entries
from .content import CHUNK_BYTES, open_content
from .csr import Graph
from .decimals import UNSIGNED
from .memory_limit import MemoryLimit
from .number_lines import check_counts, quoted
from .weights import given_weights

_BLANKS = rb"[ \t]++"
_INDEX = rb"[0-9]++"
_WHOLE = rb"[+-]?+[0-9]++"
_REAL = rb"[+-]?+" + UNSIGNED
_LINES_AT_ONCE = 1000
_NO_REMARK = re.compile(rb"^(?!%|[ \t\r]*+$)", re.MULTILINE)
_BANNER = re.compile(
    rb"%%MatrixMarket[ \t]+matrix[ \t]+(?:coordinate|array)[ \t]+(?:real|double|integer|complex|pattern)"
    rb"[ \t]+(?:general|symmetric|skew-symmetric|hermitian)[ \t\r]*\n",
    re.IGNORECASE,
)
# A digit and a line end.
_VALUE_BYTES_MIN = 2
# What scipy's arrays and those of the graph take at most together.
_BYTES_PER_ENTRY = 64
_BYTES_PER_CELL = 16


def read(path: str | os.PathLike, take_weights: bool = True, scale: int = 1) -> Graph:
    """Read a square real, integer or pattern matrix, plain or compressed; row i has index i - 1 and label i.

    In a coordinate file every entry is an arc, zeros included, and entries of one place are parallel arcs; in an array
    file zeros are not arcs. Raises FormatError that names the file if scipy cannot read it or a weight does not suit.
    """
    text, limit = _text(path)
    rows, columns, entries, layout, field, symmetry = _header(path, text)
    if field == "complex" or symmetry == "hermitian":
        raise FormatError(f"{path}: a {symmetry} {field} matrix; a weight is a real number")
    _refuse_loose_lines(path, text, layout, field)
    # All before scipy, which makes arrays of the announced size, and ends the process for an array of no rows.
    check_counts(rows, entries, str(path), limit)
    cells = rows * columns if layout == "array" else 0
    values = entries if layout == "coordinate" else cells // (2 if symmetry != "general" else 1)
    if values > len(text) // _VALUE_BYTES_MIN:
        raise FormatError(f"{path}: announces {values} entries, more than its {len(text)} bytes can hold")
    limit.check(_BYTES_PER_ENTRY * entries + _BYTES_PER_CELL * cells, f"a matrix of {entries} entries")
    weighted = field != "pattern" and take_weights
    about = {
        "format": "mtx",
        "origin": Path(path).name,
        "weights": given_weights(scale) if weighted else {"kind": "unit"},
        **({"undirected": True} if symmetry == "symmetric" else {}),
    }
    try:
        matrix: Any = scipy.io.mmread(io.BytesIO(text), spmatrix=False)
        # The grammar has no infinity, which would stand for "no arc" in an array.
        if not np.isfinite(matrix if layout == "array" else matrix.data).all():
            raise FormatError(f"{path}: a weight is beyond what 64 bits of floating point hold")
        if not weighted and layout == "coordinate":
            matrix.data = np.ones(len(matrix.data), bool)
        elif not weighted:
            matrix = np.isfinite(matrix) & (matrix != 0)
        return graph_of_entries(matrix, scale if weighted else 1, about, first=1)
    except (ValueError, OverflowError) as error:
        raise FormatError(f"{path}: not a MatrixMarket file that scipy reads ({error})") from None
    except GraphError as error:
        raise GraphError(f"{path}: {error}") from None


def counts(path: str | os.PathLike) -> tuple[int, int] | None:
    """(vertices, arcs) as the header announces them; None where the entries do not tell the arcs."""
    rows, _, entries, layout, _, symmetry = _header(path, _text(path)[0])
    return (rows, entries) if (layout, symmetry) == ("coordinate", "general") else None


def _text(path: str | os.PathLike) -> tuple[bytes, MemoryLimit]:
    """The text of the file, its last line ended by a line feed, and what reading it may take.

    scipy 1.17 ends the process where an open file's first line is not its own, and at a carriage return or blank that
    no line feed follows.
    """
    pieces, size = [], 0
    with open_content(path) as content:
        while piece := content.read(CHUNK_BYTES):
            pieces.append(piece)
            size += len(piece)
            content.limit.check(2 * size, "its text")  # the pieces, and all of them joined
    text = b"".join(pieces)
    pieces.clear()
    return text if text.endswith(b"\n") else text.rstrip(b" \t\r") + b"\n", content.limit


def _refuse_loose_lines(path: str | os.PathLike, text: bytes, layout: str, field: str) -> None:
    """Raise FormatError for the first line that the format does not allow.

    scipy reads on where a number ends in other characters, and ends the process at some of them.
    """
    rest = text.partition(b"\n")[2]
    value = {"pattern": [], "integer": [_WHOLE]}.get(field, [_REAL])
    row = _BLANKS.join([_INDEX, _INDEX, *value] if layout == "coordinate" else value)
    sizes = _BLANKS.join([_INDEX] * (3 if layout == "coordinate" else 2))
    begin = 0
    first = _NO_REMARK.search(rest)
    if first and (header := re.compile(rb"[ \t]*+%s[ \t\r]*+\n" % sizes).match(rest, first.start())):
        # So many at a time, because a group that may be left keeps every place where it was.
        rows = re.compile(rb"(?:[ \t]*+(?:%s)?[ \t\r]*+\n){1,%d}" % (row, _LINES_AT_ONCE))
        found: re.Match[bytes] | None = header
        while found:
            begin = found.end()
            found = rows.match(rest, begin)
    if begin < len(rest):
        line = rest.count(b"\n", 0, begin) + 2
        said = quoted(rest[begin : rest.index(b"\n", begin)])
        raise FormatError(f"{path}, line {line}: {said} is no line of a {layout} {field} matrix, or in the wrong place")


def _header(path: str | os.PathLike, text: bytes) -> tuple[int, int, int, str, str, str]:
    if not _BANNER.match(text):
        banner = quoted(text.partition(b"\n")[0])
        expected = "%%MatrixMarket matrix coordinate real general"
        raise FormatError(
            f"{path}: not a MatrixMarket file that scipy reads (it begins with {banner} where it should with "
            f"a header such as {expected!r})"
        )
    try:
        return scipy.io.mminfo(io.BytesIO(text))
    except (ValueError, OverflowError) as error:
        raise FormatError(f"{path}: not a MatrixMarket file that scipy reads ({error})") from None
