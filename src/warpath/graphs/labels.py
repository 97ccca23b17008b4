"""The labels of vertices: what a graph's file, or the library it came from, calls the vertices 0..n-1 of the arrays.

Labels are distinct: whole numbers (int64), strings, or any other hashable objects. Consecutive numbers, which most
files use, are kept as the first of them alone.
"""

import contextlib
import difflib
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property
from typing import Any, TypeGuard

import numpy as np

from ..errors import GraphError, UsageError

# Among how many labels a message looks for one that is spelled alike.
_SEARCHED = 100_000
_LISTED = 5


class Labels:
    """The labels of ``count`` vertices: the numbers from ``first`` on, or ``values``. Made by ``Labels.of``."""

    def __init__(self, count: int, first: int | None, values: np.ndarray | None = None):
        self.count = count
        self.first = first
        self._values = values

    @classmethod
    def of(cls, given: "Labels | int | np.integer | Iterable[Hashable] | None", count: int) -> "Labels":
        """Labels from a first number, from one label a vertex, or, with None, the numbers from 0.

        Raises GraphError if there are not ``count`` of them, or if two are the same.
        """
        if isinstance(given, Labels):
            labels = given
        elif given is None:
            labels = cls(count, 0)
        elif _is_whole(given):
            if not -(2**63) <= given <= 2**63 - count:
                raise GraphError(f"labels from {given} on do not fit 64 bits")
            labels = cls(count, int(given))
        elif not isinstance(given, Iterable) or (isinstance(given, np.ndarray) and given.ndim == 0):
            raise GraphError(f"the labels are {given!r}; give a whole number to count from, or a label a vertex")
        else:
            values = _as_array(given)
            labels = cls(len(values), *_compact(values))
        if labels.count != count:
            raise GraphError(f"there are {labels.count} labels for {count} vertices")
        return labels

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
        """What ``of`` makes the same labels from: the first number as an array of shape (), or all labels."""
        return np.array(self.first, np.int64) if self._values is None else self._values

    def of_index(self, index: int) -> Any:
        """The label of one vertex, as a plain Python value."""
        if self._values is None:
            assert self.first is not None
            return self.first + int(index)
        label = self._values[index]
        return label.item() if isinstance(label, np.generic) else label

    def index_of(self, labels: Any) -> Any:
        """The index of one label (int), or of several (int64, shape (k,)). Raises UsageError for what is no label."""
        if self.numbers:
            if isinstance(labels, str | bytes) or np.ndim(labels) == 0:
                return int(self._indices_of_numbers(np.array([self._number(labels)]))[0])
            numbers = np.asarray(labels)
            if numbers.ndim != 1 or (numbers.size and numbers.dtype.kind not in "iu"):
                numbers = np.array([self._number(label) for label in labels], np.int64)
            return self._indices_of_numbers(numbers)
        if isinstance(labels, Hashable):
            if labels in self._index:
                return self._index[labels]
            if isinstance(labels, str) or not isinstance(labels, tuple | frozenset | range):
                raise UsageError(self._refusal(labels))
        return np.array([self._index_of_object(label) for label in labels], np.int64)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Labels):
            return NotImplemented
        if (self.count, self.first) != (other.count, other.first):
            return False
        return self._values is None or np.array_equal(self.array, other.array)

    def __hash__(self) -> int:
        return hash((self.count, self.first))

    def __str__(self) -> str:
        """The extreme numbers, or the first labels: for people."""
        if self.numbers:
            low, high = self._extremes
            return f"{low}" if low == high else f"{low} to {high}"
        return self._list()

    @cached_property
    def _extremes(self) -> tuple[int, int]:
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

    def _indices_of_numbers(self, numbers: np.ndarray) -> np.ndarray:
        low, high = self._extremes
        known = (numbers >= low) & (numbers <= high)
        places = np.full(numbers.shape, low, np.int64)
        places[known] = numbers[known]
        if self._values is None:
            places -= low
        else:
            ordered, vertices = self._sorted
            ranks = np.searchsorted(ordered, places)
            known &= ordered[ranks] == places
            places = vertices[ranks]
        if not known.all():
            raise UsageError(self._refusal(int(numbers[int(np.argmin(known))])))
        return places

    def _number(self, label: Any) -> int:
        if not _is_whole(label) or not -(2**63) <= label < 2**63:
            raise UsageError(self._refusal(label))
        return int(label)

    def _index_of_object(self, label: Any) -> int:
        if not isinstance(label, Hashable) or label not in self._index:
            raise UsageError(self._refusal(label))
        return self._index[label]

    def _refusal(self, label: Any) -> str:
        if isinstance(label, np.generic):
            label = label.item()
        return f"there is no vertex {label!r}; {self._hint(label)}"

    def _hint(self, label: Any) -> str:
        if not self.numbers:
            spelled = {str(other): other for other in self.array[:_SEARCHED].tolist()}
            near = [spelled[text] for text in difflib.get_close_matches(str(label), spelled, n=2)]
            return f"did you mean {_either(near)}?" if near else f"vertices are {self._list()}"
        low, high = self._extremes
        if not _is_whole(label):
            return f"vertices are whole numbers from {low} to {high}"
        if self._values is None:
            return f"vertices are {low}..{high}"
        ordered = self._sorted[0]
        rank = int(np.searchsorted(ordered, label)) if low < label < high else self.count if label > high else 0
        return f"did you mean {_either(ordered[max(rank - 1, 0) : rank + 1].tolist())}?"

    def _list(self) -> str:
        listed = ", ".join(repr(label) for label in self.array[:_LISTED].tolist())
        return listed + (", …" if self.count > _LISTED else "")


