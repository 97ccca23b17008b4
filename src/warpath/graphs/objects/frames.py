"""Graphs from data frames of pandas, Polars, PyArrow and cuDF, each row of which is an arc, and frames of answers.

Narwhals reads and makes frames of all these libraries.
"""

import shlex
import sys
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

from ...errors import GraphError, UsageError
from ..csr import Graph
from ..named_arcs import Arcs, check_no_other_numbers


@dataclass(frozen=True)
class Columns:
    """The names of the columns of tails, heads and weights; no ``weight`` counts arcs.

    ``of_file`` says whether messages are about a file.
    """

    tail: Hashable = "source"
    head: Hashable = "target"
    weight: Hashable | None = "weight"
    of_file: bool = False

    def weight_in(self, frame: Any) -> Hashable | None:
        """The column of weights in ``frame``, None if arcs are counted. Raises GraphError if a column is missing."""
        names = frame.columns
        ends = self.tail, self.head
        missing = [name for name in ends if name not in names]
        if missing:
            listed = ", ".join(map(repr, names)) or "none"
            raise GraphError(
                f"the edge list has no column {' or '.join(map(repr, missing))}; "
                f"it has {listed}{self._suggestion(frame, names)}"
            )
        if self.weight is None or self.weight in names:
            return self.weight
        check_no_other_numbers(self.weight, _numbers(frame, [name for name in names if name not in ends]), self.of_file)
        return None

    def _suggestion(self, frame: Any, names: list[Hashable]) -> str:
        """The end of a message, which shows how to name the columns of ``frame``."""
        floats = [name for name in names if frame.schema[name].is_float()]
        ends = [name for name in names if name not in floats][:2]
        if len(ends) < 2:
            return ""
        weights = [self.weight] if self.weight in names else []
        weights = weights or _numbers(frame, [name for name in names if name not in ends])
        if self.of_file:
            values = [shlex.quote(str(name)) for name in (*ends, *weights[:1])]
            options = " ".join(map("{} {}".format, ("--tail", "--head", "--weight"), values))
            return f"; name the ends, as in {options} (in Python {_keywords(ends, weights)})"
        return f"; name the ends, as in {_keywords(ends, weights)}"


def is_frame(thing: Any) -> bool:
    """Whether ``thing`` is a data frame."""
    return hasattr(thing, "columns") and nw.dependencies.is_into_dataframe(thing)


def is_column(thing: Any) -> bool:
    """Whether ``thing`` is a column of a data frame, in the order of its rows."""
    return nw.dependencies.is_into_series(thing)


def opened(thing: Any) -> Any:
    """The data frame ``thing`` as one of Narwhals. Raises GraphError if two columns have the same name."""
    try:
        return nw.from_native(thing, eager_only=True)
    except nw.exceptions.DuplicateError:
        names = list(thing.columns)
        twice = next(name for name in names if names.count(name) > 1)
        raise GraphError(f"the data frame has more than one column {twice!r}; rename one") from None


def aligned(thing: Any, index: Any) -> Any:
    """``thing``, a frame or column of pandas, with its rows in the order of ``index``.

    None if it has another index, or none because it is of another library.
    """
    if index is None or not is_of_pandas(thing) or len(thing.index) != len(index):
        return None
    if thing.index.equals(index):
        return thing
    if thing.index.nlevels != index.nlevels or not (thing.index.is_unique and index.is_unique):
        return None
    positions = thing.index.get_indexer(index)
    return None if (positions < 0).any() else thing.iloc[positions]


