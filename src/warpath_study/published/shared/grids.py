"""The size of grids."""

from dataclasses import dataclass

GRID_Y_MAX = 65_535  # CUDA's limit along y and z


def blocks_over(count: int, per_block: int) -> int:
    """The number of blocks of ``per_block`` that cover ``count``."""
    return -(-count // per_block)


@dataclass(frozen=True)
class CellGrid:
    """The launch of a kernel with one thread for each cell of a matrix, in blocks of ``block`` threads.

    Where the rows need more than ``y_max`` blocks, the kernel's threads take the rest in further steps down the rows.
    """

    block: tuple[int, int] = (32, 8)
    y_max: int = GRID_Y_MAX

    def over(self, rows: int, columns: int) -> tuple[int, int]:
        return blocks_over(columns, self.block[0]), min(blocks_over(rows, self.block[1]), self.y_max)
