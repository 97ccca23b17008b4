"""Turns Snakemake's events into lines."""

import logging
import os
import sys
import time
from textwrap import shorten
from typing import Any

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

from .steps import Step, in_words, made, number_of_steps, some_of, tail

_NAMES_MAX = 12
_REASON_MAX = {True: 300, False: 120}  # of a dry run, and beside a result
_LOCKED = "another Snakemake is at work here, or a killed one left its lock; `snakemake --unlock` removes the lock"


class Handler(LogHandlerBase):
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
        self._done: dict[int, Step] = {}
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
                listed = ", ".join(f"{rule} {-steps}" for steps, rule in rules)
                return [f"{number_of_steps(self._total)} to do: {listed}"]
            case LogEvent.JOB_INFO:
                return self._on_start(record)
            case LogEvent.JOB_FINISHED:
                return self._on_finish(record)
            case LogEvent.JOB_ERROR:
                return self._on_failure(record)
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

    def _on_start(self, record: Any) -> list[str]:
        # What is not there yet needs no reason.
        settings = self.common_settings
        again = record.output and all(map(os.path.exists, record.output))
        step = Step(
            what=record.rule_msg or f"{record.rule_name} {some_of([*record.output, *record.input], 1)}".strip(),
            since=record.created,
            outputs=record.output,
            inputs=record.input,
            logs=record.log,
            because=f" ({shorten(record.reason, _REASON_MAX[settings.dryrun])})" if again else "",
        )
        self._failed.pop(record.jobid, None)
        self._running[record.jobid] = step
        return [f"  {step.what}{step.because}"] if settings.dryrun and step.outputs else []

    def _on_finish(self, record: Any) -> list[str]:
        if (step := self._running.pop(record.job_id, None)) is None:
            return []
        self._done[record.job_id] = step
        told = f": {result}" if (result := step.result()) else ""
        return [f"{self._counter()} {step.what}{step.because}{told}   [{in_words(record.created - step.since)}]"]

    def _on_failure(self, record: Any) -> list[str]:
        if (step := self._running.pop(record.jobid, None)) is None:
            return []
        self._failed[record.jobid] = step
        exited = [text for text in self._exits if record.shellcmd and record.shellcmd in text]
        lines = tail(step.logs, step.since) or [*filter(None, [record.rule_msg])] or exited[:1]
        lines = lines or tail(record.log, step.since)
        log = f" (log: {', '.join(map(os.path.relpath, record.log))})" if record.log else ""
        failed = f"{self._counter()} FAILED: {step.what}{log}   [{in_words(record.created - step.since)}]"
        return [failed, *(f"        {line}" for line in lines)]

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
            names = made(self._done.values())
            further = [f"  and {len(names) - _NAMES_MAX} more"] if len(names) > _NAMES_MAX else []
            done = f"{number_of_steps(self._total)} done in {in_words(time.time() - self._begun)}"
            return [f"{done}{'; made:' if names else ''}", *(f"  {name}" for name in names[:_NAMES_MAX]), *further]
        failed = some_of([step.what for step in self._failed.values()], 3)
        sentence = f"{len(self._done)} of {number_of_steps(self._total)} done"
        sentence += f", {len(self._failed)} failed ({failed})" if failed else ""
        return [f"{sentence}; the same command goes on from here"]

    def _say(self, lines: list[str]) -> None:
        if lines:
            self._stream.write("".join(f"{line}\n" for line in lines))
            self._stream.flush()
