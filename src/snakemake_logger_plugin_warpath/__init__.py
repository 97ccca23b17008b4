"""Prints one line for each step of Snakemake: ``snakemake --logger warpath``, the logger that the profiles use.

    61 steps to do: run 44, generate 9, figure 4, table 3, all 1
    [ 2/61] run bellman_ford.naive on demo-nyc: 1.31 ms (25 samples, spread 0.4 %), certified   [2.6 s]

Snakemake finds this package by its name. Its own log under .snakemake/log has everything; --verbose prints it here too.
"""

import hashlib
import logging
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten
from typing import Any

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

about_unknown_target: Callable[[str], str] | None = None
"""A Snakefile may set this to a function that returns what to print about a target that no rule makes."""

_FILES_LISTED_MAX = 12
_LOG_LINES_MAX = 3
_RESULT_MAX = 160
_FACTS_TOLD_MAX = 3
_REASON_MAX = {True: 300, False: 120}  # in a dry run, and in a line with a result
_ERROR = "warpath: error: "
_LOCKED = "another Snakemake runs here, or a killed one left its lock; `snakemake --unlock` removes the lock"


class LogHandler(LogHandlerBase):
    """Prints a line for each finished step, the end of the log of each failed step, and at the end the final files."""

    writes_to_stream = True
    writes_to_file = False
    has_filter = False
    has_formatter = True
    needs_rulegraph = False

    def __post_init__(self) -> None:
        settings = self.common_settings
        self._stream = sys.stdout if settings.stdout else sys.stderr
        self._verbose = settings.verbose or settings.debug_dag
        self._total = 0
        self._running: dict[int, Step] = {}
        self._done: list[Step] = []
        self._failed: dict[int, Step] = {}
        self._command_errors: list[str] = []  # messages that precede the event of their failed step
        self._messages: list[str] | None = []  # the output of a command without a workflow, such as --lint
        self._aborted = False
        self._start: float | None = None

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._print(self._lines(record))
        except BrokenPipeError:
            raise
        except Exception:
            self.handleError(record)

    def close(self) -> None:
        """Print the final files and the failed steps; Snakemake closes the handler at its end."""
        messages, self._messages = self._messages, []
        self._print(self._summary() if messages is None else messages)
        super().close()

    def _lines(self, record: Any) -> list[str]:
        """The lines for an event; its attributes depend on its kind."""
        match getattr(record, "event", None):
            case LogEvent.WORKFLOW_STARTED:
                self._messages = None
            case LogEvent.RUN_INFO if self._start is None:  # a dry run repeats it at its end
                self._start = record.created
                self._total = record.stats["total"]
                rules = sorted((-steps, rule) for rule, steps in record.stats.items() if rule != "total")
                return [f"{_steps(self._total)} to do: {', '.join(f'{rule} {-steps}' for steps, rule in rules)}"]
            case LogEvent.JOB_INFO:
                self._failed.pop(record.jobid, None)
                step = self._running[record.jobid] = Step.of(record, _REASON_MAX[self.common_settings.dryrun])
                return [f"  {step.title}{step.reason}"] if self.common_settings.dryrun and step.outputs else []
            case LogEvent.JOB_FINISHED if record.job_id in self._running:
                step = self._running.pop(record.job_id)
                self._done.append(step)
                result = f": {text}" if (text := step.result()) else ""
                return [f"{self._counter()} {step.title}{step.reason}{result}   [{step.duration(record)}]"]
            case LogEvent.JOB_ERROR if record.jobid in self._running:
                step = self._failed[record.jobid] = self._running.pop(record.jobid)
                errors = [text for text in self._command_errors if record.shellcmd and record.shellcmd in text]
                lines = last_log_lines(step.logs, step.start)
                lines = killed_by(errors) + lines or [*filter(None, [record.rule_msg])] or errors[:1]
                log = f" (log: {', '.join(map(os.path.relpath, record.log))})" if record.log else ""
                failed = f"{self._counter()} FAILED: {step.title}{log}   [{step.duration(record)}]"
                return [failed, *(f"        {line}" for line in lines or last_log_lines(record.log, step.start))]
            case LogEvent.SHELLCMD if self.common_settings.printshellcmds:
                return [*filter(None, [getattr(record, "shellcmd", None)])]
            case LogEvent.ERROR:
                return self._on_exception(record)
            case None if self._verbose:
                return [record.getMessage()]
            case None if record.levelno == logging.INFO and self._messages is not None:
                self._messages.append(record.getMessage())
            case None if record.levelno == logging.WARNING or (record.levelno > logging.WARNING and not self._failed):
                level = "error" if record.levelno >= logging.ERROR else "warning"
                self._aborted |= level == "error"
                text = record.getMessage().strip().partition("\nTraceback (most recent call last):")[0]
                return [f"snakemake: {level}: {text}"]
        return []

    def _on_exception(self, record: Any) -> list[str]:
        text = record.getMessage().strip().removeprefix(f"{record.exception}:").strip()
        if record.exception == "RuleException" and self._running:
            # The event of the step follows, with its log.
            self._command_errors.append(text.splitlines()[-1])
            return []
        if record.exception == "WorkflowError" and self._failed and not self._verbose:
            return []  # the failed steps are already printed
        if about_unknown_target and (unknown := re.match(r"No rule to produce (\S+)", text)):
            text = about_unknown_target(unknown[1])
        self._aborted = True
        return [f"snakemake: error: {_LOCKED if record.exception == 'LockException' else text}"]

    def _counter(self) -> str:
        return f"[{len(self._done) + len(self._failed):{len(str(self._total))}}/{self._total}]"

    def _summary(self) -> list[str]:
        if self._start is None:
            return [] if self._aborted or self.common_settings.quiet else ["nothing to do: everything is up to date"]
        if self.common_settings.dryrun:
            return ["a dry run: nothing was made"]
        if self._total == len(self._done):
            names = final_files(self._done)
            more = len(names) - _FILES_LISTED_MAX
            done = f"{_steps(self._total)} done in {duration_text(time.time() - self._start)}"
            listed = [*names[:_FILES_LISTED_MAX], *([f"and {more} more"] if more > 0 else [])]
            return [f"{done}{'; made:' if names else ''}", *(f"  {name}" for name in listed)]
        failed = abbreviated([step.title for step in self._failed.values()], 3)
        sentence = f"{len(self._done)} of {_steps(self._total)} done"
        sentence += f", {len(self._failed)} failed ({failed})" if failed else ""
        return [f"{sentence}; the same command goes on from here"]

    def _print(self, lines: list[str]) -> None:
        if lines:
            self._stream.write("".join(f"{line}\n" for line in lines))
            self._stream.flush()


