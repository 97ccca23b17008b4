"""``warpath gather``: the parts that ``warpath reduce`` made, put together."""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from ..atomic import atomic_write, check_writable
from ..distances import UNREACHABLE
from ..errors import UsageError
from ..graphs.csr import Graph
from ..scatter.parts import Part, check_graph, gathered, write_part
from ._graph_options import add_graph_options, read_graph
from ._summary import printed

_MICROSECONDS = 1e6

HELP = """
Put the parts of all pairs together, which 'warpath reduce' made, and say what they come to. The graph is the one that
they were made of. A table has a line for each vertex: its label, the vertices it reaches, eccentricity, farthest
vertex, mean distance, closeness, and its nearest vertices.

examples:
  warpath gather roads.gr.gz part1.npz part2.npz --output roads.npz
  warpath gather roads.gr.gz parts/*.npz --table roads.csv --histogram histogram.csv
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_graph_options(parser, device=False)
    parser.add_argument("parts", type=Path, nargs="+", metavar="PART", help="files of 'warpath reduce', in any order")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write all parts as one, a .npz file")
    parser.add_argument("--table", type=Path, metavar="FILE", help="write a line for each vertex, as .csv")
    parser.add_argument("--histogram", type=Path, metavar="FILE", help="write a line for each bin, as .csv")


def main(arguments: argparse.Namespace) -> None:
    for name, suffix in (("output", ".npz"), ("table", ".csv"), ("histogram", ".csv")):
        file = getattr(arguments, name)
        if file and file.suffix != suffix:
            raise UsageError(f"{file}: --{name} writes a {suffix} file; name it so")
        if file:
            check_writable(file)
    graph = read_graph(arguments)
    part, _ = gathered(arguments.parts)
    check_graph(part, arguments.parts[0], graph, arguments.graph)
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
    print(printed(lines | {"times": times}))


def counted_rows(count: int) -> str:
    """ "1 row", "2,000 rows"."""
    return f"{count:,} row{'' if count == 1 else 's'}"


def summary(graph: Graph, part: Part) -> dict[str, str]:
    facts, found = part.facts, part.reductions
    count = len(found.rows)
    lines = {"read": graph.describe(), "sources": _extent(facts.first, facts.last, facts.of, graph)}
    if not count:
        return lines
    radius, mean, seconds, certificate = found.radius, found.mean_distance, found.seconds, facts.certificate
    assert found.diameter_ends is not None  # there is a source
    source, vertex = map(graph.label_of, found.diameter_ends)
    of_source = (seconds.solve + seconds.certify + seconds.reduce) / count * _MICROSECONDS
    lines |= {
        "solved": f"by {found.variant}, on {facts.device['name']}",
        "pairs": f"{found.pairs:,} of {count * (graph.vertices - 1):,} have a path",
        "diameter": f"{found.diameter:.15g}, from {source} to {vertex}",
        "radius": f"{radius:.15g}" if radius is not None else "none; no source reaches every vertex",
        "mean distance": f"{mean:.6g}" if mean is not None else "none; no pair has a path",
        "certificate": f"{certificate.verdict}: every distance of {counted_rows(count)}" if certificate else "none",
        "times": f"solve {seconds.solve:.3f} s, certify {seconds.certify:.3f} s, reduce {seconds.reduce:.3f} s: "
        f"{of_source:.3g} microseconds a source; {seconds.whole:.3f} s with all else",
    }
    return lines


def _extent(first: int, last: int, of: int, graph: Graph) -> str:
    whole = "all vertices" if of == graph.vertices else f"the first {of:,} vertices"
    if last - first == of:
        return f"{of:,}, {whole}"
    if first == last:
        return f"none of {whole}; the other parts have them"
    return f"{last - first:,}, from {graph.label_of(first)} to {graph.label_of(last - 1)}, of {whole}"


def write_table(path: Path, part: Part, graph: Graph) -> None:
    """A line for each source; vertices by their labels, distances with the scale undone; empty where there is none."""
    found = part.reductions
    labels = np.asarray(graph.names.array)
    reached, sums = found.rows.reached, found.rows.sums
    others = np.maximum(reached - 1, 1)
    columns = {
        "vertex": labels[found.sources],
        "reached": reached,
        "eccentricity": found.eccentricities,
        "farthest": labels[found.rows.farthest],
        "mean_distance": np.where(reached > 1, sums / others / found.scale, np.nan),
        "closeness": found.closeness,
    }
    for place in range(found.rows.nearest.shape[1]):
        vertices, distances = found.rows.nearest[:, place], found.rows.nearest_distances[:, place]
        there = distances != UNREACHABLE
        columns[f"nearest_{place + 1}"] = pd.Series(labels[np.maximum(vertices, 0)]).where(there)
        columns[f"distance_{place + 1}"] = np.where(there, distances / found.scale, np.nan)
        if labels.dtype.kind in "iu":
            columns[f"nearest_{place + 1}"] = columns[f"nearest_{place + 1}"].astype("Int64")
    with atomic_write(path) as temporary:
        pd.DataFrame(columns).to_csv(temporary, index=False, lineterminator="\n")


def write_histogram(path: Path, part: Part) -> None:
    """A line for each bin: from where, up to but not including where, and how many pairs of two vertices."""
    counts, edges = part.reductions.histogram
    lines = pd.DataFrame({"from": edges[:-1], "to": edges[1:], "pairs": counts})
    with atomic_write(path) as temporary:
        lines.to_csv(temporary, index=False, lineterminator="\n")
