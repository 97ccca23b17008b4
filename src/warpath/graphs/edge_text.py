"""The text format of Bodra's programs: a line ``VERTICES ARCS``, then ``TAIL HEAD WEIGHT`` for every arc.

Vertices are numbered from 0. Weights may be missing, from every line; ``#`` begins a comment.
"""

import os
from pathlib import Path
from typing import BinaryIO

import numpy as np

from ..errors import FormatError
from .content import open_content
from .csr import Graph, from_arcs
from .number_lines import WEIGHT, RowFormat, check_counts, first_row, parse_counts, quoted, read_rows, vertex_columns
from .weights import given_weights


def read(path: str | os.PathLike, take_weights: bool = True, scale: int = 1) -> Graph:
    """Read a file in this format, plain or compressed; without ``take_weights`` its weights are skipped.

    Raises FormatError with file and line if it is malformed, GraphError if it has no vertices.
    """
    with open_content(path) as file:
        vertices, arcs, header_line = _read_header(file, path)
        check_counts(vertices, arcs, f"{path}, line {header_line}")
        between, first_line = first_row(file, b"#")
        columns = len(first_line.split()) if first_line else 3
        weighted = columns != 2 and take_weights
        ends = vertex_columns(0, vertices - 1)
        form = RowFormat(
            (*ends, WEIGHT) if weighted else ends,
            comment="#",
            ignored=int(columns == 3 and not weighted),
            scale=scale if weighted else 1,
        )
        tails, heads, *rest = read_rows(file, form, path, header_line + len(between), first_line)
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
    with open_content(path) as file:
        return _read_header(file, path)[:2]


def _read_header(file: BinaryIO, path: str | os.PathLike) -> tuple[int, int, int]:
    """Read up to the header; return vertices, arcs and its line number."""
    before, line = first_row(file, b"#")
    announced = parse_counts(line.split())
    if announced is None:
        raise FormatError(f"{path}, line {len(before) + 1}: {quoted(line)} where 'VERTICES ARCS' was expected")
    return *announced, len(before) + 1