@dataclass
class Step:
    """One job of Snakemake; ``reason`` says why existing files are made again."""

    title: str
    start: float
    outputs: Sequence[str]
    inputs: Sequence[str]
    logs: Sequence[str]
    reason: str

    @classmethod
    def of(cls, record: Any, reason_max: int) -> "Step":
        title = record.rule_msg or f"{record.rule_name} {abbreviated([*record.output, *record.input], 1)}".strip()
        # Facts are known to have changed even if Snakemake has already removed the old files.
        changed = abbreviated(changed_facts(record.reason), _FACTS_TOLD_MAX)
        existed = record.output and all(_is_older(output, record.created) for output in record.output)
        why = f"because {changed} changed" if changed else record.reason if existed else ""
        reason = f" ({shorten(why, reason_max)})" if why else ""
        return cls(title, record.created, record.output, record.input, record.log, reason)

    def duration(self, end: logging.LogRecord) -> str:
        return duration_text(end.created - self.start)

    def result(self) -> str:
        """The last line of the step's log, without a label that repeats ``title``; "" without such a line."""
        line = next(iter(last_log_lines(self.logs[:1], self.start)[-1:]), "")
        label, colon, rest = line.partition(": ")
        if colon and (label in self.outputs or _words(label) <= _words(self.title)):
            line = rest
        return "" if line in self.outputs or len(line) > _RESULT_MAX else line


