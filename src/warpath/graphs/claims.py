"""Compares what the metadata of a graph claim with its arcs: that arcs are counted, and that they are undirected."""

from typing import TYPE_CHECKING

import numpy as np

from ..errors import GraphError
from .random_numbers import hashed_at

if TYPE_CHECKING:
    from .csr import Graph

_ARCS_AT_ONCE = 1 << 16  # so many hashes fit into a core's cache
_OF_ENDS, _OF_WEIGHT = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1342543DE82EF95)


def check_claims(graph: "Graph") -> None:
    """Raise GraphError if a claim is false."""
    least, most = graph.weight_min, graph.weight_max
    if graph.weight_name is None and (graph.scale != 1 or (graph.arcs and not least == most == 1)):
        raise GraphError(
            f"metadata: weights of the kind 'unit' are 1, without a scale, but these are {least} to {most}"
            f"{f' with the scale {graph.scale}' * (graph.scale != 1)}; leave out the kind"
        )
    if not graph.metadata.get("undirected"):
        return
    tails, balance = graph.tails(), 0
    for first in range(0, graph.arcs, _ARCS_AT_ONCE):
        hashes, directions = _edges(graph, tails, slice(first, first + _ARCS_AT_ONCE))
        balance += int(np.dot(hashes.view(np.int64), directions))  # modulo 2**64
    if balance % 2**64:
        hashes, directions = _edges(graph, tails, slice(None))
        _, numbers = np.unique(hashes, return_inverse=True)
        arc = int(np.argmax(np.bincount(numbers, directions)[numbers] * directions > 0))
        tail, head = graph.label_of(tails[arc]), graph.label_of(graph.indices[arc])
        raise GraphError(
            f"metadata: the graph is 'undirected', but its arc {tail} -> {head} of weight {graph.weights[arc]} has no "
            "arc back of equal weight; leave out 'undirected'"
        )


def _edges(graph: "Graph", tails: np.ndarray, part: slice) -> tuple[np.ndarray, np.ndarray]:
    """A hash of the ends and the weight of each arc, equal in both directions; and the direction: 1, -1, 0 for a loop.

    Where each arc has an arc back, the sum of all hashes times their directions is 0.
    """
    tails, heads, weights = tails[part], graph.indices[part], graph.weights[part]
    keys = np.minimum(tails, heads).astype(np.uint64) << np.uint64(32)
    keys |= np.maximum(tails, heads).astype(np.uint64)
    keys *= _OF_ENDS
    keys += weights.view(f"u{weights.itemsize}") * _OF_WEIGHT
    return hashed_at(0, 0, keys), np.sign(heads - tails, dtype=np.int64)
