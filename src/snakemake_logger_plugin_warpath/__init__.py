"""Prints one line for each step of Snakemake: ``snakemake --logger warpath``, the logger that the profiles use.

    61 steps to do: run 44, generate 9, figure 4, table 3, all 1
    [ 2/61] run bellman_ford.naive on demo-nyc: 1.31 ms (25 samples, spread 0.4 %), certified   [2.6 s]

Snakemake finds this package by its name. Its own log under .snakemake/log has everything; --verbose prints it here too.
"""

import logging
import os
import re
import sys
import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten
from typing import Any

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

_NAMES_MAX = 12
_TAIL_MAX = 3
_RESULT_MAX = 160
_REASON_MAX = {True: 300, False: 120}  # of a dry run, and beside a result
_ERROR = "warpath: error: "
_LOCKED = "another Snakemake is at work here, or a killed one left its lock; `snakemake --unlock` removes the lock"


class LogHandler(LogHandlerBase):
    """Prints one line for each finished step, the end of the log of each failed one, and at last the files made."""

    writes_to_stream = True
    writes_to_file = False
    has_filter = False
    has_formatter = True
    needs_rulegraph = False

    def __post_init__(self) -> None:
        settings = self.common_settings
        self._stream = sys.stdout if settings.stdout else sys.stderr
        self._shows_all = settings.verbose or settings.debug_dag
        self._total = 0
        self._running: dict[int, Step] = {}
        self._done: list[Step] = []
        self._failed: dict[int, Step] = {}
        self._exits: list[str] = []  # what was told of commands that failed, before the event of their step
        self._messages: list[str] | None = []  # where no workflow is started, they are the answer: of --lint, say
        self._broken_off = False
        self._begun: float | None = None

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._say(self._lines(record))
        except BrokenPipeError:
            raise
        except Exception:
            self.handleError(record)

    def close(self) -> None:
        """Print what was made and what was not. Snakemake closes the handler when it ends."""
        messages, self._messages = self._messages, []
        self._say(self._end() if messages is None else messages)
        super().close()

    def _lines(self, record: Any) -> list[str]:
        """The lines for an event. Snakemake adds its facts as attributes, which differ from event to event."""
        match getattr(record, "event", None):
            case LogEvent.WORKFLOW_STARTED:
                self._messages = None
            case LogEvent.RUN_INFO if self._begun is None:  # a dry run repeats it at its end
                self._begun = record.created
                self._total = record.stats["total"]
                rules = sorted((-steps, rule) for rule, steps in record.stats.items() if rule != "total")
                return [f"{_steps(self._total)} to do: {', '.join(f'{rule} {-steps}' for steps, rule in rules)}"]
            case LogEvent.JOB_INFO:
                self._failed.pop(record.jobid, None)
                step = self._running[record.jobid] = Step.of(record, _REASON_MAX[self.common_settings.dryrun])
                return [f"  {step.what}{step.because}"] if self.common_settings.dryrun and step.outputs else []
            case LogEvent.JOB_FINISHED if record.job_id in self._running:
                step = self._running.pop(record.job_id)
                self._done.append(step)
                told = f": {result}" if (result := step.result()) else ""
                return [f"{self._counter()} {step.what}{step.because}{told}   [{step.duration(record)}]"]
            case LogEvent.JOB_ERROR if record.jobid in self._running:
                step = self._failed[record.jobid] = self._running.pop(record.jobid)
                exited = [text for text in self._exits if record.shellcmd and record.shellcmd in text]
                lines = tail(step.logs, step.since) or [*filter(None, [record.rule_msg])] or exited[:1]
                log = f" (log: {', '.join(map(os.path.relpath, record.log))})" if record.log else ""
                failed = f"{self._counter()} FAILED: {step.what}{log}   [{step.duration(record)}]"
                return [failed, *(f"        {line}" for line in lines or tail(record.log, step.since))]
            case LogEvent.SHELLCMD if self.common_settings.printshellcmds:
                return [*filter(None, [getattr(record, "shellcmd", None)])]
            case LogEvent.ERROR:
                return self._on_exception(record)
            case None if self._shows_all:
                return [record.getMessage()]
            case None if record.levelno == logging.INFO and self._messages is not None:
                self._messages.append(record.getMessage())
            case None if record.levelno == logging.WARNING or (record.levelno > logging.WARNING and not self._failed):
                level = "error" if record.levelno >= logging.ERROR else "warning"
                text = record.getMessage().strip().partition("\nTraceback (most recent call last):")[0]
                return [f"snakemake: {level}: {text}"]
        return []

    def _on_exception(self, record: Any) -> list[str]:
        text = record.getMessage().strip().removeprefix(f"{record.exception}:").strip()
        if record.exception == "RuleException" and self._running:
            # The event of the step follows, and names its log.
            self._exits.append(text.splitlines()[-1])
            return []
        if record.exception == "WorkflowError" and self._failed and not self._shows_all:
            return []  # that steps failed was told
        self._broken_off = True
        return [f"snakemake: error: {_LOCKED if record.exception == 'LockException' else text}"]

    def _counter(self) -> str:
        return f"[{len(self._done) + len(self._failed):{len(str(self._total))}}/{self._total}]"

    def _end(self) -> list[str]:
        if self._begun is None:
            return [] if self._broken_off or self.common_settings.quiet else ["nothing to do: everything is up to date"]
        if self.common_settings.dryrun:
            return ["a dry run: nothing was made"]
        if self._total == len(self._done):
            names = made(self._done)
            further = [f"  and {len(names) - _NAMES_MAX} more"] if len(names) > _NAMES_MAX else []
            done = f"{_steps(self._total)} done in {in_words(time.time() - self._begun)}"
            return [f"{done}{'; made:' if names else ''}", *(f"  {name}" for name in names[:_NAMES_MAX]), *further]
        failed = some_of([step.what for step in self._failed.values()], 3)
        sentence = f"{len(self._done)} of {_steps(self._total)} done"
        sentence += f", {len(self._failed)} failed ({failed})" if failed else ""
        return [f"{sentence}; the same command goes on from here"]

    def _say(self, lines: list[str]) -> None:
        if lines:
            self._stream.write("".join(f"{line}\n" for line in lines))
            self._stream.flush()


