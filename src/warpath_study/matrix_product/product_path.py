"""The answer on a matrix product: its two smallest entries and the path from the one to the other.

Source: K. P. Telang, "Single Source Shortest Path using CUDA".
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np

Cell = tuple[int, int]  # row, column

_STEPS = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}
_LETTERS = {step: letter for letter, step in _STEPS.items()}


@dataclass(frozen=True)
class Entry:
    """An entry of the product."""

    value: float
    row: int
    column: int


@dataclass
class ProductPath:
    """All arrays have shape (n, n): the product and the cost of each cell's best path from the source, both float32,
    and each cell's predecessor, int32, numbered in row-major order.
    """

    product: np.ndarray
    minimum: Entry
    second_minimum: Entry
    source: Cell
    destination: Cell
    costs: np.ndarray
    predecessors: np.ndarray

    @property
    def weight(self) -> float:
        """The cost of the path: the sum of all its cells but the destination."""
        return float(self.costs[self.destination])

    def cells(self) -> list[Cell]:
        """The path from source to destination, both included."""
        size = len(self.costs)
        cells = [self.destination]
        while cells[-1] != self.source:
            cells.append(divmod(int(self.predecessors[cells[-1]]), size))
        return cells[::-1]

    def as_dict(self) -> dict[str, Any]:
        """The ``answer`` of a record. The path's ``moves`` are a letter a step: up, down, left, right."""
        return {
            "minimum": asdict(self.minimum),
            "second_minimum": asdict(self.second_minimum),
            "path": {
                "source": list(self.source),
                "destination": list(self.destination),
                "weight": self.weight,
                "moves": moves(self.cells()),
            },
        }


def moves(cells: list[Cell]) -> str:
    """A letter for each step of a path."""
    return "".join(_LETTERS[there[0] - here[0], there[1] - here[1]] for here, there in pairwise(cells))


def cells_of(path: Mapping[str, Any]) -> list[Cell]:
    """The cells of the ``path`` in a record's ``answer``, source and destination included."""
    row, column = path["source"]
    cells = [(row, column)]
    for move in path["moves"]:
        row, column = row + _STEPS[move][0], column + _STEPS[move][1]
        cells.append((row, column))
    return cells


def printed(size: int, answer: Mapping[str, Any]) -> str:
    """A record's ``answer`` in the four lines that the published program prints; values have six decimals."""
    minimum, second = answer["minimum"], answer["second_minimum"]
    return (
        f"The input size is {size}\n"
        f"The minimum Value is {minimum['value']:f} at index {minimum['row']}, {minimum['column']}\n"
        f"The 2nd minimum Value is {second['value']:f} at index {second['row']}, {second['column']}\n"
        f"The weight of the path {_ends(answer)} is {answer['path']['weight']:f}.\n"
    )


def _ends(answer: Mapping[str, Any]) -> str:
    path = answer["path"]
    minima = [[answer[which]["row"], answer[which]["column"]] for which in ("minimum", "second_minimum")]
    if [path["source"], path["destination"]] == minima:
        return "to get to the second min value from the first min value"
    return f"from {path['source'][0]}, {path['source'][1]} to {path['destination'][0]}, {path['destination'][1]}"
