"""``warpath convert``: a graph file becomes a .npz graph."""

import argparse
from pathlib import Path

from ..errors import UsageError
from ..graphs import catalog
from ..graphs.convert import convert_dataset, convert_file
from ..graphs.csr import Graph
from ..graphs.formats import FORMATS

HELP = """\
Read a graph file and save it as a .npz graph in compressed sparse rows. A dataset is checked against the catalog.
A graph without weights gets random integers that depend on the seed alone.

examples:
  warpath convert nyc                                      data/raw/USA-road-d.NY.gr.gz -> data/graphs/nyc.npz
  warpath convert gnutella04 --seed 7 --weight-max 1000
  warpath convert --from roads.gr.gz --output roads.npz
  warpath convert --from mine.txt --format snap --replace-weights --output mine.npz
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("name", nargs="?", metavar="NAME", help="a dataset of the catalog")
    which.add_argument("--from", dest="file", type=Path, metavar="FILE", help="any graph file, plain, .gz or .xz")
    parser.add_argument(
        "--input", type=Path, metavar="FILE", help="the dataset's published file (default: in data/raw)"
    )
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help=".npz to write (default for a dataset: data/graphs/NAME.npz)"
    )
    parser.add_argument(
        "--format",
        choices=FORMATS,
        help="format of --from FILE (default: seen by its name and content): "
        + "; ".join(f"{name} = {meaning}" for name, meaning in FORMATS.items()),
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of random weights (default: %(default)s)")
    parser.add_argument(
        "--weight-min", type=int, default=1, metavar="W", help="smallest random weight (default: %(default)s)"
    )
    parser.add_argument(
        "--weight-max", type=int, default=100, metavar="W", help="largest random weight (default: %(default)s)"
    )
    parser.add_argument(
        "--replace-weights", action="store_true", help="put random weights in the place of the graph's own"
    )
    parser.add_argument("--catalog", type=Path, metavar="FILE", help="catalog (default: data/catalog.yaml)")


def main(arguments: argparse.Namespace) -> None:
    weights = {name: getattr(arguments, name) for name in ("seed", "weight_min", "weight_max", "replace_weights")}
    if arguments.file:
        if arguments.output is None or arguments.input is not None:
            raise UsageError("convert --from FILE needs --output FILE, and --input is for a dataset's file")
        output = arguments.output
        graph = convert_file(arguments.file, arguments.format, **weights)
    else:
        if arguments.format is not None:
            raise UsageError("--format is for --from FILE; the catalog knows the format of a dataset")
        dataset = catalog.find(arguments.name, arguments.catalog)
        output = arguments.output or catalog.graph_path(dataset)
        graph = convert_dataset(dataset, arguments.input or catalog.raw_path(dataset), **weights)
    graph.save(output)
    print(f"{output}: {graph.vertices:,} vertices, {graph.arcs:,} arcs, {_describe(graph)}")


def _describe(graph: Graph) -> str:
    weights = graph.about.get("weights", {})
    if weights.get("kind") == "random":
        return f"random weights {weights['min']}..{weights['max']} from seed {weights['seed']}"
    return "weights as given"
