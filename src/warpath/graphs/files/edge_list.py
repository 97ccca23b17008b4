"""Edge lists of SNAP and GAP: a line ``TAIL HEAD`` or ``TAIL HEAD WEIGHT`` for each arc.

Tabs or spaces separate the columns, and ``#`` or ``%`` begins a comment. Vertex ids are non-negative 64-bit integers,
not necessarily contiguous; they are the labels. If a comment at the top says ``Nodes: N Edges: M``, as in the Stanford
Large Network Dataset Collection, the list must agree with it. If the first line is a comment ``# Undirected graph``, or
``% sym`` as in KONECT, each line is an edge, which becomes two arcs. A list of SNAP may have further columns. If the
caller says so, the first row is a header, which is left out.
"""

import os
import re
from dataclasses import replace
from functools import partial

import numpy as np

from ...errors import FormatError, GraphError
from ..content import open_content
from ..csr import Graph, from_arcs, undirected
from .graph_file import ANNOUNCED, Format, Layout, file_metadata
from .number_lines import INT64_MAX, FirstRow, RowFormat, check_first_row, first_row, is_row, read_rows

COMMENT = rb"[#%]"
_COUNTS = re.compile(rb"Nodes:\s*(\d+)\s+Edges:\s*(\d+)\b")
_UNDIRECTED = re.compile(rb"#\s*undirected\b|%\s*sym\b", re.IGNORECASE)
_BIPARTITE = re.compile(rb"%\s*bip\b")
_COLUMNS = {"el": 2, "wel": 3}
# Ids below this multiple of the number of arcs are looked up in a table.
_TABLE_MAX = 8


def read(
    form: str | None,
    path: str | os.PathLike,
    take_weights: bool = True,
    scale: int | None = None,
    floats: bool = False,
    header: bool | None = None,
) -> Graph:
    """Read an edge list, plain or compressed; vertices are in increasing order of their ids.

    ``form`` is "snap" (two or more columns, the third is the weight), "el" (two), "wel" (three) or None (not known).
    ``header`` says whether the first row is no arc. Raises FormatError if the file is malformed, disagrees with its own
    counts, or (None) has a first row that may be an arc or a header; GraphError if it has no arcs.
    """
    with open_content(path) as content:
        top = first = first_row(content, COMMENT, announcement=_COUNTS)
        if header:
            first = first_row(content, COMMENT, top.number)
        columns = _COLUMNS.get(form or "", len(first.line.split()))
        weighted = columns > 2 and take_weights
        ignored = max(0, columns - (3 if weighted else 2))
        row = RowFormat(0, INT64_MAX, weighted, comment="#%", ignored=ignored, scale=scale, floats=floats)
        tails, heads, weights = read_rows(content, row, first)
    if len(tails) == 0:
        raise GraphError(f"{path}: the graph is empty; an edge list needs at least one arc")
    ids, tail_indices, head_indices = _indices(tails, heads)
    announced = _announced(top)
    if header is None and announced != (len(ids), len(tails)):
        check_first_row(path, first, tails, heads)
    if announced is not None and announced != (len(ids), len(tails)):
        raise FormatError(
            f"{path}: its comment announces {announced[0]} vertices and {announced[1]} arcs, "
            f"but the file has {len(ids)} and {len(tails)}; is it complete?"
        )
    name = form or ("snap" if top.commented else "wel" if columns == 3 else "el")
    metadata = file_metadata(path, name, weighted, scale)
    graph = from_arcs(len(ids), tail_indices, head_indices, weights, metadata, ids)
    return undirected(graph) if _is_undirected(path) else graph


def counts(path: str | os.PathLike) -> tuple[int, int] | None:
    """(vertices, arcs) as the comments at the top announce them, or None if they do not."""
    if _is_undirected(path):
        return None
    with open_content(path) as content:
        return _announced(first_row(content, COMMENT, announcement=_COUNTS))


def columns(path: str | os.PathLike) -> int:
    """The number of columns of the first arc, 0 if there is none."""
    with open_content(path) as content:
        return len(first_row(content, COMMENT).line.split())


def _indices(tails: np.ndarray, heads: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The ids in increasing order, and the index of each tail and head among them."""
    largest = int(max(tails.max(), heads.max()))
    if largest < _TABLE_MAX * len(tails):
        index_of = np.zeros(largest + 1, np.int64)
        index_of[tails] = index_of[heads] = 1
        ids = np.flatnonzero(index_of)
        index_of[ids] = np.arange(len(ids))
        return ids, index_of[tails], index_of[heads]
    ids = np.unique(np.concatenate([tails, heads]))
    return ids, np.searchsorted(ids, tails), np.searchsorted(ids, heads)


def _is_undirected(path: str | os.PathLike) -> bool:
    """Whether the first line says so. Raises FormatError if it says that the graph is bipartite."""
    with open_content(path) as content:
        line = content.readline()
    if _BIPARTITE.match(line):
        raise FormatError(
            f"{path}: line 1 says that the graph is bipartite, so the columns number different vertices; give those of "
            "the second column other numbers, and leave out line 1"
        )
    return _UNDIRECTED.match(line) is not None


def _announced(first: FirstRow) -> tuple[int, int] | None:
    if not first.announced:
        return None
    # No file has as many as the first 19 digits say.
    vertices, arcs = (int(count.lstrip(b"0")[:19] or b"0") for count in first.announced.groups())
    return vertices, arcs


def _format(name: str, meaning: str, layout: Layout) -> Format:
    # The content does not distinguish these three; a file without such a suffix is ``UNNAMED``.
    return Format(name, meaning, f".{name}", partial(read, name), counts, lambda *_: False, layout, True)


FORMATS = (
    _format(
        "snap",
        "SNAP edge list, '# comments' and 'u v', 'u v w' or more columns",
        Layout(f"{ANNOUNCED}# FromNodeId\tToNodeId\tWeight\n", "%d\t%d\t%s\n", None),
    ),
    _format("el", "edge list 'u v'", Layout("", "%d %d\n", None)),
    _format("wel", "edge list 'u v w'", Layout("", "%d %d %s\n", None)),
)
UNNAMED = replace(FORMATS[0], read=partial(read, None), begins=lambda first, second, line: is_row(first))
