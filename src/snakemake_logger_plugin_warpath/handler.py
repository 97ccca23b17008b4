"""Turns Snakemake's events into lines."""

import logging
import os
import re
import sys
import threading
import time
from contextlib import AbstractContextManager
from typing import Any

from snakemake.logging import DefaultFormatter
from snakemake.settings.enums import Quietness
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

from .cluster import failed_job
from .failures import how_it_exited, sentence_of_exception, sentence_of_logs, without_traceback
from .reasons import because
from .steps import INDENT, Step, Steps, count, in_words, name_of

# A step that runs longer than this is announced before it ends.
_PATIENCE_S = 10.0

# Messages that Snakemake prints at every start and end, besides its events. Any other message is passed on.
_USUAL = re.compile(
    "Building DAG of jobs|Using shell:|Conda environments: ignored|Singularity containers: ignored|Select jobs"
    "|Assuming unrestricted shared filesystem|Complete log|Elapsed time:|Shutting down|Group jobs: inactive"
    "|Removing output files of failed job|Exiting because a job execution failed|This was a dry-run|Reasons:"
    "|Some jobs were triggered by provenance|Rules with provenance|Would remove|Removing temporary output"
    "|Touching output|Waiting at most|Updating checkpoint|Processed [0-9]+ potential|Loading trusted|SLURM run ID:"
    "|[0-9]+ jobs have (missing|outdated)|Config file .* is extended|None$"
)
_NOTHING_TO_DO = "Nothing to be done"
_SUBMITTED = re.compile(r"Job (\d+) has been submitted with SLURM jobid (\S+)")
# A group has a UUID instead of a number.
_SUBMITTED_GROUP = re.compile(r"Job [0-9a-f-]{36} has been submitted with SLURM jobid (\S+) \(log: (.+)\)")
_RESTART = "Trying to restart job"
_WITHOUT_OUTPUT = re.compile(r"Job (\d+) +completed successfully, but some output files are missing")
Event = Any
"""A LogRecord. Snakemake adds the facts of its event as attributes, which differ from event to event."""

_STEPS_FAILED = "At least one job did not complete successfully"


