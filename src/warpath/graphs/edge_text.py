"""The text format of Bodra's programs: a line ``VERTICES ARCS``, then ``TAIL HEAD WEIGHT`` for every arc.

Vertices are numbered from 0.
"""

import os
from pathlib import Path
from typing import BinaryIO

from ..errors import FormatError
from .content import open_content
from .csr import Graph, from_arcs
from .integer_lines import (
    LINE_BYTES_MAX,
    WEIGHT,
    RowFormat,
    check_counts,
    parse_counts,
    quoted,
    read_rows,
    vertex_column,
)


def read(path: str | os.PathLike) -> Graph:
    """Read a file in this format, plain or compressed.

    Raises FormatError with file and line if it is malformed, GraphError if it has no vertices.
    """
    with open_content(path) as file:
        vertices, arcs = _read_header(file, path)
        check_counts(vertices, arcs, f"{path}, line 1")
        ends = [vertex_column(name, 0, vertices - 1) for name in ("tail", "head")]
        tails, heads, weights = read_rows(file, RowFormat((*ends, WEIGHT)), path, lines_before=1)
    if len(tails) != arcs:
        raise FormatError(f"{path}: line 1 announces {arcs} arcs, but the file has {len(tails)}; is it complete?")
    return from_arcs(vertices, tails, heads, weights, {"origin": Path(path).name, "weights": {"kind": "given"}})


def counts(path: str | os.PathLike) -> tuple[int, int]:
    """(vertices, arcs) as the first line announces them; raises FormatError if it does not."""
    with open_content(path) as file:
        return _read_header(file, path)


def _read_header(file: BinaryIO, path: str | os.PathLike) -> tuple[int, int]:
    line = file.readline(LINE_BYTES_MAX)
    announced = parse_counts(line.split())
    if announced is None:
        raise FormatError(f"{path}, line 1: {quoted(line)} where 'VERTICES ARCS' was expected")
    return announced