@dataclass
class Step:
    """One job of Snakemake; ``because`` is why it is made again."""

    what: str
    since: float
    outputs: Sequence[str]
    inputs: Sequence[str]
    logs: Sequence[str]
    because: str

    @classmethod
    def of(cls, record: Any, reason_max: int) -> "Step":
        what = record.rule_msg or f"{record.rule_name} {some_of([*record.output, *record.input], 1)}".strip()
        # What is not there yet needs no reason.
        again = record.output and all(map(os.path.exists, record.output))
        because = f" ({shorten(record.reason, reason_max)})" if again else ""
        return cls(what, record.created, record.output, record.input, record.log, because)

    def duration(self, end: logging.LogRecord) -> str:
        return in_words(end.created - self.since)

    def result(self) -> str:
        """Return the last line of the step's log, without words that repeat ``what``; "" if nothing is left."""
        line = next(iter(tail(self.logs[:1], self.since)[-1:]), "")
        label, colon, rest = line.partition(": ")
        if colon and (label in self.outputs or _words(label) <= _words(self.what)):
            line = rest
        return "" if line in self.outputs or len(line) > _RESULT_MAX else line


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
    read = {name for step in steps if step.outputs for name in step.inputs} - asked_for
    found = []
    for step in steps:
        names = [name for name in step.outputs if name not in read]
        alike = os.path.commonprefix(names)  # noqa: RUF071 (of letters, not of folders)
        together = len(names) > 1 and alike and not alike.endswith("/")
        found += [f"{alike}{{{','.join(name.removeprefix(alike) for name in names)}}}"] if together else names
    return found


def some_of(names: Sequence[str], most: int) -> str:
    """Return the first ``most`` of ``names`` and the number of the others: "a, b and 58 more"; "" of none."""
    further = len(names) - most
    return ", ".join(names[:most]) + (f" and {further} more" if further > 0 else "")


def in_words(seconds: float) -> str:
    """Return "1.2 s", "2 min 13 s", "3 h 5 min"."""
    if seconds < 99.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def _steps(number: int) -> str:
    return f"{number} step{'s' * (number != 1)}"


def _words(text: str) -> set[str]:
    return set(re.findall("[a-z0-9]+", text.lower()))
