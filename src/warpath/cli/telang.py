"""``warpath telang``: the table of results of one work, from its records."""

import argparse

from ..atomic import write_text
from ..grid.record import read_grid_record
from ..report.telang_grid.markdown import table_markdown
from ..report.telang_grid.printed import printed
from ..report.telang_grid.table import comparison_csv, read_published, table_csv

HELP = """\
What K. P. Telang, "Single Source Shortest Path using CUDA", prints, from the records of 'warpath grid'.

examples:
  warpath telang results/telang_grid/runs/1024.json
  warpath telang results/telang_grid/runs/*.json --format markdown --output results/telang_grid/results.md

formats:
  csv         the work's columns
  comparison  CSV with a line for each quantity, beside the published one
  markdown    for reading, with times
  printed     as the work's program prints it
"""

_PUBLISHED = "data/published/telang_grid/results.csv"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("records", nargs="+", metavar="RECORD", help="made by 'warpath grid'")
    parser.add_argument("--published", default=_PUBLISHED, metavar="FILE", help="default: %(default)s")
    parser.add_argument("--format", choices=_FORMATS, default="csv", help="default: %(default)s")
    parser.add_argument("--output", metavar="FILE", help="default: the terminal")


def main(arguments: argparse.Namespace) -> None:
    records = [read_grid_record(path) for path in arguments.records]
    text = _FORMATS[arguments.format](records, arguments.published)
    if arguments.output:
        write_text(arguments.output, text)
    else:
        print(text, end="")


_FORMATS = {
    "csv": lambda records, published: table_csv(records),
    "comparison": lambda records, published: comparison_csv(records, read_published(published)),
    "markdown": lambda records, published: table_markdown(records, read_published(published)),
    "printed": lambda records, published: "\n".join(map(printed, records)),
}
