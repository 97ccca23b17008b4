"""``warpath generate``: make a dataset of the catalog, or a graph of any size."""

import argparse
from dataclasses import replace
from pathlib import Path

from warpath.errors import FormatError, UsageError
from warpath.graphs.csr import Graph
from warpath.graphs.files import formats
from warpath.graphs.weights import with_random_weights

from ..datasets import catalog
from ..datasets.generate import GENERATORS, generate
from ..matrix_product.matrices import Matrices

HELP = """\
Make a graph: a generated dataset of the catalog, by its NAME, or a graph of your own size, with --kind. The same
parameters give the same graph on every machine.

kinds:
  road          planar, connected, every road both ways, weights are lengths; --vertices, --arcs
  gnutella      peer-to-peer network with many sinks and a strongly connected core, random weights;
                --vertices, --arcs, --sinks, --core
  complete      an arc from every vertex to every other, random weights; --vertices
  hub           arcs between vertex 0 and every other, both ways, and random arcs, random weights;
                --vertices, --arcs
  random        random arcs of weight 1; --vertices, --arcs
  power_law     a few vertices have a large part of all arcs, random weights; --vertices, --arcs
  paper_sample  six vertices and nine arcs, to check by hand
  matrices      two random matrices, for the algorithm matrix_path; --size

examples:
  warpath generate standin-nyc
  warpath generate --kind road --vertices 5000 --arcs 14000 --output town.npz
  warpath generate --kind gnutella --vertices 10000 --arcs 30000 --seed 7 --weights-seed 3 --output peers.npz
"""

_PARAMETERS = {
    "vertices": "number of vertices",
    "arcs": "number of arcs; a road is two arcs",
    "size": "rows and columns of both matrices",
    "seed": "seed of the graph (default: 1)",
    "sinks": "vertices without outgoing arcs (default: 73 %% of all)",
    "core": "vertices in the strongly connected core (default: 86 %% of those with outgoing arcs)",
}
_WEIGHTS = {
    "weights_seed": "seed of random weights, for graphs without weights (default: 1)",
    "weight_min": "smallest random weight (default: 1)",
    "weight_max": "largest random weight (default: 100)",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME", help="a generated dataset of the catalog")
    parser.add_argument("--kind", choices=GENERATORS, help="kind of a graph of your own size")
    for name, meaning in (_PARAMETERS | _WEIGHTS).items():
        parser.add_argument(_option(name), type=int, metavar="N", help=meaning)
    parser.add_argument(
        "--output",
        metavar="FILE",
        help="file to write, with a suffix as in 'warpath convert' (default: data/graphs/NAME.npz)",
    )


def main(arguments: argparse.Namespace) -> None:
    parameters, weights = _values(arguments, _PARAMETERS), _values(arguments, _WEIGHTS)
    if (arguments.name is None) == (arguments.kind is None):
        raise UsageError("give either the NAME of a generated dataset or --kind for a graph of your own")
    if arguments.name is not None and parameters:
        raise UsageError(
            f"{_option(next(iter(parameters)))} needs --kind; the catalog has the parameters of {arguments.name}"
        )
    if arguments.output is None and arguments.name is None:
        raise UsageError("a graph of your own needs --output FILE")
    output = Path(arguments.output or f"data/graphs/{arguments.name}.npz")
    format = formats.format_to_write(output)
    graph = generate(arguments.kind, **parameters) if arguments.kind else _from_catalog(arguments.name)
    graph = _weighted(graph, weights)
    if isinstance(graph, Matrices):
        if format != "npz":
            raise UsageError(f"{output}: matrices need the suffix .npz")
        graph.save(output)
        print(f"{output}: two matrices of {graph.size:,} rows and columns")
        return
    left_out = formats.write(graph, output, format)
    print(f"{output}: {graph.describe()}")
    for sentence in left_out:
        print(f"{output}: {sentence}")


def _from_catalog(name: str) -> Graph | Matrices:
    dataset = catalog.dataset(name)
    if dataset.generator is None:
        raise UsageError(f"{name} is a {dataset.kind} graph, not a generated one; make it with: warpath convert {name}")
    graph = generate(dataset.generator, **dataset.parameters)
    if (graph.vertices, graph.arcs) != (dataset.vertices, dataset.arcs):
        raise FormatError(
            f"catalog: {name} has {dataset.vertices} vertices and {dataset.arcs} arcs, but its parameters make "
            f"{graph.vertices} and {graph.arcs}"
        )
    if dataset.sha256 not in (None, graph.sha256):
        raise FormatError(
            f"catalog: {name} has sha256 {dataset.sha256}, but its parameters make {graph.sha256}; correct one of them"
        )
    return replace(graph, metadata={"dataset": name, "title": dataset.title, **graph.metadata})


def _weighted(graph: Graph | Matrices, options: dict[str, int]) -> Graph | Matrices:
    """The graph, with random weights if its generator makes none."""
    if isinstance(graph, Graph) and graph.metadata["weights"]["kind"] == "unit":
        seed, low, high = options.get("weights_seed", 1), options.get("weight_min", 1), options.get("weight_max", 100)
        return with_random_weights(graph, seed, low, high)
    if options:
        option = _option(next(iter(options)))
        raise UsageError(f"{option} is for graphs without weights; a {graph.metadata['generator']} graph has weights")
    return graph


def _values(arguments: argparse.Namespace, options: dict) -> dict[str, int]:
    values = {name: getattr(arguments, name) for name in options}
    return {name: value for name, value in values.items() if value is not None}


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")