def is_of_pandas(thing: Any) -> bool:
    """Whether ``thing`` is a frame or column of pandas, whose rows have an index."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(thing, pandas.DataFrame | pandas.Series)


def graph_of(
    thing: Any,
    scale: int | None,
    columns: Columns,
    origin: str | None = None,
    row_name: Callable[[int], str] = "row {}".format,
    floats: bool = False,
) -> Graph:
    """The graph of a data frame, with ``floats`` for integers as weights if asked.

    Raises GraphError if a column is missing, or an end or a weight is none.
    """
    levels = getattr(getattr(thing, "index", None), "names", ())
    named = [name for name in levels if name is not None and name not in thing.columns]
    frame = opened(thing.reset_index(level=named) if named else thing)
    weight = columns.weight_in(frame)
    tails, heads = (
        _end(frame, name, what, row_name) for name, what in ((columns.tail, "tail"), (columns.head, "head"))
    )
    try:
        labels, vertices = _numbered(tails, heads)
    except TypeError as error:
        raise GraphError(f"names of vertices cannot be compared: {error}") from None
    arcs = Arcs(labels, vertices[: len(tails)], vertices[len(tails) :], origin or frame.implementation.value)
    if weight is None:
        return arcs.counted(scale)
    weights = numbers_of(frame.get_column(weight))
    return arcs.graph(
        weight, weights.astype(np.float64) if floats and weights.dtype.kind in "iu" else weights, dict, scale
    )


def numbers_of(column: Any) -> np.ndarray:
    """The values of a column; NaN where a number is missing."""
    return nw.from_native(column, series_only=True).to_numpy()


def _end(frame: Any, name: Hashable, what: str, row_name: Callable[[int], str]) -> Any:
    """A column of ends of arcs. Raises GraphError if one is missing."""
    column = frame.get_column(name)
    missing = np.isnan(column.to_numpy()) if column.dtype.is_float() else column.is_null().to_numpy()
    if missing.any():
        raise GraphError(f"{row_name(int(missing.argmax()))} has no {what}")
    return column


def _numbered(tails: Any, heads: Any) -> tuple[list[Any], np.ndarray]:
    """The labels in two columns, numbers in their order and others as met, and the vertices of all tails and heads."""
    if tails.dtype.is_integer() and heads.dtype.is_integer():
        ends = np.concatenate([tails.to_numpy(), heads.to_numpy()])
        if ends.dtype.kind != "f":  # which rounds integers of 64 bits
            labels, vertices = np.unique(ends, return_inverse=True)
            return labels.tolist(), vertices
    if tails.implementation.is_pandas():
        pandas, both = sys.modules["pandas"], [tails.to_native(), heads.to_native()]
        if tails.dtype != heads.dtype:  # numbers of one type may be rounded to the other
            both = [ends.astype(object) for ends in both]
        vertices, labels = pandas.factorize(pandas.concat(both, ignore_index=True))
        return labels.tolist(), vertices
    both = [ends.cast(nw.String) if ends.dtype in (nw.Categorical, nw.Enum) else ends for ends in (tails, heads)]
    if both[0].dtype != both[1].dtype or both[0].dtype.is_nested():
        raise GraphError(
            f"tails are {both[0].dtype} and heads {both[1].dtype}; give both names of one type, or numbers"
        )
    names = nw.concat([ends.alias("name").to_frame() for ends in both]).with_row_index("end")
    labels = names["name"].unique(maintain_order=True)
    found = names.join(labels.to_frame().with_row_index("vertex"), on="name", how="left").sort("end")
    return labels.to_list(), found["vertex"].to_numpy().astype(np.int64)


_TYPES: Mapping[str, Any] = {"i": nw.Int64, "U": nw.String}
_OTHERS = "polars", "pyarrow", "cudf", "modin"


def kind_of(graph: Graph) -> Any:
    """The library of the frame that ``graph`` was made from, if this process has loaded it; else pandas."""
    origin = graph.metadata.get("origin")
    return origin if origin in _OTHERS and origin in sys.modules else "pandas"


def new_frame(columns: Mapping[str, np.ndarray], kind: Any) -> Any:
    """A data frame of the library ``kind``; masked cells are missing."""
    return nw.from_dict({name: _cells(column, kind) for name, column in columns.items()}, backend=kind).to_native()


def new_matrix(cells: np.ndarray, rows: np.ndarray, columns: np.ndarray, kind: Any) -> Any:
    """The distances ``cells`` from the sources ``rows`` to the targets ``columns``, as ``Table.to_frame`` says."""
    if kind == "pandas":
        import pandas

        sources = pandas.Index(rows, name="source", tupleize_cols=False)
        return pandas.DataFrame(cells, sources, pandas.Index(columns, name="target", tupleize_cols=False))
    named = {"source": rows, **{str(name): column for name, column in zip(columns.tolist(), cells.T, strict=True)}}
    if len(named) <= len(columns):
        raise UsageError("two targets are equal, or one is called 'source', and each is a column; give other targets")
    return new_frame(named, kind)


def with_column(frame: Any, name: str, values: Any) -> Any:
    """``frame``, one of Narwhals, with another column."""
    return frame.with_columns(nw.new_series(name, values, backend=frame.implementation))


def _cells(column: np.ndarray, kind: Any) -> Any:
    """A column as the library ``kind`` takes it."""
    masked = np.ma.is_masked(column)
    if not masked and column.dtype != object:
        return np.ma.getdata(column)
    if kind == "pandas" and column.dtype.kind == "i":
        import pandas

        return pandas.arrays.IntegerArray(np.ma.getdata(column), np.ma.getmaskarray(column))
    if kind == "pandas":
        return column.tolist()
    return nw.new_series("", column.tolist(), _TYPES.get(column.dtype.kind), backend=kind).to_native()


def _numbers(frame: Any, names: list[Hashable]) -> list[Hashable]:
    """Those of the columns ``names`` that have numbers, floats first."""
    numbers = [name for name in names if frame.schema[name].is_integer() or frame.schema[name].is_float()]
    return sorted(numbers, key=lambda name: not frame.schema[name].is_float())


def _keywords(ends: list[Hashable], weights: list[Hashable]) -> str:
    keywords = f"tail={ends[0]!r}, head={ends[1]!r}"
    return f"{keywords}, weight={weights[0]!r}" if weights else keywords
