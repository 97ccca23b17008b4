"""``warpath report``: make tables, claims and figures of a work from records."""

import argparse
from pathlib import Path

from warpath.errors import UsageError, WarpathError
from warpath.system.names import check_known

from ..datasets.catalog import load_catalog
from ..report.cells import Data
from ..report.runs import collect
from ..works import works
from ..works.settings import split_names
from ..works.work_file import Suite

HELP = """\
Make tables, claims and figures of a work from the records of its runs, in all formats. Without TARGET, make all targets
that have a record. The target 'runs' is a tidy table with one line per run. The page index.html
of the results links all that has been made.

examples:
  warpath list works
  warpath report bodra table1 figure5
  warpath report katz_kider
  warpath report bodra --records results/reference/nvidia-h200/runs --results /tmp/h200 --figures /tmp/h200
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("work", metavar="WORK", help="a folder of workflow/works")
    parser.add_argument(
        "targets", nargs="*", metavar="TARGET", help="targets to make (default: all that have a record)"
    )
    parser.add_argument(
        "--suite", default=works.PAPER, metavar="NAME", help="suite of the graphs (default: %(default)s)"
    )
    parser.add_argument("--rows", default="", metavar="ROW,...", help="make only these rows (default: all)")
    parser.add_argument("--columns", default="", metavar="NAME,...", help="make only these variants (default: all)")
    parser.add_argument("--records", type=Path, metavar="FOLDER", help="folder of records (default: RESULTS/runs)")
    for kind in ("results", "figures"):
        text = f"default: the suite's folder, {kind} for {works.PAPER}"
        parser.add_argument(f"--{kind}", type=Path, metavar="FOLDER", help=text)


def main(arguments: argparse.Namespace) -> None:
    from ..report.index import write_index  # here, so that the help does without Jinja2
    from ..report.views import write_target

    known = works.load_all()
    check_known("work", [arguments.work], known)
    work = known[arguments.work]
    check_known("--suite", [arguments.suite], works.suites(known.values()))
    work.check(load_catalog())
    choice = works.Choice(arguments.suite, split_names(arguments.rows), split_names(arguments.columns))
    works.check_choice(choice, known.values(), "--")  # the pipeline may name rows of other works, too
    suite = work.suites.get(arguments.suite, Suite())
    results = arguments.results or suite.folder("results")
    figures = arguments.figures or suite.folder("figures")
    names = arguments.targets or [target.name for target in work.targets(choice)]
    if not names:
        raise UsageError(f"{work.name}: no run is in both these rows and these columns")
    records = arguments.records or results / "runs"
    targets = [work.target(name, choice) for name in names]
    runs = {target.name: work.requests(work.needs(target), choice) for target in targets}
    if not arguments.targets:
        recorded = {run for needed in runs.values() for run in needed if (records / run.file).is_file()}
        targets = [
            target
            for target in targets
            if any(run in recorded and target.row in ("", run.row) for run in runs[target.name])
        ] or targets
    # Each target gets only its own runs, so that its files do not depend on the other targets.
    faults: dict[str, list[str]] = {}
    for target in targets:
        try:
            data = Data(work, target, choice, collect(runs[target.name], records))
            for file in write_target(data, results, figures):
                print(file)
        except WarpathError as error:
            if len(targets) == 1:
                raise
            faults.setdefault(str(error), []).append(target.name)
    if len(faults) < len(targets):
        write_index(known.values(), arguments.suite, results, figures)
    if faults:
        raise UsageError("; ".join(f"{', '.join(names)}: {fault}" for fault, names in faults.items()))
