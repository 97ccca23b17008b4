"""The options of commands that read a graph and solve on a device."""

import argparse
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..device import NO_GPU, Device, open_without_warning
from ..errors import UsageError
from ..graphs.content import READ_LIMIT_HELP
from ..graphs.csr import Graph
from ..graphs.files.formats import FORMATS, WEIGHTS, read


def add_graph_options(parser: argparse.ArgumentParser, device: bool = True) -> None:
    """Add GRAPH, the options for reading it, and --device if ``device`` is true."""
    parser.add_argument(
        "graph",
        type=Path,
        metavar="GRAPH",
        help=f"the graph file, plain or compressed with gzip, bzip2 or xz; {READ_LIMIT_HELP}",
    )
    add_reading_options(parser)
    if device:
        names = "auto (a GPU, else the CPU), cuda, cuda:INDEX, cpu, or simulated (a GPU simulated on the CPU, slow)"
        parser.add_argument("--device", default="auto", help=f"{names} (default: auto)")


def add_reading_options(parser: argparse.ArgumentParser, if_none: str = "ones") -> None:
    """Add the options for reading a graph file. ``if_none`` are the weights if the file has none."""
    parser.add_argument(
        "--format",
        choices=FORMATS,
        metavar="FORMAT",
        help=f"format of the file: {', '.join(FORMATS)} (default: detected from name and content)",
    )
    parser.add_argument("--weight", metavar="NAME", help="column of the weights in CSV and Parquet (default: weight)")
    parser.add_argument("--tail", metavar="NAME", help="column of arcs' tails (default: source)")
    parser.add_argument("--head", metavar="NAME", help="column of arcs' heads (default: target)")
    parser.add_argument(
        "--header",
        action=argparse.BooleanOptionalAction,
        help="whether line 1 of CSV or of an edge list is no arc, but names of columns or counts (default: the content "
        "decides)",
    )
    parser.add_argument("--undirected", action="store_true", help="count each arc in both directions")
    parser.add_argument("--unweighted", action="store_true", help="count arcs: leave the weights of the file out")
    parser.add_argument(
        "--weights",
        choices=WEIGHTS,
        metavar="KIND",
        help=f"given (insist on those of the file) or drawn (random); default: given, or {if_none} if it has none",
    )
    parser.add_argument("--seed", type=int, metavar="N", help="seed of the random weights (default: 1)")
    parser.add_argument("--weight-min", type=int, metavar="W", help="smallest random weight (default: 1)")
    parser.add_argument("--weight-max", type=int, metavar="W", help="largest random weight (default: 100)")
    parser.add_argument(
        "--scale",
        type=int,
        metavar="N",
        help="multiply weights by N, and require that the products are whole (default: fractions are floats)",
    )
    parser.add_argument(
        "--type",
        dest="dtype",
        choices=("float64",),
        help="type of the weights; as float64, sums of integers are exact up to 2^53 (default: integers have 32 bits)",
    )


def reading_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """The arguments of ``formats.read`` that the options name. Raises UsageError if options exclude each other."""
    names = (
        "format",
        "weight",
        "tail",
        "head",
        "header",
        "weights",
        "seed",
        "weight_min",
        "weight_max",
        "scale",
        "dtype",
    )
    given = {name: getattr(arguments, name) for name in names}
    options = {name: value for name, value in given.items() if value is not None}
    if arguments.undirected:
        options["directed"] = False
    if arguments.unweighted:
        if "weight" in options:
            raise UsageError("--unweighted leaves weights out, and --weight names them; leave out one of the two")
        options["weight"] = None
    return options


@contextmanager
def opening(name: str) -> Iterator[Callable[[], Device]]:
    """A function that returns the device ``name``, which takes longer to open than most files take to read.

    It warns if there is no GPU, so it is called after files have been read: what is wrong with them comes first.
    """
    with ThreadPoolExecutor(1) as thread:
        future = thread.submit(open_without_warning, name)

        def opened() -> Device:
            device = future.result()
            device.use_in_thread()
            if name == "auto" and device.kind == "cpu":
                warnings.warn(NO_GPU.format("--device cpu"), stacklevel=2)
            return device

        yield opened


def read_graph(arguments: argparse.Namespace) -> Graph:
    """Read the graph that the options name. Raises WarpathError if it cannot be read."""
    options = reading_options(arguments)
    for name in ("seed", "weight_min", "weight_max"):
        if name in options and options.get("weights") != "drawn":
            raise UsageError(f"--{name.replace('_', '-')} needs --weights drawn; add it, or leave out the option")
    return read(arguments.graph, **options)
