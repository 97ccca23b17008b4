"""What ``warpath reduce`` and ``warpath gather`` say of reductions, and the tables that they write; all by labels."""

from pathlib import Path

import numpy as np
import pandas as pd

from ..atomic import written_whole
from ..distances import UNREACHABLE
from ..graphs.csr import Graph
from ..reductions.reductions import Reductions
from ..scatter.parts import Part

_MICROSECONDS = 1e6


def rows(count: int) -> str:
    """ "1 row", "2,000 rows"."""
    return f"{count:,} row{'' if count == 1 else 's'}"


def summary(graph: Graph, part: Part) -> dict[str, str]:
    """What was found, line by line, each with its name."""
    facts, found = part.facts, part.reductions
    count = len(found.rows)
    lines = {"read": graph.describe(), "sources": _extent(facts.first, facts.last, facts.of, graph)}
    if not count:
        return lines
    possible = count * (graph.vertices - 1)
    radius, mean = found.radius, found.mean_distance
    lines |= {
        "solved": f"by {found.variant}, on {facts.device['name']}",
        "pairs": f"{found.pairs:,} of {possible:,} have a path",
        "diameter": _diameter(found, graph),
        "radius": f"{radius:.15g}" if radius is not None else "none; no source reaches every vertex",
        "mean distance": f"{mean:.6g}" if mean is not None else "none; no pair has a path",
        "certificate": f"{facts.certificate.verdict}: every distance of {rows(count)}" if facts.certificate else "none",
        "times": _times(found),
    }
    return lines


def _extent(first: int, last: int, of: int, graph: Graph) -> str:
    whole = "all vertices" if of == graph.vertices else f"the first {of:,} vertices"
    if last - first == of:
        return f"{of:,}, {whole}"
    if first == last:
        return f"none of {whole}; the other parts have them"
    return f"{last - first:,}, from {graph.label_of(first)} to {graph.label_of(last - 1)}, of {whole}"


def _diameter(found: Reductions, graph: Graph) -> str:
    assert found.diameter_ends is not None  # there is a source
    source, vertex = map(graph.label_of, found.diameter_ends)
    return f"{found.diameter:.15g}, from {source} to {vertex}"


def _times(found: Reductions) -> str:
    seconds = found.seconds
    of_source = (seconds.solve + seconds.certify + seconds.reduce) / len(found.rows) * _MICROSECONDS
    return (
        f"solve {seconds.solve:.3f} s, certify {seconds.certify:.3f} s, reduce {seconds.reduce:.3f} s: "
        f"{of_source:.3g} microseconds a source; {seconds.whole:.3f} s with all else"
    )


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
    with written_whole(path) as temporary:
        pd.DataFrame(columns).to_csv(temporary, index=False, lineterminator="\n")


def write_histogram(path: Path, part: Part) -> None:
    """A line for each bin: from where, up to but not including where, and how many pairs of two vertices."""
    counts, edges = part.reductions.histogram
    lines = pd.DataFrame({"from": edges[:-1], "to": edges[1:], "pairs": counts})
    with written_whole(path) as temporary:
        lines.to_csv(temporary, index=False, lineterminator="\n")
