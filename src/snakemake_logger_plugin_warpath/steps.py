"""The steps of one invocation of Snakemake: their names, their progress, the files they made."""

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .failures import last_line
from .reasons import some_of

INDENT = " " * 8
"""Before a line that says more about the line above it."""

# The names of a rule's steps: singular and plural.
_KINDS = {
    "run": ("run", "runs"),
    "reduce": ("part of all pairs", "parts of all pairs"),
    "fetch": ("download", "downloads"),
    "convert": ("graph", "graphs"),
    "generate": ("graph", "graphs"),
    "table": ("table", "tables"),
    "claims": ("list of claims", "lists of claims"),
    "figure": ("figure", "figures"),
    "text": ("text", "texts"),
    "runs": ("table of runs", "tables of runs"),
}
_OTHER = ("other", "others")
_NAMES_MAX = 12
_FAILED_NAMED_MAX = 3
_LONGEST_RESULT = 160


@dataclass
class Step:
    """One job of Snakemake."""

    what: str
    since: float
    outputs: tuple[str, ...]
    inputs: tuple[str, ...]
    logs: tuple[str, ...]
    because: str

    def result(self) -> str:
        """Return the last line of the step's log, without words that repeat ``what``; "" if nothing is left."""
        line = last_line(Path(self.logs[0]), self.since) if self.logs else ""
        label, colon, rest = line.partition(": ")
        if colon and (label in self.outputs or _words(label) <= _words(self.what)):
            line = rest
        return "" if line in self.outputs or len(line) > _LONGEST_RESULT else line


@dataclass
class Steps:
    """All steps, by Snakemake's job number."""

    total: int = 0
    running: dict[int, Step] = field(default_factory=dict)
    done: dict[int, Step] = field(default_factory=dict)
    failed: dict[int, Step] = field(default_factory=dict)
    kept: dict[int, Step] = field(default_factory=dict)
    broken_off: bool = False
    """Whether an error that was of no step ended it."""

    def counter(self) -> str:
        """Return "[ 7/42]": the number of steps that are done or failed, and of all."""
        return f"[{len(self.done) + len(self.failed):{len(str(self.total))}}/{self.total}]"

    def start(self, number: int, step: Step) -> None:
        self.failed.pop(number, None)
        self.kept.pop(number, None)
        self.running[number] = step

    def finish(self, number: int) -> Step | None:
        if number in self.running:
            self.done[number] = self.running.pop(number)
        return self.done.get(number)

    def fail(self, numbers: Sequence[int], sentence: str, logs: Sequence[str], now: float) -> list[str]:
        """Note steps that failed, and return the lines that tell it; [] if there are no such steps."""
        for number in numbers:
            if number in self.running:
                self.failed[number] = self.running.pop(number)
        steps = [self.failed[number] for number in numbers if number in self.failed]
        if not steps:
            return []
        one = steps[0].because if len(steps) == 1 else ""
        log = f" (log: {', '.join(logs)})" if logs else ""
        duration = in_words(now - min(step.since for step in steps))
        names = some_of([step.what for step in steps], _FAILED_NAMED_MAX)
        return [f"{self.counter()} FAILED: {names}{one}{log}   [{duration}]", f"{INDENT}{sentence}"]

    def keep(self, number: int) -> None:
        """Note a step that was done in a job that failed: its outputs are kept for the next attempt."""
        self.kept[number] = self.running.pop(number)

    def made(self) -> list[str]:
        """Return the final files, those of one step as one name: "table1.{csv,md}".

        A file is final if a step without outputs, such as `all`, asks for it, or if no other step reads it.
        """
        finished = list(self.done.values())
        asked_for = {name for step in finished if not step.outputs for name in step.inputs}
        read = {name for step in finished if step.outputs for name in step.inputs}
        wanted = [[name for name in step.outputs if name in asked_for or name not in read] for step in finished]
        return [name for names in wanted for name in _together(names)]

    def end(self, duration_s: float) -> list[str]:
        """Return the last lines: what was made, or what failed."""
        if self.total == len(self.done):
            names = self.made()
            further = [f"  and {len(names) - _NAMES_MAX} more"] if len(names) > _NAMES_MAX else []
            made = [*(f"  {name}" for name in names[:_NAMES_MAX]), *further]
            return [f"{_steps(self.total)} done in {in_words(duration_s)}{'; made:' if made else ''}", *made]
        left = self.total - len(self.done) - len(self.failed) - len(self.kept)
        sentence = f"{len(self.done)} of {_steps(self.total)} done"
        if self.failed:
            failed = some_of([step.what for step in self.failed.values()], _FAILED_NAMED_MAX)
            sentence += f", {len(self.failed)} failed ({failed})"
            sentence += f", {left} not run because of {'it' if len(self.failed) == 1 else 'them'}" if left else ""
        sentence += f", {len(self.kept)} done and kept" if self.kept else ""
        onward = (
            "once the cause is mended, the same command" if self.failed or self.broken_off else "the same command again"
        )
        return [f"{sentence}; {onward} goes on from here"]


def count(rules: dict[str, int]) -> str:
    """Return "61 steps: 44 runs, 9 graphs, 7 tables and 1 other"; ``rules`` has the number of steps of each rule."""
    total = sum(rules.values())
    kinds: dict[tuple[str, str], int] = {}
    for rule, steps in rules.items():
        kind = _KINDS.get(rule, _OTHER)
        kinds[kind] = kinds.get(kind, 0) + steps
    if kinds.keys() <= {_OTHER}:
        return _steps(total)
    known = sorted((kind for kind in dict.fromkeys(_KINDS.values()) if kind in kinds), key=lambda kind: -kinds[kind])
    parts = [f"{kinds[kind]} {kind[kinds[kind] != 1]}" for kind in [*known, *(kinds.keys() & {_OTHER})]]
    return f"{_steps(total)}: {some_of(parts, len(parts))}"


def in_words(seconds: float) -> str:
    """Return "1.2 s", "2 min 13 s", "3 h 5 min"."""
    if seconds < 99.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def name_of(rule: str, message: str | None, inputs: Iterable[str], outputs: Iterable[str]) -> str:
    """Return the name of a step: its rule's message, or else the rule and what it makes or collects."""
    if message:
        return message
    outputs, inputs = list(outputs), list(inputs)
    if outputs:
        return f"{rule} {some_of(outputs, 1)}"
    return f"{rule}: all {len(inputs)} files are there" if len(inputs) > 1 else rule


def _together(names: list[str]) -> list[str]:
    """``names`` as one name in the shell's notation, "figure5.{png,svg}", if they share a beginning."""
    alike = os.path.commonprefix(names)  # noqa: RUF071 (of letters, not of folders)
    if len(names) < 2 or not alike or alike.endswith("/"):
        return names
    return [f"{alike}{{{','.join(name.removeprefix(alike) for name in names)}}}"]


def _steps(number: int) -> str:
    return f"{number} step{'s' * (number != 1)}"


def _words(text: str) -> set[str]:
    return set(re.findall("[a-z0-9]+", text.lower()))
