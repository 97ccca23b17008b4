"""``warpath solve``: shortest paths on a graph file, certified."""

import argparse
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..device import Device, open_device
from ..durations import readable_seconds
from ..errors import UsageError
from ..graphs.csr import Graph
from ..graphs.labels import named_vertices
from ..library.paths import Paths
from ..library.solver import Solver
from ..solvers import families, find
from ..solvers.defaults import chosen_variant, default_variant
from ..solvers.parameters import parse
from ..solvers.registry import Variant
from . import _summary
from ._answers import WRITERS, check_output, write_answer
from ._graph_options import add_graph_options, read_graph

HELP = f"""\
Compute shortest paths on a graph file, certify them, and say what was found. Vertices are called what the file calls
them. 'warpath run' measures an algorithm; here, rounds that can no longer change a distance are skipped.

examples:
  warpath solve roads.gr.gz
  warpath solve roads.gr.gz --source 17 --target 4711
  warpath solve roads.gr.gz --source 1,17,99 --output distances.csv
  warpath solve mine.txt --all-pairs --output matrix.npz
  warpath solve mine.wel --scale 1000 --source 20
  warpath solve data/graphs/nyc.npz --algorithm bellman_ford --variant stride --device host

output, by suffix ({", ".join(WRITERS)}):
  .npy                    the distances as an array: int32, 2147483647 where there is no path
  .npz                    distances, predecessors, sources and labels as arrays; vertices count from 0, in labels' order
  .csv .json .parquet     a line for each source and vertex: source, vertex, distance, predecessor, by labels
  .txt                    the listing of the main work's programs: Node, Cost, Path

algorithms, by default the one that suits the graph, and their variants, the default first:
{{variants}}
"""


def _list_variants() -> str:
    lines = []
    for family, names in families().items():
        if find(family, default_variant(family)).problem in ("sssp", "apsp"):
            ordered = [default_variant(family), *(name for name in names if name != default_variant(family))]
            lines.append(f"  {family}: {', '.join(ordered)}")
    return "\n".join(lines)


HELP = HELP.replace("{variants}", _list_variants())


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_graph_options(parser)
    parser.add_argument(
        "--source",
        action="append",
        metavar="VERTEX",
        help="where paths start; may be repeated, or given as 1,17,99 (default: the first vertex)",
    )
    parser.add_argument("--all-pairs", action="store_true", help="paths from every vertex to every vertex")
    parser.add_argument(
        "--target", action="append", default=[], metavar="VERTEX", help="print the path to it; as for --source"
    )
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the answer, in the form of FILE's suffix")
    parser.add_argument("--no-certify", action="store_true", help="leave out the certificate")
    parser.add_argument("--algorithm", metavar="NAME", help="(default: what suits the graph, which is said)")
    parser.add_argument("--variant", metavar="NAME", help="(default: the algorithm's own)")
    parser.add_argument(
        "--parameters", default="", metavar="NAME=VALUE,...", help="whole numbers (default: the variant's own)"
    )


def main(arguments: argparse.Namespace) -> None:
    parameters = parse(arguments.parameters) if arguments.parameters else {}
    variant = _named_variant(arguments)
    if variant:
        variant.configured(parameters)  # refuses faulty parameters before the graph is read
    elif parameters:
        raise UsageError("--parameters needs --algorithm; they are those of one variant")
    if arguments.output:
        check_output(arguments.output)
    device = open_device(arguments.device)
    began = time.perf_counter()
    graph = read_graph(arguments)
    read_s = time.perf_counter() - began
    targets = named_vertices(graph, arguments.target)
    named = {"algorithm": arguments.algorithm, "variant": arguments.variant, "parameters": parameters}
    paths = _solved(graph, device, arguments, named)
    solver = find(*paths.variant.split("."))

    start = _summary.starts(graph, None if arguments.all_pairs else paths.sources)
    if not arguments.all_pairs and arguments.source is None:
        start += ", the first vertex"
    lines = {
        "read": graph.describe(),
        "solved": f"{start}, by {solver.algorithm} {solver.name} ({paths.reason}), on {_place(solver, device)}",
        "reached": _summary.reached(paths),
        "farthest": _summary.farthest(paths),
        "certificate": _summary.certificate(paths.certificate),
        "times": f"read {readable_seconds(read_s, 3)}, solve {readable_seconds(paths.solve_s, 3)}"
        + (f", certify {readable_seconds(paths.certify_s, 3)}" if paths.certificate else ""),
    }
    if arguments.output:
        write_answer(arguments.output, paths)
        lines["written"] = str(arguments.output)
    print(_summary.printed(lines))
    for line in _summary.paths_to(paths, targets):
        print(line)


def _named_variant(arguments: argparse.Namespace) -> Variant | None:
    """The variant that is named, if any; raises UsageError for unknown names, and for one of another problem."""
    if arguments.all_pairs and arguments.source is not None:
        raise UsageError("--all-pairs starts at every vertex; leave out --source")
    if arguments.algorithm is None:
        if arguments.variant is not None:
            raise UsageError("--variant needs --algorithm; variants of two algorithms may have one name")
        return None
    named = find(arguments.algorithm, arguments.variant or default_variant(arguments.algorithm))
    if named.problem == "apsp" and not named.many_sources and not arguments.all_pairs:
        instead = "leave out --source and add --all-pairs" if arguments.source else "add --all-pairs"
        raise UsageError(f"{named.algorithm} solves all pairs; {instead}, or choose another algorithm")
    return chosen_variant("apsp" if arguments.all_pairs else "sssp", arguments.algorithm, arguments.variant)


def _solved(graph: Graph, device: Device, arguments: argparse.Namespace, named: Mapping[str, Any]) -> Paths:
    solver = Solver(graph, device, prepared=False)  # there is one call to come
    certify = not arguments.no_certify
    with _summary.Counter("solving") as counter:
        if arguments.all_pairs:
            counter.say(f"all pairs of {graph.vertices:,} vertices")
            return solver.apsp(**named, certify=certify)
        sources = named_vertices(graph, arguments.source or [str(graph.label_of(0))])
        if len(sources) == 1:
            return solver.sssp(sources[0], **named, certify=certify)
        return solver.sssp(sources, **named, certify=certify, progress=counter.report)


def _place(variant: Variant, device: Device) -> str:
    if variant.on_cpu:
        return "one core of the CPU"
    return f"the host device, {device.name}" if device.kind == "host" else device.name
