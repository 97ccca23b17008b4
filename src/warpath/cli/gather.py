"""``warpath gather``: the parts that ``warpath reduce`` made, put together."""

import argparse
from pathlib import Path

from ..atomic import check_place
from ..errors import UsageError
from ..scatter.parts import check_graph, gathered, write_part
from . import _reductions
from ._graph_options import add_graph_options, read_graph
from ._summary import printed

HELP = """
Put the parts of all pairs together, which 'warpath reduce' made, and say what they come to. The graph is the one that
they were made of. A table has a line for each vertex: its label, the vertices it reaches, eccentricity, farthest
vertex, mean distance, closeness, and its nearest vertices.

examples:
  warpath gather roads.gr.gz part1.npz part2.npz --output roads.npz
  warpath gather roads.gr.gz parts/*.npz --table roads.csv --histogram histogram.csv
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_graph_options(parser, device=False)
    parser.add_argument("parts", type=Path, nargs="+", metavar="PART", help="files of 'warpath reduce', in any order")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write all parts as one, a .npz file")
    parser.add_argument("--table", type=Path, metavar="FILE", help="write a line for each vertex, as .csv")
    parser.add_argument("--histogram", type=Path, metavar="FILE", help="write a line for each bin, as .csv")


def main(arguments: argparse.Namespace) -> None:
    for name, suffix in (("output", ".npz"), ("table", ".csv"), ("histogram", ".csv")):
        file = getattr(arguments, name)
        if file and file.suffix != suffix:
            raise UsageError(f"{file}: --{name} writes a {suffix} file; name it so")
        if file:
            check_place(file)
    graph = read_graph(arguments)
    part, _ = gathered(arguments.parts)
    check_graph(part, arguments.parts[0], graph, arguments.graph)
    lines = _reductions.summary(graph, part)
    times = lines.pop("times")
    if arguments.output:
        write_part(arguments.output, part)
        lines["written"] = str(arguments.output)
    if arguments.table:
        _reductions.write_table(arguments.table, part, graph)
        lines["table"] = str(arguments.table)
    if arguments.histogram:
        _reductions.write_histogram(arguments.histogram, part)
        lines["histogram"] = str(arguments.histogram)
    print(printed(lines | {"times": times}))
