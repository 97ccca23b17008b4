"""``warpath gather``: combine the parts that ``warpath statistics`` wrote."""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from warpath.cli._answers import label_column
from warpath.cli._graph_options import add_graph_options, read_graph
from warpath.cli._summary import formatted
from warpath.errors import UsageError
from warpath.graphs.csr import Graph
from warpath.system.atomic import atomic_write, check_writable

from ..datasets.verify import checked_name
from ..parts.parts import Part, check_graph, gathered, write_part
from ..parts.run import record_of, run_of
from ..record import write_record

_MICROSECONDS = 1e6

HELP = """
Combine the parts of all pairs that 'warpath statistics' wrote, and print a summary. GRAPH is the graph of the parts.
The table has a line per vertex: label, number of reached vertices, eccentricity, farthest vertex, mean distance,
closeness and nearest vertices.

examples:
  warpath gather roads.gr.gz part1.npz part2.npz --output roads.npz
  warpath gather roads.gr.gz parts/*.npz --table roads.csv --histogram histogram.csv
  warpath gather data/graphs/nyc.npz parts/*.npz --record record.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_graph_options(parser, device=False)
    parser.add_argument(
        "parts", type=Path, nargs="+", metavar="PART", help="files of 'warpath statistics', in any order"
    )
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the combined part to this .npz file")
    parser.add_argument("--table", type=Path, metavar="FILE", help="write the table of vertices to this .csv file")
    parser.add_argument(
        "--histogram", type=Path, metavar="FILE", help="write the histogram of distances to this .csv file"
    )
    parser.add_argument("--record", type=Path, metavar="FILE", help="write the record of the run to this .json file")
    parser.add_argument("--run", metavar="RUN", help="name of the run in the record (default: from the parts)")
    dataset = "name of the graph in the record (default: the name in its file)"
    parser.add_argument("--dataset", metavar="NAME", help=dataset)


def main(arguments: argparse.Namespace) -> None:
    others = [arguments.graph, *arguments.parts]
    for name, suffix in (("output", ".npz"), ("table", ".csv"), ("histogram", ".csv"), ("record", ".json")):
        file = getattr(arguments, name)
        if file and file.suffix != suffix:
            raise UsageError(f"--{name} {file}: the suffix is not {suffix}; change it")
        if file:
            check_writable(file, *others)
            others.append(file)
    graph = read_graph(arguments)
    part, parts = gathered(arguments.parts)
    check_graph(part, arguments.parts[0], graph, arguments.graph)
    if arguments.record:
        dataset = checked_name(arguments.dataset, graph, arguments.graph)
        record = record_of(part, parts, arguments.run or run_of(part), dataset)
    lines = summary(graph, part)
    times = lines.pop("times")
    if arguments.output:
        write_part(arguments.output, part)
        lines["written"] = str(arguments.output)
    if arguments.table:
        write_table(arguments.table, part, graph)
        lines["table"] = str(arguments.table)
    if arguments.histogram:
        write_histogram(arguments.histogram, part)
        lines["histogram"] = str(arguments.histogram)
    if arguments.record:
        write_record(arguments.record, record)
        lines["record"] = str(arguments.record)
    print(formatted(lines | {"times": times}))


def counted_rows(count: int) -> str:
    """ "1 row", "2,000 rows"."""
    return f"{count:,} row{'' if count == 1 else 's'}"


def summary(graph: Graph, part: Part) -> dict[str, str]:
    facts, result = part.facts, part.statistics
    count = len(result.rows)
    lines = {"read": graph.describe(), "sources": _extent(facts.first, facts.last, facts.of, graph)}
    if not count:
        return lines
    radius, mean, seconds, certificate = result.radius, result.mean_distance, result.seconds, facts.certificate
    assert result.diameter_ends is not None  # there is a source
    source, vertex = map(graph.label_of, result.diameter_ends)
    per_source = (seconds.solve + seconds.certify + seconds.reduce) / count * _MICROSECONDS
    lines |= {
        "solved": f"by {result.variant}, on {facts.device['name']}",
        "pairs": f"{result.pairs:,} of {count * (graph.vertices - 1):,} have a path",
        "diameter": f"{result.diameter:.15g}, from {source} to {vertex}",
        "radius": f"{radius:.15g}" if radius is not None else "none; no source reaches every vertex",
        "mean distance": f"{mean:.6g}" if mean is not None else "none; no pair has a path",
        "certificate": f"{certificate.verdict}: every distance of {counted_rows(count)}" if certificate else "none",
        "times": f"solve {seconds.solve:.3f} s, certify {seconds.certify:.3f} s, reduce {seconds.reduce:.3f} s: "
        f"{per_source:.3g} microseconds per source; {seconds.whole:.3f} s in total",
    }
    return lines


def _extent(first: int, last: int, of: int, graph: Graph) -> str:
    whole = "all vertices" if of == graph.vertices else f"the first {of:,} vertices"
    if last - first == of:
        return f"{of:,}, {whole}"
    if first == last:
        return f"none of {whole}; other parts have them"
    return f"{last - first:,}, from {graph.label_of(first)} to {graph.label_of(last - 1)}, of {whole}"


def write_table(path: Path, part: Part, graph: Graph) -> None:
    """Write a line per source, with vertices by label and distances in the original unit."""
    result, rows = part.statistics, part.statistics.rows
    labels = np.asarray(graph.names.array)
    mean = rows.sums / np.maximum(rows.reached - 1, 1) / result.scale
    columns = {
        "vertex": labels[result.sources],
        "reached": rows.reached,
        "eccentricity": result.eccentricities,
        "farthest": labels[rows.farthest],
        "mean_distance": np.where(rows.reached > 1, mean, np.nan),
        "closeness": result.closeness,
    }
    for rank, (vertices, distances) in enumerate(zip(rows.nearest.T, rows.nearest_distances.T, strict=True), 1):
        columns[f"nearest_{rank}"] = label_column(graph, vertices)
        columns[f"distance_{rank}"] = np.where(vertices >= 0, distances / result.scale, np.nan)
    with atomic_write(path) as temporary:
        pd.DataFrame(columns).to_csv(temporary, index=False, lineterminator="\n")


def write_histogram(path: Path, part: Part) -> None:
    """Write a line per bin: its bounds, of which the upper is exclusive, and the number of pairs."""
    counts, edges = part.statistics.histogram
    lines = pd.DataFrame({"from": edges[:-1], "to": edges[1:], "pairs": counts})
    with atomic_write(path) as temporary:
        lines.to_csv(temporary, index=False, lineterminator="\n")
