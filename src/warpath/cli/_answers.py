"""Files of answers, which ``warpath solve`` writes, and ``warpath certify`` reads from any program.

Tables (.csv, .parquet) have a line for each pair of a source and a vertex, with the columns ``source``,
``vertex``, ``distance`` and ``predecessor``. Vertices are labels. Without a path, distance and predecessor are empty.
Arrays (.npy, .npz) are in the order of the graph's vertices, which are indices. A .npz also has their ``labels``.
Distances have the type of the weights, and every digit that it takes to read the same floats. If the weights were
scaled, distances are float64 in the original unit. Floats are ``inf`` in arrays if there is no path.

A file that cannot be read is a UsageError, so exit status 1 always means a wrong answer. A table that could be read in
two ways is refused: lines of different length, numbers that would be rounded.
"""

import csv
import math
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from ..distances import NO_PREDECESSOR, distance_text, unreachable, walk_back
from ..errors import FormatError, UsageError
from ..graphs.content import MemoryLimit
from ..graphs.csr import Graph
from ..graphs.files.tables import pyarrow
from ..graphs.labels import Labels
from ..graphs.npz_file import read_npy, read_npz
from ..graphs.weights import UNSIGNED
from ..library.paths import Paths
from ..system.atomic import atomic_write, check_writable
from ..system.names import suggestion

_LINES_AT_ONCE = 500_000

COLUMNS = ("vertex", "distance", "predecessor", "source")

# The cells of a column. None and '' are empty cells.
Column = Sequence[Any]

_WHOLE = re.compile(r"([+-]?[0-9]{1,40})(\.0*)?", re.ASCII)
_DECIMAL = re.compile(r"[+-]?+" + UNSIGNED.decode(), re.ASCII)
_INFINITE = re.compile(r"[+-]?inf(inity)?", re.ASCII | re.IGNORECASE)
_EXACT_MAX = 2**53 - 1
_CELL_CHARACTERS_MAX = 40  # in messages


def check_output(path: Path, graph: Path) -> None:
    """Raise WarpathError if an answer cannot be written to ``path``: suffix, folder, missing library, or ``graph``."""
    if path.suffix not in WRITERS:
        raise UsageError(f"{path}: unknown suffix {path.suffix!r}; {suggestion(path.suffix, WRITERS)}")
    if path.suffix == ".parquet":
        pyarrow(path)
    check_writable(path, graph)


def write_answer(path: Path, paths: Paths) -> None:
    with atomic_write(path) as temporary:
        WRITERS[path.suffix](temporary, paths)


def listing(paths: Paths) -> Iterator[str]:
    """Shortest paths in the form of the main paper's programs: Node, Cost, Path; for several sources after "Source: s".

    A path is written backwards, ``5<-2<-0``, in labels. A vertex without a path has ``NA`` and ``-``. The source has
    cost 0 and itself as its path. The published program prints NA for it and for every other vertex at distance 0.
    """
    labels, scale, several = paths.graph.labels.tolist(), paths.graph.scale, paths.distances.ndim == 2
    rows = np.atleast_1d(paths.sources), np.atleast_2d(paths.distances), np.atleast_2d(paths.predecessors)
    for source, distances, predecessors in zip(*rows, strict=True):
        if several:
            yield f"Source: {labels[source]}"
        yield "Node\tCost\tPath"
        for vertex, distance in enumerate(distances):
            if distance == unreachable(distances.dtype):
                yield f"{labels[vertex]}\tNA\t-"
            else:
                path = "<-".join(str(labels[step]) for step in walk_back(predecessors, vertex))
                yield f"{labels[vertex]}\t{distance_text(distance, scale)}\t{path}"
        if several:
            yield ""


def _write_npy(path: Path, paths: Paths) -> None:
    np.save(path, _distances(paths))


def _write_npz(path: Path, paths: Paths) -> None:
    np.savez(
        path,
        distances=_distances(paths),
        predecessors=paths.predecessors,
        sources=np.asarray(paths.sources),
        labels=paths.graph.labels,
    )


