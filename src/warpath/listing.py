"""The listing of shortest paths as the main paper's programs print it: Node, Cost, Path.

A path is written backwards, ``5<-2<-0``, by the labels of the vertices. A vertex without a path has ``NA`` and ``-``.
The source has cost 0 and itself as its path; the published program prints NA for it and for every other vertex at
distance 0.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .distances import UNREACHABLE, walk_back
from .library.paths import Paths

HEADER = "Node\tCost\tPath"


def lines(paths: Paths) -> Iterator[str]:
    """The lines of the listing, from one source, or from each of several under ``Source: s``."""
    labels = paths.graph.labels.tolist()
    if paths.distances.ndim == 1:
        yield from _lines_of(labels, paths.graph.scale, paths.distances, paths.predecessors)
        return
    sources = np.atleast_1d(paths.sources).tolist()
    for source, distances, predecessors in zip(sources, paths.distances, paths.predecessors, strict=True):
        yield f"Source: {labels[source]}"
        yield from _lines_of(labels, paths.graph.scale, distances, predecessors)
        yield ""


def cost(distance: int, scale: int) -> str:
    """A distance with the scale of the weights undone, "12" or "1.25"."""
    return str(distance) if scale == 1 else f"{distance / scale:.15g}"


def _lines_of(labels: Sequence[Any], scale: int, distances: np.ndarray, predecessors: np.ndarray) -> Iterator[str]:
    yield HEADER
    for vertex, distance in enumerate(distances.tolist()):
        if distance == UNREACHABLE:
            yield f"{labels[vertex]}\tNA\t-"
        else:
            path = "<-".join(str(labels[step]) for step in walk_back(predecessors, vertex))
            yield f"{labels[vertex]}\t{cost(distance, scale)}\t{path}"
