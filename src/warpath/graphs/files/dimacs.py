"""Graphs of the DIMACS Implementation Challenges and of PACE, ``.gr``.

A file has comments (``c``), a problem line, and a line for each arc or edge. Vertices are numbered from 1. The problem
line defines the others:

- ``p sp VERTICES ARCS``: arcs ``a TAIL HEAD WEIGHT`` (9th Challenge, shortest paths), or without weights
  ``a TAIL HEAD`` or ``TAIL HEAD``. http://www.diag.uniroma1.it/challenge9/format.shtml
- ``p tw VERTICES EDGES`` (PACE) or ``p edge``, ``p col`` (2nd Challenge): undirected edges ``TAIL HEAD`` or
  ``e TAIL HEAD``, without weights. An edge becomes two arcs, a loop one.
"""

import os

from ...errors import FormatError
from ..content import Content, open_content
from ..csr import Graph, both_ways, from_arcs
from .graph_file import Format, Layout, Words, file_metadata
from .number_lines import RowFormat, check_complete, check_counts, first_row, parse_counts, quoted, read_rows

_ARCS = frozenset({b"sp"})
_EDGES = frozenset({b"tw", b"td", b"edge", b"edges", b"col"})


def read(path: str | os.PathLike, take_weights: bool = True, scale: int | None = None, floats: bool = False) -> Graph:
    """Read a file, plain or compressed. Raises FormatError if it is malformed, GraphError if it has no vertices."""
    with open_content(path) as content:
        undirected, vertices, lines, header_line = _read_header(content)
        check_counts(vertices, lines * (1 + undirected), f"{path}, line {header_line}", content.limit)
        first = first_row(content, b"c", header_line)
        form = _row_format(first.line.split(), undirected, vertices, take_weights, scale, floats)
        tails, heads, weights = read_rows(content, form, first)
    check_complete(path, header_line, lines, len(tails), "edges" if undirected else "arcs")
    tails -= 1
    heads -= 1
    metadata, edges = file_metadata(path, "gr", form.weighted, scale, undirected), None
    if undirected:
        tails, heads, weights, edges = both_ways(tails, heads, weights)
    return from_arcs(vertices, tails, heads, weights, metadata, 1, edges)


def counts(path: str | os.PathLike) -> tuple[int, int]:
    """(vertices, arcs) as the problem line announces them; an edge is two arcs. Raises FormatError if there is none."""
    with open_content(path) as content:
        undirected, vertices, lines, _ = _read_header(content)
        return vertices, lines * (1 + undirected)


def _row_format(
    words: list[bytes], undirected: bool, vertices: int, take_weights: bool, scale: int | None, floats: bool
) -> RowFormat:
    """The format of the lines of arcs, from the ``words`` of the first."""
    if undirected:
        return RowFormat(1, vertices, False, "e" if words[:1] == [b"e"] else "", "c")
    tag = "" if len(words) == 2 and words[0] != b"a" else "a"
    topology = len(words) == 2 + len(tag)
    if take_weights and not topology:
        return RowFormat(1, vertices, True, tag, "c", scale=scale, floats=floats)
    return RowFormat(1, vertices, False, tag, "c", ignored=int(not topology))


def _read_header(content: Content) -> tuple[bool, int, int, int]:
    """Read the problem line; return whether rows are edges, the vertices, the rows, and its line number."""
    first = first_row(content, b"c")
    words = first.line.split()
    announced = parse_counts(words[2:])
    if len(words) == 4 and announced and words[0] == b"p" and words[1] in _ARCS | _EDGES:
        return words[1] in _EDGES, announced[0], announced[1], first.number
    expected = "'p sp VERTICES ARCS' or 'p tw VERTICES EDGES'"
    if not first.line:
        raise FormatError(f"{content.path}: there is no line {expected}; this is not a DIMACS or PACE graph")
    raise FormatError(
        f"{content.path}, line {first.number}: {quoted(first.line)} where {expected} was expected; "
        "this is not a DIMACS or PACE graph"
    )


def _begins(first: Words, second: Words, line: bytes) -> bool:
    """Whether a file may be DIMACS. A list of names may begin with the same letters."""
    if first[0] == b"c":
        return not second or second[0] in (b"c", b"p")
    return first[0] in (b"p", b"a") and len(first) == 4


FORMATS = (
    Format(
        name="gr",
        meaning="DIMACS 'p sp' with 'a u v w', or a topology ('p tw', PACE) with 'u v'",
        suffix=".gr",
        read=read,
        counts=counts,
        begins=_begins,
        layout=Layout("p sp {n} {m}\n", "a %d %d %s\n", 1),
    ),
)
