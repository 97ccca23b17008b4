"""The path drawn over the matrix product itself, as a heat map: it keeps to the dark cells, which cost less.

The record does not hold the product; it is multiplied again, on the CPU, from the matrices' seed. It may differ from
the measured one in its last digit, which no colour shows.
"""

import os
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...errors import UsageError
from ...grid.matrices import random_matrices
from ...grid.record import read_grid_record
from .picture import picture


def read(path: str | os.PathLike) -> dict[str, Any]:
    """The record that the picture shows. Raises UsageError where its matrices were the user's own."""
    record = read_grid_record(path)
    if "seed" not in record["matrices"]:
        raise UsageError(f"{path}: its matrices came from files, so that the heat map cannot be made from the record")
    return record


def draw(record: dict[str, Any]) -> Figure:
    """Dark cells are small entries, light ones large."""
    left, right = random_matrices(record["size"], record["matrices"]["seed"])

    def paint(axes: Axes) -> None:
        axes.imshow(left @ right, cmap="viridis", aspect="auto")

    return picture(record, f"Shortest path over the entries, {record['size']:,} x {record['size']:,}", paint)
