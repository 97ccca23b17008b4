"""``warpath claims``: show what the works claim, and what was measured."""

import argparse
from pathlib import Path

from warpath.errors import UsageError
from warpath.names import check_known

from ..datasets.catalog import load_catalog
from ..report.cells import Data
from ..report.claims import claim_results
from ..report.runs import collect
from ..works import works
from . import print_columns

HELP = """\
Show the claims of a work, or of all works, from the records of its runs: the claimed range, the same quantity of the
times that the work prints, what was measured, and where that lies. A verdict is no judgement: a time below the claimed
range is faster, a speedup below it is smaller. 'warpath report WORK claims' writes the same with settings and remarks.

examples:
  warpath claims
  warpath claims bodra
  warpath claims katz_kider --records results/reference/nvidia-h200/runs
  warpath claims --suite demo
"""

_COLUMNS = ("Claim", "Claimed", "In its own table", "Measured", "Verdict")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("work", nargs="?", metavar="WORK", help="a folder of workflow/works (default: all of them)")
    parser.add_argument(
        "--suite", default=works.PAPER, metavar="NAME", help="suite of the graphs (default: %(default)s)"
    )
    parser.add_argument(
        "--records", type=Path, metavar="FOLDER", help="folder of records (default: results/runs, of a suite its own)"
    )


def main(arguments: argparse.Namespace) -> None:
    known = works.load_all()
    check_known("work", [arguments.work] if arguments.work else [], known)
    check_known("--suite", [arguments.suite], works.suites(known.values()))
    choice = works.Choice(arguments.suite)
    own = () if arguments.suite == works.PAPER else (arguments.suite,)
    records = arguments.records or Path("results", *own, "runs")
    datasets = load_catalog()
    asked = [known[arguments.work]] if arguments.work else list(known.values())
    found = {}
    for work in asked:
        work.check(datasets)
        lines = _claims(work, choice, records)
        if lines:
            found[work.name] = lines
    if not found:
        raise UsageError(
            f"{records}: no record of what {arguments.work or 'any work'} claims in the suite {arguments.suite}; "
            "measure first, or name a folder with --records, such as results/reference/nvidia-h200/runs"
        )
    heading = _COLUMNS if arguments.work else ("Work", *_COLUMNS)
    rows = [line if arguments.work else (name, *line) for name, lines in found.items() for line in lines]
    print_columns(rows, heading, right=("Claimed", "In its own table", "Measured"))


def _claims(work: works.Work, choice: works.Choice, records: Path) -> list[tuple[str, ...]]:
    """The claims of ``work``, a cell for each column; none if no run that they are about has a record."""
    for target in work.targets(choice):
        runs = work.asked(work.needs(target), choice)
        if target.fields.kind == "claims" and any((records / run.file).is_file() for run in runs):
            data = Data(work, target, choice, collect(runs, records))
            return [tuple(result.line[name] for name in _COLUMNS) for result in claim_results(data, work.claims)]
    return []
