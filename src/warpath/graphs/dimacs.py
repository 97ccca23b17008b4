"""Shortest-path graphs of the 9th DIMACS Implementation Challenge, ``.gr``.

Lines are comments, ``c``, one problem line ``p sp VERTICES ARCS`` before the arcs, and ``a TAIL HEAD WEIGHT`` for every
arc; vertices are numbered from 1. The format: http://www.diag.uniroma1.it/challenge9/format.shtml
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
    """Read a ``.gr`` file, plain or compressed; vertex i of the file is vertex i - 1 of the graph.

    Raises FormatError with file and line if it is malformed, GraphError if it has no vertices.
    """
    with open_content(path) as file:
        vertices, arcs, header_line = _read_header(file, path)
        check_counts(vertices, arcs, f"{path}, line {header_line}")
        ends = [vertex_column(name, 1, vertices) for name in ("tail", "head")]
        form = RowFormat((*ends, WEIGHT), tag="a", comment="c")
        tails, heads, weights = read_rows(file, form, path, header_line)
    if len(tails) != arcs:
        raise FormatError(
            f"{path}: line {header_line} announces {arcs} arcs, but the file has {len(tails)}; is it complete?"
        )
    tails -= 1
    heads -= 1
    return from_arcs(vertices, tails, heads, weights, {"origin": Path(path).name, "weights": {"kind": "given"}})


def counts(path: str | os.PathLike) -> tuple[int, int]:
    """(vertices, arcs) as the problem line announces them; raises FormatError if there is none."""
    with open_content(path) as file:
        return _read_header(file, path)[:2]


def _read_header(file: BinaryIO, path: str | os.PathLike) -> tuple[int, int, int]:
    """Read up to the problem line; return vertices, arcs and its line number."""
    number = 0
    while line := file.readline(LINE_BYTES_MAX):
        number += 1
        words = line.split()
        if not words or words[0].startswith(b"c"):
            continue
        announced = parse_counts(words[2:])
        if words[:2] == [b"p", b"sp"] and announced:
            return *announced, number
        raise FormatError(
            f"{path}, line {number}: {quoted(line)} where 'p sp VERTICES ARCS' was expected; "
            "this is not a DIMACS shortest-path graph"
        )
    raise FormatError(f"{path}: no line 'p sp VERTICES ARCS'; this is not a DIMACS shortest-path graph")
