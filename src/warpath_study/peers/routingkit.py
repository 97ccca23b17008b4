"""RoutingKit: customizable contraction hierarchies through the package ``routingkit-cch``, one thread.

Vertices are contracted in the order of METIS' nested dissection, because RoutingKit's own order needs coordinates. The
hierarchy takes arcs in one direction as arcs in both, one of them without a path. Its search from one source to all
vertices goes up the hierarchy and sweeps down once. It suits graphs with small separators, such as roads; on others it
adds too many shortcuts.
"""

import numpy as np

from warpath.device import Device
from warpath.distances import UNREACHABLE
from warpath.graphs.csr import Graph

from .contract import Peer, installed


class Form:
    """A hierarchy, and the search from one source to all vertices for its present weights."""

    def __init__(self, graph: Graph, device: Device):
        import routingkit_cch

        found, ends = order(graph), (graph.tails().tolist(), graph.indices.tolist())
        self._hierarchy = routingkit_cch.CCH(found.tolist(), *ends, False)
        self.vertices = found[::-1]  # of each distance; from the top downwards, a sweep is faster
        # The search does not keep it.
        self._weighted = routingkit_cch.CCHMetric(self._hierarchy, graph.weights.tolist())
        self.search = routingkit_cch.CCHOneToMany(self._weighted, self.vertices.tolist())


def order(graph: Graph) -> np.ndarray:
    """The vertices from the first to be contracted to the last."""
    import pymetis

    tails, heads = graph.tails().astype(np.int64), graph.indices.astype(np.int64)
    ends = np.concatenate((tails * graph.vertices + heads, heads * graph.vertices + tails))
    starts, ends = np.divmod(np.unique(ends), graph.vertices)
    starts, ends = starts[starts != ends], ends[starts != ends]
    if not len(ends):
        return np.arange(graph.vertices)
    indptr = np.searchsorted(starts, np.arange(graph.vertices + 1))
    adjacency = pymetis.CSRAdjacency(indptr.astype(np.int32), ends.astype(np.int32))
    return np.asarray(pymetis.nested_dissection(adjacency)[0])


def solve(form: Form, source: int) -> list[int | None]:
    """Distances from the top of the hierarchy downwards; None without a path."""
    return form.search.distances_from(int(source))


def distances(answer: list[int | None], form: Form) -> np.ndarray:
    row = np.empty(len(answer), np.int32)
    row[form.vertices] = [UNREACHABLE if distance is None else distance for distance in answer]
    return row


PEER = Peer(
    title="RoutingKit",
    summary="customizable contraction hierarchies, order of METIS: one source to all vertices, one thread",
    version=installed("routingkit-cch"),
    prepare=Form,
    solve=solve,
    distances=distances,
)
