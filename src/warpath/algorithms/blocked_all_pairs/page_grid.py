"""Cutting the matrix of all pairs into pages."""

from dataclasses import dataclass

import numpy as np

Page = tuple[int, int]
"""A page's row and column in the grid of pages."""


@dataclass(frozen=True)
class PageGrid:
    """A matrix of ``vertices`` x ``vertices`` cells in pages of ``side`` x ``side``; the last ones may be smaller."""

    vertices: int
    side: int

    @property
    def pages(self) -> int:
        """Pages a row, and a column."""
        return -(-self.vertices // self.side)

    def first(self, number: int) -> int:
        """The first vertex of the rows, or columns, of page ``number``."""
        return number * self.side

    def size(self, number: int) -> int:
        """How many rows, or columns, of page ``number`` are the graph's."""
        return min(self.side, self.vertices - self.first(number))

    def others(self, number: int) -> list[int]:
        """All numbers but ``number``."""
        return [other for other in range(self.pages) if other != number]

    def cells(self, matrix: np.ndarray, page: Page) -> np.ndarray:
        """The view of ``page`` in the whole matrix."""
        (top, rows), (left, columns) = ((self.first(number), self.size(number)) for number in page)
        return matrix[top : top + rows, left : left + columns]

    def inside(self, array, page: Page):
        """The part of ``array``, a whole page on a device, that the graph fills."""
        return array[: self.size(page[0]), : self.size(page[1])]
