"""``warpath statistics``: statistics of all pairs, or of a part of them, row by row."""

import argparse
from pathlib import Path

from warpath.cli._graph_options import add_graph_options, opening, read_graph
from warpath.cli._summary import formatted
from warpath.errors import UsageError
from warpath.library.statistics import check_no_negative_weights
from warpath.statistics.statistics import check_nearest
from warpath.system.atomic import check_writable

from ..parts.job import Job
from ..parts.parts import parse_part, range_of, write_part
from ..parts.store import open_store
from ..provenance.code import sources_of_statistics
from .gather import counted_rows, summary

HELP = """
Solve from every vertex, certify each row of distances, compute its eccentricity, closeness, histogram and nearest
vertices, and print a summary. Only a few rows are in memory at a time, so the matrix may be larger than the memory.

Several processes, on one machine or several, can share the work: each computes a part, and 'warpath gather' combines
the files. With --store, all parts write their rows to one Zarr store. After an interruption, the same command continues
with the rows that are missing.

examples:
  warpath statistics roads.gr.gz
  warpath statistics roads.gr.gz --nearest 8 --output roads.npz
  warpath statistics roads.gr.gz --part 2/8 --output part2.npz
  warpath statistics roads.gr.gz --first 10000 --store roads.zarr --part 2/8 --output part2.npz
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_graph_options(parser)
    parser.add_argument(
        "--first", type=int, metavar="COUNT", help="solve from the first COUNT vertices (default: from all)"
    )
    parser.add_argument(
        "--part", default="1/1", metavar="NUMBER/PARTS", help="part to compute, such as 2/8 (default: %(default)s)"
    )
    parser.add_argument(
        "--nearest",
        type=int,
        default=0,
        metavar="COUNT",
        help="number of nearest vertices to find (default: %(default)s)",
    )
    parser.add_argument("--store", type=Path, metavar="FOLDER", help="write all rows to this Zarr store")
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="write the part to this .npz file, for 'warpath gather'"
    )


def main(arguments: argparse.Namespace) -> None:
    number, parts = parse_part(arguments.part)
    check_nearest(arguments.nearest)
    if arguments.output:
        if arguments.output.suffix != ".npz":
            raise UsageError(f"--output {arguments.output}: the suffix is not .npz; change it")
        check_writable(arguments.output, arguments.graph)
    with opening(arguments.device) as opened:
        graph = read_graph(arguments)
        device = opened()
    count = graph.vertices if arguments.first is None else arguments.first
    if not 1 <= count <= graph.vertices:
        raise UsageError(f"--first {count}: the graph has {graph.vertices:,} vertices; give a number from 1 to that")
    check_no_negative_weights(graph)
    code = sources_of_statistics(device.kind).code
    store = None
    if arguments.store:
        store = open_store(arguments.store, graph, count, arguments.nearest, parts, code)
    first, last = range_of(number, parts, count, store.block if store else 1)
    job = Job(graph, device, first, last, count, arguments.nearest, code)
    rows_done = 0
    if store:
        part, rows_done = job.reduce_into(store)
    else:
        part = job.reduce()
    if arguments.output:
        write_part(arguments.output, part)
    lines = summary(graph, part)
    times = lines.pop("times", None)
    if store:
        existing, written = counted_rows(rows_done), counted_rows(last - first - rows_done)
        lines["store"] = f"{arguments.store}, {existing} found, {written} written"
    if arguments.output:
        lines["written"] = str(arguments.output)
    print(formatted(lines | ({"times": times} if times else {})))
