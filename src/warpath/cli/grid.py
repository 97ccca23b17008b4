"""``warpath grid``: a path over a matrix product, solved, certified and kept."""

import argparse
import sys

from ..atomic import check_place
from ..device import open_device
from ..errors import UsageError
from ..grid.matrices import load_matrix, random_matrices
from ..grid.measure import measure_grid
from ..grid.record import write_grid_record
from ..report.telang_grid.printed import printed

HELP = """\
Multiply two matrices, find the smallest and the second smallest entry of the product, and the least costly path from
the one to the other, on which a step to a neighbour costs the value of the cell that it leaves. The answer is certified
and printed, and kept as JSON.

examples:
  warpath grid --size 1024 --output results/telang_grid/runs/1024.json
  warpath grid --size 64 --device host
  warpath grid --left a.npy --right b.npy --source 0,0 --destination 9,9
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--size", type=int, metavar="N", help="rows, and columns, of two random matrices")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of their entries (default: %(default)d)")
    parser.add_argument("--left", metavar="FILE", help="a matrix of your own instead, square, a .npy file")
    parser.add_argument("--right", metavar="FILE", help="the other one")
    parser.add_argument(
        "--source", type=_cell, metavar="ROW,COLUMN", help="where the path starts (default: the smallest entry)"
    )
    parser.add_argument(
        "--destination", type=_cell, metavar="ROW,COLUMN", help="where it ends (default: the second smallest entry)"
    )
    parser.add_argument("--device", default="auto", help="auto, cuda, cuda:INDEX or host (default: auto)")
    parser.add_argument("--repeats", type=int, default=3, metavar="N", help="timed solves (default: %(default)d)")
    parser.add_argument("--output", metavar="FILE", help="where the record goes, a .json file (default: nowhere)")


def main(arguments: argparse.Namespace) -> None:
    if arguments.repeats < 1:
        raise UsageError(f"there must be at least one repeat, not {arguments.repeats}")
    own = (arguments.left, arguments.right)
    if (arguments.size is None) == (own == (None, None)) or own.count(None) == 1:
        raise UsageError("give --size for random matrices, or both --left and --right for your own")
    if arguments.output:
        check_place(arguments.output)
    if arguments.size is None:
        seed, left, right = None, load_matrix(arguments.left), load_matrix(arguments.right)
    else:
        seed, (left, right) = arguments.seed, random_matrices(arguments.size, arguments.seed)
    if len(left) != len(right):
        raise UsageError(f"the left matrix has {len(left)} rows and the right one {len(right)}; give two of one size")
    device = open_device(arguments.device)
    record = measure_grid(device, left, right, arguments.repeats, seed, arguments.source, arguments.destination)
    if arguments.output:
        write_grid_record(arguments.output, record)
    print(printed(record), end="")
    print(f"{device.name}: {record['seconds']:.4g} s, certified", file=sys.stderr)


def _cell(text: str) -> tuple[int, int]:
    row, _, column = text.partition(",")
    try:
        return int(row), int(column)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected ROW,COLUMN, two whole numbers, not {text!r}") from None
