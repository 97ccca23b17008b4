"""MatrixMarket files, ``.mtx``: entry (u, v) is the weight of the arc from u to v, numbered from 1.

A symmetric file has one triangle of the matrix, and a pattern has no weights. https://math.nist.gov/MatrixMarket
"""

import codecs
import os
import re
from dataclasses import dataclass

import numpy as np

from ...errors import FormatError, GraphError
from ..content import Content, open_content
from ..csr import Graph, both_ways, from_arcs
from .graph_file import Format, Layout, file_metadata
from .number_lines import RowFormat, check_complete, check_counts, first_row, parse_counts, quoted, read_rows

_BEGINNING = re.compile(rb"\s*%?%MatrixMarket")
_BANNER = re.compile(
    rb"\s*%?%MatrixMarket[ \t]+matrix[ \t]+(coordinate|array)[ \t]+(real|double|(?:unsigned-)?integer|complex|pattern)"
    rb"[ \t]+(general|symmetric|skew-symmetric|hermitian)[ \t\r]*\n?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Header:
    dense: bool
    field: str
    symmetry: str
    vertices: int
    entries: int  # in the file
    line: int


def read(path: str | os.PathLike, take_weights: bool = True, scale: int | None = None, floats: bool = False) -> Graph:
    """Read a square real, integer or pattern matrix, plain or compressed.

    In a coordinate file, zeros are arcs and duplicate entries are parallel arcs; in an array file, zeros are not arcs.
    Raises FormatError if the file is malformed, GraphError if the matrix is not square.
    """
    with open_content(path) as content:
        header = _read_header(content)
        n, symmetric = header.vertices, header.symmetry != "general"
        check_counts(n, header.entries, str(path), content.limit)
        weighted = header.field != "pattern" and (take_weights or header.dense)
        first = first_row(content, b"%", header.line)
        ignored = int(header.field != "pattern" and not weighted)
        factor = 1 if scale is None and not floats and header.field.endswith("integer") else scale
        form = RowFormat(
            1, n, weighted, comment="%", ignored=ignored, scale=factor, ends=not header.dense, floats=floats
        )
        tails, heads, weights = read_rows(content, form, first)
    check_complete(path, header.line, header.entries, len(weights), "entries")
    if header.dense:
        heads, tails = _dense_positions(n, header.symmetry)
        tails, heads, weights = tails[weights != 0], heads[weights != 0], weights[weights != 0]
    else:
        tails -= 1
        heads -= 1
    rows = np.arange(len(tails), dtype=np.int32)
    if symmetric:
        tails, heads, weights, rows = both_ways(tails, heads, weights, -1 if header.symmetry == "skew-symmetric" else 1)
    if header.dense:  # entries are in column-major order
        order = np.argsort(heads, kind="stable")
        tails, heads, weights, rows = tails[order], heads[order], weights[order], rows[order]
    if not take_weights:
        weights = np.ones(len(tails), np.int32)
    metadata = file_metadata(path, "mtx", weighted and take_weights, scale, header.symmetry == "symmetric")
    return from_arcs(n, tails, heads, weights, metadata, 1, rows)


def counts(path: str | os.PathLike) -> tuple[int, int] | None:
    """(vertices, arcs) as the header announces them; None if the number of arcs is not known from it."""
    with open_content(path) as content:
        header = _read_header(content)
    return None if header.dense or header.symmetry != "general" else (header.vertices, header.entries)


def _dense_positions(n: int, symmetry: str) -> tuple[np.ndarray, np.ndarray]:
    """The column and the row of each entry of an array file; a symmetric one has the lower triangle."""
    if symmetry == "general":
        return np.repeat(np.arange(n), n), np.tile(np.arange(n), n)
    return np.triu_indices(n, int(symmetry == "skew-symmetric"))


def _read_header(content: Content) -> _Header:
    line = content.readline().removeprefix(codecs.BOM_UTF8)
    found = _BANNER.fullmatch(line)
    if not found:
        raise FormatError(
            f"{content.path}: not a MatrixMarket file (it begins with {quoted(line)}, not with a header such as "
            "'%%MatrixMarket matrix coordinate real general')"
        )
    layout, field, symmetry = (word.decode().lower() for word in found.groups())
    dense = layout == "array"
    if field == "complex" or symmetry == "hermitian" or (dense and field == "pattern"):
        raise FormatError(f"{content.path}: the matrix is {symmetry} {field} {layout}; a weight is a real number")
    sizes = first_row(content, b"%", 1)
    numbers = parse_counts(sizes.line.split())
    if numbers is None or len(numbers) != (2 if dense else 3):
        expected = "'ROWS COLUMNS'" if dense else "'ROWS COLUMNS ENTRIES'"
        raise FormatError(f"{content.path}, line {sizes.number}: {quoted(sizes.line)} where {expected} was expected")
    n = numbers[0]
    if numbers[1] != n:
        raise GraphError(f"{content.path}: the matrix is {n} x {numbers[1]}; it must be square")
    triangle = n * (n + 1) // 2 if symmetry == "symmetric" else n * (n - 1) // 2
    entries = numbers[-1] if not dense else n * n if symmetry == "general" else triangle
    return _Header(dense, field, symmetry, n, entries, sizes.number)


FORMATS = (
    Format(
        name="mtx",
        meaning="MatrixMarket",
        suffix=".mtx",
        read=read,
        counts=counts,
        begins=lambda first, second, line: _BEGINNING.match(line) is not None,
        layout=Layout("%%MatrixMarket matrix coordinate {field} general\n{n} {n} {m}\n", "%d %d %s\n", 1),
    ),
)