def _write_csv(path: Path, paths: Paths) -> None:
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        for number, table in enumerate(_tables(paths)):
            table.to_csv(file, index=False, header=number == 0, lineterminator="\n")


def _write_parquet(path: Path, paths: Paths) -> None:
    arrow, parquet = pyarrow(path)
    writer = None
    try:
        for table in _tables(paths):
            rows = arrow.Table.from_pandas(table, preserve_index=False)
            writer = writer or parquet.ParquetWriter(path, rows.schema)
            writer.write_table(rows.cast(writer.schema))
    finally:
        if writer:
            writer.close()


def _write_listing(path: Path, paths: Paths) -> None:
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{line}\n" for line in listing(paths))


def _distances(paths: Paths) -> np.ndarray:
    return paths.distances if paths.graph.scale == 1 else paths.floats()


def _tables(paths: Paths) -> Iterator[Any]:
    """The answer as data frames, each of a few sources, so that no frame takes much memory."""
    import pandas as pd

    labels, vertices = paths.graph.labels, paths.graph.vertices
    sources = np.atleast_1d(paths.sources)
    distances, predecessors = np.atleast_2d(paths.distances), np.atleast_2d(paths.predecessors)
    at_once = max(1, _LINES_AT_ONCE // vertices)
    for first in range(0, len(sources), at_once):
        rows = slice(first, first + at_once)
        distance, predecessor = distances[rows].ravel(), predecessors[rows].ravel()
        reached = distance != unreachable(distance.dtype)
        scaled = distance if paths.graph.scale == 1 else distance / paths.graph.scale
        yield pd.DataFrame(
            {
                "source": np.repeat(labels[sources[rows]], vertices),
                "vertex": np.tile(labels, len(sources[rows])),
                "distance": pd.Series(scaled, dtype=str(scaled.dtype).capitalize()).where(reached),
                "predecessor": label_column(paths.graph, np.where(reached, predecessor, NO_PREDECESSOR)),
            }
        )


def label_column(graph: Graph, vertices: np.ndarray) -> Any:
    """A series of the labels of ``vertices``, missing for -1. Whole numbers do not become floats."""
    import pandas as pd

    dtype = "Int64" if graph.names.numbers else "string"
    return pd.Series(graph.labels[np.maximum(vertices, 0)], dtype=dtype).mask(vertices < 0)


WRITERS: dict[str, Callable[[Path, Paths], None]] = {
    ".npy": _write_npy,
    ".npz": _write_npz,
    ".csv": _write_csv,
    ".parquet": _write_parquet,
    ".txt": _write_listing,
}


@dataclass(frozen=True)
class FileAnswer:
    """Distances in the order of the graph's vertices, shape (n,) or (k, n), and predecessors of the same shape.

    ``sources`` are indices, int64 of shape (k,). ``sources`` and ``predecessors`` are None if the file has none.
    """

    distances: np.ndarray
    predecessors: np.ndarray | None
    sources: np.ndarray | None


def read_answer(path: Path, graph: Graph) -> FileAnswer:
    """Read the answer in ``path``, in the format of its suffix. Raises UsageError that names the file and the fault."""
    if path.suffix not in READERS:
        raise UsageError(f"{path}: unknown suffix {path.suffix!r}; {suggestion(path.suffix, READERS)}")
    try:
        return READERS[path.suffix](path, graph)
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file") from None
    except FormatError as error:
        raise UsageError(str(error)) from None
    except (OSError, ValueError, csv.Error) as error:
        reason = str(error).partition("\n")[0]
        raise UsageError(f"{path}: cannot be read as {path.suffix} ({reason}); write the answer again") from error


def _read_npy(path: Path, graph: Graph) -> FileAnswer:
    return FileAnswer(_fitting(path, "distances", read_npy(path), graph), None, None)


def _read_npz(path: Path, graph: Graph) -> FileAnswer:
    arrays = read_npz(path, ("distances", "predecessors", "sources", "labels"))
    if "distances" not in arrays:
        raise UsageError(f"{path}: has no array 'distances'; give the array that name")
    labels = arrays.get("labels")
    if labels is not None and not np.array_equal(labels, graph.labels):
        raise UsageError(f"{path}: the labels differ from those of the graph; name the graph that was solved")
    distances = _fitting(path, "distances", arrays["distances"], graph)
    predecessors = arrays.get("predecessors")
    if predecessors is not None and _fitting(path, "predecessors", predecessors, graph).shape != distances.shape:
        raise UsageError(f"{path}: predecessors have shape {predecessors.shape}, but distances {distances.shape}")
    sources = arrays.get("sources")
    if sources is not None:
        try:
            sources = Labels(graph.vertices, 0).indices_of(np.atleast_1d(sources), "source")
        except UsageError as error:
            raise UsageError(f"{path}: {error}") from None
    return FileAnswer(distances, predecessors, sources)


def _fitting(path: Path, name: str, array: np.ndarray, graph: Graph) -> np.ndarray:
    if array.ndim not in (1, 2) or array.shape[-1] != graph.vertices or 0 in array.shape[:-1]:
        raise UsageError(
            f"{path}: {name} have shape {array.shape}; give ({graph.vertices},), or one such row for each source"
        )
    return array


def _of_table(read: Callable[[Path], dict[str, Column]], path: Path, graph: Graph) -> FileAnswer:
    """Read a table with a line for each vertex, or for each pair of a source and a vertex."""
    table = read(path)
    if not len(table["vertex"]):
        raise UsageError(f"{path}: has no lines; give one for each vertex")
    vertices = vertices_of(path, graph, table, "vertex")
    sources, rows = None, np.zeros(len(vertices), np.int64)
    if "source" in table:
        sources, rows = np.unique(vertices_of(path, graph, table, "source"), return_inverse=True)
    lengths = distances(path, table["distance"])
    pairs = rows * graph.vertices + vertices
    _check_pairs(path, graph, sources, pairs)
    order = np.argsort(pairs)
    shape = (graph.vertices,) if sources is None or len(sources) == 1 else (len(sources), graph.vertices)
    predecessors = None
    if "predecessor" in table:
        predecessors = vertices_of(path, graph, table, "predecessor", optional=True)[order].reshape(shape)
    return FileAnswer(lengths[order].reshape(shape), predecessors, sources)


def _check_pairs(path: Path, graph: Graph, sources: np.ndarray | None, pairs: np.ndarray) -> None:
    """Raise UsageError unless each source has one line for each vertex; ``pairs`` are row * n + vertex of each line."""
    unique, times = np.unique(pairs, return_counts=True)
    rows = 1 if sources is None else len(sources)
    if times.max() > 1:
        pair, count = int(unique[np.argmax(times)]), str(times.max())
    elif len(unique) < rows * graph.vertices:
        gaps = np.flatnonzero(unique != np.arange(len(unique)))
        pair, count = int(gaps[0]) if len(gaps) else len(unique), "no"
    else:
        return
    row, vertex = divmod(pair, graph.vertices)
    name = f"vertex {graph.label_of(vertex)}"
    name += "" if sources is None else f" from source {graph.label_of(int(sources[row]))}"
    raise UsageError(f"{path}: has {count} lines for {name}; give one for each vertex")


def vertices_of(path: Path, graph: Graph, table: dict[str, Column], column: str, optional: bool = False) -> np.ndarray:
    """The vertices of a column of labels. In an ``optional`` column, empty cells are -1.

    -1 and -9999 are empty cells, too, unless they are labels.
    """
    labels = table[column]
    if graph.names.numbers:
        labels = _each(path, labels, f"{column} {{}} is not a whole number", _whole)
        none = [number for number in (-1, -9999) if optional and number not in graph.labels]
        labels = [None if label in none else label for label in labels]
    empty = np.array([label is None or label == "" for label in labels], bool)
    if empty.any() and not optional:
        raise UsageError(f"{path}: line {int(np.argmax(empty)) + 1} of the table has no {column}")
    vertices = np.full(len(labels), -1, np.int64)
    try:
        known = [label for label, none in zip(labels, empty, strict=True) if not none]
        vertices[~empty] = graph.names.indices_of(known, "vertex")
    except UsageError as error:
        raise UsageError(f"{path}: {column}: {error}") from None
    return vertices


def _positions(path: Path, heading: list[str]) -> dict[str, int]:
    """The positions of the columns that are read. Raises UsageError if one is missing or repeated."""
    for name in COLUMNS:
        if name in ("vertex", "distance") and name not in heading:
            present = ", ".join(map(str, heading))[:200] or "none"
            raise UsageError(f"{path}: has no column {name!r}; the columns are {present}; give {', '.join(COLUMNS)}")
        if heading.count(name) > 1:
            raise UsageError(f"{path}: has more than one column {name!r}")
    return {name: heading.index(name) for name in COLUMNS if name in heading}


def read_csv(path: Path, positions_of: Callable[[Path, list[str]], dict[str, int]] = _positions) -> dict[str, Column]:
    """The columns of a table that ``positions_of(path, heading)`` names. Blank lines are ignored."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        lines = csv.reader(file, strict=True)
        rows = (row for row in lines if len(row) > 1 or any(map(str.strip, row)))
        heading = next(rows, None)
        if heading is None:
            raise ValueError("it is empty")
        positions = positions_of(path, heading)
        columns: dict[str, list[str]] = {name: [] for name in positions}
        for row in rows:
            if len(row) != len(heading):
                raise UsageError(f"{path}, line {lines.line_num}: has {len(row)} cells below {len(heading)} headings")
            for name, position in positions.items():
                columns[name].append(sys.intern(row[position]))  # equal cells share memory
    return dict(columns)


def read_parquet(path: Path) -> dict[str, Column]:
    _, parquet = pyarrow(path)
    with parquet.ParquetFile(path) as file:
        names = list(_positions(path, file.schema_arrow.names))
        needed = file.metadata.num_rows * len(names) * 16
        MemoryLimit.of(path, os.path.getsize(path)).check(needed, "its uncompressed content")
        table = file.read(columns=names)
    return {name: table[name].to_pylist() for name in names}


def distances(path: Path, column: Column) -> np.ndarray:
    """The numbers in a column as float64; an empty cell is ``inf``. Raises UsageError for other cells."""
    values = _each(path, column, "distance {} is not a number", _number)
    return np.array([math.inf if value is None else value for value in values], np.float64)


def _each(path: Path, column: Column, what: str, read: Callable[[Any], Any]) -> list[Any]:
    """``read`` of each cell, None for an empty one. Raises UsageError with the message ``what`` if ``read`` fails."""
    read = lru_cache(maxsize=None, typed=True)(read)  # typed: True is not 1
    values = []
    for cell in column:
        try:
            values.append(None if cell is None or cell == "" else read(cell))
        except (ValueError, TypeError, OverflowError):
            text = repr(cell)
            text = text if len(text) <= _CELL_CHARACTERS_MAX else f"{text[:_CELL_CHARACTERS_MAX]}…"
            raise UsageError(f"{path}: the {what.format(text)}") from None
    return values


def _whole(cell: Any) -> int:
    """A whole number, or a float that is one exactly."""
    if isinstance(cell, str) and (match := _WHOLE.fullmatch(cell.strip(" "))):
        return int(match[1])
    if type(cell) is int:
        return cell
    number = _number(cell)
    if not number.is_integer() or abs(number) > _EXACT_MAX:
        raise ValueError
    return int(number)


def _number(cell: Any) -> float:
    """A number that a float can hold, or an infinity."""
    if type(cell) not in (str, int, float):
        raise TypeError
    number = float(cell)
    is_finite = math.isfinite(number)
    if isinstance(cell, str):
        pattern = _DECIMAL if is_finite else _INFINITE  # float() also reads "1_000", and "1e400" as an infinity
        is_number = pattern.fullmatch(cell.strip(" ")) is not None
    else:
        is_number = not math.isnan(number)
    if not is_number:
        raise ValueError
    return number


READERS: dict[str, Callable[[Path, Graph], FileAnswer]] = {
    ".npy": _read_npy,
    ".npz": _read_npz,
    ".csv": partial(_of_table, read_csv),
    ".parquet": partial(_of_table, read_parquet),
}
