"""Says what became of a cluster's job that did several steps and failed."""

import os
import re
import subprocess
from pathlib import Path
from typing import Any

from .failures import error_of_logs
from .reasons import some_of
from .steps import INDENT, Step, Steps

# Where a job keeps each record, too: see workflow/rules/cluster.smk.
_MEASURED = Path(".snakemake/measured")
_PATIENCE_S = 20
_NAMED_MAX = 3
_ENDS = {
    "TIMEOUT": "ran into its time limit",
    "DEADLINE": "ran into its deadline",
    "OUT_OF_MEMORY": "used more memory than it had asked for",
    "CANCELLED": "was cancelled",
    "PREEMPTED": "was preempted",
    "NODE_FAIL": "lost its node",
    "BOOT_FAIL": "lost its node",
}

# Without cgroups, Slurm says FAILED of a job that it ended for its memory.
_OUT_OF_MEMORY = re.compile(r"slurmstepd.*exceeded (job )?memory limit", re.IGNORECASE)


def failed_job(record: Any, steps: Steps) -> list[str]:
    """Return the lines for a failed job: first its steps with an error of their own, then those that it did not finish.

    ``record`` is Snakemake's event. Steps that were done are noted as kept.
    """
    logs = {step["jobid"]: step["log"] for step in record.job_error_info if step["jobid"] in steps.running}
    kept = [number for number in logs if _is_kept(steps.running[number])]
    names = [steps.running[number].what for number in kept]
    for number in kept:
        steps.keep(number)
    lines, unfinished = [], []
    for number in (number for number in logs if number not in kept):
        error, log = error_of_logs(logs[number], steps.running[number].since)
        if error:
            lines += steps.fail([number], error, [log], record.created)
        else:
            unfinished.append(number)
    if unfinished:
        slurm_logs = [os.path.relpath(log) for log in record.aux_logs if log]
        sentence = _how_it_ended(getattr(record, "external_jobid", None), slurm_logs)
        lines += steps.fail(sorted(unfinished), sentence, slurm_logs, record.created)
    return [*lines, *([f"{INDENT}done and kept for the next attempt: {some_of(names, _NAMED_MAX)}"] if kept else [])]


def _how_it_ended(job: str | None, logs: list[str]) -> str:
    """Return "Slurm job 12 ran into its time limit" or the like, as far as Slurm says it; None for no job at all."""
    if job is None:
        return "it could not be submitted to the cluster"
    state = _state(job)
    if state not in _ENDS and any(_OUT_OF_MEMORY.search(Path(log).read_text(errors="replace")) for log in logs):
        state = "OUT_OF_MEMORY"
    return f"Slurm job {job} {_ENDS.get(state, 'ended')} before this was done"


def _is_kept(step: Step) -> bool:
    """Whether the job did this step and kept what it made."""
    return bool(step.outputs) and all(_since(_MEASURED / name, step.since) for name in step.outputs)


def _since(file: Path, moment: float) -> bool:
    try:
        return file.stat().st_mtime > moment - 2  # file times may be coarser than the clock
    except OSError:
        return False


def _state(job: str) -> str:
    """Slurm's word for the state of ``job``, such as TIMEOUT; "" if Slurm does not know it any more."""
    commands = (
        ["squeue", "--noheader", "--states=all", "--format=%T", f"--jobs={job}"],
        ["sacct", "--noheader", "--allocations", "--parsable2", "--format=State", f"--jobs={job}"],
    )
    for command in commands:
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE_S)
        except (OSError, subprocess.SubprocessError):
            continue
        if words := done.stdout.split():
            return words[0]
    return ""
