"""``warpath grid``: find, certify and print a path over the product of two matrices."""

import argparse
import sys

from warpath.device import open_for_kernels
from warpath.errors import UsageError
from warpath.solvers import find

from ..matrix_product.matrices import Matrices, load_matrix, random_matrices
from ..matrix_product.product_path import ProductPath, certify_product_path, program_output
from ..measure.plans import plan_of

HELP = """\
Multiply two matrices, and find the cheapest path from the smallest to the second smallest entry of the product. A step
to a neighbour costs the value of the cell that it leaves. The answer is certified, and printed in the format of the
published program. 'warpath run' measures the same on a file of 'warpath generate'.

examples:
  warpath grid --size 1024
  warpath grid --size 64 --device simulated
  warpath grid --left a.npy --right b.npy --source 0,0 --destination 9,9
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--size", type=int, metavar="N", help="rows and columns of two random matrices")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of their entries (default: %(default)d)")
    parser.add_argument("--left", metavar="FILE", help="instead of --size: the left matrix, a square .npy file")
    parser.add_argument("--right", metavar="FILE", help="the right matrix")
    for option, meaning, entry in (("--source", "start", "smallest"), ("--destination", "end", "second smallest")):
        meaning += f" of the path (default: the {entry} entry)"
        parser.add_argument(option, type=_cell, metavar="ROW,COLUMN", help=meaning)
    parser.add_argument("--device", default="cuda", help="cuda, cuda:INDEX or simulated (default: cuda)")


def main(arguments: argparse.Namespace) -> None:
    matrices = _matrices(arguments)
    device = open_for_kernels(arguments.device)
    configured = find("matrix_path", "frontier").configured({})
    answer = plan_of(configured, device, matrices, None, ends=(arguments.source, arguments.destination)).solve()
    assert isinstance(answer, ProductPath)
    certificate = certify_product_path(matrices, answer)
    print(program_output(matrices.size, answer.as_dict()), end="")
    tolerance = certificate.tolerances["weight"]
    print(f"certified on {device.name}: {certificate.verdict}, the weight within {tolerance:.2g}", file=sys.stderr)


def _matrices(arguments: argparse.Namespace) -> Matrices:
    files = (arguments.left, arguments.right)
    if (arguments.size is None) == (files == (None, None)) or files.count(None) == 1:
        raise UsageError("give --size for random matrices, or both --left and --right for your own")
    if arguments.size is not None:
        return random_matrices(arguments.size, arguments.seed)
    matrices = Matrices(load_matrix(arguments.left), load_matrix(arguments.right))
    matrices.check()
    return matrices


def _cell(text: str) -> tuple[int, int]:
    row, _, column = text.partition(",")
    try:
        return int(row), int(column)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected two whole numbers, ROW,COLUMN, not {text!r}") from None
