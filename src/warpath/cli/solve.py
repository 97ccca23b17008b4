"""``warpath solve``: shortest paths on a graph file, printed, written or certified."""

import argparse
import sys
import time
from pathlib import Path

HELP = """\
Compute shortest paths on a graph file. Formats: .gr and .gr.gz (DIMACS), edge lists (SNAP), 'n m' followed by
'u v w' lines, and warpath's .npz.

Rounds that can no longer change a distance are skipped; 'warpath run' measures an algorithm in full.

examples:
  warpath solve sample.txt --source 0
  warpath solve USA-road-d.NY.gr.gz --variant stride --source 17 --certify --output none
  warpath solve data/graphs/gnutella04.npz --algorithm floyd_warshall --variant tiled_shared --output write
  warpath solve sample.txt --device host --algorithm dijkstra --variant naive

algorithms and variants:
{variants}
"""


def _list_variants() -> str:
    from ..algorithms import families

    return "\n".join(f"  {family}: {', '.join(names)}" for family, names in families().items())


HELP = HELP.replace("{variants}", _list_variants())


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("graph", type=Path, help="the graph file")
    parser.add_argument("--format", help="gr, snap, edges or npz (default: by name and content)")
    parser.add_argument("--algorithm", default="bellman_ford", help="(default: %(default)s)")
    parser.add_argument("--variant", help="(default: stride_flag, naive, tiled_shared or locality, by algorithm)")
    parser.add_argument(
        "--parameters",
        default="",
        metavar="NAME=VALUE,...",
        help="whole numbers (default: the variant's own)",
    )
    parser.add_argument(
        "--source", type=int, default=0, help="where paths start (default: %(default)s); not for all pairs"
    )
    parser.add_argument("--device", default="auto", help="auto, cuda, cuda:INDEX or host (default: %(default)s)")
    parser.add_argument("--certify", action="store_true", help="certify the answer and compare it with scipy's")
    parser.add_argument(
        "--output",
        choices=("print", "write", "none"),
        default="print",
        help="list the paths on the screen, in a file, or not at all (default: %(default)s)",
    )
    parser.add_argument(
        "--output-file", type=Path, help="file for --output write (default: GRAPH.ALGORITHM.VARIANT.txt in this folder)"
    )


DEFAULT_VARIANTS = {
    "bellman_ford": "stride_flag",
    "dijkstra": "naive",
    "floyd_warshall": "tiled_shared",
    "label_correcting": "locality",
}


def main(arguments: argparse.Namespace) -> None:
    from .. import listing
    from ..algorithms import families, find
    from ..algorithms.parameters import parse
    from ..atomic import check_place, written_whole
    from ..device import open_device
    from ..errors import UsageError
    from ..graphs.formats import read
    from ..solve import solve

    names = families().get(arguments.algorithm, ("",))
    name = arguments.variant or DEFAULT_VARIANTS.get(arguments.algorithm, names[0])
    parameters = parse(arguments.parameters) if arguments.parameters else {}
    variant = find(arguments.algorithm, name)
    variant.configured(parameters)  # refuses faulty parameters before the graph is read
    if variant.problem not in ("sssp", "apsp"):
        raise UsageError(f"{arguments.algorithm} {name} has no paths of a graph to list; 'warpath run' measures it")
    stem = arguments.graph.name.removesuffix(".gz").removesuffix(".xz")
    target = arguments.output_file or Path(f"{Path(stem).stem}.{arguments.algorithm}.{name}.txt")
    if arguments.output == "write":
        check_place(target)
    graph = read(arguments.graph, arguments.format)
    source = arguments.source if variant.problem == "sssp" else None
    device = open_device(arguments.device)

    start = time.perf_counter()
    solution = solve(graph, variant.problem, arguments.algorithm, name, device, source, parameters)
    seconds = time.perf_counter() - start
    where = "the CPU" if variant.on_cpu else device.name
    _say(f"{graph.vertices} vertices, {graph.arcs} arcs: {arguments.algorithm} {name} on {where}, {seconds:.3f} s")

    if arguments.certify:
        from ..certify.certificate import certify
        from ..certify.reference import compare

        certify(graph, source, solution.distances, solution.predecessors)
        compare(graph, source, solution.distances)
        _say("certified exact, and equal to scipy's distances")
    if arguments.output == "print":
        for line in listing.lines(solution):
            print(line)
    elif arguments.output == "write":
        with written_whole(target) as temporary, open(temporary, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{line}\n" for line in listing.lines(solution))
        _say(f"paths are in {target}")


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr)
