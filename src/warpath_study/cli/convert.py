"""``warpath convert``: convert a graph file to a .npz graph or to another format."""

import argparse
from pathlib import Path
from typing import Any

from warpath.errors import UsageError
from warpath.graphs import formats
from warpath.graphs.content import READ_LIMIT_HELP
from warpath.graphs.formats import FORMATS, WEIGHTS

from ..datasets import catalog
from ..datasets.conversion import convert_dataset, convert_file, derive_dataset

HELP = """\
Convert a graph file to another format. The suffix of --output selects the format: .npz, .gr, .el, .wel, .snap, .mtx, or
.txt for 'n m' text; a further .gz or .xz compresses text. A dataset is checked against the catalog, and a derived
dataset is made from the graph of another one. A graph without weights gets random integer weights that depend only on
the seed.

examples:
  warpath convert nyc                                      data/raw/USA-road-d.NY.gr.gz -> data/graphs/nyc.npz
  warpath convert nyc-revised                              data/graphs/nyc.npz -> data/graphs/nyc-revised.npz
  warpath convert gnutella04 --seed 7 --weight-max 1000
  warpath convert --from roads.gr.gz --output roads.npz
  warpath convert --from mine.txt --format snap --weights drawn --output mine.npz
  warpath convert --from fractions.wel --scale 1000 --output mine.npz
  warpath convert --from mine.npz --output mine.txt
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    graph = parser.add_mutually_exclusive_group(required=True)
    graph.add_argument("name", nargs="?", metavar="NAME", help="a dataset of the catalog")
    content = f"any graph file, plain, .gz or .xz; {READ_LIMIT_HELP}"
    graph.add_argument("--from", dest="file", type=Path, metavar="FILE", help=content)
    original = "file of the dataset, or the original .npz graph (default: in data/raw or data/graphs)"
    parser.add_argument("--input", type=Path, metavar="FILE", help=original)
    output = "file to write (default for a dataset: data/graphs/NAME.npz)"
    parser.add_argument("--output", type=Path, metavar="FILE", help=output)
    meanings = "; ".join(f"{name} = {meaning}" for name, meaning in FORMATS.items())
    format_help = (
        f"format of --from FILE (default: by its suffix, or by its content if that is unambiguous): {meanings}"
    )
    parser.add_argument("--format", choices=FORMATS, help=format_help)
    parser.add_argument("--seed", type=int, metavar="N", help="seed of random weights (default: 1)")
    parser.add_argument("--weight-min", type=int, metavar="W", help="smallest random weight (default: 1)")
    parser.add_argument("--weight-max", type=int, metavar="W", help="largest random weight (default: 100)")
    weights = "those of the file, random ones, or 1 for every arc (default: those of the file, random if it has none)"
    parser.add_argument("--weights", choices=WEIGHTS, help=weights)
    parser.add_argument(
        "--scale",
        type=int,
        metavar="N",
        help="factor that makes weights with fractions whole (default: they are floats)",
    )
    parser.add_argument("--catalog", type=Path, metavar="FILE", help="catalog (default: data/catalog.yaml)")


def main(arguments: argparse.Namespace) -> None:
    options = {name: getattr(arguments, name) for name in ("weights", "seed", "weight_min", "weight_max", "scale")}
    weights: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    if arguments.file:
        if arguments.output is None or arguments.input is not None:
            raise UsageError("--from FILE needs --output FILE, and --input FILE is for a dataset")
        output = arguments.output
        formats.format_to_write(output)
        graph = convert_file(arguments.file, arguments.format, **weights)
    else:
        if arguments.format is not None:
            raise UsageError("--format is for --from FILE; the catalog has the format of a dataset")
        dataset = catalog.dataset(arguments.name, arguments.catalog)
        output = arguments.output or catalog.graph_path(dataset.name)
        formats.format_to_write(output)
        if weights and (dataset.derived or dataset.weights):
            option = next(iter(weights)).replace("_", "-")
            raise UsageError(f"--{option} is not for {dataset.name}, whose weights the catalog sets")
        if dataset.derived:
            graph = derive_dataset(dataset, arguments.input or catalog.graph_path(dataset.origin or ""))
        else:
            graph = convert_dataset(dataset, arguments.input or catalog.raw_path(dataset), **weights)
    left_out = formats.write(graph, output)
    print(f"{output}: {graph.describe()}")
    for sentence in left_out:
        print(f"{output}: {sentence}")
