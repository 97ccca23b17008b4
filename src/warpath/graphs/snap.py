"""Edge lists of the Stanford Large Network Dataset Collection (SNAP).

Lines are comments, ``#``, and ``TAIL HEAD``, with more columns allowed, separated by tabs or spaces. Vertex ids are
non-negative 64-bit integers. If a comment at the top says ``Nodes: N Edges: M``, the list must agree with it.
"""

import os
import re
from pathlib import Path
from typing import BinaryIO

import numpy as np

from ..errors import FormatError, GraphError
from .content import open_content
from .csr import Graph, from_arcs
from .integer_lines import INT64_MAX, LINE_BYTES_MAX, WEIGHT, Column, RowFormat, read_rows

_COUNTS = re.compile(rb"Nodes:\s*(\d{1,18})\s+Edges:\s*(\d{1,18})\b")
_ENDS = tuple(Column(name, 0, INT64_MAX, "is not a vertex id; ids are 0..2^63-1") for name in ("tail", "head"))


def read(path: str | os.PathLike, weighted: bool | None = None) -> Graph:
    """Read an edge list, plain or compressed; the ids that occur become 0, 1, 2, … in increasing order.

    ``weighted`` says whether the third column holds integer weights (None: it does if the first row has one). Without
    weights every arc has weight 1, and ``about`` says "unit". Raises FormatError with file and line if it is malformed
    or disagrees with its own counts, GraphError if it has no arcs and thus no vertices.
    """
    with open_content(path) as file:
        announced, lines, first_line = _read_comments(file)
        if weighted is None:
            weighted = len(first_line.split()) > 2
        form = RowFormat((*_ENDS, WEIGHT) if weighted else _ENDS, comment="#", more_columns=True)
        tails, heads, *rest = read_rows(file, form, path, lines, first_line)
    if len(tails) == 0:
        raise GraphError(f"{path}: the graph is empty; an edge list needs at least one arc")
    ids = np.unique(np.concatenate([tails, heads]))
    if announced is not None and announced != (len(ids), len(tails)):
        raise FormatError(
            f"{path}: its comment announces {announced[0]} vertices and {announced[1]} arcs, "
            f"but the file has {len(ids)} and {len(tails)}; is it complete?"
        )
    return from_arcs(
        len(ids),
        np.searchsorted(ids, tails),
        np.searchsorted(ids, heads),
        rest[0] if weighted else np.ones(len(tails), dtype=np.int32),
        {"origin": Path(path).name, "weights": {"kind": "given" if weighted else "unit"}},
    )


def counts(path: str | os.PathLike) -> tuple[int, int] | None:
    """(vertices, arcs) as the comments at the top announce them, or None if they do not."""
    with open_content(path) as file:
        return _read_comments(file)[0]


def columns(path: str | os.PathLike) -> int:
    """The number of columns of the first arc, 0 if there is none."""
    with open_content(path) as file:
        return len(_read_comments(file)[2].split())


def _read_comments(file: BinaryIO) -> tuple[tuple[int, int] | None, int, bytes]:
    """Read up to and including the first arc; return the announced counts, the lines before that arc, and its line."""
    announced = None
    lines = 0
    while line := file.readline(LINE_BYTES_MAX):
        if line.strip() and not line.lstrip().startswith(b"#"):
            break
        match = _COUNTS.search(line)
        if match:
            announced = int(match[1]), int(match[2])
        lines += 1
    return announced, lines, line
