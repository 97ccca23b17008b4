"""The labels of vertices: their names in the file or the library that a graph comes from.

Labels are distinct whole numbers (int64), strings or other hashable objects.
"""

import contextlib
import difflib
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property
from typing import Any, TypeGuard

import numpy as np

from ..errors import GraphError, UsageError
from ..system.arrays import complete, on_host

_SEARCHED_MAX = 100_000  # labels compared with a misspelled one
_LISTED_MAX = 5  # labels listed in a message
_WHOLE = int, np.integer


class Labels:
    """The labels of ``count`` vertices: consecutive numbers from ``first``, or ``values``. Use ``Labels.of``."""

    def __init__(self, count: int, first: int | None, values: np.ndarray | None = None):
        self.count = count
        self.first = first
        self._values = values

    @classmethod
    def of(cls, source: "Labels | int | np.integer | Iterable[Hashable] | None", count: int) -> "Labels":
        """Labels from a first number, from one label for each vertex, or (None) the numbers from 0.

        Raises GraphError if there are not ``count`` labels, or if two are equal.
        """
        source = complete("labels", on_host(source), GraphError)
        if isinstance(source, Labels):
            labels = source
        elif source is None:
            labels = cls(count, 0)
        elif _is_whole(source):
            if not -(2**63) <= source <= 2**63 - count:
                raise GraphError(f"labels from {source} on do not fit 64 bits")
            labels = cls(count, int(source))
        elif not isinstance(source, Iterable) or (isinstance(source, np.ndarray) and source.ndim == 0):
            raise GraphError(f"the labels are {source!r}; give a first number, or one label for each vertex")
        else:
            values = _as_array(source)
            labels = cls(len(values), *_compact(values))
        if labels.count != count:
            raise GraphError(f"there are {labels.count} labels for {count} vertices")
        return labels

    def with_one_more(self) -> "Labels":
        """These labels, and one for a vertex that nobody can name."""
        if self._values is None:
            return Labels(self.count + 1, self.first)
        more = np.empty(1, object)
        more[0] = object()
        return Labels(self.count + 1, None, _frozen(np.append(self._values.astype(object), more)))

    @cached_property
    def array(self) -> np.ndarray:
        """All labels, shape (n,), int64, str or object; read-only."""
        if self._values is not None:
            return self._values
        assert self.first is not None
        return _frozen(np.arange(self.first, self.first + self.count, dtype=np.int64))

    @property
    def numbers(self) -> bool:
        """Whether all labels are whole numbers within 64 bits."""
        return self._values is None or self._values.dtype.kind == "i"

    @property
    def compact(self) -> np.ndarray:
        """The first of consecutive numbers as an array of shape (), or all labels."""
        return np.array(self.first, np.int64) if self._values is None else self._values

    def of_index(self, index: int) -> Any:
        """The label of one vertex, as a plain Python value."""
        return self.of_indices([index])[0]

    def of_indices(self, indices: Sequence[int] | np.ndarray) -> list[Any]:
        """The labels of several vertices, as plain Python values."""
        if self._values is not None:
            return self._values[np.asarray(indices, np.int64)].tolist()
        return [self.first + int(index) for index in indices] if self.first else list(map(int, indices))

    def index_of(self, labels: Any, what: str = "label") -> Any:
        """The index of one label (int), or of several (int64, shape (k,)).

        ``what`` is the name of a label in messages, such as "source". Raises UsageError for an unknown label.
        """
        index = self._index_of_one(labels, what)
        return self.indices_of(labels, what) if index is None else index

    def one(self, label: Any, what: str) -> int:
        """The index of one label. Raises UsageError as ``index_of`` does, and for several."""
        index = self._index_of_one(label, what)
        if index is None:
            raise UsageError(f"{what} {label!r} is not one vertex")
        return index

    def indices_of(self, labels: Any, what: str = "label") -> np.ndarray:
        """The indices of several labels, int64 of shape (k,). Raises UsageError as ``index_of`` does."""
        labels = _plain(labels, f"{what}s")
        if isinstance(labels, str | bytes) or not hasattr(labels, "__iter__"):
            raise UsageError(f"{what}s must be a sequence of vertices, not {labels!r}")
        if not isinstance(labels, np.ndarray):
            labels = list(labels)
            if self.numbers and all(issubclass(kind, _WHOLE) and kind is not bool for kind in set(map(type, labels))):
                labels = np.asarray(labels)  # objects if they do not fit
        if self.numbers:
            if isinstance(labels, np.ndarray) and labels.ndim == 1 and labels.dtype.kind in "iu":
                return self._indices_of_numbers(labels, what)
        else:
            with contextlib.suppress(KeyError, TypeError):
                return np.array([self._index[label] for label in labels], np.int64)
        found = [self._index_of_one(label, what) for label in labels]
        if None in found:
            raise UsageError(f"{what}s must be a flat sequence of vertices")
        return np.array(found, np.int64)

    def _index_of_one(self, label: Any, what: str) -> int | None:
        """The index of a label, or None if ``label`` is a sequence, which is no label. Raises UsageError."""
        label = _plain(label, f"{what}s")
        if self.numbers:
            if _is_whole(label) and self._range[0] <= label <= self._range[1]:
                if self.first is not None:
                    return int(label) - self.first
                return int(self._indices_of_numbers(np.array([label], np.int64), what)[0])
        else:
            with contextlib.suppress(KeyError, TypeError):
                return self._index[label]
        if hasattr(label, "__iter__") and not isinstance(label, str | bytes):
            return None
        raise self._unknown(label, what)

    def __contains__(self, label: Any) -> bool:
        with contextlib.suppress(UsageError):
            return self._index_of_one(label, "label") is not None
        return False

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Labels):
            return NotImplemented
        if (self.count, self.first) != (other.count, other.first):
            return False
        return self._values is None or np.array_equal(self.array, other.array)

    def __str__(self) -> str:
        """The smallest and the largest number, or the first labels."""
        if self.numbers:
            low, high = self._range
            return f"{low}" if low == high else f"{low} to {high}"
        return self._list()

    @cached_property
    def _range(self) -> tuple[int, int]:
        if self._values is None:
            return self.of_index(0), self.of_index(self.count - 1)
        return int(self._values.min()), int(self._values.max())

    @cached_property
    def _sorted(self) -> tuple[np.ndarray, np.ndarray]:
        """The numbers in increasing order, and the vertex of each."""
        order = np.argsort(self.array, kind="stable")
        return self.array[order], order

    @cached_property
    def _index(self) -> dict[Hashable, int]:
        return {label: index for index, label in enumerate(self.array.tolist())}

    def _indices_of_numbers(self, numbers: np.ndarray, what: str) -> np.ndarray:
        low, high = self._range
        known = (numbers >= low) & (numbers <= high)
        if known.all():
            numbers = numbers.astype(np.int64)
            if self._values is None:
                return numbers - low
            ordered, vertices = self._sorted
            ranks = np.searchsorted(ordered, numbers)
            known = ordered[ranks] == numbers
            if known.all():
                return vertices[ranks]
        raise self._unknown(int(numbers[np.argmin(known)]), what)

    def _unknown(self, label: Any, what: str) -> UsageError:
        if isinstance(label, np.generic):
            label = label.item()
        return UsageError(f"there is no {what} {label!r}; {self._hint(label)}")

    def _hint(self, label: Any) -> str:
        if not self.numbers:
            spelled = {str(other): other for other in self.array[:_SEARCHED_MAX].tolist()}
            similar = [spelled[text] for text in difflib.get_close_matches(str(label), spelled, n=2)]
            return f"did you mean {_either(similar)}?" if similar else f"vertices are {self._list()}"
        low, high = self._range
        if not _is_whole(label):
            missing = "; a column with a missing cell has floats" if isinstance(label, float) else ""
            return f"vertices are whole numbers from {low} to {high}{missing}"
        if self._values is None:
            return f"vertices are {low}..{high}"
        ordered = self._sorted[0]
        rank = int(np.searchsorted(ordered, label)) if low < label < high else self.count if label > high else 0
        return f"did you mean {_either(ordered[max(rank - 1, 0) : rank + 1].tolist())}?"

    def _list(self) -> str:
        listed = ", ".join(repr(label) for label in self.array[:_LISTED_MAX].tolist())
        return listed + (", …" if self.count > _LISTED_MAX else "")


