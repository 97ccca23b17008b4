"""The options of commands that read a graph of the user's and solve on a device."""

import argparse
from pathlib import Path

from ..errors import UsageError
from ..graphs.content import READ_LIMIT_HELP
from ..graphs.csr import Graph
from ..graphs.formats import FORMATS, WEIGHTS, read


def add_graph_options(parser: argparse.ArgumentParser, device: bool = True) -> None:
    """GRAPH, how it is to be read, and the device, if there is to be one."""
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
        help=f"how to read GRAPH: {', '.join(FORMATS)} (default: by its name and content)",
    )
    parser.add_argument(
        "--weights",
        choices=WEIGHTS,
        metavar="KIND",
        help="given: those of the file; drawn: random ones; ones (default: given, or ones where the file has none)",
    )
    parser.add_argument("--seed", type=int, metavar="N", help="seed of drawn weights (default: 1)")
    parser.add_argument("--weight-min", type=int, metavar="W", help="smallest drawn weight (default: 1)")
    parser.add_argument("--weight-max", type=int, metavar="W", help="largest drawn weight (default: 100)")
    parser.add_argument(
        "--scale", type=int, metavar="N", help="multiply weights that are fractions by N; undone in what is printed"
    )
    if device:
        parser.add_argument("--device", default="auto", help="auto, cuda, cuda:INDEX or host (default: %(default)s)")


def read_graph(arguments: argparse.Namespace) -> Graph:
    """The graph that the options name; raises WarpathError with one sentence if it cannot be read as they say."""
    names = ("weights", "seed", "weight_min", "weight_max", "scale")
    given = {name: getattr(arguments, name) for name in names if getattr(arguments, name) is not None}
    for name in ("seed", "weight_min", "weight_max"):
        if name in given and given.get("weights") != "drawn":
            raise UsageError(f"--{name.replace('_', '-')} is for drawn weights; add --weights drawn, or leave it out")
    return read(arguments.graph, arguments.format, **given)
