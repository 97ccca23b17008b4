"""``warpath certify``: prove that distances which another program computed are right, or name the first wrong one."""

import argparse
from pathlib import Path

import numpy as np

from ..device import open_device
from ..errors import CertificateError, FormatError, UsageError
from ..graphs.csr import Graph
from ..graphs.labels import named_vertices
from ..library.shortest_paths import certify
from ._answers import READERS, FileAnswer, read_answer
from ._graph_options import add_graph_options, read_graph
from ._summary import arcs_checked, starts

HELP = f"""\
Certify the answer of any program on a graph, and say on one line whether it is right. No problem is solved again: one
pass over the arcs for each source decides. The exit status is 0 for a right answer, 1 for a wrong one, whose first
wrong vertex or arc is named, and 2 if GRAPH or ANSWER cannot be read.

examples:
  warpath certify roads.gr.gz distances.npy --source 1
  warpath certify roads.gr.gz scipy.npz --source 1
  warpath certify mine.wel answer.csv --scale 1000

answer, by suffix ({", ".join(READERS)}):
  .npy                    distances of all vertices in the graph's order: one row, or a row for each source; all pairs
                          need no --source
  .npz                    arrays 'distances' and, if there are, 'predecessors' and 'sources'; vertices count from 0
  .csv .json .parquet     a line for each vertex: vertex, distance and, if there are, predecessor and source, by the
                          labels of GRAPH

Distances are whole numbers, or floats with inf as scipy has them; 2147483647, inf and an empty cell mean no path. The
predecessor -1, -9999 or an empty cell means none. Without predecessors, the distances alone are certified.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_graph_options(parser)
    parser.add_argument("answer", type=Path, metavar="ANSWER", help="the file of the answer")
    parser.add_argument(
        "--source",
        action="append",
        metavar="VERTEX",
        help="where the paths start, as GRAPH calls it; 1,17,99 for several rows (default: what ANSWER says)",
    )


def main(arguments: argparse.Namespace) -> None:
    device = open_device(arguments.device)
    try:
        graph = read_graph(arguments)
    except FormatError as error:
        raise UsageError(str(error)) from error  # status 1 means that the answer is wrong
    answer = read_answer(arguments.answer, graph)
    sources = _sources(arguments, graph, answer)
    try:
        found = certify(graph, sources, answer.distances, answer.predecessors, device=device)
    except CertificateError as error:
        raise CertificateError(f"{arguments.answer}: wrong: {error}") from error
    what = "distances" if answer.predecessors is None else "distances and predecessors"
    print(
        f"{arguments.answer}: {found.verdict}: {what} {starts(graph, sources)}, {found.reached:,} reached, "
        f"{arcs_checked(found)} on {device.name}"
    )


def _sources(arguments: argparse.Namespace, graph: Graph, answer: FileAnswer) -> int | np.ndarray | None:
    """The sources as indices: one, several, or None for all pairs. Raises UsageError if they are not known."""
    rows = 1 if answer.distances.ndim == 1 else len(answer.distances)
    if arguments.source:
        sources = np.array(named_vertices(graph, arguments.source))
        if answer.sources is not None and not np.array_equal(sources, answer.sources):
            raise UsageError(f"{arguments.answer}: names other sources than --source; leave out --source")
    elif answer.sources is not None:
        sources = answer.sources
    elif answer.distances.ndim == 2 and rows == graph.vertices:
        return None
    else:
        raise UsageError(f"{arguments.answer}: does not say where the paths start; name it with --source")
    if len(sources) != rows:
        raise UsageError(f"{arguments.answer}: has {rows} rows of distances for {len(sources)} sources")
    return int(sources[0]) if answer.distances.ndim == 1 else sources
