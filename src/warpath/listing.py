"""The listing of shortest paths as the main paper's programs print it: Node, Cost, Path.

A path is written backwards, ``5<-2<-0``. A vertex without a path has ``NA`` and ``-``. The source has cost 0 and itself
as its path; the published program prints NA for it and for every other vertex at distance 0.
"""

from collections.abc import Iterator

import numpy as np

from .algorithms.plan import Solution
from .distances import UNREACHABLE, walk_back

HEADER = "Node\tCost\tPath"


def lines(solution: Solution) -> Iterator[str]:
    """The lines of the listing, of one source or of all, each under ``Source: s``."""
    if solution.distances.ndim == 1:
        yield from _lines_of(solution.distances, solution.predecessors)
        return
    for source, (distances, predecessors) in enumerate(zip(solution.distances, solution.predecessors, strict=True)):
        yield f"Source: {source}"
        yield from _lines_of(distances, predecessors)
        yield ""


def _lines_of(distances: np.ndarray, predecessors: np.ndarray) -> Iterator[str]:
    yield HEADER
    for vertex, distance in enumerate(distances.tolist()):
        if distance == UNREACHABLE:
            yield f"{vertex}\tNA\t-"
        else:
            yield f"{vertex}\t{distance}\t{'<-'.join(map(str, walk_back(predecessors, vertex)))}"
