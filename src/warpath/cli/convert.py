"""``warpath convert``: convert a graph file to a .npz graph."""

import argparse
from pathlib import Path

from ..errors import UsageError
from ..graphs import catalog
from ..graphs.conversion import convert_dataset, convert_file, derive_dataset
from ..graphs.csr import Graph
from ..graphs.formats import FORMATS

HELP = """\
Read a graph file and save it as a .npz graph in compressed sparse rows. A dataset is checked against the catalog; a
derived dataset is made from the graph of another dataset. A graph without weights gets random integer weights that
depend only on the seed.

examples:
  warpath convert nyc                                      data/raw/USA-road-d.NY.gr.gz -> data/graphs/nyc.npz
  warpath convert nyc-revised                              data/graphs/nyc.npz -> data/graphs/nyc-revised.npz
  warpath convert gnutella04 --seed 7 --weight-max 1000
  warpath convert --from roads.gr.gz --output roads.npz
  warpath convert --from mine.txt --format snap --replace-weights --output mine.npz
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("name", nargs="?", metavar="NAME", help="a dataset of the catalog")
    which.add_argument("--from", dest="file", type=Path, metavar="FILE", help="any graph file, plain, .gz or .xz")
    parser.add_argument(
        "--input",
        type=Path,
        metavar="FILE",
        help="the dataset's file, or the .npz graph it is derived from (default: the one in data/raw or data/graphs)",
    )
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help=".npz to write (default for a dataset: data/graphs/NAME.npz)"
    )
    parser.add_argument(
        "--format",
        choices=FORMATS,
        help="format of --from FILE (default: detected by name and content): "
        + "; ".join(f"{name} = {meaning}" for name, meaning in FORMATS.items()),
    )
    parser.add_argument("--seed", type=int, metavar="N", help="seed of random weights (default: 1)")
    parser.add_argument("--weight-min", type=int, metavar="W", help="smallest random weight (default: 1)")
    parser.add_argument("--weight-max", type=int, metavar="W", help="largest random weight (default: 100)")
    parser.add_argument(
        "--replace-weights", action="store_true", default=None, help="replace the graph's own weights with random ones"
    )
    parser.add_argument("--catalog", type=Path, metavar="FILE", help="catalog (default: data/catalog.yaml)")


def main(arguments: argparse.Namespace) -> None:
    if arguments.file:
        if arguments.output is None or arguments.input is not None:
            raise UsageError("convert --from FILE needs --output FILE, and --input is for a dataset's file")
        output = arguments.output
        graph = convert_file(arguments.file, arguments.format, **_weights(arguments))
    else:
        if arguments.format is not None:
            raise UsageError("--format is for --from FILE; the catalog knows the format of a dataset")
        dataset = catalog.dataset(arguments.name, arguments.catalog)
        output = arguments.output or catalog.graph_path(dataset.name)
        graph = _derived(dataset, arguments) if dataset.derived else _read(dataset, arguments)
    graph.save(output)
    print(f"{output}: {graph.vertices:,} vertices, {graph.arcs:,} arcs, {_describe(graph)}")


def _read(dataset: catalog.Dataset, arguments: argparse.Namespace) -> Graph:
    return convert_dataset(dataset, arguments.input or catalog.raw_path(dataset), **_weights(arguments))


def _derived(dataset: catalog.Dataset, arguments: argparse.Namespace) -> Graph:
    for name in _weights(arguments):
        raise UsageError(f"--{name.replace('_', '-')} does not go with {dataset.name}; the catalog sets its weights")
    return derive_dataset(dataset, arguments.input or catalog.graph_path(dataset.origin))


def _weights(arguments: argparse.Namespace) -> dict[str, int]:
    """The given options for random weights."""
    options = {name: getattr(arguments, name) for name in ("seed", "weight_min", "weight_max", "replace_weights")}
    return {name: value for name, value in options.items() if value is not None}


def _describe(graph: Graph) -> str:
    weights = graph.about.get("weights", {})
    if weights.get("kind") == "random":
        return f"random weights {weights['min']}..{weights['max']} from seed {weights['seed']}"
    return "weights as given"
