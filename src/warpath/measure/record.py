"""The record of one run: a JSON file in the shape of ``record.schema.json``, checked when written and when read.

A record is a plain dict; the schema says what each key means. It also ties the status to what must be there: an ``ok``
record holds at least one sample and a certificate of the full answer, an ``estimated`` one says what it was estimated
from, and neither kind is written without its certificate.
"""

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


def write_record(path: str | os.PathLike, record: dict[str, Any]) -> None:
    """Write ``record`` to ``path``, whole or not at all; keys are sorted, so that equal records are equal files.

    A record that does not keep the schema is a fault of the program and raises ValueError.
    """
    complaint = _complaint(record)
    if complaint:
        raise ValueError(f"refused to write {path}: {complaint}")
    write_text(path, json.dumps(record, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n")


def read_record(path: str | os.PathLike) -> dict[str, Any]:
    """Read what ``write_record`` wrote. Raises FormatError, naming file and key, for anything else."""
    try:
        record = json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FormatError(f"{path}: no such record; make it with 'warpath run'") from None
    except OSError as error:
        raise FormatError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise FormatError(f"{path}: not a record: not a text file; delete it and run the cell again") from None
    except json.JSONDecodeError as error:
        raise FormatError(
            f"{path}, line {error.lineno}: not a record: {error.msg}; delete it and run the cell again"
        ) from None
    complaint = _complaint(record)
    if complaint:
        raise FormatError(f"{path}: not a record of this version: {complaint}; delete it and run the cell again")
    return record


def _complaint(record: Any) -> str | None:
    """What is wrong with ``record``, in one clause that begins with the key, or None."""
    error = jsonschema.exceptions.best_match(_validator().iter_errors(record))
    if error is None:
        return None
    key = error.json_path.removeprefix("$.").replace("$", "the whole")
    return f"{key}: {textwrap.shorten(error.message, 160)}"


@cache
def _validator() -> jsonschema.Draft202012Validator:
    schema = json.loads(_SCHEMA_FILE.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)