def named_vertex(graph: Any, text: str) -> int:
    """The index of the vertex whose label is ``text`` on a command line. Raises UsageError if there is none."""
    label: int | str = text
    if graph.names.numbers:
        with contextlib.suppress(ValueError):  # the graph's message about other text says what its labels look like
            label = int(text)
    return graph.names.one(label, "vertex")


def named_vertices(graph: Any, texts: Iterable[str]) -> list[int]:
    """The indices of the vertices in ``texts``: labels, or several labels separated by commas."""
    indices = []
    for text in texts:
        whole = not graph.names.numbers and text in graph.names  # "Paris, Texas"
        for label in [text] if whole else map(str.strip, text.split(",")):
            if not label:
                raise UsageError(f"{text!r} has an empty label; give one label, or several such as 1,17,99")
            indices.append(named_vertex(graph, label))
    return indices


def saved_labels(array: np.ndarray) -> int | np.ndarray:
    """The argument of ``Labels.of`` from the array in a file. Raises ValueError if the array holds no labels."""
    if array.ndim == 0 and array.dtype.kind in "iu":
        return int(array)
    if array.ndim != 1 or array.dtype.kind not in "iuU":
        raise ValueError(f"labels are {array.ndim}-dimensional {array.dtype}; they must be whole numbers or strings")
    label = unsaved(array)
    if label is not None:
        raise ValueError(f"the label {label!r} cannot be written as UTF-8")
    return array


