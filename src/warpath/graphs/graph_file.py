"""What a format of graph files is: one file defines it, and a line in ``formats`` adds it.

Here is also what all text formats have in common: what a graph says of its file, and writing.
"""

import itertools
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..atomic import atomic_write
from ..errors import UsageError
from .content import compressing
from .csr import Graph
from .weights import decimal_text, given_weights

_ARCS_AT_ONCE = 1 << 18

Words = Sequence[bytes]


@dataclass(frozen=True)
class Layout:
    """Text: a header with the places ``n``, ``m`` and ``field``, and a line of an arc with the places of its numbers.

    Vertices are numbered from ``first``, or go by their labels where it is None.
    """

    header: str
    arc: str
    first: int | None

    @property
    def weighted(self) -> bool:
        return "%s" in self.arc


@dataclass(frozen=True)
class Format:
    """A format: the ``name`` that users and the catalog give it, and its ``suffix``.

    ``read`` takes a path, whether weights are wanted, and what they are multiplied by. ``counts`` gives the
    (vertices, arcs) that a file announces, or None. ``begins`` tells by the words of the first two rows, and the first
    row, whether a file without a known suffix may be of this format. ``layout`` is how a graph is written.
    """

    name: str
    meaning: str
    suffix: str
    read: Callable[[str | os.PathLike, bool, int], Graph]
    counts: Callable[[str | os.PathLike], tuple[int, int] | None]
    begins: Callable[[Words, Words, bytes], bool]
    layout: Layout


def about_file(path: str | os.PathLike, format: str, weighted: bool, scale: int, undirected: bool = False) -> dict:
    """``Graph.about`` of a graph from a file, with weights of its own times ``scale`` or with ones."""
    about: dict[str, Any] = {
        "format": format,
        "origin": Path(path).name,
        "weights": given_weights(scale) if weighted else {"kind": "unit"},
    }
    return about | ({"undirected": True} if undirected else {})


def write_text(graph: Graph, path: str | os.PathLike, format: Format) -> tuple[str, ...]:
    """Write ``graph`` to ``path``, see ``formats.write``; weights are divided by the graph's scale."""
    layout = format.layout
    _check_format_fits(graph, path, format)
    names = graph.labels if layout.first is None else np.arange(layout.first, layout.first + graph.vertices)
    field = "integer" if graph.scale == 1 else "real"
    with atomic_write(path) as temporary, compressing(temporary) as file:
        file.write(layout.header.format(n=graph.vertices, m=graph.arcs, field=field).encode())
        for text in _lines(graph, layout, names):
            file.write(text)
    if np.array_equal(names, graph.labels):
        return ()
    return (f"labels are left out: the vertices of this format are {names[0]}..{names[-1]}",)


def _lines(graph: Graph, layout: Layout, names: np.ndarray) -> Iterator[bytes]:
    """The lines of all arcs, many at a time."""
    tails = graph.sources()
    for start in range(0, graph.arcs, _ARCS_AT_ONCE):
        part = slice(start, start + _ARCS_AT_ONCE)
        columns = [names[tails[part]].tolist(), names[graph.indices[part]].tolist()]
        if layout.weighted:
            weights = graph.weights[part].tolist()
            columns.append(weights if graph.scale == 1 else [decimal_text(weight, graph.scale) for weight in weights])
        numbers = tuple(itertools.chain.from_iterable(zip(*columns, strict=True)))
        yield (layout.arc * len(columns[0]) % numbers).encode()


def _check_format_fits(graph: Graph, path: str | os.PathLike, format: Format) -> None:
    """Raise UsageError if ``format`` cannot hold ``graph``."""
    if graph.scale != 1:
        decimal_text(1, graph.scale)
    if format.name == "mtx":
        from .description import parallel_arcs  # Numba takes long to import

        parallel = parallel_arcs(graph)
        if parallel:
            raise UsageError(
                f"{path}: a matrix has one entry from a vertex to another, and this graph has {parallel:,} parallel "
                "arcs; write .gr, .wel or .txt"
            )
    if format.layout.first is not None:
        return
    if not format.layout.weighted and not np.all(graph.weights == graph.scale):
        raise UsageError(f"{path}: an {format.suffix} file holds no weights; write .wel")
    if not graph.names.numbers or graph.labels.min() < 0:
        label = graph.label_of(int(np.argmin(graph.labels))) if graph.names.numbers else graph.label_of(0)
        raise UsageError(f"{path}: an edge list has whole numbers from 0 as vertices, not {label!r}; write .gr or .npz")
    isolated = (np.diff(graph.indptr) == 0) & (np.bincount(graph.indices, minlength=graph.vertices) == 0)
    if isolated.any():
        label = graph.label_of(int(np.argmax(isolated)))
        raise UsageError(
            f"{path}: an edge list has no place for a vertex without arcs, such as {label}; write .gr, .txt or .npz"
        )
