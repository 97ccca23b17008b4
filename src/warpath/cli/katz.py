"""``warpath katz``: the table, comparisons and claims of one work, from records; and a part of a graph."""

import argparse
from collections.abc import Mapping
from pathlib import Path

from ..atomic import write_text
from ..errors import UsageError
from ..graphs import csr
from ..graphs.selection import first_vertices
from ..report.comparison import comparison_text
from ..report.katz_kider import claims, larger, runs, table1
from ..report.katz_kider.entries import FIGURES, entries_of, figure_entries
from ..report.katz_kider.published import read_claims, read_table1

HELP = """\
What G. J. Katz and J. T. Kider, "All-Pairs Shortest-Paths for Large Graphs on the GPU" (2008), print, from the runs of
blocked_all_pairs and transitive_closure on this machine, all of them certified.

what:
  runs      one CSV line for each run; the others read it
  table1    seconds by number of vertices, measured beside published
  figure5, figure6, figure7, figure8
            the comparisons from which 'warpath plot katz_kider.figure5' and so on draw
  claims    the claims of the text: claimed, measured, holds or not
  larger    runs on larger graphs, in markdown alone: seconds, and against the first run on the same graph
  part      a graph file of the arcs of one weight between the first vertices of another

examples:
  warpath katz runs --records results/katz_kider/runs --rows 64=katz-64 --columns blocked_all_pairs.blocked \\
      --output runs.csv
  warpath katz runs --records results/katz_kider/runs \\
      --rows 36682=katz-36682 --columns blocked_all_pairs.register_blocked \\
      --rows 65536=katz-65536 --columns blocked_all_pairs.several_devices.devices=2 --output larger.csv
  warpath katz table1 --runs runs.csv --format markdown
  warpath katz part --graph data/graphs/caida.npz --vertices 1000 --weight 1 --output data/graphs/caida-part.npz
"""

_PUBLISHED = "data/published/katz_kider"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=["runs", "table1", *FIGURES, "claims", "larger", "part"])
    parser.add_argument("--published", default=_PUBLISHED, metavar="FOLDER", help="default: %(default)s")
    parser.add_argument(
        "--rows", nargs="+", action="append", default=[], metavar="ROW=DATASET", help="runs: datasets by row"
    )
    parser.add_argument(
        "--columns",
        nargs="+",
        action="append",
        default=[],
        metavar="ALGORITHM.VARIANT",
        help="runs: what was run on them; given several times, it belongs to the --rows given as often before",
    )
    parser.add_argument("--records", metavar="FOLDER", help="runs: where the records are")
    parser.add_argument("--runs", metavar="FILE", help="table1, figures, claims, larger: made by 'runs'")
    parser.add_argument("--graph", metavar="FILE", help="part: the whole graph")
    parser.add_argument("--vertices", type=int, metavar="N", help="part: how many vertices, the first ones")
    parser.add_argument("--weight", type=int, metavar="N", help="part: the weight of the arcs to keep")
    parser.add_argument("--format", choices=("csv", "markdown"), default="csv", help="default: %(default)s")
    parser.add_argument("--output", metavar="FILE", help="default: the terminal")


def main(arguments: argparse.Namespace) -> None:
    if arguments.what == "part":
        graph = csr.load(_needed(arguments, "graph"))
        part = first_vertices(graph, _needed(arguments, "vertices"), _needed(arguments, "weight"))
        part.save(_needed(arguments, "output"))
        print(f"{arguments.output}: {part.vertices:,} vertices, {part.arcs:,} arcs")
        return
    text = _text(arguments)
    if arguments.output:
        write_text(arguments.output, text)
    else:
        print(text, end="")


def _text(arguments: argparse.Namespace) -> str:
    if arguments.what == "runs":
        records = _needed(arguments, "records")
        return runs.runs_csv([run for group in _groups(arguments) for run in runs.gather(records, *group)])
    made = runs.read_runs(_needed(arguments, "runs"))
    folder, markdown = Path(arguments.published), arguments.format == "markdown"
    if arguments.what == "claims":
        checked = claims.check(read_claims(folder / "claims.csv"), made)
        return claims.claims_markdown(checked, made) if markdown else claims.claims_csv(checked)
    if arguments.what == "larger":
        if not markdown:
            raise UsageError("larger is written as markdown; its lines in csv are what 'runs' writes")
        return larger.larger_markdown(made)
    published = read_table1(folder / "table1.csv")
    if arguments.what == "table1":
        if markdown:
            return table1.table1_markdown(made, published)
        return comparison_text(entries_of(made, published, runs.ALL_PAIRS, table1.VARIANTS))
    if markdown:
        raise UsageError(f"{arguments.what} is written as csv, from which it is drawn")
    return comparison_text(figure_entries(arguments.what, made, published))


def _groups(arguments: argparse.Namespace) -> list[tuple[Mapping[str, str], list[str]]]:
    """Rows, and the columns that were run on them."""
    if not arguments.rows:
        raise UsageError("runs needs --rows ROW=DATASET ...")
    columns = _needed(arguments, "columns")
    if len(columns) != len(arguments.rows):
        raise UsageError("runs needs --columns as often as --rows")
    return [(_rows(texts), group) for texts, group in zip(arguments.rows, columns, strict=True)]


def _rows(texts: list[str]) -> Mapping[str, str]:
    """``["64=katz-64"]`` as a mapping."""
    rows: dict[str, str] = {}
    for text in texts:
        row, _, dataset = text.partition("=")
        if not (row.isdigit() or row == runs.CAIDA) or not dataset or row in rows:
            raise UsageError(
                f"--rows {text}: expected ROW=DATASET, each row once, a number of vertices or {runs.CAIDA}"
            )
        rows[row] = dataset
    return rows


def _needed(arguments: argparse.Namespace, option: str):
    value = getattr(arguments, option)
    if value is None or value == []:
        raise UsageError(f"{arguments.what} needs --{option}")
    return value