def unsaved(labels: np.ndarray) -> Any:
    """The first label that ``saved_labels`` would not give back, or None."""
    for label in labels.tolist() if labels.dtype.kind in "OU" else ():
        if not isinstance(label, str) or label.endswith("\0") or not _has_utf8(label):
            return label
    return None


def _has_utf8(label: str) -> bool:
    try:
        label.encode()
    except UnicodeEncodeError:
        return False
    return True


def _either(labels: Sequence[Any]) -> str:
    return " or ".join(repr(label) for label in labels)


def _is_whole(label: Any) -> TypeGuard[int]:
    return isinstance(label, _WHOLE) and not isinstance(label, bool)


def _plain(thing: Any, name: str) -> Any:
    """What a caller gives as a label or labels: a scalar or an array of NumPy if it is an array of any library."""
    thing = complete(name, on_host(thing), UsageError)
    if isinstance(thing, np.ndarray) or (hasattr(thing, "__array__") and np.ndim(thing) == 1):
        thing = np.asarray(thing)
        return thing[()] if thing.ndim == 0 else thing
    return thing


def _as_array(labels: Iterable[Hashable]) -> np.ndarray:
    """A read-only copy: one-dimensional int64, str or object."""
    if isinstance(labels, np.ndarray) and labels.ndim == 1:
        if labels.dtype.kind in "iu" and (labels.dtype != np.uint64 or not len(labels) or labels.max() < 2**63):
            return _frozen(labels.astype(np.int64))
        if labels.dtype.kind == "U":
            return _frozen(labels.copy())
    objects = list(labels)
    if all(_is_whole(label) and -(2**63) <= label < 2**63 for label in objects):
        return _frozen(np.array(objects, np.int64))
    if all(isinstance(label, str) and not label.endswith("\0") for label in objects):  # NumPy drops a NUL at the end
        return _frozen(np.array(objects, np.str_))
    values = np.empty(len(objects), object)
    for index, label in enumerate(objects):
        if not isinstance(label, Hashable):
            raise GraphError(f"the label {label!r} is a {type(label).__name__}, which is not hashable")
        values[index] = label.item() if isinstance(label, np.generic) and label.dtype.kind not in "mM" else label
    return _frozen(values)


def _compact(values: np.ndarray) -> tuple[int | None, np.ndarray | None]:
    """The first of consecutive numbers, or ``values``. Raises GraphError if two are equal."""
    if values.dtype.kind == "i" and len(values) and (values[1:] > values[:-1]).all():
        first, last = int(values[0]), int(values[-1])
        return (first, None) if last - first == len(values) - 1 else (None, values)
    counted = Counter(values.tolist())
    if len(counted) < len(values):
        label = counted.most_common(1)[0][0]
        spelled = dict.fromkeys(repr(other) for other in values.tolist() if other in (label,))  # True, 1 and 1.0
        raise GraphError(f"two vertices have the label {' == '.join(spelled)}; labels must differ")
    return None, values


def _frozen(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array
