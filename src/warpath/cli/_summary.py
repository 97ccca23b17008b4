"""Formats the output of commands about an answer."""

from collections.abc import Iterator

import numpy as np

from ..certificates.certificate import Certificate
from ..distances import distance_text, unreachable
from ..graphs.csr import Graph
from ..library.paths import Paths


def formatted(lines: dict[str, str]) -> str:
    """Lines of a name and a text, in two columns."""
    width = max(map(len, lines))
    return "\n".join(f"{name:{width}}  {text}" for name, text in lines.items())


def describe_sources(graph: Graph, sources: int | np.ndarray | None) -> str:
    """The sources of paths: "from 17", "from 100 sources", or "between all pairs" for None."""
    if sources is None:
        return "between all pairs"
    several = np.atleast_1d(sources)
    return f"from {graph.label_of(int(several[0]))}" if len(several) == 1 else f"from {len(several):,} sources"


def describe_reached(paths: Paths) -> str:
    """How many vertices, or pairs of a source and a vertex, have a path."""
    none = unreachable(paths.distances.dtype)
    count = sum(int(np.count_nonzero(row != none)) for row in np.atleast_2d(paths.distances))
    pairs = paths.distances.size
    what = "vertices" if len(np.atleast_1d(paths.sources)) == 1 else "pairs of a source and a vertex"
    return f"{count:,} of {pairs:,} {what}"


def describe_farthest(paths: Paths) -> str:
    """The reached vertex, or pair of a source and a vertex, with the greatest distance; "none" without one."""
    none = unreachable(paths.distances.dtype)
    least = -np.inf if paths.graph.has_floats else np.iinfo(np.int32).min
    farthest = []
    for source, distances in zip(np.atleast_1d(paths.sources).tolist(), np.atleast_2d(paths.distances), strict=True):
        distances = np.where(distances == none, least, distances)
        vertex = int(np.argmax(distances))
        farthest.append((distances[vertex], source, vertex))
    distance, source, vertex = max(farthest, key=lambda item: item[0])
    if distance == least:
        return "none"
    label = paths.graph.label_of
    pair = f"{label(vertex)}" if len(farthest) == 1 else f"{label(vertex)} from {label(source)}"
    return f"{pair}, at distance {distance_text(distance, paths.graph.scale)}"


def arcs_checked(certificate: Certificate) -> str:
    """The number of arcs that a certificate counts."""
    return "1 arc checked" if certificate.arcs_checked == 1 else f"{certificate.arcs_checked:,} arcs checked"


def paths_to(paths: Paths, targets: list[int]) -> Iterator[str]:
    """A line for each source and target: the distance and the labels of a shortest path, or that there is none."""
    label, scale = paths.graph.label_of, paths.graph.scale
    distances = np.atleast_2d(paths.distances)
    for row, source in enumerate(np.atleast_1d(paths.sources).tolist()):
        for target in targets:
            ends = f"from {label(source)} to {label(target)}"
            if distances[row, target] == unreachable(distances.dtype):
                yield f"no path {ends}"
            else:
                steps = " ".join(map(str, paths.path_to(label(target), label(source))))
                yield f"path {ends}, distance {distance_text(distances[row, target], scale)}: {steps}"
