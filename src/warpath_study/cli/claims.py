"""``warpath claims``: show what the works claim, and what was measured."""

import argparse
from pathlib import Path

from warpath.errors import UsageError
from warpath.system.names import check_known

from ..datasets.catalog import load_catalog
from ..report.cells import Data
from ..report.claims import claim_results
from ..report.runs import collect
from ..works import works
from ..works.work_file import Suite
from . import print_columns

HELP = """\
Show the claims of a work, or of all works: the claimed range, the same quantity from the times in the work's own
tables, the measured value, and whether it is in the range. A time below the range is faster, a speedup below it is
smaller. 'warpath report WORK claims' writes the same with settings and remarks.

examples:
  warpath claims
  warpath claims bodra
  warpath claims katz_kider --suite reference
  warpath claims katz_kider --records before/runs
  warpath claims --suite demo
"""

_COLUMNS = ("Claim", "Claimed", "In its own table", "Measured", "Verdict")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("work", nargs="?", metavar="WORK", help="a folder of workflow/works (default: all)")
    parser.add_argument(
        "--suite", default=works.PAPER, metavar="NAME", help="suite of the graphs (default: %(default)s)"
    )
    parser.add_argument(
        "--records",
        type=Path,
        metavar="FOLDER",
        help="folder of records (default: that of the suite)",
    )


def main(arguments: argparse.Namespace) -> None:
    known = works.load_all()
    check_known("work", [arguments.work] if arguments.work else [], known)
    check_known("--suite", [arguments.suite], works.suites(known.values()))
    choice = works.Choice(arguments.suite)
    every = next(iter(known.values())).suites
    records = arguments.records or every.get(choice.suite, Suite()).folder("results") / "runs"
    datasets = load_catalog()
    rows: list[tuple[str, ...]] = []
    for work in [known[arguments.work]] if arguments.work else known.values():
        work.check(datasets)
        rows += [line if arguments.work else (work.name, *line) for line in _claims(work, choice, records)]
    if not rows:
        raise UsageError(
            f"{records}: no record for a claim of {arguments.work or 'any work'} in the suite {arguments.suite}; "
            "measure first, or name a folder of records with --records, or a suite with records: "
            + ", ".join(name for name, suite in every.items() if suite.reference)
        )
    heading = _COLUMNS if arguments.work else ("Work", *_COLUMNS)
    print_columns(rows, heading, right=("Claimed", "In its own table", "Measured"))


def _claims(work: works.Work, choice: works.Choice, records: Path) -> list[tuple[str, ...]]:
    """The claims of ``work``, with a cell for each column; none if none of their runs has a record."""
    for target in work.targets(choice):
        runs = work.requests(work.needs(target), choice)
        if target.fields.kind == "claims" and any((records / run.file).is_file() for run in runs):
            data = Data(work, target, choice, collect(runs, records))
            return [tuple(result.line[name] for name in _COLUMNS) for result in claim_results(data, work.claims)]
    return []
