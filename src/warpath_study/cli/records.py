"""``warpath records``: list the recorded runs, and whether today's code would run the same."""

import argparse
import csv
import sys
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from warpath.code import differing
from warpath.errors import UsageError
from warpath.facts import Code

from ..measure.runs import code_of, find
from ..record import Record, read_record, record_files
from . import print_columns

HELP = """\
List the records of runs: what ran, when, on which device, and whether its code is today's. Kernels count by their
text without comments; host loops, sampling and the device's adapter count by revisions that their authors raise.

With --stale, list only records whose code is not today's; the exit status is 1 if there are any.
The format 'summary' is a Markdown table with a line for each variant and the state of its code.

examples:
  warpath records
  warpath records results/reference/nvidia-h200
  warpath records --stale --format csv results/demo
  warpath records --format summary results/reference/nvidia-h200

code:
  current   today's code would run the same
  stale     the listed kernels or revisions differ; measure the run again with 'warpath run', or with the workflow
  gone      there is no such variant today
"""

_RESULTS = Path("results")
_REFERENCE = _RESULTS / "reference"
_NAMED_MAX = 3


class _Line(NamedTuple):
    """One record. ``code`` is current, stale or gone; ``differs`` names what makes it stale."""

    dataset: str
    run: str
    status: str
    seconds: float | None
    samples: int
    device: str
    date: str
    code: str
    differs: list[str]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folders",
        nargs="*",
        type=Path,
        metavar="FOLDER",
        help=f"folder to search for records, at any depth (default: {_RESULTS}, without {_REFERENCE})",
    )
    parser.add_argument("--stale", action="store_true", help="list only records whose code is not today's")
    parser.add_argument("--format", choices=("text", "csv", "summary"), default="text", help="default: %(default)s")


def main(arguments: argparse.Namespace) -> None:
    lines = [_line(read_record(file)) for file in _record_files(arguments.folders)]
    if arguments.stale:
        lines = [line for line in lines if line.code != "current"]
    {"text": _print_text, "csv": _print_csv, "summary": _print_summary}[arguments.format](lines)
    if arguments.stale and lines:
        raise SystemExit(1)


def _record_files(folders: list[Path]) -> list[Path]:
    """The files of all records under ``folders``, sorted. Raises UsageError if there are none."""
    for folder in folders:
        if not folder.is_dir():
            raise UsageError(f"{folder}: no such folder; name one that holds records, such as {_RESULTS}")
    files = {file for folder in folders or [_RESULTS] for file in record_files(folder)}
    files = files if folders else {file for file in files if not file.is_relative_to(_REFERENCE)}
    if not files:
        where = ", ".join(map(str, folders)) or _RESULTS
        raise UsageError(f"{where}: no records; make some with 'warpath run', or name a folder, such as {_REFERENCE}")
    return sorted(files)


def _line(record: Record) -> _Line:
    try:
        today = _today(record.algorithm, record.variant, record.device["kind"])
    except UsageError:
        code, differs = "gone", []
    else:
        differs = differing(record.code, today)
        code = "stale" if differs else "current"
    device, samples = record.device["name"], len(record.samples)
    run, status, seconds, date = record.run, record.status, record.seconds, record.started[:10]
    return _Line(record.dataset, run, status, seconds, samples, device, date, code, differs)


@cache
def _today(algorithm: str, variant: str, device_kind: str) -> Code:
    """The code that would run today. Raises UsageError if there is no such variant."""
    return code_of(find(algorithm, variant), device_kind)


def _print_csv(lines: Iterable[_Line]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(_Line._fields)
    writer.writerows((*line[:-1], ", ".join(line.differs)) for line in lines)


def _print_summary(lines: Iterable[_Line]) -> None:
    """Print a line for each variant and state, with what differs."""
    counts: Counter[tuple[str, ...]] = Counter()
    for line in lines:
        variant = ".".join(line.run.split(".")[:2])
        counts[variant, line.code, ", ".join(line.differs)] += 1
    print("| Variant | Records | Code | What differs |")
    print("|---|---:|---|---|")
    for (variant, code, differs), count in sorted(counts.items()):
        print(f"| {variant} | {count} | {code} | {differs or '–'} |")


def _print_text(lines: Iterable[_Line]) -> None:
    print_columns(map(_cells, lines), _Line._fields[:-1], right=("seconds", "samples"))


def _cells(line: _Line) -> tuple[str, ...]:
    """The cells of a line of text."""
    code = line.code
    if line.differs:
        further = len(line.differs) - _NAMED_MAX
        more = f" and {further} more" if further > 0 else ""
        code += f": {', '.join(line.differs[:_NAMED_MAX])}{more} {'differs' if len(line.differs) == 1 else 'differ'}"
    seconds = "-" if line.seconds is None else f"{line.seconds:.6g}"
    return (line.dataset, line.run, line.status, seconds, str(line.samples), line.device, line.date, code)
