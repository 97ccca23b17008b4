"""``warpath certify``: prove that distances of any program are right, or name the first wrong one."""

import argparse
from pathlib import Path

import numpy as np

from ..errors import CertificateError, UsageError, WarpathError
from ..graphs.csr import Graph
from ..graphs.labels import named_vertices
from ..library.shortest_paths import certify
from ._answers import READERS, FileAnswer, read_answer
from ._graph_options import add_graph_options, opening, read_graph
from ._summary import arcs_checked, describe_sources

HELP = f"""\
Certify the answer of any program on a graph, with one pass over the arcs for each source. Nothing is solved again. The
exit status is 0 if the answer is right, 1 if it is wrong, and 2 if GRAPH or ANSWER cannot be read. The error names the
first wrong vertex or arc.

examples:
  warpath certify roads.gr.gz distances.npy --source 1
  warpath certify roads.gr.gz scipy.npz --source 1
  warpath certify mine.wel answer.csv --scale 1000

formats of ANSWER, by suffix ({", ".join(READERS)}):
  .npy                    distances in the order of the vertices: one row, or one row per source; all pairs need no
                          --source
  .npz                    array 'distances', optional arrays 'predecessors' and 'sources'; vertices are indices from 0
  .csv .parquet           a line per vertex: vertex, distance, and optionally predecessor and source; vertices are
                          labels of GRAPH

Distances are whole numbers or floats, in the unit of the weights before scaling. inf and an empty cell mean that there
is no path; if the weights are whole, 2147483647 does, too. The predecessor -1, -9999 or an empty cell means that there
is none. Without predecessors, only the distances are certified.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_graph_options(parser)
    parser.add_argument("answer", type=Path, metavar="ANSWER", help="file of the answer")
    parser.add_argument(
        "--source",
        action="append",
        metavar="VERTEX",
        help="label of the source, or 1,17,99 for several rows (default: the sources in ANSWER)",
    )


def main(arguments: argparse.Namespace) -> None:
    try:
        with opening(arguments.device) as opened:
            graph = read_graph(arguments)
            answer = read_answer(arguments.answer, graph)
            sources = _sources(arguments, graph, answer)
            device = opened()
    except WarpathError as error:
        raise UsageError(str(error)) from error  # status 1 means that the answer is wrong
    try:
        named = None if sources is None else graph.labels[sources]
        certificate = certify(graph, named, answer.distances, answer.predecessors, device=device)
    except CertificateError as error:
        raise CertificateError(f"{arguments.answer}: wrong: {error}") from error
    what = "distances" if answer.predecessors is None else "distances and predecessors"
    print(
        f"{arguments.answer}: {certificate.verdict}: {what} {describe_sources(graph, sources)}, "
        f"{certificate.reached:,} reached, {arcs_checked(certificate)} on {device.name}"
    )


def _sources(arguments: argparse.Namespace, graph: Graph, answer: FileAnswer) -> int | np.ndarray | None:
    """The sources as indices: one, several, or None for all pairs. Raises UsageError if they are unknown."""
    rows = 1 if answer.distances.ndim == 1 else len(answer.distances)
    if arguments.source:
        sources = np.array(list(dict.fromkeys(named_vertices(graph, arguments.source))))
        if answer.sources is not None and not np.array_equal(sources, answer.sources):
            raise UsageError(f"{arguments.answer}: the sources differ from --source; leave out --source")
    elif answer.sources is not None:
        sources = answer.sources
    elif answer.distances.ndim == 2 and rows == graph.vertices:
        return None
    else:
        raise UsageError(f"{arguments.answer}: names no sources; add --source")
    if len(sources) != rows:
        raise UsageError(f"{arguments.answer}: has {rows} rows of distances for {len(sources)} sources")
    return int(sources[0]) if answer.distances.ndim == 1 else sources
