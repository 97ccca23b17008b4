"""Records as JSON files that keep a schema: checked when written and when read, sorted keys, written whole.

A record is a plain dict. What kinds there are, and what their keys mean, is told where their schemas lie.
"""

import json
import os
import textwrap
from functools import cached_property
from pathlib import Path
from typing import Any

import jsonschema

from .atomic import write_text
from .errors import FormatError


class RecordFormat:
    """One kind of record: its schema, the words for it, and which command makes it and makes it again.

    ``name`` completes "not ..."; ``remedy`` says what to do with a damaged file.
    """

    def __init__(self, schema_file: Path, name: str, command: str, remedy: str):
        self._schema_file = schema_file
        self._name, self._command, self._remedy = name, command, remedy

    @cached_property
    def _validator(self) -> jsonschema.Draft202012Validator:
        schema = json.loads(self._schema_file.read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        return jsonschema.Draft202012Validator(schema)

    def write(self, path: str | os.PathLike, record: dict[str, Any]) -> None:
        """Write ``record`` to ``path``, whole or not at all; keys are sorted, so that equal records are equal files.

        A record that does not keep the schema is a fault of the program and raises ValueError.
        """
        complaint = self._complaint(record)
        if complaint:
            raise ValueError(f"refused to write {path}: {complaint}")
        write_text(path, json.dumps(record, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n")

    def read(self, path: str | os.PathLike) -> dict[str, Any]:
        """Read what ``write`` wrote. Raises FormatError, naming file and key, for anything else."""
        try:
            record = json.loads(Path(path).read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise FormatError(f"{path}: no such record; make it with '{self._command}'") from None
        except OSError as error:
            raise FormatError(f"{path}: cannot be read ({error.strerror})") from None
        except UnicodeDecodeError:
            raise FormatError(f"{path}: not a record: not a text file; {self._remedy}") from None
        except json.JSONDecodeError as error:
            raise FormatError(f"{path}, line {error.lineno}: not a record: {error.msg}; {self._remedy}") from None
        complaint = self._complaint(record)
        if complaint:
            raise FormatError(f"{path}: not {self._name}: {complaint}; {self._remedy}")
        return record

    def _complaint(self, record: Any) -> str | None:
        """What is wrong with ``record``, in one clause that begins with the key, or None."""
        error = jsonschema.exceptions.best_match(self._validator.iter_errors(record))
        if error is None:
            return None
        key = error.json_path.removeprefix("$.").replace("$", "the whole")
        return f"{key}: {textwrap.shorten(error.message, 160)}"
