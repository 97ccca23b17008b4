"""Graphs from data frames of pandas, or with ``to_pandas()``, as those of Polars and PyArrow: each row is an arc."""

import shlex
import sys
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import GraphError
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
        names = _names(frame)
        for name in (self.tail, self.head, self.weight):
            if names.count(name) > 1:
                raise GraphError(f"the edge list has more than one column {name!r}")
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
        floats = [name for name in names if _kind(frame, name) == "f"]
        ends = [name for name in names if name not in floats][:2]
        if len(ends) < 2:
            return ""
        weights = [self.weight] if self.weight in names else []
        weights = weights or _numbers(frame, [name for name in names if name not in ends])
        if self.of_file:
            values = [shlex.quote(str(name)) for name in (*ends, *weights[:1])]
            options = " ".join(map("{} {}".format, ("--tail", "--head", "--weight"), values))
            return f"; name the ends, as in {options} (in Python {_keywords(ends, weights)})"
        return f"; name the ends, as in warpath.prepare(frame, {_keywords(ends, weights)})"


def is_frame(thing: Any) -> bool:
    """Whether ``thing`` is a data frame."""
    return _is_of_pandas(thing, "DataFrame") or (hasattr(thing, "to_pandas") and hasattr(thing, "columns"))


def is_column(thing: Any) -> bool:
    """Whether ``thing`` is a column of a data frame, in the order of its rows."""
    return _is_of_pandas(thing, "Series") or (hasattr(thing, "to_pandas") and not hasattr(thing, "columns"))


def of_pandas(frame: Any) -> Any:
    """``frame``, a data frame of any library, as one of pandas."""
    return frame if _is_of_pandas(frame, "DataFrame") else frame.to_pandas()


def _is_of_pandas(thing: Any, name: str) -> bool:
    return "pandas" in sys.modules and isinstance(thing, getattr(sys.modules["pandas"], name))


def aligned(thing: Any, index: Any) -> Any:
    """``thing``, a frame or column of pandas, with its rows in the order of ``index``.

    None if it has another index, or none because it is of another library.
    """
    of_pandas = _is_of_pandas(thing, "DataFrame") or _is_of_pandas(thing, "Series")
    if index is None or not of_pandas or len(thing.index) != len(index):
        return None
    if thing.index.equals(index):
        return thing
    if thing.index.nlevels != index.nlevels or not (thing.index.is_unique and index.is_unique):
        return None
    positions = thing.index.get_indexer(index)
    return None if (positions < 0).any() else thing.iloc[positions]


def graph_of(
    frame: Any,
    scale: int | None,
    columns: Columns,
    origin: str = "pandas",
    row_name: Callable[[int], str] = "row {}".format,
) -> Graph:
    """The graph of a pandas data frame. Raises GraphError if a column is missing, or an end or a weight is none."""
    weight = columns.weight_in(frame)
    ends, labels = _factorized(frame, columns, row_name)
    arcs = Arcs(labels, ends[: len(frame)], ends[len(frame) :], origin)
    if weight is None:
        return arcs.counted(scale)
    return arcs.graph(weight, numbers_of(_column(frame, weight)), dict, scale)


def numbers_of(column: Any) -> np.ndarray:
    """The values of a column; NaN where a number is missing."""
    missing = _is_number(column.dtype) and column.hasnans
    return column.to_numpy(np.float64, na_value=np.nan) if missing else column.to_numpy()


def _factorized(frame: Any, columns: Columns, row_name: Callable[[int], str]) -> tuple[np.ndarray, list[Any]]:
    """The vertices of all tails, then of all heads, and the label of each vertex."""
    pandas = sys.modules["pandas"]
    both = [_column(frame, columns.tail), _column(frame, columns.head)]
    whole = [pandas.api.types.is_integer_dtype(end.dtype) for end in both]
    ends = pandas.concat(both, ignore_index=True)
    if any(whole) and pandas.api.types.is_float_dtype(ends.dtype):  # which rounds integers of 64 bits
        ends = pandas.concat([end.astype(object) for end in both], ignore_index=True)
    try:
        indices, labels = pandas.factorize(ends, sort=all(whole))
    except TypeError as error:
        raise GraphError(f"names of vertices cannot be compared: {error}") from None
    if (indices < 0).any():
        row = int(np.argmax(indices < 0))
        what = "tail" if row < len(frame) else "head"
        raise GraphError(f"{row_name(row % len(frame))} has no {what}")
    return indices, labels.tolist()


def _names(frame: Any) -> list[Hashable]:
    """The names of the levels of the index, if they have names, and of the columns."""
    columns = frame.columns.tolist()
    return [name for name in frame.index.names if name is not None and name not in columns] + columns


def _column(frame: Any, name: Hashable) -> Any:
    if name in frame.columns:
        return frame[name]
    return frame.index.get_level_values(name).to_series(index=range(len(frame)))


def _kind(frame: Any, name: Hashable) -> str:
    """The kind of NumPy type of a column: "f" for floats, "i" or "u" for integers."""
    columns = frame.columns.tolist()
    dtype = frame.dtypes.iloc[columns.index(name)] if name in columns else frame.index.get_level_values(name).dtype
    return getattr(dtype, "kind", "O")


def _numbers(frame: Any, names: list[Hashable]) -> list[Hashable]:
    """Those of the columns ``names`` that have numbers, floats first."""
    numbers = [name for name in names if _kind(frame, name) in "iuf"]
    return sorted(numbers, key=lambda name: _kind(frame, name) != "f")


def _is_number(dtype: Any) -> bool:
    return sys.modules["pandas"].api.types.is_numeric_dtype(dtype)


def _keywords(ends: list[Hashable], weights: list[Hashable]) -> str:
    keywords = f"tail={ends[0]!r}, head={ends[1]!r}"
    return f"{keywords}, weight={weights[0]!r}" if weights else keywords