def named_vertex(graph: Any, text: str) -> int:
    """The index of the vertex that is called ``text`` on a command line, as the graph's file calls it.

    Raises UsageError, with the nearest labels, if there is none.
    """
    label: int | str = text
    if graph.names.numbers:
        with contextlib.suppress(ValueError):  # the graph refuses other text, and says what its labels look like
            label = int(text)
    return graph.index_of(label)


def named_vertices(graph: Any, texts: Iterable[str]) -> list[int]:
    """The indices of the vertices in ``texts``, each a label or several with commas between; each vertex once."""
    found: dict[int, None] = {}
    for text in texts:
        for label in map(str.strip, text.split(",")):
            if not label:
                raise UsageError(f"{text!r} names no vertex; give a label, or several as 1,17,99")
            found[named_vertex(graph, label)] = None
    return list(found)


def saved_labels(array: np.ndarray) -> int | np.ndarray:
    """What ``Labels.of`` takes, from the array that a file has. Raises ValueError if it holds no labels.

    Text that cannot be printed, such as half a surrogate pair, is refused.
    """
    if array.ndim == 0 and array.dtype.kind in "iu":
        return int(array)
    if array.ndim != 1 or array.dtype.kind not in "iuU":
        raise ValueError(f"labels are {array.ndim}-dimensional {array.dtype}; they must be whole numbers or strings")
    if array.dtype.kind == "U":
        for label in array.tolist():
            label.encode()
    return array


def _either(labels: Sequence[Any]) -> str:
    return " or ".join(repr(label) for label in labels)


def _is_whole(label: Any) -> TypeGuard[int]:
    return isinstance(label, int | np.integer) and not isinstance(label, bool)


def _as_array(given: Iterable[Hashable]) -> np.ndarray:
    """One-dimensional int64, str or object, read-only; the caller's array is not changed later through it."""
    if isinstance(given, np.ndarray) and given.ndim == 1:
        if given.dtype.kind in "iu" and (given.dtype != np.uint64 or not len(given) or given.max() < 2**63):
            return _frozen(given.astype(np.int64))
        if given.dtype.kind == "U":
            return _frozen(given.copy())
    objects = list(given)
    if all(_is_whole(label) and -(2**63) <= label < 2**63 for label in objects):
        return _frozen(np.array(objects, np.int64))
    if all(isinstance(label, str) for label in objects):
        return _frozen(np.array(objects, np.str_))
    values = np.empty(len(objects), object)
    for index, label in enumerate(objects):
        if not isinstance(label, Hashable):
            raise GraphError(f"the label {label!r} is a {type(label).__name__}, which cannot be looked up")
        values[index] = label.item() if isinstance(label, np.generic) else label
    return _frozen(values)


def _compact(values: np.ndarray) -> tuple[int | None, np.ndarray | None]:
    """The first of consecutive numbers, or ``values``; GraphError if two are the same."""
    if values.dtype.kind == "i" and len(values) and (values[1:] > values[:-1]).all():
        first, last = int(values[0]), int(values[-1])
        return (first, None) if last - first == len(values) - 1 else (None, values)
    counted = Counter(values.tolist())
    if len(counted) < len(values):
        raise GraphError(f"two vertices are called {counted.most_common(1)[0][0]!r}; labels must differ")
    return None, values


def _frozen(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array
