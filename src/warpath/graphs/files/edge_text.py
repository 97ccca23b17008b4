"""The text format of Bodra's programs: a line ``VERTICES ARCS``, then ``TAIL HEAD [WEIGHT]`` for each arc.

Vertices are numbered from 0; ``#`` begins a comment.
"""

import os

from ...errors import FormatError
from ..content import Content, open_content
from ..csr import Graph, from_arcs
from .graph_file import Format, Layout, file_metadata
from .number_lines import RowFormat, check_complete, check_counts, first_row, parse_counts, quoted, read_rows


def read(path: str | os.PathLike, take_weights: bool = True, scale: int | None = None, floats: bool = False) -> Graph:
    """Read a file, plain or compressed. Raises FormatError if it is malformed, GraphError if it has no vertices."""
    with open_content(path) as content:
        vertices, arcs, header_line = _read_header(content)
        check_counts(vertices, arcs, f"{path}, line {header_line}", content.limit)
        first = first_row(content, b"#", header_line)
        columns = len(first.line.split()) if first.line else 3
        weighted = columns != 2 and take_weights
        ignored = int(columns == 3 and not weighted)
        form = RowFormat(0, vertices - 1, weighted, comment="#", ignored=ignored, scale=scale, floats=floats)
        tails, heads, weights = read_rows(content, form, first)
    check_complete(path, header_line, arcs, len(tails))
    return from_arcs(vertices, tails, heads, weights, file_metadata(path, "edges", weighted, scale))


def counts(path: str | os.PathLike) -> tuple[int, int]:
    """(vertices, arcs) as the first line announces them. Raises FormatError if it does not."""
    with open_content(path) as content:
        return _read_header(content)[:2]


def _read_header(content: Content) -> tuple[int, int, int]:
    """Read the header; return vertices, arcs and its line number."""
    first = first_row(content, b"#")
    announced = parse_counts(first.line.split())
    if announced is None or len(announced) != 2:
        raise FormatError(
            f"{content.path}, line {first.number}: {quoted(first.line)} where 'VERTICES ARCS' was expected"
        )
    return announced[0], announced[1], first.number


FORMATS = (
    Format(
        name="edges",
        meaning="'n m', then 'u v w' for every arc, vertices from 0",
        suffix=".txt",
        read=read,
        counts=counts,
        # Lines of an edge list have equally many columns, so two numbers before a line of three are a header.
        begins=lambda first, second, line: len(first) == 2 and parse_counts(first) is not None and len(second) == 3,
        layout=Layout("{n} {m}\n", "%d %d %s\n", 0),
    ),
)
