"""``warpath plot``: a figure from the comparison of a table. Only the figure that is asked for is imported."""

import argparse
import importlib
import pkgutil

from .. import report
from ..errors import UsageError
from ..report import style
from ..report.comparison import read_comparison

HELP = """\
Draw a figure of the paper from the comparison of its table, which holds the measured times, the published ones, the
device and the date. The suffix of the output chooses the format: png, svg or pdf.

examples:
  warpath plot figure5 --table results/table1_comparison.csv --output figures/figure5.png
  warpath plot figure6_log --table results/table3_comparison.csv --output figures/figure6_log.pdf

A figure is a module of warpath.report, or of a work's package in it, whose name begins with 'figure' and which defines
draw(entries). One that is drawn from another file than a comparison also defines read(path).
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("figure", help=f"one of {', '.join(_figures())}")
    parser.add_argument("--table", required=True, metavar="FILE", help="made by 'warpath table --format comparison'")
    parser.add_argument("--output", required=True, metavar="FILE", help="FILE.png, FILE.svg or FILE.pdf")


def main(arguments: argparse.Namespace) -> None:
    if arguments.figure not in _figures():
        raise UsageError(f"unknown figure {arguments.figure!r}; there are {', '.join(_figures())}")
    style.check_format(arguments.output)
    figure = importlib.import_module(f"{report.__name__}.{arguments.figure}")
    read = getattr(figure, "read", read_comparison)
    data = read(arguments.table)
    with style.applied():
        drawing = figure.draw(data)
    style.save(drawing, arguments.output)


def _figures() -> list[str]:
    """Names of all figures: ``figure5``, and ``safari_ebnenasir.figure3`` for one of a work's package."""
    names = [module.name for module in pkgutil.walk_packages(report.__path__, f"{report.__name__}.")]
    names = [name.removeprefix(f"{report.__name__}.") for name in names]
    return [name for name in names if name.rpartition(".")[2].startswith("figure")]
