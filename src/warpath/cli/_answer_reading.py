"""Reads the answer of another program, or of ``warpath solve``, from a file: distances, predecessors and sources.

Every fault of the file is a UsageError, so that exit status 1 means a wrong answer and nothing else.
"""

import csv
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from ..errors import FormatError, UsageError
from ..graphs.csr import Graph
from ..graphs.npz_file import read_npy, read_npz
from ..library.given import indices
from ..names import suggestion
from ._answer_tables import Column, distances, is_empty, read_csv, read_json, read_parquet, whole_numbers


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
        labels, empty = whole_numbers(path, column, labels)
        if optional:
            none = [number for number in (-1, -9999) if number not in graph.labels]
            empty |= np.array([label in none for label in labels], bool)
    else:
        empty = np.array([is_empty(cell) for cell in labels], bool)
    if empty.any() and not optional:
        raise UsageError(f"{path}: line {int(np.argmax(empty)) + 1} of the table has no {column}")
    found = np.full(len(labels), -1, np.int64)
    try:
        found[~empty] = graph.index_of([label for label, none in zip(labels, empty, strict=True) if not none])
    except UsageError as error:
        raise UsageError(f"{path}: {column}: {error}") from None
    return found


READERS: dict[str, Callable[[Path, Graph], AnswerOfAnother]] = {
    ".npy": _read_npy,
    ".npz": _read_npz,
    ".csv": partial(_of_table, read_csv),
    ".json": partial(_of_table, read_json),
    ".parquet": partial(_of_table, read_parquet),
}
