"""Says what went wrong in one sentence, from the log of a step or from one of Snakemake's exceptions."""

import builtins
import os
import re
from collections.abc import Iterable
from pathlib import Path

from .reasons import some_of

_ERROR = re.compile(r"^(?:warpath|snakemake): error: (.*)", re.MULTILINE)
_EXIT = re.compile(r"returned non-zero exit status (\d+)|died with <Signals\.(\w+)")
# The first line of a message from Snakemake: `MissingInputException in rule table in file "/x/Snakefile", line 12:`
_HEADING = re.compile(r'\w+(?: in rule (?P<rule>[^\s,]+))?(?: in file "(?P<file>[^"]+)", line (?P<line>\d+))?[:.]')
_TRACEBACK = re.compile(r'\s*(?:File "|Traceback|\^+\s*$)')
_FILES_MAX = 4

# Exceptions with long messages: by class, a pattern that finds the facts, and a shorter sentence.
_SHORTER = {
    "MissingInputException": (
        r"for rule (?P<rule>\S+):.*affected files: (?P<files>.*)",
        "rule {rule} needs {files}: {it} {is_} not there, and no rule makes {it}",
    ),
    "MissingRuleException": (r"No rule to produce (?P<files>.*?) \(if you use", "no rule makes {files}"),
    "MissingOutputException": (r"--latency-wait: (?P<files>.*)", "its command ended well and did not write {files}"),
    "IncompleteFilesException": (
        r"Incomplete files: (?P<files>.*)",
        "{files} may be incomplete, after an interruption; --rerun-incomplete makes {it} again",
    ),
    "LockException": (
        r"following directory: (?P<files>.*?) If you are sure",
        "another Snakemake is at work in {files}; if none is, an interrupted one left its lock: snakemake --unlock",
    ),
    "OSError": (
        r"\[Errno 30\] Read-only file system: '(?P<files>[^']*)'",
        "{files} cannot be written, on a file system that is read-only; make its folder writable",
    ),
}


def last_line(log: Path, since: float) -> str:
    """Return the last line of ``log`` that is not blank; "" if there is none, or ``log`` is older than ``since``."""
    lines = _text(log, since).splitlines()
    return next((line.strip() for line in reversed(lines) if line.strip()), "")


def error_of_logs(logs: Iterable[str], since: float) -> tuple[str, str]:
    """Return the error that a command wrote into one of its ``logs``, and that log; ("", "") if there is none."""
    found = ((errors[-1], log) for log in logs if (errors := _ERROR.findall(_text(Path(log), since))))
    return next(found, ("", ""))


def sentence_of_logs(logs: Iterable[str], since: float) -> tuple[str, str]:
    """Return what ``error_of_logs`` does; without an error, the last line and its log; without any line, ("", "")."""
    logs = list(logs)
    error, log = error_of_logs(logs, since)
    if error:
        return error, log
    return next(((line, log) for log in logs if (line := last_line(Path(log), since))), ("", ""))


def how_it_exited(message: str) -> str:
    """Return "its command ended with exit status 2" or the like; "" if Snakemake's ``message`` names no status."""
    found = _EXIT.search(message)
    if found is None:
        return ""
    return f"its command ended with exit status {found[1]}" if found[1] else f"its command was ended by {found[2]}"


def sentence_of_exception(message: str, name: str) -> str:
    """Return a sentence, with its place, for an exception of class ``name`` with Snakemake's ``message``."""
    hidden = message.startswith("Traceback")
    if hidden:  # of source lines between the places, too: what is said follows the last indented line
        message = re.split(r"^[ \t].*\n", message, flags=re.MULTILINE)[-1].strip().removeprefix(f"{name}: ")
    lines = [line.strip() for line in without_traceback(message).splitlines() if line.strip()]
    heading = _HEADING.fullmatch(lines[0]) if lines else None
    if heading:
        lines = lines[1:]
    place = f" ({_place(heading['file'], heading['line'])})" if heading and heading["file"] else ""
    pattern, sentence = _SHORTER.get(name, ("", ""))
    if pattern and (found := re.search(pattern, " ".join(lines))):
        return sentence.format(**_named(**found.groupdict())) + ("" if name == "MissingOutputException" else place)
    rule = f"rule {heading['rule']}: " if heading and heading["rule"] else ""
    # The message of a built-in exception says little without the exception's name.
    kind = f"{name}: " if isinstance(getattr(builtins, name, None), type) else ""
    said = " ".join(lines[:2]).removeprefix("Error: ").removesuffix(": None") or name
    return f"{rule}{kind}{said}{place}{' (--verbose shows all of it)' if hidden or len(lines) > 2 else ''}"


def without_traceback(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not _TRACEBACK.match(line))


def _named(files: str, rule: str = "") -> dict[str, str]:
    names = re.sub(r" \([^)]*\)|,(?=\s|$)", "", files).split()
    one = len(names) == 1
    return {
        "rule": rule,
        "files": some_of(sorted(names), _FILES_MAX),
        "it": "it" if one else "them",
        "is_": "is" if one else "are",
    }


def _text(log: Path, since: float) -> str:
    try:
        # File times may be coarser than the clock.
        return log.read_text(encoding="utf-8", errors="replace") if log.stat().st_mtime > since - 2 else ""
    except OSError:
        return ""


def _place(file: str, line: str) -> str:
    here = os.path.relpath(file)
    return f"{file if here.startswith('..') else here}, line {line}"
