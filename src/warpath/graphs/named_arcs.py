"""Arcs between labelled vertices, with weights under a name, and what to say if there are no such weights."""

import shlex
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import GraphError, UsageError
from .csr import Graph, both_ways, from_arcs
from .weights import given_weights, weights_of

SOURCE, TARGET, WEIGHT = "source", "target", "weight"
"""The names that are used unless the caller gives others."""
MISSING = object()
"""The weight of an edge that has none."""
_NUMBERS = (int, float, np.integer, np.floating, np.bool_)


@dataclass(frozen=True)
class Arcs:
    """Edges from ``tails`` to ``heads``, int64 of shape (m,), between the vertices with these ``labels``."""

    labels: Sequence[Any]
    tails: np.ndarray
    heads: np.ndarray
    origin: str
    directed: bool = True

    def graph(
        self,
        name: Hashable | None,
        values: Sequence[Any] | np.ndarray | None,
        items: Callable[[], Iterable[tuple[Hashable, Any]]],
        scale: int | None,
    ) -> Graph:
        """The graph with the weights ``values``, which have this ``name``, or with ones if they are None or MISSING.

        ``items`` iterates over the names and values of all edges' attributes.
        """
        if isinstance(values, list):
            values = self._without_missing(name, values, items)
        if values is None:
            return self.counted(scale)

        def name_of_weight(edge: int) -> str:
            return f"the weight from {self._label(self.tails, edge)} to {self._label(self.heads, edge)}"

        weights = weights_of(numbers(values, name_of_weight), scale, name_of_weight)
        return self._with(weights, given_weights(scale, name))

    def counted(self, scale: int | None) -> Graph:
        """The graph with ones as weights."""
        if scale is not None:
            raise GraphError("the edges have no weights to scale; leave out the scale")
        return self._with(np.ones(len(self.tails), np.int32), {"kind": "unit"})

    def _without_missing(
        self, name: Hashable, values: list[Any], items: Callable[[], Iterable[tuple[Hashable, Any]]]
    ) -> list[Any] | None:
        missing = [value is MISSING for value in values]
        if not any(missing):
            return values
        if not all(missing):
            edge = missing.index(True)
            raise GraphError(
                f"the edge from {self._label(self.tails, edge)} to {self._label(self.heads, edge)} has no {name!r}, "
                "but others have; give it one, or count arcs with weight=None"
            )
        check_no_other_numbers(name, _numbers(items(), len(values)))
        return None

    def _label(self, ends: np.ndarray, edge: int) -> str:
        return repr(self.labels[ends[edge]])

    def _with(self, weights: np.ndarray, about: dict) -> Graph:
        metadata: dict[str, Any] = {"origin": self.origin, "weights": about}
        tails, heads, edges = self.tails, self.heads, None
        if not self.directed:
            metadata["undirected"] = True
            tails, heads, weights, edges = both_ways(tails, heads, weights)
        return from_arcs(len(self.labels), tails, heads, weights, metadata, self.labels, edges)


def numbers(values: Sequence[Any] | np.ndarray, name: Callable[[int], str]) -> np.ndarray:
    """Weights as an array of bools, integers or floats. ``name`` describes weight i in messages."""
    if not len(values):
        return np.zeros(0, np.int32)
    try:
        weights = np.asarray(values)
        weights = np.array(weights.tolist()) if weights.dtype == object else weights
    except (ValueError, OverflowError):  # lists among them
        weights = np.empty(0, object)
    if weights.ndim != 1 or weights.dtype.kind not in "biuf":
        wrong = next((edge for edge, value in enumerate(values) if not isinstance(value, _NUMBERS)), 0)
        shown = values[wrong].item() if isinstance(values[wrong], np.generic) else values[wrong]
        raise GraphError(f"{name(wrong)} is {shown!r}; a weight is a whole number of 32 bits or a float")
    return weights


def check_names(**names: Any) -> None:
    """Raise UsageError if the value of an argument cannot be the name of a column or an attribute."""
    for argument, name in names.items():
        if not isinstance(name, Hashable):
            raise UsageError(f"{argument}={name!r} is not a name; give one, as in {argument}='name'")


def check_no_other_numbers(name: Hashable, others: Sequence[Hashable], of_file: bool = False) -> None:
    """Raise GraphError, since there are no weights ``name``, unless it is the default and there are no ``others``."""
    if others:
        listed = ", ".join(map(repr, others))
        advice = f"choose one, as in weight={others[0]!r}, or count arcs with weight=None"
        if of_file:
            advice = (
                f"choose one, as in --weight {shlex.quote(str(others[0]))} (in Python weight={others[0]!r}), "
                "or count arcs with --unweighted (weight=None)"
            )
        raise GraphError(f"no edge has {name!r}, but there are the numbers {listed}; {advice}")
    if name != WEIGHT:
        counting = "--unweighted (in Python weight=None)" if of_file else "weight=None"
        raise GraphError(f"no edge has {name!r}, nor another number; count arcs with {counting}")


def _numbers(items: Iterable[tuple[Hashable, Any]], edges: int) -> list[Hashable]:
    """The names of the numbers that all edges have, or else some edges; floats first, since lengths often are."""
    counts: dict[Hashable, int] = {}
    floats = set()
    for name, value in items:
        if isinstance(value, _NUMBERS) and not isinstance(value, bool | np.bool_):
            counts[name] = counts.get(name, 0) + 1
            if isinstance(value, float | np.floating):
                floats.add(name)
    names = [name for name, count in counts.items() if count == edges] or list(counts)
    return sorted(names, key=lambda name: name not in floats)
