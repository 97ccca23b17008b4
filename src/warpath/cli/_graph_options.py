"""The options of commands that read a graph and solve on a device."""

import argparse
from pathlib import Path

from ..errors import UsageError
from ..graphs.content import READ_LIMIT_HELP
from ..graphs.csr import Graph
from ..graphs.formats import FORMATS, WEIGHTS, read


def add_graph_options(parser: argparse.ArgumentParser, device: bool = True) -> None:
    """Add GRAPH, the options for reading it, and --device if ``device`` is true."""
    parser.add_argument(
        "graph",
        type=Path,
        metavar="GRAPH",
        help=f"the graph file, plain or compressed with gzip or xz; {READ_LIMIT_HELP}",
    )
    parser.add_argument(
        "--format",
        choices=FORMATS,
        metavar="FORMAT",
        help=f"format of GRAPH: {', '.join(FORMATS)} (default: detected from name and content)",
    )
    parser.add_argument(
        "--weights",
        choices=WEIGHTS,
        metavar="KIND",
        help="given (from the file), drawn (random) or ones (default: given, or ones if the file has no weights)",
    )
    parser.add_argument("--seed", type=int, metavar="N", help="seed of the random weights (default: 1)")
    parser.add_argument("--weight-min", type=int, metavar="W", help="smallest random weight (default: 1)")
    parser.add_argument("--weight-max", type=int, metavar="W", help="largest random weight (default: 100)")
    parser.add_argument(
        "--scale",
        type=int,
        metavar="N",
        help="multiply weights by N, which makes them whole; distances are printed in the original unit "
        "(default: fractions are floats)",
    )
    if device:
        names = "auto, cuda, cuda:INDEX, cpu or host"
        parser.add_argument("--device", default="auto", help=f"{names} (default: %(default)s)")


def read_graph(arguments: argparse.Namespace) -> Graph:
    """Read the graph that the options name. Raises WarpathError if it cannot be read."""
    names = ("weights", "seed", "weight_min", "weight_max", "scale")
    options = {name: getattr(arguments, name) for name in names if getattr(arguments, name) is not None}
    for name in ("seed", "weight_min", "weight_max"):
        if name in options and options.get("weights") != "drawn":
            raise UsageError(f"--{name.replace('_', '-')} needs --weights drawn; add it, or leave out the option")
    return read(arguments.graph, arguments.format, **options)
