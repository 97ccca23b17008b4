"""``warpath reduce``: all pairs, or a part of them, reduced to what people ask of them, row by row."""

import argparse
from pathlib import Path

from ..atomic import check_writable
from ..code import identity_of_reductions
from ..device import open_device
from ..errors import UsageError
from ..library.solver import check_no_negative_weights
from ..reductions.reductions import check_nearest
from ..scatter.parts import parse_part, range_of, write_part
from ..scatter.reduce import Job
from ..scatter.store import open_store
from ._graph_options import add_graph_options, read_graph
from ._summary import Counter, printed
from .gather import counted_rows, summary

HELP = """
Solve from every vertex, certify each row of distances, and reduce it to its eccentricity, closeness, histogram and
nearest vertices; say what the rows come to. No more than a few rows are in memory at a time, so the graph may have
more pairs than any memory holds.

Several processes, on one machine or many, share the work: each takes a part, and 'warpath gather' puts the files of
all parts together. With --store, the rows themselves are kept in a Zarr store, which all parts fill; after an
interruption, what is there is not solved again.

examples:
  warpath reduce roads.gr.gz
  warpath reduce roads.gr.gz --nearest 8 --output roads.npz
  warpath reduce roads.gr.gz --part 2/8 --output part2.npz
  warpath reduce roads.gr.gz --first 10000 --store roads.zarr --part 2/8 --output part2.npz
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_graph_options(parser)
    parser.add_argument(
        "--first", type=int, metavar="COUNT", help="solve from so many vertices, the first (default: from all)"
    )
    parser.add_argument("--part", default="1/1", metavar="NUMBER/PARTS", help="such as 2/8, the second of eight parts")
    parser.add_argument(
        "--nearest", type=int, default=0, metavar="COUNT", help="keep so many nearest vertices of each (default: 0)"
    )
    parser.add_argument("--store", type=Path, metavar="FOLDER", help="keep all rows in this Zarr store")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the part, a .npz file, for 'warpath gather'")


def main(arguments: argparse.Namespace) -> None:
    number, parts = parse_part(arguments.part)
    check_nearest(arguments.nearest)
    if arguments.output:
        if arguments.output.suffix != ".npz":
            raise UsageError(f"{arguments.output}: a part is a .npz file; name it so")
        check_writable(arguments.output)
    device = open_device(arguments.device)
    graph = read_graph(arguments)
    count = graph.vertices if arguments.first is None else arguments.first
    if not 1 <= count <= graph.vertices:
        raise UsageError(f"--first {count}: the graph has {graph.vertices:,} vertices; ask for 1 to so many")
    check_no_negative_weights(graph)
    code = identity_of_reductions(device.kind)
    store = None
    if arguments.store:
        store = open_store(arguments.store, graph, count, arguments.nearest, parts, code)
    first, last = range_of(number, parts, count, store.block if store else 1)
    job = Job(graph, device, first, last, count, arguments.nearest, code)
    taken = 0
    with Counter("solving") as counter:
        if store:
            part, taken = job.reduce_into(store, counter.report)
        else:
            part = job.reduce(counter.report)
    if arguments.output:
        write_part(arguments.output, part)
    lines = summary(graph, part)
    times = lines.pop("times", None)
    if store:
        before, written = counted_rows(taken), counted_rows(last - first - taken)
        lines["store"] = f"{arguments.store}, {before} there before, {written} written"
    if arguments.output:
        lines["written"] = str(arguments.output)
    print(printed(lines | ({"times": times} if times else {})))