class Handler(LogHandlerBase):
    """Prints one line for each finished step, one sentence for each failure, and at the end the files made."""

    writes_to_stream = True
    writes_to_file = False
    has_filter = True
    has_formatter = True
    needs_rulegraph = False

    def __post_init__(self) -> None:
        settings = self.common_settings
        quiet = set(settings.quiet or ())
        self._stream = sys.stdout if settings.stdout else sys.stderr
        self._shows_steps = not quiet & {Quietness.ALL, Quietness.RULES, Quietness.PROGRESS} or settings.dryrun
        self._shows_ends = Quietness.ALL not in quiet
        self._shows_reasons = Quietness.REASON not in quiet
        # Without progress, Snakemake reports no step's end.
        self._sees_ends = Quietness.PROGRESS not in quiet
        self._shows_all = settings.verbose or settings.debug_dag
        self._full = DefaultFormatter(settings.quiet, settings.show_failed_logs)
        self._steps = Steps()
        self._timers: dict[int, threading.Timer] = {}
        # Steps that a cluster's job does together, and those whose failure was told with that of their job.
        self._grouped: set[int] = set()
        self._told: set[int] = set()
        self._warned: set[str] = set()
        self._exits: list[str] = []
        self._said = ""
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
        with self._locked():
            begun, self._begun = self._begun, None
            for timer in self._timers.values():
                timer.cancel()
            if begun is not None and self._shows_ends:
                if not self._sees_ends and not self._steps.failed:
                    self._steps.done |= self._steps.running
                self._say(self._end(time.time() - begun))
        super().close()

    def _locked(self) -> AbstractContextManager[object]:
        assert self.lock is not None  # logging makes it
        return self.lock

    def _end(self, duration_s: float) -> list[str]:
        if self.common_settings.dryrun:
            return ["a dry run: nothing was made"]
        return self._steps.end(duration_s)

    def _lines(self, record: Event) -> list[str]:
        match getattr(record, "event", None):
            case LogEvent.RUN_INFO:
                return self._on_counts(record)
            case LogEvent.JOB_INFO:
                return self._on_start(record)
            case LogEvent.JOB_FINISHED:
                return self._on_finish(record.job_id, record.created)
            case LogEvent.JOB_ERROR:
                return self._on_failure(record)
            case LogEvent.PROGRESS:
                self._steps.total = record.total
                return []
            case LogEvent.ERROR:
                return self._on_exception(record)
            case LogEvent.SHELLCMD:
                return [record.shellcmd] if self.common_settings.printshellcmds and record.shellcmd else []
            case LogEvent.GROUP_INFO:
                self._grouped |= {job.jobid for job in record.jobs}
                return []
            case LogEvent.GROUP_ERROR:
                return self._on_group_failure(record)
            case None:
                return self._on_message(record)
            case _:
                return [self._full.format(record)] if self._shows_all else []

    def _on_counts(self, record: Event) -> list[str]:
        # A dry run repeats the counts at its end.
        if self._begun is not None:
            return []
        self._begun = record.created
        rules = {rule: steps for rule, steps in record.stats.items() if rule != "total"}
        self._steps.total = sum(rules.values())
        steps, colon, kinds = count(rules).partition(":")
        return [f"{steps} to do{colon}{kinds}"] if self._shows_ends else []

    def _on_start(self, record: Event) -> list[str]:
        reason = because(record.reason, record.shellcmd) if self._shows_reasons and record.output else ""
        step = Step(
            what=name_of(record.rule_name, record.rule_msg, record.input, record.output),
            since=record.created,
            outputs=tuple(record.output),
            inputs=tuple(record.input),
            logs=tuple(record.log),
            because=f", {reason}" if reason else "",
        )
        self._steps.start(record.jobid, step)
        self._told.discard(record.jobid)
        if self.common_settings.dryrun:  # a step without output only collects what others make
            return [f"  {step.what}{step.because}"] if self._shows_steps and step.outputs else []
        # A group may wait in a queue, and its steps run one after another.
        if self._shows_steps and record.jobid not in self._grouped:
            timer = threading.Timer(_PATIENCE_S, self._still_running, [record.jobid])
            timer.daemon = True
            self._timers[record.jobid] = timer
            timer.start()
        return []

    def _still_running(self, number: int) -> None:
        with self._locked():
            if self._begun is not None and (step := self._steps.running.get(number)):
                self._say([f"{INDENT}running: {step.what}"])

    def _on_finish(self, number: int, now: float) -> list[str]:
        self._stop_timer(number)
        if (step := self._steps.finish(number)) is None or not self._shows_steps:
            return []
        result = step.result()
        told = f": {result}" if result else ""
        return [f"{self._steps.counter()} {step.what}{step.because}{told}   [{in_words(now - step.since)}]"]

    def _on_failure(self, record: Event) -> list[str]:
        if record.jobid in self._told:
            return []
        since = self._steps.running[record.jobid].since if record.jobid in self._steps.running else 0.0
        sentence, log = sentence_of_logs(record.log, since)
        exited = next((how_it_exited(text) for text in self._exits if (record.shellcmd or "\0") in text), "")
        sentence = sentence or record.rule_msg or exited or "its command failed"
        return self._failed(record.jobid, sentence, [log] if log else record.log, record.created)

    def _on_group_failure(self, record: Event) -> list[str]:
        """Tell all failures of a cluster's job at once; the error events of its steps follow, and say less."""
        self._told |= {step["jobid"] for step in record.job_error_info}
        told = [self._full.format(record)] if self._shows_all else []
        return told + failed_job(record, self._steps)

    def _failed(self, number: int, sentence: str, logs: list[str], now: float) -> list[str]:
        self._stop_timer(number)
        return self._steps.fail([number], sentence, logs, now) or [sentence]

    def _on_exception(self, record: Event) -> list[str]:
        text = record.getMessage()
        told = [text] if self._shows_all else []
        if _STEPS_FAILED in text:
            return told
        if how_it_exited(text):
            # The error event of the step follows, and says more.
            self._exits.append(text)
            return told
        sentence = sentence_of_exception(text, record.exception)
        if (found := _WITHOUT_OUTPUT.search(text)) and (step := self._steps.running.get(int(found[1]))):
            return told + self._failed(int(found[1]), sentence, list(step.logs), record.created)
        self._steps.broken_off = True
        return told or [f"snakemake: error: {sentence}"]

    def _on_message(self, record: Event) -> list[str]:
        text = record.getMessage().strip()
        if self._shows_all:
            return [text]
        if text.startswith(_NOTHING_TO_DO):
            return ["nothing to do: everything is up to date"] if self._shows_ends else []
        if record.levelno < logging.INFO or not text or _USUAL.match(text):
            return []
        if text.startswith(_RESTART):
            return [f"{INDENT}trying again"] if self._shows_steps else []
        if found := _SUBMITTED.match(text):
            self._stop_timer(int(found[1]))
            step = self._steps.running.get(int(found[1]))
            return [f"{INDENT}Slurm job {found[2]}: {step.what}"] if step and self._shows_steps else []
        if found := _SUBMITTED_GROUP.match(text):
            return [f"{INDENT}Slurm job {found[1]} (log: {os.path.relpath(found[2])})"] if self._shows_steps else []
        if record.levelno < logging.WARNING:
            # Snakemake repeats a message if a signal ends several processes.
            said, self._said = self._said, text
            return [text] if self._shows_ends and text != said else []
        if text in self._warned:
            return []
        self._warned.add(text)
        level = "error" if record.levelno >= logging.ERROR else "warning"
        return [f"snakemake: {level}: {without_traceback(text).removeprefix('Warning: ')}"]

    def _stop_timer(self, number: int) -> None:
        if timer := self._timers.pop(number, None):
            timer.cancel()

    def _say(self, lines: list[str]) -> None:
        if lines:
            self._stream.write("".join(f"{line}\n" for line in lines))
            self._stream.flush()
