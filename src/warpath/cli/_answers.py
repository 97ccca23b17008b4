"""Files of answers: those that ``warpath solve`` writes, and those of any program, which ``warpath certify`` reads.

Tables (.csv, .parquet, .json) have a line for each pair of a source and a vertex: ``source``, ``vertex``, ``distance``
and ``predecessor``, by labels; the last two are empty where there is no path. Arrays (.npy, .npz) are in the order of
the graph's vertices, and count them from 0; ``labels`` in the .npz are what they are called. Of a graph whose weights
were scaled, distances are floats with the scale undone, ``inf`` where there is no path.

Every fault of a file that is read is a UsageError, so that exit status 1 means a wrong answer and nothing else. A table
is read in one way or refused: a line with a cell too few or too many, a key twice, a number that would have to be
rounded.
"""

import csv
import importlib
import json
import math
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from ..atomic import atomic_write, check_place
from ..distances import UNREACHABLE, walk_back
from ..errors import FormatError, UsageError
from ..graphs.content import MemoryLimit
from ..graphs.csr import Graph
from ..graphs.npz_file import read_npy, read_npz
from ..graphs.weights import UNSIGNED
from ..library.arguments import indices
from ..library.paths import Paths
from ..names import suggestion

_LINES_AT_ONCE = 500_000

COLUMNS = ("vertex", "distance", "predecessor", "source")

# The cells of a column, one a line. None and '' are empty.
Column = Sequence[Any]

_WHOLE = re.compile(r"([+-]?[0-9]{1,40})(\.0*)?", re.ASCII)
_DECIMAL = re.compile(r"[+-]?+" + UNSIGNED.decode(), re.ASCII)
_INFINITE = re.compile(r"[+-]?inf(inity)?", re.ASCII | re.IGNORECASE)
_EXACT_MAX = 2**53 - 1
_SHOWN = 40


def check_output(path: Path) -> None:
    """Raise WarpathError if an answer cannot be written to ``path``: suffix, place, or a library that is missing."""
    if path.suffix not in WRITERS:
        raise UsageError(f"{path}: unknown suffix {path.suffix!r}; {suggestion(path.suffix, WRITERS)}")
    if path.suffix == ".parquet":
        pyarrow(path)
    check_place(path)


def write_answer(path: Path, paths: Paths) -> None:
    with atomic_write(path) as temporary:
        WRITERS[path.suffix](temporary, paths)


def pyarrow(path: Path) -> tuple[Any, Any]:
    """The modules pyarrow and pyarrow.parquet; raises UsageError that says what to do where they are missing."""
    try:
        pyarrow = importlib.import_module("pyarrow")
        parquet = importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise UsageError(f"{path}: Parquet needs pyarrow, which is not installed; install it, or use .csv") from None
    return pyarrow, parquet


def listing(paths: Paths) -> Iterator[str]:
    """Shortest paths as the main paper's programs print them: Node, Cost, Path; of several sources under ``Source: s``.

    A path is written backwards, ``5<-2<-0``, by the labels of the vertices. A vertex without a path has ``NA`` and
    ``-``. The source has cost 0 and itself as its path; the published program prints NA for it and for every other
    vertex at distance 0.
    """
    labels = paths.graph.labels.tolist()
    if paths.distances.ndim == 1:
        yield from _lines_of(labels, paths.graph.scale, paths.distances, paths.predecessors)
        return
    sources = np.atleast_1d(paths.sources).tolist()
    for source, distances, predecessors in zip(sources, paths.distances, paths.predecessors, strict=True):
        yield f"Source: {labels[source]}"
        yield from _lines_of(labels, paths.graph.scale, distances, predecessors)
        yield ""


def cost(distance: int, scale: int) -> str:
    """A distance with the scale of the weights undone, "12" or "1.25"."""
    return str(distance) if scale == 1 else f"{distance / scale:.15g}"


def _lines_of(labels: Sequence[Any], scale: int, distances: np.ndarray, predecessors: np.ndarray) -> Iterator[str]:
    yield "Node\tCost\tPath"
    for vertex, distance in enumerate(distances.tolist()):
        if distance == UNREACHABLE:
            yield f"{labels[vertex]}\tNA\t-"
        else:
            path = "<-".join(str(labels[step]) for step in walk_back(predecessors, vertex))
            yield f"{labels[vertex]}\t{cost(distance, scale)}\t{path}"


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
        for place, table in enumerate(_tables(paths)):
            table.to_csv(file, index=False, header=place == 0, lineterminator="\n")


