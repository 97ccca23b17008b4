"""What predecessors say beyond the last step, and paths from the nearest of several sources."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..distances import NO_PREDECESSOR, UNREACHABLE
from ..graphs.csr import Graph, from_arcs
from ..library.shortest_paths import sssp


@dataclass
class Nearest:
    """For each vertex the nearest source: its distance, int32 with UNREACHABLE; the predecessor on a path from it,
    int32, -1 for none; and the source itself, int32, -1 where no source leads. Shapes (n,).
    """

    distances: np.ndarray
    predecessors: np.ndarray
    sources: np.ndarray


def nearest_source(graph: Graph, sources: np.ndarray, device: Any, certify: bool) -> Nearest:
    """Paths from whichever of ``sources``, at least one, is nearest. Errors as for ``warpath.sssp``.

    One solve: from a new vertex with an arc of weight 0 to each source.
    """
    start, heads = graph.vertices, np.unique(sources).astype(np.int32)
    joined = from_arcs(
        graph.vertices + 1,
        np.append(graph.sources(), np.full(len(heads), start, np.int32)),
        np.append(graph.indices, heads),
        np.append(graph.weights, np.zeros(len(heads), np.int32)),
        graph.about,
    )
    paths = sssp(joined, start, device=device, certify=certify)
    distances, predecessors = paths.distances[:-1], paths.predecessors[:-1].copy()
    predecessors[predecessors == start] = NO_PREDECESSOR
    # A source may have been reached from another one, through arcs of weight 0: then its path begins at itself.
    predecessors[heads[distances[heads] == 0]] = NO_PREDECESSOR
    roots, _ = roots_and_depths(predecessors)
    return Nearest(distances, predecessors, np.where(distances == UNREACHABLE, -1, roots).astype(np.int32))


def roots_and_depths(predecessors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The root of each vertex's tree and the number of arcs from there, shapes (n,); -1 means no predecessor.

    Doubles the steps in each pass, so that deep trees take few passes.
    """
    ancestors = np.where(predecessors == NO_PREDECESSOR, np.arange(len(predecessors)), predecessors)
    depths = (predecessors != NO_PREDECESSOR).astype(np.int64)
    while True:
        farther = ancestors[ancestors]
        if np.array_equal(farther, ancestors):
            return ancestors, depths
        depths += depths[ancestors]
        ancestors = farther
