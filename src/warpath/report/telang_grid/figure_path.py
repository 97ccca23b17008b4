"""The picture as published: the path orange on black, its source red, its destination white."""

import os
from typing import Any

from matplotlib.figure import Figure

from ...grid.record import read_grid_record
from .picture import BLACK, picture


def read(path: str | os.PathLike) -> dict[str, Any]:
    """The record that the picture shows."""
    return read_grid_record(path)


def draw(record: dict[str, Any]) -> Figure:
    """The matrix is a black square."""
    title = f"Shortest path over a product of {record['size']:,} x {record['size']:,}"
    return picture(record, title, lambda axes: axes.set_facecolor(BLACK))