def _is_older(file: str, moment: float) -> bool:
    try:
        return os.stat(file).st_mtime < moment
    except OSError:
        return False


def killed_by(errors: Iterable[str]) -> list[str]:
    """The signal that ended a command, by Snakemake's messages about it."""
    found = re.search(r"<Signals\.(\w+)|non-zero exit status (\d+)", "\n".join(errors))
    by_status = {number + 128: number.name for number in signal.Signals}
    name = found and (found[1] or by_status.get(int(found[2])))
    return [f"ended by {name}" + ", perhaps because memory did not suffice" * (name == "SIGKILL")] if name else []


def last_log_lines(logs: Iterable[str], start: float) -> list[str]:
    """warpath's last error, or the last lines, of the first of ``logs`` that was written after ``start``."""
    for log in logs:
        try:
            # File times may be coarser than the clock.
            text = Path(log).read_text(errors="replace") if os.stat(log).st_mtime > start - 2 else ""
        except OSError:
            continue
        if lines := [line.rstrip() for line in text.splitlines() if line.strip()]:
            errors = [number for number, line in enumerate(lines) if line.startswith(_ERROR)]
            lines = lines[errors[-1] :][:_LOG_LINES_MAX] if errors else lines[-_LOG_LINES_MAX:]
            return [lines[0].removeprefix(_ERROR), *lines[1:]]
    return []


def facts(named: Mapping[str, object]) -> list[str]:
    """For a parameter of a rule: a line for each fact that the outputs depend on, with its name and a hash.

    Snakemake tells a changed parameter by its old and new values, in which ``changed_facts`` finds the changed lines.
    """
    return [f"{name}={hashlib.sha256(repr(value).encode()).hexdigest()[:12]}" for name, value in named.items()]


def changed_facts(reason: str) -> list[str]:
    """The names of the facts that differ in the parameters in ``reason``, or that only some of these have."""
    hashes: dict[str, list[str]] = {}
    for name, hash_ in re.findall("""['"]([^'"]+)=([0-9a-f]{12})['"]""", reason):
        hashes.setdefault(name, []).append(hash_)
    lists = max(map(len, hashes.values()), default=0)
    return [name for name, found in hashes.items() if len(set(found)) > 1 or len(found) < lists]


def final_files(steps: Collection[Step]) -> list[str]:
    """The final files, the files of one step as one name: "table1.{csv,md}".

    A file is final if it is an input of a step without outputs, such as `all`, or if no other step reads it.
    """
    targets = {name for step in steps if not step.outputs for name in step.inputs}
    read = {name for step in steps if step.outputs for name in step.inputs} - targets
    files = []
    for step in steps:
        names = [name for name in step.outputs if name not in read]
        prefix = os.path.commonprefix(names)  # noqa: RUF071 (of letters, not of folders)
        joined = len(names) > 1 and prefix and not prefix.endswith("/")
        files += [f"{prefix}{{{','.join(name.removeprefix(prefix) for name in names)}}}"] if joined else names
    return files


def abbreviated(names: Sequence[str], count: int) -> str:
    """The first ``count`` names and the number of the others: "a, b and 58 more"."""
    more = len(names) - count
    return ", ".join(names[:count]) + (f" and {more} more" if more > 0 else "")


def duration_text(seconds: float) -> str:
    """A duration such as "1.2 s", "2 min 13 s" and "3 h 5 min"."""
    if seconds < 99.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def _steps(number: int) -> str:
    return f"{number} step{'s' * (number != 1)}"


def _words(text: str) -> set[str]:
    return set(re.findall("[a-z0-9]+", text.lower()))
