"""Reads the answer of another program, or of ``warpath solve``, from a file: distances, predecessors and sources.

Every fault of the file is a UsageError, so that exit status 1 means a wrong answer and nothing else.
"""

import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import FormatError, UsageError
from ..graphs.csr import Graph
from ..graphs.npz_file import read_npy, read_npz
from ..names import suggestion
from ._answer_files import pyarrow

_COLUMNS = ("vertex", "distance", "predecessor", "source")


@dataclass(frozen=True)
class AnswerOfAnother:
    """Arrays in the order of the graph's vertices, (n,) or (k, n); indices in ``predecessors`` and ``sources``.

    ``predecessors`` and ``sources`` are None where the file has none.
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
    except (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError, zipfile.BadZipFile) as error:
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
    return AnswerOfAnother(distances, predecessors, arrays.get("sources"))


def _fitting(path: Path, name: str, array: np.ndarray, graph: Graph) -> np.ndarray:
    if array.ndim not in (1, 2) or array.shape[-1] != graph.vertices:
        raise UsageError(
            f"{path}: {name} have shape {array.shape}; give ({graph.vertices},), or such a row for each source"
        )
    return array


def _read_csv(path: Path, graph: Graph) -> AnswerOfAnother:
    import pandas as pd

    return _of_table(path, graph, pd.read_csv(path, dtype=str, keep_default_na=False))


def _read_json(path: Path, graph: Graph) -> AnswerOfAnother:
    import json

    import pandas as pd

    with open(path, encoding="utf-8") as file:
        table = pd.DataFrame(json.load(file), dtype=object)
    return _of_table(path, graph, table)


def _read_parquet(path: Path, graph: Graph) -> AnswerOfAnother:
    _, parquet = pyarrow(path)
    return _of_table(path, graph, parquet.read_table(path).to_pandas())


def _of_table(path: Path, graph: Graph, table: Any) -> AnswerOfAnother:
    """The arrays of a table with a line for each vertex, or for each pair of a source and a vertex."""
    missing = [name for name in ("vertex", "distance") if name not in table.columns]
    if missing:
        there = ", ".join(map(str, table.columns)) or "none"
        raise UsageError(f"{path}: has no column {missing[0]!r}; it has {there}, and may have {', '.join(_COLUMNS)}")
    if not len(table):
        raise UsageError(f"{path}: has no lines; give one for each vertex")
    vertices = _indices(path, graph, table, "vertex")
    sources = rows = None
    if "source" in table.columns:
        sources, rows = np.unique(_indices(path, graph, table, "source"), return_inverse=True)
    count = 1 if sources is None else len(sources)
    places = vertices if rows is None else rows * graph.vertices + vertices
    times = np.bincount(places, minlength=count * graph.vertices)
    if (times != 1).any():
        place = int(np.argmax(times != 1))
        pair = f"vertex {graph.label_of(place % graph.vertices)}"
        pair += "" if sources is None else f" from source {graph.label_of(int(sources[place // graph.vertices]))}"
        raise UsageError(f"{path}: has {times[place] or 'no'} lines for {pair}; give one for each vertex")
    shape = (graph.vertices,) if count == 1 else (count, graph.vertices)
    distances = np.empty(count * graph.vertices)
    distances[places] = _numbers(path, table["distance"])
    predecessors = None
    if "predecessor" in table.columns:
        predecessors = np.empty(count * graph.vertices, np.int64)
        predecessors[places] = _indices(path, graph, table, "predecessor", optional=True)
        predecessors = predecessors.reshape(shape)
    return AnswerOfAnother(distances.reshape(shape), predecessors, sources)


def _indices(path: Path, graph: Graph, table: Any, column: str, optional: bool = False) -> np.ndarray:
    """The vertices of a column of labels; -1 for an empty cell, and for scipy's -9999, where it may be empty."""
    import pandas as pd

    found = table[column]
    if not graph.names.numbers:
        found = found.astype(object)
        empty = (found.isna() | (found == "")).to_numpy(bool, copy=True)
        labels = found.to_numpy(object)
    else:
        numbers = pd.to_numeric(found, errors="coerce")
        empty = (found.isna() | (found.astype(str) == "")).to_numpy(bool, copy=True)
        wrong = (numbers.isna() & ~empty | (numbers.fillna(0) % 1 != 0)).to_numpy(bool)
        if wrong.any():
            raise UsageError(f"{path}: the {column} {found[int(np.argmax(wrong))]!r} is not a whole number")
        labels = numbers.fillna(0).astype(np.int64).to_numpy()
        if optional:
            empty |= (labels == -9999) | (labels == -1) & (graph.labels.min() > -1)
    if empty.any() and not optional:
        raise UsageError(f"{path}: line {int(np.argmax(empty)) + 1} of the table has no {column}")
    indices = np.full(len(labels), -1, np.int64)
    try:
        indices[~empty] = graph.index_of(labels[~empty])
    except UsageError as error:
        raise UsageError(f"{path}: {column}: {error}") from None
    return indices


def _numbers(path: Path, column: Any) -> np.ndarray:
    """The distances of a column as floats; ``inf`` for an empty cell."""
    import pandas as pd

    empty = (column.isna() | (column.astype(str) == "")).to_numpy(bool)
    numbers = pd.to_numeric(column, errors="coerce").to_numpy(np.float64, na_value=np.nan, copy=True)
    wrong = np.isnan(numbers) & ~empty
    if wrong.any():
        raise UsageError(f"{path}: the distance {column[int(np.argmax(wrong))]!r} is not a number")
    numbers[empty] = np.inf
    return numbers


READERS: dict[str, Callable[[Path, Graph], AnswerOfAnother]] = {
    ".npy": _read_npy,
    ".npz": _read_npz,
    ".csv": _read_csv,
    ".json": _read_json,
    ".parquet": _read_parquet,
}
