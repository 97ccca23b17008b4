"""The record of one path over a matrix product: a JSON file in the shape of ``record.schema.json``."""

from pathlib import Path
from typing import Any

from ..json_record import RecordFormat

SCHEMA_VERSION = 1
_STEPS = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}

_FORMAT = RecordFormat(
    Path(__file__).with_name("record.schema.json"),
    name="a record of 'warpath grid'",
    command="warpath grid",
    remedy="make it again with 'warpath grid'",
)
write_grid_record = _FORMAT.write
read_grid_record = _FORMAT.read


def cells_of(path: dict[str, Any]) -> list[tuple[int, int]]:
    """The cells of a record's ``path``, source and destination included."""
    row, column = path["source"]
    cells = [(row, column)]
    for move in path["moves"]:
        row, column = row + _STEPS[move][0], column + _STEPS[move][1]
        cells.append((row, column))
    return cells
