"""The comparison of a table with the published one: a CSV file with a line for each cell, from which figures are drawn.

``published_seconds`` is the paper's text (``1320``, ``>3600`` or empty). ``ratio`` is published over measured seconds,
so more than 1 means faster here; it is empty unless both are numbers, the graph has the paper's counts, and the time is
not one of the host simulation. ``status`` is ok, estimated, out_of_memory or not_run.
"""

import csv
import io
import os
from dataclasses import astuple, dataclass, fields

from ..errors import FormatError
from .labels import plain_seconds
from .published import seconds_of

STATUSES = ("ok", "estimated", "out_of_memory", "not_run")


@dataclass(frozen=True)
class Entry:
    """One cell of a table. ``row`` is the paper's name of the row in which ``dataset`` stands; ``date`` is ISO.

    ``nodes`` and ``edges`` are those of the graph measured, None where nothing was. ``comparable`` says that they are
    the paper's. ``device_kind`` is cuda, host or cpu. Text is empty where there is none.
    """

    dataset: str
    variant: str
    published_seconds: str
    seconds: float | None
    ratio: float | None
    status: str
    device: str
    record: str
    algorithm: str
    row: str
    nodes: int | None
    edges: int | None
    comparable: bool
    device_kind: str
    date: str


COLUMNS = [field.name for field in fields(Entry)]


def ratio_to_published(published: str, seconds: float | None, comparable: bool, device_kind: str) -> float | None:
    """The ratio of an entry, from the paper's text and the measured seconds; None where they cannot be compared."""
    published_seconds = seconds_of(published)
    if seconds and published_seconds and comparable and device_kind != "host":
        return published_seconds / seconds
    return None


def comparison_text(entries: list[Entry]) -> str:
    """The CSV file's text."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([_text(value) for value in astuple(entry)] for entry in entries)
    return buffer.getvalue()


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return plain_seconds(value) if isinstance(value, float) else str(value)


def read_comparison(path: str | os.PathLike) -> list[Entry]:
    """Read what ``comparison_text`` wrote. Raises FormatError with file and line where it is not that."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            header, *lines = list(csv.reader(file)) or [[]]
    except FileNotFoundError:
        raise FormatError(f"{path}: no such file; make it with `warpath table --format comparison`") from None
    if header != COLUMNS:
        raise FormatError(f"{path}, line 1: not a comparison; make it with `warpath table --format comparison`")
    entries = []
    for number, line in enumerate(lines, start=2):
        try:
            entry = _entry(dict(zip(COLUMNS, line, strict=True)))
        except ValueError as error:
            raise FormatError(f"{path}, line {number}: {error}; make the comparison again") from error
        entries.append(entry)
    return entries


def _entry(cells: dict[str, str]) -> Entry:
    if cells["status"] not in STATUSES:
        raise ValueError(f"unknown status {cells['status']!r}")
    typed: dict = dict(cells)
    for name, read in (("seconds", float), ("ratio", float), ("nodes", int), ("edges", int)):
        typed[name] = read(cells[name]) if cells[name] else None
    typed["comparable"] = cells["comparable"] == "yes"
    return Entry(**typed)
