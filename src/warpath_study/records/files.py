"""Reads and writes the files of records; nothing else does. A record that contradicts itself is neither."""

import os
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from warpath.atomic import write_text
from warpath.errors import FormatError

from ..json_schema import json_schema
from ..record import FORMAT, Record
from .record_faults import fault

_DECODER = msgspec.json.Decoder(Record)


class _OfAnyFormat(Struct):
    format: Annotated[int, Meta(ge=1, lt=FORMAT)]


def schema() -> dict[str, Any]:
    """The format as JSON schema."""
    return json_schema(Record)


def write_record(path: str | os.PathLike, record: Record) -> None:
    """Write ``record`` to ``path``, whole or not at all. Keys are sorted, so that equal records are equal files.

    Raises ValueError, a bug in warpath, if ``read_record`` could not read the file again.
    """
    text = msgspec.json.format(msgspec.json.encode(record, order="sorted"), indent=2).decode()
    try:
        _checked(_DECODER.decode(text))
    except (ValueError, msgspec.ValidationError) as error:
        raise ValueError(f"refused to write {path}: {error}") from None
    write_text(path, text + "\n")


def read_record(path: str | os.PathLike) -> Record:
    """Read what ``write_record`` wrote. Raises FormatError, naming file and key, for anything else."""
    why = "not a record: "
    try:
        with open(path, "rb") as file:
            text = file.read()
        return _checked(_DECODER.decode(text))
    except FileNotFoundError:
        raise FormatError(f"{path}: no such record; make it with 'warpath run'") from None
    except OSError as error:
        raise FormatError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        why += "holds text that is not UTF-8"
    except RecursionError:
        why += "holds too many brackets in each other"
    except (ValueError, msgspec.DecodeError) as error:
        older = _older_format(text)
        why = f"a record of format {older}, where this version reads {FORMAT}" if older else why + str(error)
    raise FormatError(f"{path}: {why}; delete it and measure the run again")


def _older_format(text: bytes) -> int | None:
    """The format of a record that an older version wrote."""
    try:
        return msgspec.json.decode(text, type=_OfAnyFormat).format
    except msgspec.MsgspecError:
        return None


def _checked(record: Record) -> Record:
    """The record; raises ValueError with the clause that says how it contradicts itself."""
    if clause := fault(record):
        raise ValueError(clause)
    return record
