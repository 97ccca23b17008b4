"""``warpath records``: list records, and whether their code has changed since."""

import argparse
import csv
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from warpath.errors import UsageError

from ..measure.runs import changed_code
from ..record import Record, read_record, record_files
from . import print_columns, print_markdown

HELP = """\
List records: the run, its time, device and date, and whether its code has changed since. Kernels are compared by their
text without comments. Host loops, sampling and device code are compared by their revisions.

With --stale, the exit status is 1 if the code of a record has changed. --format summary prints a Markdown table with a
line for each variant and state of its code.

examples:
  warpath records
  warpath records results/reference/nvidia-h200
  warpath records --stale --format csv results/demo
  warpath records --format summary results/reference/nvidia-h200

code:
  current   the code is the same
  stale     the listed kernels or revisions differ; measure the run again with 'warpath run' or the workflow
  gone      the variant no longer exists
"""

_RESULTS = Path("results")
_REFERENCE = _RESULTS / "reference"
_LISTED_MAX = 3


class _Line(NamedTuple):
    """A record; ``code`` is current, stale or gone, and ``differs`` names the parts that make it stale."""

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
    parser.add_argument("--stale", action="store_true", help="list only records whose code has changed")
    formats = ("text", "csv", "summary")
    parser.add_argument("--format", choices=formats, default="text", help="format of the list (default: %(default)s)")


def main(arguments: argparse.Namespace) -> None:
    lines = [_line(read_record(file)) for file in _record_files(arguments.folders)]
    if arguments.stale:
        lines = [line for line in lines if line.code != "current"]
    if arguments.format == "csv":
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(_Line._fields)
        writer.writerows((*line[:-1], ", ".join(line.differs)) for line in lines)
    elif arguments.format == "summary":
        counts = Counter((".".join(line.run.split(".")[:2]), line.code, ", ".join(line.differs)) for line in lines)
        rows = [
            (variant, str(count), code, differs or "–") for (variant, code, differs), count in sorted(counts.items())
        ]
        print_markdown(rows, ("Variant", "Records", "Code", "What differs"), right=("Records",))
    else:
        print_columns(map(_cells, lines), _Line._fields[:-1], right=("seconds", "samples"))
    if arguments.stale and lines:
        raise SystemExit(1)


def _record_files(folders: list[Path]) -> list[Path]:
    """The files of all records under ``folders``, sorted. Raises UsageError if there are none."""
    for folder in folders:
        if not folder.is_dir():
            raise UsageError(f"{folder}: no such folder; name one with records, such as {_RESULTS}")
    files = {file for folder in folders or [_RESULTS] for file in record_files(folder)}
    if not folders:
        files = {file for file in files if not file.is_relative_to(_REFERENCE)}
    if not files:
        names = ", ".join(map(str, folders or [_RESULTS]))
        raise UsageError(f"{names}: no records; make some with 'warpath run', or name a folder, such as {_REFERENCE}")
    return sorted(files)


def _line(record: Record) -> _Line:
    differs = changed_code(record)
    code = "gone" if differs is None else "stale" if differs else "current"
    device, samples = record.device["name"], len(record.samples)
    run, status, seconds, date = record.run, record.status, record.seconds, record.started[:10]
    return _Line(record.dataset, run, status, seconds, samples, device, date, code, differs or [])


def _cells(line: _Line) -> tuple[str, ...]:
    """The cells of a line of text."""
    code = line.code
    if line.differs:
        further = len(line.differs) - _LISTED_MAX
        more = f" and {further} more" if further > 0 else ""
        code += f": {', '.join(line.differs[:_LISTED_MAX])}{more} {'differs' if len(line.differs) == 1 else 'differ'}"
    seconds = "-" if line.seconds is None else f"{line.seconds:.6g}"
    return (line.dataset, line.run, line.status, seconds, str(line.samples), line.device, line.date, code)
