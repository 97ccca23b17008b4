"""The steps of one invocation of Snakemake: their names, their logs, the files they made."""

import os
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

_TAIL_MAX = 3
_LONGEST_RESULT = 160
_ERROR = "warpath: error: "


@dataclass
class Step:
    """One job of Snakemake; ``because`` is why it is made again."""

    what: str
    since: float
    outputs: Sequence[str]
    inputs: Sequence[str]
    logs: Sequence[str]
    because: str

    def result(self) -> str:
        """Return the last line of the step's log, without words that repeat ``what``; "" if nothing is left."""
        line = next(iter(tail(self.logs[:1], self.since)[-1:]), "")
        label, colon, rest = line.partition(": ")
        if colon and (label in self.outputs or _words(label) <= _words(self.what)):
            line = rest
        return "" if line in self.outputs or len(line) > _LONGEST_RESULT else line


def tail(logs: Iterable[str], since: float) -> list[str]:
    """Return the end of the first of ``logs`` that was written ``since`` then: warpath's last error, or some lines."""
    for log in logs:
        try:
            # File times may be coarser than the clock.
            text = Path(log).read_text(errors="replace") if os.stat(log).st_mtime > since - 2 else ""
        except OSError:
            continue
        if lines := [line.rstrip() for line in text.splitlines() if line.strip()]:
            errors = [number for number, line in enumerate(lines) if line.startswith(_ERROR)]
            lines = lines[errors[-1] :][:_TAIL_MAX] if errors else lines[-_TAIL_MAX:]
            return [lines[0].removeprefix(_ERROR), *lines[1:]]
    return []


def made(steps: Collection[Step]) -> list[str]:
    """Return the final files, those of one step as one name: "table1.{csv,md}".

    A file is final if a step without outputs, such as `all`, asks for it, or if no other step reads it.
    """
    asked_for = {name for step in steps if not step.outputs for name in step.inputs}
    read = {name for step in steps if step.outputs for name in step.inputs}
    wanted = [[name for name in step.outputs if name in asked_for or name not in read] for step in steps]
    return [name for names in wanted for name in _together(names)]


def some_of(names: Sequence[str], most: int) -> str:
    """Return the first ``most`` of ``names`` and the number of the others: "a, b and 58 more"; "" of none."""
    further = len(names) - most
    return ", ".join(names[:most]) + (f" and {further} more" if further > 0 else "")


def number_of_steps(number: int) -> str:
    return f"{number} step{'s' * (number != 1)}"


def in_words(seconds: float) -> str:
    """Return "1.2 s", "2 min 13 s", "3 h 5 min"."""
    if seconds < 99.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def _together(names: list[str]) -> list[str]:
    """``names`` as one name in the shell's notation, "figure5.{png,svg}", if they share a beginning."""
    alike = os.path.commonprefix(names)  # noqa: RUF071 (of letters, not of folders)
    if len(names) < 2 or not alike or alike.endswith("/"):
        return names
    return [f"{alike}{{{','.join(name.removeprefix(alike) for name in names)}}}"]


def _words(text: str) -> set[str]:
    return set(re.findall("[a-z0-9]+", text.lower()))
