"""The record of one path over a matrix product: a JSON file in the shape of ``record.schema.json``."""

import json
import os
import textwrap
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema

from ..atomic import write_text
from ..errors import FormatError

SCHEMA_VERSION = 1
_SCHEMA_FILE = Path(__file__).with_name("record.schema.json")
_STEPS = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}


def write_grid_record(path: str | os.PathLike, record: dict[str, Any]) -> None:
    """Write ``record`` to ``path``, whole or not at all. One that breaks the schema is our fault: ValueError."""
    complaint = _complaint(record)
    if complaint:
        raise ValueError(f"refused to write {path}: {complaint}")
    write_text(path, json.dumps(record, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n")


def read_grid_record(path: str | os.PathLike) -> dict[str, Any]:
    """Read what ``write_grid_record`` wrote. Raises FormatError, naming file and key, for anything else."""
    try:
        record = json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FormatError(f"{path}: no such record; make it with 'warpath grid'") from None
    except (OSError, ValueError) as error:
        raise FormatError(f"{path}: not a record ({error}); make it again with 'warpath grid'") from None
    complaint = _complaint(record)
    if complaint:
        raise FormatError(f"{path}: not a record of 'warpath grid': {complaint}; make it again")
    return record


def cells_of(path: dict[str, Any]) -> list[tuple[int, int]]:
    """The cells of a record's ``path``, source and destination included."""
    row, column = path["source"]
    cells = [(row, column)]
    for move in path["moves"]:
        row, column = row + _STEPS[move][0], column + _STEPS[move][1]
        cells.append((row, column))
    return cells


def _complaint(record: Any) -> str | None:
    """What is wrong with ``record``, in one clause that begins with the key, or None."""
    error = jsonschema.exceptions.best_match(_validator().iter_errors(record))
    if error is None:
        return None
    key = error.json_path.removeprefix("$.").replace("$", "the whole")
    return f"{key}: {textwrap.shorten(error.message, 160)}"


@cache
def _validator() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(json.loads(_SCHEMA_FILE.read_text(encoding="utf-8")))
