"""Which runs were going on at the same time, by the beginning and end that their records tell."""

import os
from collections.abc import Mapping
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct


class Span(Struct, dict=True):
    """When and where a run was; nothing else is read of its record."""

    outcome: dict[str, Any]
    started: str
    finished: str
    environment: dict[str, Any]

    @cached_property
    def ends(self) -> tuple[datetime, datetime]:
        return datetime.fromisoformat(self.started), datetime.fromisoformat(self.finished)

    @cached_property
    def machine(self) -> str:
        return machine_or_kind(self.environment)


def spans(records: str | os.PathLike) -> dict[Path, Span]:
    """By file, of all records in a folder; what is no record is left out, and what does not tell its machine."""
    decoder = msgspec.json.Decoder(Span)
    found = {}
    for file in sorted(Path(records).glob("*/[!.]*.json")):
        try:
            span = decoder.decode(file.read_bytes())
            if span.outcome.get("kind") != "missing" and span.machine and span.ends:
                found[file] = span
        except (OSError, ValueError):
            continue
    return found


def beside(file: Path, found: Mapping[Path, Span]) -> int:
    """How many other runs went on at the time of the one in ``file``, where nothing tells their machines apart."""
    one = found.get(file)
    if one is None:
        return 0
    started, finished = one.ends
    return sum(
        other is not one and other.machine == one.machine and other.ends[0] < finished and started < other.ends[1]
        for other in found.values()
    )


def machine_or_kind(environment: Mapping[str, Any]) -> str:
    """The machine; before records told it, the kind of machine; "" if neither is known."""
    facts = [environment.get(name) for name in ("os", "processor", "cores")]
    return str(environment.get("machine") or "|".join(map(str, facts)) if all(facts) else "")
