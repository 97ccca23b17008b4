"""Says in a few words why a step runs again, from Snakemake's text, which lists every file and parameter."""

import ast
import re
from collections.abc import Iterable
from itertools import pairwise

_CAUSES_MAX = 2
_FILES_MAX = 2
_LONGEST_VALUE = 40

# The beginnings of Snakemake's sentences. "; " separates them, but may also occur inside a parameter.
_UPDATED = "Updated input files: "
_MADE_AGAIN = "Input files updated by another job: "
_MISSING = "Missing output files: "
_INCOMPLETE = "Incomplete output files: "
_PARAMETERS = "Params have changed since last execution: "
_PLAIN = {
    # With --rerun-incomplete, Snakemake forces steps that an interruption left incomplete.
    "Forced execution": "it was forced or interrupted",
    "Set of input files has changed": "its list of input files changed",
    "Code has changed": "the command of its rule changed",
    "Software environment definition": "its software environment changed",
}
_BEGINNINGS = (_UPDATED, _MADE_AGAIN, _MISSING, _INCOMPLETE, _PARAMETERS, *_PLAIN)
_SENTENCES = re.compile(f"; (?={'|'.join(map(re.escape, _BEGINNINGS))})")
_BEFORE_AND_NOW = re.compile("before: (?P<before>.*) now: (?P<now>.*)", re.DOTALL)
# A part of the code and its hash, as an element of a parameter: "naive.cu 0f3a9c51d2e8".
_FILE_AND_HASH = re.compile(r"(?P<file>\S+) [0-9a-f]{8,64}")


def because(reason: str, command: str | None) -> str:
    """Return a short form of ``reason``, Snakemake's text; "" for a step without output yet.

    ``command`` is the step's shell command. Snakemake gives the values of changed parameters without their names; the
    options of the command name them.
    """
    sentences = _SENTENCES.split(reason)
    if any(sentence.startswith(_MISSING) for sentence in sentences):
        return ""
    causes = [cause for sentence in sentences for cause in _causes(sentence, command or "")]
    further = [f"and {len(causes) - _CAUSES_MAX} more"] if len(causes) > _CAUSES_MAX else []
    return f"because {'; '.join([*causes[:_CAUSES_MAX], *further])}" if causes else ""


def some_of(names: list[str], most: int) -> str:
    """Return the first ``most`` of ``names`` and the number of the others: "a, b and 58 more"."""
    named, further = names[:most], len(names) - most
    *first, last = [*named, f"{further} more"] if further > 0 else named
    return f"{', '.join(first)} and {last}" if first else last


def _causes(sentence: str, command: str) -> list[str]:
    if sentence.startswith(_UPDATED):
        return [_changed(sentence.removeprefix(_UPDATED).split(", "))]
    if sentence.startswith(_MADE_AGAIN):
        # The steps that make these files say why.
        files = sorted(sentence.removeprefix(_MADE_AGAIN).split(", "))
        return [f"{some_of(files, 1)} {'is' if len(files) == 1 else 'are'} made again"]
    if sentence.startswith(_INCOMPLETE):
        return ["it was interrupted"]
    if sentence.startswith(_PARAMETERS):
        return _parameters(sentence, command)
    return [cause for beginning, cause in _PLAIN.items() if sentence.startswith(beginning)]


def _changed(files: Iterable[str]) -> str:
    return f"{some_of(sorted(files), _FILES_MAX)} changed"


def _parameters(sentence: str, command: str) -> list[str]:
    try:
        found = _BEFORE_AND_NOW.search(sentence)
        if found is None:
            return ["a parameter changed"]
        before, now = (_values(found[which]) for which in ("before", "now"))
    except (TypeError, ValueError, SyntaxError):
        return ["a parameter changed"]
    of_files = {(file, hash_) for values in (before, now) for value in values for file, hash_ in _hashes(value)}
    same = {pair for value in before for pair in _hashes(value)} & {pair for value in now for pair in _hashes(value)}
    causes = [_changed({file for file, _ in of_files - same})] if of_files - same else []
    before, now = ([value for value in values if not _hashes(value)] for values in (before, now))
    if len(before) == len(now) == 1:
        return [*causes, *_differences(before[0], now[0], command)]
    options = {_option_of(value, command) for value in now} - {""}
    return [*causes, *(f"parameter {option} changed" for option in sorted(options))] or ["a parameter changed"]


def _values(text: str) -> list[object]:
    """The values of parameters; Snakemake joins their Python representations."""
    return [] if text.strip() == "<nothing exclusive>" else list(ast.literal_eval(f"[{text}]"))


def _hashes(value: object) -> list[tuple[str, str]]:
    """The files and hashes in ``value``; empty if it is not a list of them."""
    if not isinstance(value, list) or not all(
        isinstance(part, str) and _FILE_AND_HASH.fullmatch(part) for part in value
    ):
        return []
    return [tuple(part.rsplit(" ", 1)) for part in value]


def _differences(before: object, now: object, command: str) -> list[str]:
    """What differs between two values of one parameter: a plain value, or a list of options and their values."""
    if isinstance(before, list) and isinstance(now, list):
        if len(before) != len(now):
            return [f"a parameter changed{_from_to(before, now)}"]
        pairs = list(zip([None, *before], [None, *now], strict=True))
        return [
            f"parameter {_name(str(option))} changed{_from_to(old, new)}"
            if str(option).startswith("--")
            else f"a parameter changed{_from_to(old, new)}"
            for (_, option), (old, new) in pairwise(pairs)
            if old != new
        ]
    option = _option_of(now, command)
    return [f"{f'parameter {option}' if option else 'a parameter'} changed{_from_to(before, now)}"]


def _from_to(before: object, now: object) -> str:
    old, new = (" ".join(map(str, value)) if isinstance(value, list) else str(value) for value in (before, now))
    return f": {old} -> {new}" if max(len(old), len(new)) <= _LONGEST_VALUE else ""


def _option_of(value: object, command: str) -> str:
    """The name of the option that has ``value`` in ``command``, or ""."""
    found = re.search(rf"(--[a-z][\w-]*)[ =]'?{re.escape(str(value))}'?(?=\s|$)", command)
    return _name(found[1]) if found else ""


def _name(option: str) -> str:
    return option.removeprefix("--").replace("-", "_")
