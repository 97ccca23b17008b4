"""``warpath safari``: the tables, comparisons and claims of one work, from graphs and records."""

import argparse
from collections.abc import Mapping
from pathlib import Path

from ..atomic import write_text
from ..errors import UsageError
from ..graphs import csr
from ..graphs.degrees import out_degrees
from ..report.comparison import comparison_text
from ..report.safari_ebnenasir import claims, figure3, runs, table1, table2
from ..report.safari_ebnenasir.published import read_claims, read_table1

HELP = """\
What M. Safari and A. Ebnenasir, "Locality-Based Relaxation" (2017), print, from the runs of label_correcting on this
machine. Every run is of many random sources (warpath run --random-sources COUNT) and certified from each.

what:
  table1   out-degrees of the graphs, read from their files, beside the published ones
  runs     one CSV line for each run: means over its sources; the other three read it
  table2   bytes, launches, host reads, atomics and speedup of each method
  figure3  the comparison from which 'warpath plot safari_ebnenasir.figure3' draws
  claims   the claims of the text: claimed, measured, holds or not

examples:
  warpath safari table1 --rows "New York=data/graphs/nyc.npz" --format markdown
  warpath safari runs --records results/safari_ebnenasir/runs --rows "New York=nyc" \\
      --settings k=4,vertices_per_thread=2 --output runs.csv
  warpath safari claims --runs runs.csv --sweep sweep.csv --format markdown
"""

_PUBLISHED = "data/published/safari_ebnenasir"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=_MAKERS)
    parser.add_argument("--published", default=_PUBLISHED, metavar="FOLDER", help="default: %(default)s")
    parser.add_argument(
        "--rows", nargs="+", default=[], metavar="ROW=NAME", help="table1: graph files, runs: datasets, by row"
    )
    parser.add_argument("--records", metavar="FOLDER", help="runs: where the records are")
    parser.add_argument(
        "--settings", nargs="+", default=[], metavar="NAME=VALUE,...", help="runs: parameters of locality, one run each"
    )
    parser.add_argument("--runs", metavar="FILE", help="table2, figure3, claims: made by 'runs'")
    parser.add_argument("--sweep", metavar="FILE", help="claims: made by 'runs', over k and vertices per thread")
    parser.add_argument(
        "--format", choices=("csv", "markdown", "comparison"), default="csv", help="default: %(default)s"
    )
    parser.add_argument("--output", metavar="FILE", help="default: the terminal")


def main(arguments: argparse.Namespace) -> None:
    text = _MAKERS[arguments.what](arguments)
    if arguments.output:
        write_text(arguments.output, text)
    else:
        print(text, end="")


def _table1(arguments: argparse.Namespace) -> str:
    files = _rows(arguments)
    published = read_table1(Path(arguments.published, "table1.csv"))
    unknown = [row for row in files if row not in published]
    if unknown:
        raise UsageError(f"--rows: the paper has no graph {unknown[0]!r}; it has {', '.join(published)}")
    degrees = {row: out_degrees(csr.load(file)) for row, file in files.items()}
    if arguments.format == "csv":
        return table1.table1_csv(table1.statistics(published, degrees))
    compared = table1.compare(published, degrees)
    if arguments.format == "comparison":
        return table1.table1_comparison(compared)
    return table1.table1_markdown(compared, {row: Path(file).stem for row, file in files.items()})


def _runs(arguments: argparse.Namespace) -> str:
    _only(arguments, "csv")
    rows = _rows(arguments)
    return runs.runs_csv(runs.gather(_needed(arguments, "records"), rows, arguments.settings))


def _table2(arguments: argparse.Namespace) -> str:
    _only(arguments, "csv", "markdown")
    made = runs.read_runs(_needed(arguments, "runs"))
    return table2.table2_csv(made) if arguments.format == "csv" else table2.table2_markdown(made)


def _figure3(arguments: argparse.Namespace) -> str:
    _only(arguments, "csv", "comparison")
    folder = Path(arguments.published)
    graphs, stated = read_table1(folder / "table1.csv"), read_claims(folder / "claims.csv")
    return comparison_text(figure3.entries_of(runs.read_runs(_needed(arguments, "runs")), graphs, stated))


def _claims(arguments: argparse.Namespace) -> str:
    _only(arguments, "csv", "markdown")
    measured = claims.Runs(runs.read_runs(_needed(arguments, "runs")), runs.read_runs(_needed(arguments, "sweep")))
    folder = Path(arguments.published)
    checked = claims.check(read_claims(folder / "claims.csv"), read_table1(folder / "table1.csv"), measured)
    return claims.claims_csv(checked) if arguments.format == "csv" else claims.claims_markdown(checked, measured)


_MAKERS = {"table1": _table1, "runs": _runs, "table2": _table2, "figure3": _figure3, "claims": _claims}


def _rows(arguments: argparse.Namespace) -> Mapping[str, str]:
    """``["New York=nyc"]`` as a mapping."""
    rows: dict[str, str] = {}
    for text in arguments.rows:
        row, _, name = text.partition("=")
        if not row or not name or row in rows:
            raise UsageError(f"--rows {text}: expected ROW=NAME, each row once")
        rows[row] = name
    if not rows:
        raise UsageError(f"{arguments.what} needs --rows ROW=NAME ...")
    return rows


def _needed(arguments: argparse.Namespace, option: str) -> str:
    value = getattr(arguments, option)
    if value is None:
        raise UsageError(f"{arguments.what} needs --{option}")
    return value


def _only(arguments: argparse.Namespace, *formats: str) -> None:
    if arguments.format not in formats:
        raise UsageError(f"{arguments.what} is written as {' or '.join(formats)}, not as {arguments.format}")
