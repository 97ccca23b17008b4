"""``warpath convert``: convert a graph file to a .npz graph or to another format."""

import argparse
import os
from pathlib import Path

from warpath.cli._graph_options import add_reading_options, reading_options
from warpath.errors import UsageError
from warpath.graphs.content import READ_LIMIT_HELP
from warpath.graphs.files import formats
from warpath.system.atomic import check_writable

from ..datasets import catalog
from ..datasets.conversion import convert_dataset, convert_file, derive_dataset

HELP = """\
Convert a graph file to another format. The suffix of --output selects the format: .npz, .gr, .el, .wel, .snap, .mtx, or
.txt for 'n m' text; a further .gz, .bz2 or .xz compresses text. A dataset is checked against the catalog, and a derived
dataset is made from the graph of another one. A graph without weights gets random integer weights that depend only on
the seed.

examples:
  warpath convert nyc                                      data/raw/USA-road-d.NY.gr.gz -> data/graphs/nyc.npz
  warpath convert nyc-revised                              data/graphs/nyc.npz -> data/graphs/nyc-revised.npz
  warpath convert gnutella04 --seed 7 --weight-max 1000
  warpath convert --from roads.gr.gz --output roads.npz
  warpath convert --from mine.txt --format snap --weights drawn --output mine.npz
  warpath convert --from fractions.wel --scale 1000 --output mine.npz
  warpath convert --from roads.csv --tail u --head v --weight km --output roads.npz
  warpath convert --from mine.npz --output mine.txt
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    graph = parser.add_mutually_exclusive_group(required=True)
    graph.add_argument("name", nargs="?", metavar="NAME", help="a dataset of the catalog")
    content = f"any graph file, plain, .gz, .bz2 or .xz; {READ_LIMIT_HELP}"
    graph.add_argument("--from", dest="file", type=Path, metavar="FILE", help=content)
    original = "file of the dataset, or the original .npz graph (default: in data/raw or data/graphs)"
    parser.add_argument("--input", type=Path, metavar="FILE", help=original)
    output = "file to write (default for a dataset: data/graphs/NAME.npz)"
    parser.add_argument("--output", type=Path, metavar="FILE", help=output)
    add_reading_options(parser, if_none="drawn")
    parser.add_argument("--catalog", type=Path, metavar="FILE", help="catalog (default: data/catalog.yaml)")


def main(arguments: argparse.Namespace) -> None:
    options = reading_options(arguments)
    if arguments.file:
        if arguments.output is None or arguments.input is not None:
            raise UsageError("--from FILE needs --output FILE, and --input FILE is for a dataset")
        output = arguments.output
        formats.format_to_write(output)
        check_writable(output, arguments.file)
        graph = convert_file(arguments.file, **options)
    else:
        of_file = {"directed": "undirected"} | {name: name for name in ("format", "tail", "head", "header")}
        wrong = next((option for name, option in of_file.items() if name in options), None)
        if wrong or options.get("weight") is not None:
            raise UsageError(f"--{wrong or 'weight'} is for --from FILE; the catalog describes the file of a dataset")
        is_path = "/" in arguments.name or os.path.isfile(arguments.name)
        if is_path and arguments.name not in catalog.load_catalog(arguments.catalog):
            raise UsageError(f"{arguments.name} is no dataset; a file is converted with --from {arguments.name}")
        dataset = catalog.dataset(arguments.name, arguments.catalog)
        output = arguments.output or catalog.graph_path(dataset.name)
        formats.format_to_write(output)
        if options and (dataset.derived or dataset.weights):
            option = "unweighted" if "weight" in options else next(iter(options)).replace("_", "-")
            raise UsageError(f"--{option} is not for {dataset.name}, whose weights the catalog sets")
        if dataset.derived:
            graph = derive_dataset(dataset, arguments.input or catalog.graph_path(dataset.origin or ""))
        else:
            graph = convert_dataset(dataset, arguments.input or catalog.raw_path(dataset), **options)
    left_out = formats.write(graph, output)
    print(f"{output}: {graph.describe()}")
    for sentence in left_out:
        print(f"{output}: {sentence}")
