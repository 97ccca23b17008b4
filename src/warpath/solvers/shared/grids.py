"""The size of grids."""

GRID_Y_MAX = 65_535  # CUDA's limit along y and z


def blocks_over(count: int, per_block: int) -> int:
    """The number of blocks of ``per_block`` that cover ``count``."""
    return -(-count // per_block)
