"""Writes the answer of ``warpath solve`` to a file, in the form that the file's suffix names.

Tables (.csv, .parquet, .json) have a line for each pair of a source and a vertex: ``source``, ``vertex``, ``distance``
and ``predecessor``, by labels; the last two are empty where there is no path. Arrays (.npy, .npz) are in the order of
the graph's vertices, and count them from 0; ``labels`` in the .npz are what they are called. Of a graph whose weights
were scaled, distances are floats with the scale undone, ``inf`` where there is no path.
"""

import importlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..atomic import check_place, written_whole
from ..distances import UNREACHABLE, walk_back
from ..errors import UsageError
from ..library.paths import Paths
from ..names import suggestion

_LINES_AT_ONCE = 500_000


def check_output(path: Path) -> None:
    """Raise WarpathError if an answer cannot be written to ``path``: suffix, place, or a library that is missing."""
    if path.suffix not in WRITERS:
        raise UsageError(f"{path}: unknown suffix {path.suffix!r}; {suggestion(path.suffix, WRITERS)}")
    if path.suffix == ".parquet":
        pyarrow(path)
    check_place(path)


def write_answer(path: Path, paths: Paths) -> None:
    """Write ``paths`` to ``path``, whole or not at all."""
    with written_whole(path) as temporary:
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
