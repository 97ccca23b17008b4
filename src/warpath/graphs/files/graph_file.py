"""The type of a text format for graphs, and writing one. ``formats`` lists the modules that define the formats."""

import itertools
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import UsageError
from ...system.atomic import atomic_write
from ..content import compressing
from ..csr import Graph
from ..description import parallel_arcs
from ..weights import decimal_text, fit_int32, given_weights
from .number_lines import may_be_counts

ANNOUNCED = "# Nodes: {n} Edges: {m}\n"
_CHUNK_ARCS = 1 << 18

Words = Sequence[bytes]


@dataclass(frozen=True)
class Layout:
    """Templates for the text: the header with the fields ``n``, ``m`` and ``field``, and the line of an arc.

    Vertices are numbered from ``first``, or written as their labels if it is None.
    """

    header: str
    arc: str
    first: int | None

    @property
    def weighted(self) -> bool:
        return "%s" in self.arc


@dataclass(frozen=True)
class Format:
    """A text format of graph files.

    ``read(path, take_weights, scale, floats)`` returns a Graph; if ``header`` is true, it takes a ``header``, too.
    ``counts(path)`` returns the (vertices, arcs) that a file announces, or None. ``begins(words of the first row, words
    of the second row, first row)`` returns whether a file without a known suffix may have this format.
    """

    name: str
    meaning: str
    suffix: str
    read: Callable[..., Graph]
    counts: Callable[[str | os.PathLike], tuple[int, int] | None]
    begins: Callable[[Words, Words, bytes], bool]
    layout: Layout
    header: bool = False


def file_metadata(
    path: str | os.PathLike, format: str, weighted: bool, scale: int | None, undirected: bool = False
) -> dict:
    """``Graph.metadata`` for a graph from a file, with the file's weights times ``scale`` or with ones."""
    weights = given_weights(scale) if weighted else {"kind": "unit"}
    metadata: dict[str, Any] = {"format": format, "origin": Path(path).name, "weights": weights}
    return metadata | ({"undirected": True} if undirected else {})


def write_text(graph: Graph, path: str | os.PathLike, format: Format) -> tuple[str, ...]:
    """Write ``graph`` to ``path`` with weights divided by its scale; see ``formats.write``."""
    layout = format.layout
    _check_format_fits(graph, path, format)
    names = graph.labels if layout.first is None else np.arange(layout.first, layout.first + graph.vertices)
    field = "integer" if graph.scale == 1 and not graph.has_floats else "real"
    lines = _lines(graph, layout, names)
    first = next(lines, b"")
    header = layout.header
    words = first.partition(b"\n")[0].split()
    ends_with_count = words[-1:] == [str(graph.arcs - 1).encode()]  # else two large arrays would be made in vain
    if format.header and ends_with_count and may_be_counts(words, names[graph.tails()], names[graph.indices]):
        header = header or ANNOUNCED  # tells the reader that the first line is an arc
    with atomic_write(path) as temporary, compressing(temporary) as file:
        file.write(header.format(n=graph.vertices, m=graph.arcs, field=field).encode())
        for text in itertools.chain([first], lines):
            file.write(text)
    losses = []
    if not np.array_equal(names, graph.labels):
        losses.append(f"the labels are left out: this format numbers the vertices {names[0]}..{names[-1]}")
    type_read = _type_read(graph.weights) if layout.weighted else graph.weights.dtype
    if graph.weights.dtype != type_read:
        losses.append(f"the type {graph.weights.dtype} is left out: the weights will be read as {type_read}")
    return tuple(losses)


def _type_read(weights: np.ndarray) -> np.dtype:
    """The type of equal weights that come from text."""
    return np.dtype(np.int32 if weights.dtype.kind == "i" or fit_int32(weights).all() else np.float64)


def _lines(graph: Graph, layout: Layout, names: np.ndarray) -> Iterator[bytes]:
    """The lines of all arcs, in chunks."""
    tails = graph.tails()
    for start in range(0, graph.arcs, _CHUNK_ARCS):
        part = slice(start, start + _CHUNK_ARCS)
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
        parallel = parallel_arcs(graph)
        if parallel:
            raise UsageError(
                f"{path}: the graph has {parallel:,} parallel arcs, which a matrix cannot hold; write .gr, .wel or .txt"
            )
    if format.layout.first is not None:
        return
    if not format.layout.weighted and not np.all(graph.weights == graph.scale):
        raise UsageError(f"{path}: an {format.suffix} file holds no weights; write .wel")
    if not graph.names.numbers or graph.labels.min() < 0:
        label = graph.label_of(int(np.argmin(graph.labels))) if graph.names.numbers else graph.label_of(0)
        raise UsageError(
            f"{path}: an edge list cannot hold the label {label!r}, only numbers from 0; write .gr or .npz"
        )
    isolated = (np.diff(graph.indptr) == 0) & (np.bincount(graph.indices, minlength=graph.vertices) == 0)
    if isolated.any():
        label = graph.label_of(int(np.argmax(isolated)))
        raise UsageError(
            f"{path}: an edge list cannot hold a vertex without arcs, such as {label}; write .gr, .txt or .npz"
        )
