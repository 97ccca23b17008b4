"""``warpath gather``: the parts that ``warpath reduce`` made, put together."""

import argparse
from pathlib import Path

from ..algorithms import all_pairs_in_parts
from ..atomic import check_place
from ..errors import FormatError, UsageError
from ..graphs.generated import check_named
from ..measure.record import run_name, write_record
from ..scatter.gather import gathered
from ..scatter.part_file import Part, write_part
from ..scatter.record import record_of
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
  warpath gather roads.gr.gz parts/*.npz --record record.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_graph_options(parser, device=False)
    parser.add_argument("parts", type=Path, nargs="+", metavar="PART", help="files of 'warpath reduce', in any order")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write all parts as one, a .npz file")
    parser.add_argument("--table", type=Path, metavar="FILE", help="write a line for each vertex, as .csv")
    parser.add_argument("--record", type=Path, metavar="FILE", help="write the record of the run, as .json")
    parser.add_argument("--run", metavar="RUN", help="the run that the record is of (default: by what the parts are)")
    parser.add_argument("--dataset", metavar="NAME", help="the graph's name in the record (default: that of its file)")
    parser.add_argument("--histogram", type=Path, metavar="FILE", help="write a line for each bin, as .csv")


def main(arguments: argparse.Namespace) -> None:
    for name, suffix in (("output", ".npz"), ("table", ".csv"), ("histogram", ".csv"), ("record", ".json")):
        file = getattr(arguments, name)
        if file and file.suffix != suffix:
            raise UsageError(f"{file}: --{name} writes a {suffix} file; name it so")
        if file:
            check_place(file)
    graph = read_graph(arguments)
    part, parts = gathered(arguments.parts)
    if (part.facts.graph.sha256, part.facts.scale) != (graph.sha256, graph.scale):
        raise FormatError(
            f"{arguments.parts[0]}: is of another graph than {arguments.graph}; name the one it was made of"
        )
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
    if arguments.record:
        dataset = arguments.dataset or graph.about.get("dataset") or arguments.graph.stem
        check_named(dataset, graph, arguments.graph)
        write_record(arguments.record, record_of(part, parts, arguments.run or _run(part), dataset))
        lines["record"] = str(arguments.record)
    print(printed(lines | {"times": times}))


def _run(part: Part) -> str:
    """The name of the run that parts are of."""
    facts = part.facts
    first = {"first": facts.of} if facts.of < facts.graph.vertices else {}
    nearest = {"nearest": facts.nearest} if facts.nearest else {}
    return run_name(all_pairs_in_parts.ALGORITHM, all_pairs_in_parts.NAME, {**first, **nearest})
