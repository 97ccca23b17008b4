"""Cutting the matrix of all pairs into pages."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..grids import blocks_over

Page = tuple[int, int]
"""A page's row and column in the grid of pages."""


@dataclass(frozen=True)
class PageGrid:
    """A matrix of ``vertices`` x ``vertices`` cells in pages of ``side`` x ``side``; the last pages may be smaller."""

    vertices: int
    side: int

    @property
    def pages(self) -> int:
        """The number of pages in a row, and in a column."""
        return blocks_over(self.vertices, self.side)

    def first(self, number: int) -> int:
        """The first vertex of the rows, or columns, of page ``number``."""
        return number * self.side

    def size(self, number: int) -> int:
        """How many rows, or columns, of page ``number`` lie inside the matrix."""
        return min(self.side, self.vertices - self.first(number))

    def others(self, number: int) -> list[int]:
        """All numbers but ``number``."""
        return [other for other in range(self.pages) if other != number]

    def cells(self, matrix: np.ndarray, page: Page) -> np.ndarray:
        """The view of ``page`` in the whole matrix."""
        (top, rows), (left, columns) = ((self.first(number), self.size(number)) for number in page)
        return matrix[top : top + rows, left : left + columns]

    def inside(self, array: Any, page: Page) -> Any:
        """The part of ``array``, a whole page on a device, that lies inside the matrix."""
        return array[: self.size(page[0]), : self.size(page[1])]
