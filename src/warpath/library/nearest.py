"""Shortest paths to each vertex from the nearest of several sources."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..device import Device
from ..distances import NO_PREDECESSOR, path_to, unreachable
from ..errors import UsageError
from ..graphs.csr import Graph
from ..system.arrays import on_host
from .answer import Distances
from .calls import Output
from .chunks import moved
from .paths import Paths

if TYPE_CHECKING:
    from ..typing import Array, VertexLike


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Nearest(Distances):
    """A shortest path to each vertex from the nearest of several sources.

    Of sources that are equally near, one counts, the same one in each call.

    Attributes
    ----------
    sources : int64 array of shape (k,)
        Indices of vertices, in increasing order.
    distances : array of the type of the weights, of shape (n,)
        As ``Distances`` says.
    nearest : int32 array of shape (n,)
        The index of the nearest source; -1 where none has a path.
    predecessors : int32 array of shape (n,)
        Indices; -1 for the sources and for unreachable vertices. If weights are negative, vertices beyond a cutoff keep
        theirs, as in ``Paths``.
    graph, certificate, variant, reason, solve_s, certify_s
        As in ``Answer``. The certificate is about the graph with one more vertex, which has an arc of weight 0 to each
        source.
    """

    sources: np.ndarray
    nearest: "Array"
    predecessors: "Array"

    def _told(self) -> str:
        return f"Nearest of {len(self.sources):,} sources to {self.graph.vertices:,} vertices, {self.distances.dtype}"

    def source_of(self, vertex: "VertexLike") -> Any:
        """The nearest source of a vertex, both as labels; None if no source has a path to it."""
        index = self.nearest[self.graph.names.one(vertex, "target")].item()
        return None if index == NO_PREDECESSOR else self.graph.label_of(index)

    def distance_to(self, vertex: "VertexLike") -> float:
        """The distance to ``vertex`` from its nearest source, as ``floats`` has it: ``inf`` if there is no path."""
        return self._float(self.graph.names.one(vertex, "target"))

    def path_to(self, vertex: "VertexLike") -> list[Any]:
        """The labels of a shortest path from the nearest source, both ends included; an empty list if there is none."""
        index = self.graph.names.one(vertex, "target")
        start = self.nearest[index].item()
        if start == NO_PREDECESSOR:
            return []
        return self.graph.names.of_indices(path_to(on_host(self.predecessors), start, index))

    def to_frame(self) -> Any:
        """The answer as a data frame, with a row for each vertex that a source reaches.

        Returns
        -------
        data frame
            The columns source, vertex, distance and predecessor, as those of ``Paths.to_frame``.
        """
        vertices = np.flatnonzero(on_host(self.reached))
        return self._frame(
            {
                "source": self._named(on_host(self.nearest)[vertices]),
                "vertex": self._named(vertices),
                "distance": on_host(self.floats())[vertices],
                "predecessor": self._named(on_host(self.predecessors)[vertices]),
            }
        )


def joined(graph: Graph, sources: np.ndarray) -> Graph:
    """The graph with one more vertex, the last, which has an arc of weight 0 to each of ``sources``."""
    if not len(sources):
        raise UsageError("there are no sources; give at least one vertex")
    dtype = graph.weights.dtype
    return Graph(
        np.append(graph.indptr, np.int32(graph.arcs + len(sources))),
        np.append(graph.indices, sources.astype(np.int32)),
        np.append(graph.weights, np.zeros(len(sources), dtype)),
        {"weights": {"scale": graph.scale}},
        graph.names.with_one_more(),
    )


def separated(graph: Graph, sources: np.ndarray, paths: Paths, device: Device, output: Output) -> Nearest:
    """The answer about ``graph``, from the paths of the last vertex of the graph that ``joined`` made of it.

    The arrays of ``paths`` are on the device, those of the answer where ``output`` says.
    """
    xp, distances, predecessors = device.xp, paths.distances[:-1], paths.predecessors[:-1]
    # The rules of trees hang each source at distance 0 on the last vertex, even if another source is as near.
    predecessors = xp.where(predecessors == graph.vertices, NO_PREDECESSOR, predecessors)
    ancestors = xp.where(predecessors < 0, xp.arange(graph.vertices, dtype=np.int32), predecessors)
    for _ in range((graph.vertices - 1).bit_length()):  # twice as many steps each time; a look for the end takes longer
        ancestors = ancestors[ancestors]
    nearest = xp.where(distances == unreachable(distances.dtype), NO_PREDECESSOR, ancestors)
    distances, nearest, predecessors = (moved(device, array, output) for array in (distances, nearest, predecessors))
    return Nearest(
        **{**paths.found_how(), "graph": graph},
        sources=sources,
        distances=distances,
        nearest=nearest,
        predecessors=predecessors,
    )
