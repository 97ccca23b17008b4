"""``warpath table``: records into the rows and columns of a published table."""

import argparse

from ..atomic import write_text
from ..errors import UsageError
from ..report.comparison import comparison_text
from ..report.markdown import table_markdown
from ..report.published import read_published
from ..report.tables import compare, gather, table_csv

HELP = """\
Put records into a published table's rows and columns. Every time in it is certified: a record that is of another cell,
that failed or that has no certificate is refused. What was not run stays empty.

examples:
  warpath table table1 --published data/published/bodra/table1.csv --algorithm bellman_ford
  warpath table table1 --published data/published/bodra/table1.csv --algorithm bellman_ford \\
      --rows nyc=demo-nyc bay=demo-bay --variants naive stride --records results/demo/runs \\
      --format markdown --output results/demo/table1.md

formats:
  csv         the paper's rows and columns: seconds, numbers only, empty where there is none
  markdown    for reading: units, ~ for estimated, – for not run, and what must be known about them
  comparison  CSV with a line for each cell: published and measured seconds, ratio, status, device, record
"""

_FORMATS = {
    "csv": table_csv,
    "markdown": table_markdown,
    "comparison": lambda table: comparison_text(compare(table)),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("table", help="the table's name, such as table1")
    parser.add_argument("--published", required=True, metavar="FILE", help="the published table (CSV)")
    parser.add_argument("--algorithm", required=True, metavar="NAME", help="such as bellman_ford")
    parser.add_argument(
        "--rows",
        nargs="+",
        metavar="ROW=DATASET",
        help="which dataset stands in which row; a lone name stands in its own (default: the paper's datasets)",
    )
    parser.add_argument("--variants", nargs="+", metavar="NAME", help="columns to fill (default: the paper's)")
    parser.add_argument("--records", default="results/runs", metavar="FOLDER", help="default: %(default)s")
    parser.add_argument("--format", choices=_FORMATS, default="csv", help="default: %(default)s")
    parser.add_argument("--output", metavar="FILE", help="default: the terminal")


def main(arguments: argparse.Namespace) -> None:
    published = read_published(arguments.published)
    table = gather(
        arguments.table,
        arguments.algorithm,
        published,
        _datasets(arguments.rows or list(published.rows)),
        arguments.variants or published.variants,
        arguments.records,
    )
    text = _FORMATS[arguments.format](table)
    if arguments.output:
        write_text(arguments.output, text)
    else:
        print(text, end="")


def _datasets(rows: list[str]) -> dict[str, str]:
    """``["nyc=demo-nyc", "bay"]`` as a mapping of rows to datasets."""
    datasets: dict[str, str] = {}
    for row in rows:
        name, equals, dataset = row.partition("=")
        if not name or (equals and not dataset) or name in datasets:
            raise UsageError(f"--rows {row}: expected ROW=DATASET, each row once")
        datasets[name] = dataset or name
    return datasets
