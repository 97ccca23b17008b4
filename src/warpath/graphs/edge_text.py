"""The text format of Bodra's programs: a line ``VERTICES ARCS``, then ``TAIL HEAD WEIGHT`` for every arc.

Vertices are numbered from 0. Weights may be missing, from every line; ``#`` begins a comment.
"""

import os
from pathlib import Path

import numpy as np

from ..errors import FormatError
from .content import Content, open_content
from .csr import Graph, from_arcs
from .number_lines import WEIGHT, RowFormat, check_counts, first_row, parse_counts, quoted, read_rows, vertex_columns
from .weights import given_weights


def read(path: str | os.PathLike, take_weights: bool = True, scale: int = 1) -> Graph:
    """Read a file in this format, plain or compressed; without ``take_weights`` its weights are skipped.

    Raises FormatError with file and line if it is malformed, GraphError if it has no vertices.
    """
    with open_content(path) as content:
        vertices, arcs, header_line = _read_header(content)
        check_counts(vertices, arcs, f"{path}, line {header_line}", content.limit)
        first = first_row(content, b"#", header_line)
        columns = len(first.line.split()) if first.line else 3
        weighted = columns != 2 and take_weights
        ends = vertex_columns(0, vertices - 1)
        form = RowFormat(
            (*ends, WEIGHT) if weighted else ends,
            comment="#",
            ignored=int(columns == 3 and not weighted),
            scale=scale if weighted else 1,
        )
        tails, heads, *rest = read_rows(content, form, first)
    if len(tails) != arcs:
        raise FormatError(
            f"{path}: line {header_line} announces {arcs} arcs, but the file has {len(tails)}; is it complete?"
        )
    about = {
        "format": "edges",
        "origin": Path(path).name,
        "weights": given_weights(scale) if weighted else {"kind": "unit"},
    }
    return from_arcs(vertices, tails, heads, rest[0] if weighted else np.ones(arcs, np.int32), about)


def counts(path: str | os.PathLike) -> tuple[int, int]:
    """(vertices, arcs) as the first line announces them; raises FormatError if it does not."""
    with open_content(path) as content:
        return _read_header(content)[:2]


def _read_header(content: Content) -> tuple[int, int, int]:
    """Read up to the header; return vertices, arcs and its line number."""
    first = first_row(content, b"#")
    announced = parse_counts(first.line.split())
    if announced is None:
        raise FormatError(
            f"{content.path}, line {first.number}: {quoted(first.line)} where 'VERTICES ARCS' was expected"
        )
    return *announced, first.number
