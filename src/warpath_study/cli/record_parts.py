"""``warpath record-parts``: the record of all pairs that ``warpath reduce`` made in parts."""

import argparse
from pathlib import Path

from warpath.atomic import check_place
from warpath.errors import UsageError
from warpath.graphs import csr
from warpath.scatter.gather import check_graph, gathered

from ..datasets.verify import check_named
from ..measure.all_pairs_record import record_of, run_of
from ..records.files import write_record

HELP = """
Write the record of a run of all pairs, all_pairs.reductions, from its parts: all files that 'warpath reduce' made.

examples:
  warpath record-parts data/graphs/nyc.npz parts/*.npz --output record.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("graph", type=Path, metavar="GRAPH", help="the graph that the parts were made of, a .npz file")
    parser.add_argument("parts", type=Path, nargs="+", metavar="PART", help="files of 'warpath reduce', in any order")
    parser.add_argument("--output", type=Path, required=True, metavar="FILE", help="file of the record")
    parser.add_argument("--run", metavar="RUN", help="the run that the record is of (default: by what the parts are)")
    parser.add_argument("--dataset", metavar="NAME", help="the graph's name in the record (default: that of its file)")


def main(arguments: argparse.Namespace) -> None:
    if arguments.output.suffix != ".json":
        raise UsageError(f"{arguments.output}: a record is a .json file; name it so")
    check_place(arguments.output)
    graph = csr.load(arguments.graph)
    whole, parts = gathered(arguments.parts)
    check_graph(whole, arguments.parts[0], graph, arguments.graph)
    dataset = arguments.dataset or graph.about.get("dataset") or arguments.graph.stem
    check_named(dataset, graph, arguments.graph)
    run = arguments.run or run_of(whole)
    write_record(arguments.output, record_of(whole, parts, run, dataset))
    print(f"{arguments.output}: the record of {run} on {dataset}")
