"""``warpath solve``: shortest paths on a graph file, certified."""

import argparse
import time
from collections.abc import Mapping
from pathlib import Path
from textwrap import fill
from typing import Any

from ..device import Device
from ..errors import UsageError
from ..graphs.csr import Graph
from ..graphs.labels import named_vertices
from ..library import alone
from ..library.paths import Paths
from ..library.solver import Solver
from ..solvers.registry import entries, families, find, solving, variant_for
from ..solvers.variant import Variant, parse
from ..system.durations import readable_seconds
from . import _summary
from ._answers import WRITERS, check_output, write_answer
from ._graph_options import add_graph_options, opening, read_graph

_HELP = f"""\
Compute and certify shortest paths on a graph file, and print a summary. Vertices are named by the labels of the file.
To measure an algorithm, use 'warpath run'.

examples:
  warpath solve roads.gr.gz
  warpath solve roads.gr.gz --source 17 --target 4711
  warpath solve roads.gr.gz --source 1,17,99 --output distances.csv
  warpath solve mine.txt --all-pairs --output matrix.npz
  warpath solve mine.wel --scale 1000 --source 20
  warpath solve data/graphs/nyc.npz --algorithm bellman_ford --variant stride --device simulated

formats of --output, by suffix ({", ".join(WRITERS)}):
  .npy                    distances as an array of the type of the weights: int32, 2147483647 if there is no path, or
                          floats, inf if there is no path
  .npz                    arrays 'distances', 'predecessors', 'sources' and 'labels'; vertices are indices from 0
  .csv .parquet           a line per source and vertex: source, vertex, distance, predecessor; vertices are labels
  .txt                    the listing of the main work's programs: Node, Cost, Path

algorithms and their variants, the default variant first:
{{variants}}
"""


def _list_variants() -> str:
    of_paths = {entry.algorithm for entry in entries() if entry.problem in ("sssp", "apsp")}
    lines = [f"  {family}: {', '.join(names)}" for family, names in families().items() if family in of_paths]
    return "\n".join(fill(line, 100, subsequent_indent="    ") for line in lines)


def __getattr__(name: str) -> str:
    if name == "HELP":  # made when it is needed, since listing the variants takes longer than a small solve
        return _HELP.replace("{variants}", _list_variants())
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_graph_options(parser)
    parser.add_argument(
        "--source",
        action="append",
        metavar="VERTEX",
        help="label of a source; repeat it, or write 1,17,99, for several (default: the first vertex)",
    )
    parser.add_argument("--all-pairs", action="store_true", help="solve from every vertex")
    parser.add_argument(
        "--target",
        action="append",
        default=[],
        metavar="VERTEX",
        help="print the path to this vertex; repeat it, or write 4,5",
    )
    parser.add_argument("--cutoff", type=float, metavar="DISTANCE", help="count what is farther away as unreachable")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the answer in the format of FILE's suffix")
    parser.add_argument("--no-certify", action="store_true", help="do not certify the answer")
    parser.add_argument(
        "--algorithm", metavar="NAME", help="algorithm (default: chosen for the graph; the summary names it)"
    )
    parser.add_argument(
        "--variant",
        metavar="NAME",
        help="variant of the algorithm (default: the first one below that solves what is asked)",
    )
    parser.add_argument(
        "--parameters", default="", metavar="NAME=VALUE,...", help="parameters of the variant, whole numbers"
    )


def main(arguments: argparse.Namespace) -> None:
    parameters = parse(arguments.parameters) if arguments.parameters else {}
    variant = _named_variant(arguments)
    if variant:
        variant.configured(parameters)  # raises UsageError for wrong parameters before the graph is read
    elif parameters:
        raise UsageError("--parameters needs --algorithm, since parameters belong to a variant")
    if arguments.output:
        check_output(arguments.output, arguments.graph)
    with opening(arguments.device) as opened:
        began = time.perf_counter()
        graph = read_graph(arguments)
        read_s = time.perf_counter() - began
        targets = list(dict.fromkeys(named_vertices(graph, arguments.target)))
        device = opened()
    names = {"algorithm": arguments.algorithm, "variant": arguments.variant, "parameters": parameters}
    began = time.perf_counter()
    paths = _solved(graph, device, arguments, names)
    prepare_s = time.perf_counter() - began - paths.solve_s - paths.certify_s
    algorithm, _, name = paths.variant.partition(".")
    solver = None if paths.variant == alone.NAME else find(algorithm, name)

    sources = _summary.describe_sources(graph, None if arguments.all_pairs else paths.sources)
    if not arguments.all_pairs and arguments.source is None:
        sources += ", the first vertex"
    certificate = paths.certificate
    lines = {
        "read": graph.describe(),
        "solved": f"{sources}, by {algorithm} {name} ({paths.reason}), on {_device_name(solver, device)}",
        "reached": _summary.describe_reached(paths),
        "farthest": _summary.describe_farthest(paths),
        "certificate": f"{certificate.verdict}: every distance and predecessor, {_summary.arcs_checked(certificate)}"
        if certificate
        else "none; left out by --no-certify",
        "times": f"read {readable_seconds(read_s, 3)}, prepare {readable_seconds(prepare_s, 3)}, "
        f"solve {readable_seconds(paths.solve_s, 3)}"
        + (f", certify {readable_seconds(paths.certify_s, 3)}" if certificate else ""),
    }
    if arguments.output:
        write_answer(arguments.output, paths)
        lines["written"] = str(arguments.output)
    print(_summary.formatted(lines))
    for line in _summary.paths_to(paths, targets):
        print(line)


def _named_variant(arguments: argparse.Namespace) -> Variant | None:
    """The variant that the options name, if any. Raises UsageError for unknown names, and for the wrong problem."""
    if arguments.all_pairs and arguments.source is not None:
        raise UsageError("--all-pairs solves from every vertex; leave out --source")
    if arguments.algorithm is None:
        if arguments.variant is not None:
            raise UsageError("--variant needs --algorithm, since two algorithms may have variants of the same name")
        return None
    names = arguments.algorithm, arguments.variant
    if not arguments.all_pairs and not solving("sssp", *names) and solving("apsp", *names):
        correction = "leave out --source and add --all-pairs" if arguments.source else "add --all-pairs"
        raise UsageError(f"{' '.join(filter(None, names))} solves all pairs; {correction}, or choose another algorithm")
    return variant_for("apsp" if arguments.all_pairs else "sssp", *names)


def _solved(graph: Graph, device: Device, arguments: argparse.Namespace, names: Mapping[str, Any]) -> Paths:
    solver = Solver(graph, device, prepared=0)  # for one call
    options = {**names, "cutoff": arguments.cutoff, "certify": not arguments.no_certify}
    if arguments.all_pairs:
        return solver.apsp(**options)
    sources = named_vertices(graph, arguments.source or [str(graph.label_of(0))])
    labels = graph.names.of_indices(list(dict.fromkeys(sources)))
    return solver.sssp(labels[0] if len(labels) == 1 else labels, **options)


def _device_name(variant: Variant | None, device: Device) -> str:
    if variant is None or variant.on_cpu:
        return "the CPU"
    return f"the simulated GPU, {device.name}" if device.kind == "simulated" else device.name
