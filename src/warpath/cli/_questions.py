"""What ``warpath pairs`` and ``warpath table`` share: questions about sources and targets, and distances as frames."""

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import UsageError
from ..graphs.csr import Graph
from ..graphs.files.tables import errors_explained, pyarrow
from ..graphs.labels import named_vertices
from ..library.answer import Distances
from ..library.pairs import ENDS
from ..library.solver import Solver
from ..system.atomic import atomic_write, check_writable
from ..system.names import suggestion
from ._answers import read_csv, vertices_of
from ._graph_options import add_graph_options, opening, read_graph
from ._summary import arcs_checked, formatted

_SUFFIXES = ".csv", ".parquet"


def add_question_arguments(parser: argparse.ArgumentParser) -> None:
    add_graph_options(parser)
    parser.add_argument(
        "--questions", type=Path, metavar="FILE", help="CSV or Parquet with the columns source and target, in labels"
    )
    for end in ENDS:
        parser.add_argument(
            f"--{end}",
            action="append",
            default=[],
            metavar="VERTEX",
            help=f"label of a {end}; repeat it, or write 1,17,99, for several",
        )
    parser.add_argument("--cutoff", type=float, metavar="DISTANCE", help="count what is farther away as unreachable")
    parser.add_argument("--no-certify", action="store_true", help="do not certify the answer")
    parser.add_argument("--output", type=Path, metavar="FILE", help=".csv or .parquet (default: print CSV)")


def solver_and_questions(arguments: argparse.Namespace) -> tuple[Solver, Any]:
    """A solver for the graph, and the labels of sources and targets: a frame of pandas, or arrays of any lengths."""
    if arguments.output:
        _check_suffix(arguments.output)
        check_writable(arguments.output, arguments.graph, *filter(None, [arguments.questions]))
    if bool(arguments.questions) == bool(arguments.source or arguments.target):
        raise UsageError("name the vertices with --source and --target, or give a file of them with --questions")
    with opening(arguments.device) as opened:
        graph = read_graph(arguments)
        if arguments.questions:
            questions = _read(arguments.questions, graph)
        else:
            questions = {end: graph.labels[named_vertices(graph, getattr(arguments, end))] for end in ENDS}
        return Solver(graph, opened(), prepared=0), questions


def write(arguments: argparse.Namespace, answer: Distances, frame: Any) -> None:
    """Print the frame of an answer; or write it, and print a summary."""
    if arguments.output is None:
        frame.to_csv(sys.stdout, index=False, lineterminator="\n")
        return
    with atomic_write(arguments.output) as temporary:
        if arguments.output.suffix == ".parquet":
            frame.to_parquet(temporary, index=False)
        else:
            frame.to_csv(temporary, index=False, lineterminator="\n")
    certificate = answer.certificate
    lines = {
        "read": answer.graph.describe(),
        "solved": f"by {answer.variant} ({answer.reason})",
        "reached": f"{int(np.count_nonzero(answer.reached)):,} of {answer.distances.size:,} pairs",
        "certificate": f"{certificate.verdict}: {arcs_checked(certificate)}" if certificate else "none",
        "written": str(arguments.output),
    }
    print(formatted(lines))


def _check_suffix(path: Path) -> None:
    if path.suffix not in _SUFFIXES:
        raise UsageError(f"{path}: unknown suffix {path.suffix!r}; {suggestion(path.suffix, _SUFFIXES)}")
    if path.suffix == ".parquet":
        pyarrow(path)


def _read(path: Path, graph: Graph) -> Any:
    """The questions in a file, with labels of ``graph`` in the columns source and target."""
    import pandas

    _check_suffix(path)
    with errors_explained(path):
        if path.suffix == ".csv":  # blanks around names are left out, as in graphs
            cells = read_csv(path, _positions)
            frame = pandas.DataFrame({name: map(str.strip, column) for name, column in cells.items()}, dtype=str)
        else:
            frame = pandas.read_parquet(path)
    for end in ENDS:
        if end not in frame:
            raise UsageError(f"{path}: has no column {end!r}; the columns are {', '.join(map(str, frame.columns))}")
        frame[end] = graph.labels[vertices_of(path, graph, {end: frame[end].tolist()}, end)]
    return frame


def _positions(path: Path, heading: list[str]) -> dict[str, int]:
    """The positions of all columns. Raises UsageError if one is repeated."""
    names = [name.strip() for name in heading]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"{path}: has more than one column {name!r}")
    return {name: position for position, name in enumerate(names)}