def _write_json(path: Path, paths: Paths) -> None:
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        mark = "[\n"
        for table in _tables(paths):
            lines = table.to_json(orient="records", lines=True, force_ascii=False, double_precision=15)
            file.write(mark + lines.rstrip("\n").replace("\n", ",\n"))
            mark = ",\n"
        file.write("\n]\n")


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
    """The answer as data frames, so many sources at once that no frame takes much memory."""
    import pandas as pd

    labels, vertices = paths.graph.labels, paths.graph.vertices
    sources = np.atleast_1d(paths.sources)
    distances, predecessors = np.atleast_2d(paths.distances), np.atleast_2d(paths.predecessors)
    at_once = max(1, _LINES_AT_ONCE // vertices)
    for first in range(0, len(sources), at_once):
        rows = slice(first, first + at_once)
        of_rows, before = distances[rows].ravel(), predecessors[rows].ravel()
        missing = of_rows == UNREACHABLE
        scaled = of_rows if paths.graph.scale == 1 else of_rows / paths.graph.scale
        distance = pd.Series(scaled, dtype="Int32" if paths.graph.scale == 1 else "Float64").mask(missing)
        kind = "Int64" if paths.graph.names.numbers else "string"
        predecessor = pd.Series(labels[np.maximum(before, 0)], dtype=kind).mask(before < 0)
        yield pd.DataFrame(
            {
                "source": np.repeat(labels[sources[rows]], vertices),
                "vertex": np.tile(labels, len(sources[rows])),
                "distance": distance,
                "predecessor": predecessor,
            }
        )


WRITERS: dict[str, Callable[[Path, Paths], None]] = {
    ".npy": _write_npy,
    ".npz": _write_npz,
    ".csv": _write_csv,
    ".json": _write_json,
    ".parquet": _write_parquet,
    ".txt": _write_listing,
}


@dataclass(frozen=True)
class AnswerOfAnother:
    """Distances in the order of the graph's vertices, (n,) or (k, n), and predecessors of the same shape.

    ``sources`` are indices, int64 of shape (k,). It and ``predecessors`` are None where the file has none.
    """

    distances: np.ndarray
    predecessors: np.ndarray | None
    sources: np.ndarray | None


def read_answer(path: Path, graph: Graph) -> AnswerOfAnother:
    """The answer in ``path``, by its suffix. Raises UsageError that names the file, what is wrong and what to do."""
    if path.suffix not in READERS:
        raise UsageError(f"{path}: unknown suffix {path.suffix!r}; {suggestion(path.suffix, READERS)}")
    try:
        return READERS[path.suffix](path, graph)
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file") from None
    except FormatError as error:
        raise UsageError(str(error)) from None
    except RecursionError:
        raise UsageError(f"{path}: is nested too deeply to be read; write the answer again") from None
    except (OSError, ValueError, csv.Error) as error:
        reason = str(error).partition("\n")[0]
        raise UsageError(f"{path}: cannot be read as {path.suffix} ({reason}); write the answer again") from error


def _read_npy(path: Path, graph: Graph) -> AnswerOfAnother:
    return AnswerOfAnother(_fitting(path, "distances", read_npy(path), graph), None, None)


def _read_npz(path: Path, graph: Graph) -> AnswerOfAnother:
    arrays = read_npz(path, ("distances", "predecessors", "sources", "labels"))
    if "distances" not in arrays:
        raise UsageError(f"{path}: has no array 'distances'; give the array that name")
    labels = arrays.get("labels")
    if labels is not None and not np.array_equal(labels, graph.labels):
        raise UsageError(f"{path}: its labels are not those of the graph; certify it on the graph that was solved")
    distances = _fitting(path, "distances", arrays["distances"], graph)
    predecessors = arrays.get("predecessors")
    if predecessors is not None and _fitting(path, "predecessors", predecessors, graph).shape != distances.shape:
        raise UsageError(f"{path}: predecessors have shape {predecessors.shape}, and distances {distances.shape}")
    sources = arrays.get("sources")
    if sources is not None:
        try:
            sources = indices(graph, np.atleast_1d(sources), "source")
        except UsageError as error:
            raise UsageError(f"{path}: {error}") from None
    return AnswerOfAnother(distances, predecessors, sources)


def _fitting(path: Path, name: str, array: np.ndarray, graph: Graph) -> np.ndarray:
    if array.ndim not in (1, 2) or array.shape[-1] != graph.vertices:
        raise UsageError(
            f"{path}: {name} have shape {array.shape}; give ({graph.vertices},), or such a row for each source"
        )
    return array


def _of_table(read: Callable[[Path], dict[str, Column]], path: Path, graph: Graph) -> AnswerOfAnother:
    """The arrays of a table with a line for each vertex, or for each pair of a source and a vertex."""
    table = read(path)
    if not len(table["vertex"]):
        raise UsageError(f"{path}: has no lines; give one for each vertex")
    vertices = _indices(path, graph, table, "vertex")
    sources, rows = None, np.zeros(len(vertices), np.int64)
    if "source" in table:
        sources, rows = np.unique(_indices(path, graph, table, "source"), return_inverse=True)
    lengths = distances(path, table["distance"])
    _check_lines(path, graph, sources, rows, vertices)
    count = 1 if sources is None else len(sources)
    places = rows * graph.vertices + vertices
    shape = (graph.vertices,) if count == 1 else (count, graph.vertices)
    found = np.empty(count * graph.vertices)
    found[places] = lengths
    predecessors = None
    if "predecessor" in table:
        predecessors = np.empty(count * graph.vertices, np.int64)
        predecessors[places] = _indices(path, graph, table, "predecessor", optional=True)
        predecessors = predecessors.reshape(shape)
    return AnswerOfAnother(found.reshape(shape), predecessors, sources)


def _check_lines(path: Path, graph: Graph, sources: np.ndarray | None, rows: np.ndarray, vertices: np.ndarray) -> None:
    """Raise UsageError unless each of the sources, to which the rows belong, has one line for each vertex."""
    lines = np.bincount(rows)
    row = int(np.argmax(lines != graph.vertices))
    if lines[row] == graph.vertices:  # as all others: only now is a place for each pair no more than the lines
        times = np.bincount(rows * graph.vertices + vertices, minlength=len(lines) * graph.vertices)
        row = int(np.argmax(times != 1)) // graph.vertices
    times = np.bincount(vertices[rows == row], minlength=graph.vertices)
    if (times != 1).any():
        vertex = int(np.argmax(times != 1))
        pair = f"vertex {graph.label_of(vertex)}"
        pair += "" if sources is None else f" from source {graph.label_of(int(sources[row]))}"
        raise UsageError(f"{path}: has {times[vertex] or 'no'} lines for {pair}; give one for each vertex")


def _indices(path: Path, graph: Graph, table: dict[str, Column], column: str, optional: bool = False) -> np.ndarray:
    """The vertices of a column of labels; -1 for an empty cell where it may be ``optional``, and for -1 and -9999 if
    these are no labels.
    """
    labels = table[column]
    if graph.names.numbers:
        labels = _each(path, labels, f"{column} {{}} is not a whole number", _whole)
        none = [number for number in (-1, -9999) if optional and number not in graph.labels]
        labels = [None if label in none else label for label in labels]
    empty = np.array([label is None or label == "" for label in labels], bool)
    if empty.any() and not optional:
        raise UsageError(f"{path}: line {int(np.argmax(empty)) + 1} of the table has no {column}")
    found = np.full(len(labels), -1, np.int64)
    try:
        found[~empty] = graph.index_of([label for label, none in zip(labels, empty, strict=True) if not none])
    except UsageError as error:
        raise UsageError(f"{path}: {column}: {error}") from None
    return found


def read_csv(path: Path) -> dict[str, Column]:
    """The columns of a table with a heading. Blank lines count for nothing."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        lines = csv.reader(file, strict=True)
        rows = (row for row in lines if len(row) > 1 or any(map(str.strip, row)))
        heading = next(rows, None)
        if heading is None:
            raise ValueError("it is empty")
        known = _known(path, heading)
        same: dict[str, str] = {}  # one copy of each text
        columns: dict[str, list[str]] = {name: [] for name in known}
        for row in rows:
            if len(row) != len(heading):
                raise UsageError(f"{path}, line {lines.line_num}: has {len(row)} cells below {len(heading)} headings")
            for name, place in known.items():
                columns[name].append(same.setdefault(row[place], row[place]))
    return dict(columns)


def read_json(path: Path) -> dict[str, Column]:
    """The columns of a list of mappings that have the same keys."""

    def mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError("a key is there twice")
        return dict(pairs)

    with open(path, encoding="utf-8") as file:
        lines = json.load(file, object_pairs_hook=mapping)
    if not isinstance(lines, list) or not all(isinstance(line, dict) for line in lines):
        raise UsageError(
            f"{path}: has no column 'vertex'; give a list of mappings: [{{'vertex': 1, 'distance': 0}}, …]"
        )
    heading = list(lines[0]) if lines else []
    known = _known(path, heading)
    for place, line in enumerate(lines):
        if line.keys() != lines[0].keys():
            raise UsageError(f"{path}: line {place + 1} of the table has other keys than the first")
    return {name: [line[name] for line in lines] for name in known}


def read_parquet(path: Path) -> dict[str, Column]:
    _, parquet = pyarrow(path)
    with parquet.ParquetFile(path) as file:
        known = _known(path, file.schema_arrow.names)
        needed = file.metadata.num_rows * len(known) * 16
        MemoryLimit.of(path, os.path.getsize(path)).check(needed, "its uncompressed content")
        table = file.read(columns=list(known))
    return {name: table[name].to_pylist() for name in known}


def _known(path: Path, heading: Sequence[str]) -> dict[str, int]:
    """The place of each column that counts. UsageError if vertex or distance is missing, or a column is there twice."""
    for name in ("vertex", "distance"):
        if name not in heading:
            there = ", ".join(map(str, heading))[:200] or "none"
            raise UsageError(f"{path}: has no column {name!r}; it has {there}, and may have {', '.join(COLUMNS)}")
    for name in COLUMNS:
        if list(heading).count(name) > 1:
            raise UsageError(f"{path}: has more than one column {name!r}")
    return {name: list(heading).index(name) for name in COLUMNS if name in heading}


def distances(path: Path, column: Column) -> np.ndarray:
    """The numbers in a column as float64, ``inf`` for an empty cell. UsageError for what is no number."""
    values = _each(path, column, "distance {} is not a number", _number)
    return np.array([math.inf if value is None else value for value in values], np.float64)


def _each(path: Path, column: Column, what: str, read: Callable[[Any], Any]) -> list[Any]:
    """``read`` of each cell, None for an empty one. A ValueError or TypeError of ``read`` is a UsageError."""
    read = lru_cache(maxsize=None, typed=True)(read)  # a cell that comes again is looked up; True is not 1
    values = []
    for cell in column:
        try:
            values.append(None if cell is None or cell == "" else read(cell))
        except (ValueError, TypeError, OverflowError):
            text = repr(cell)
            shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
            raise UsageError(f"{path}: the {what.format(shown)}") from None
    return values


def _whole(cell: Any) -> int:
    """A whole number, written as one, or as a float that is exact."""
    if isinstance(cell, str) and (match := _WHOLE.fullmatch(cell.strip(" "))):
        return int(match[1])
    if type(cell) is int:
        return cell
    number = _number(cell)
    if not number.is_integer() or abs(number) > _EXACT_MAX:
        raise ValueError
    return int(number)


def _number(cell: Any) -> float:
    """A number or an infinity; what is too large for a float is neither."""
    if type(cell) not in (str, int, float):
        raise TypeError
    number = float(cell)
    if isinstance(cell, str):
        text = cell.strip(" ")
        infinite = _INFINITE.fullmatch(text)
        if not (infinite or _DECIMAL.fullmatch(text)) or (math.isinf(number) and not infinite):
            raise ValueError
    if math.isnan(number):
        raise ValueError
    return number


READERS: dict[str, Callable[[Path, Graph], AnswerOfAnother]] = {
    ".npy": _read_npy,
    ".npz": _read_npz,
    ".csv": partial(_of_table, read_csv),
    ".json": partial(_of_table, read_json),
    ".parquet": partial(_of_table, read_parquet),
}
