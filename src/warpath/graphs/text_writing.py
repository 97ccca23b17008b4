"""Writing a graph as text: the counterpart of the readers of ``formats``."""

import itertools
import os
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..atomic import written_whole
from ..errors import UsageError
from .content import compressing
from .csr import Graph
from .decimals import decimal_text
from .description import parallel_arcs

_ARCS_AT_ONCE = 1 << 18


@dataclass(frozen=True)
class _Layout:
    """A header with the places ``n``, ``m`` and ``field``, and a line of an arc with the places of its numbers.

    Vertices are numbered from ``first``, or go by their labels where it is None.
    """

    header: str
    arc: str
    first: int | None


_LAYOUTS = {
    "gr": _Layout("p sp {n} {m}\n", "a %d %d %s\n", 1),
    "snap": _Layout("# Nodes: {n} Edges: {m}\n# FromNodeId\tToNodeId\tWeight\n", "%d\t%d\t%s\n", None),
    "el": _Layout("", "%d %d\n", None),
    "wel": _Layout("", "%d %d %s\n", None),
    "edges": _Layout("{n} {m}\n", "%d %d %s\n", 0),
    "mtx": _Layout("%%MatrixMarket matrix coordinate {field} general\n{n} {n} {m}\n", "%d %d %s\n", 1),
}


def write(graph: Graph, path: str | os.PathLike, format: str) -> tuple[str, ...]:
    """Write ``graph`` to ``path``, see ``formats.write``; weights are divided by the graph's scale."""
    layout = _LAYOUTS[format]
    _refuse_unsuitable(graph, path, format)
    names = graph.labels if layout.first is None else np.arange(layout.first, layout.first + graph.vertices)
    fractions = graph.scale != 1
    header = layout.header.format(n=graph.vertices, m=graph.arcs, field="real" if fractions else "integer")
    lines = _lines(graph, layout.arc, names, weighted=format != "el")
    with written_whole(path) as temporary, compressing(temporary) as file:
        file.write(header.encode())
        for text in lines:
            file.write(text)
    if np.array_equal(names, graph.labels):
        return ()
    return (f"labels are left out: the vertices of this format are {names[0]}..{names[-1]}",)


def _lines(graph: Graph, arc: str, names: np.ndarray, weighted: bool) -> Iterator[bytes]:
    """The lines of all arcs, many at a time."""
    tails = graph.sources()
    for start in range(0, graph.arcs, _ARCS_AT_ONCE):
        part = slice(start, start + _ARCS_AT_ONCE)
        columns = [names[tails[part]].tolist(), names[graph.indices[part]].tolist()]
        if weighted:
            weights = graph.weights[part].tolist()
            columns.append(weights if graph.scale == 1 else [decimal_text(weight, graph.scale) for weight in weights])
        row_count = len(columns[0])
        yield (arc * row_count % tuple(itertools.chain.from_iterable(zip(*columns, strict=True)))).encode()


def _refuse_unsuitable(graph: Graph, path: str | os.PathLike, format: str) -> None:
    """Raise UsageError if ``format`` cannot hold ``graph``."""
    if graph.scale != 1:
        decimal_text(1, graph.scale)
    if format == "mtx":
        parallel = parallel_arcs(graph)
        if parallel:
            raise UsageError(
                f"{path}: a matrix has one entry from a vertex to another, and this graph has {parallel:,} parallel "
                "arcs; write .gr, .wel or .txt"
            )
    if _LAYOUTS[format].first is not None:
        return
    if format == "el" and not np.all(graph.weights == graph.scale):
        raise UsageError(f"{path}: an .el file holds no weights; write .wel")
    if not graph.names.numbers or graph.labels.min() < 0:
        label = graph.label_of(int(np.argmin(graph.labels))) if graph.names.numbers else graph.label_of(0)
        raise UsageError(f"{path}: an edge list has whole numbers from 0 as vertices, not {label!r}; write .gr or .npz")
    isolated = (np.diff(graph.indptr) == 0) & (np.bincount(graph.indices, minlength=graph.vertices) == 0)
    if isolated.any():
        label = graph.label_of(int(np.argmax(isolated)))
        raise UsageError(
            f"{path}: an edge list has no place for a vertex without arcs, such as {label}; write .gr, .txt or .npz"
        )
