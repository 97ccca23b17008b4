"""Random integer weights, for graphs without weights or in place of their own.

Weight i is a hash of the seed and of i, the arc's position in ``indices``, or, in an undirected graph, of its two ends:
the same on every machine and with every version of Python and NumPy.
"""

from dataclasses import replace

import numpy as np

from ..errors import UsageError
from .csr import Graph
from .csr_arrays import WEIGHT_LIMIT
from .random_numbers import below, hashed_at, integers

# A separate stream (the letters of "weights"), so that weights are independent of the shape of a generated graph.
_STREAM = int.from_bytes(b"weights", "big")


def check_range(weight_min: int, weight_max: int) -> None:
    """Raise UsageError for an empty range or one beyond 32 bits."""
    if not -WEIGHT_LIMIT <= weight_min <= weight_max <= WEIGHT_LIMIT:
        raise UsageError(
            f"weights cannot be drawn from {weight_min}..{weight_max}; the smallest must not exceed the largest, "
            f"and neither may exceed {WEIGHT_LIMIT} in absolute value"
        )


def given_weights(scale: int) -> dict:
    """What ``about["weights"]`` says of weights that a file gave."""
    return {"kind": "given"} if scale == 1 else {"kind": "given", "scale": scale}


def with_random_weights(graph: Graph, seed: int, weight_min: int = 1, weight_max: int = 100) -> Graph:
    """``graph`` with every weight replaced by one of weight_min..weight_max, equally likely.

    If ``about`` says that the graph is undirected, the weight is drawn by the two ends and is the same both ways.
    ``about["weights"]`` of the new graph records seed and range. Raises UsageError for an empty range or one beyond
    32 bits.
    """
    check_range(weight_min, weight_max)
    if graph.about.get("undirected"):
        weights = _drawn_by_ends(graph, seed, weight_min, weight_max)
    else:
        weights = integers(seed, _STREAM, graph.arcs, weight_min, weight_max)
    recorded = {"kind": "random", "seed": seed, "min": weight_min, "max": weight_max}
    return replace(graph, weights=weights.astype(np.int32), about={**graph.about, "weights": recorded})


def with_ones(graph: Graph) -> Graph:
    """``graph`` with every weight 1."""
    return replace(graph, weights=np.ones(graph.arcs, np.int32), about={**graph.about, "weights": {"kind": "unit"}})


def _drawn_by_ends(graph: Graph, seed: int, weight_min: int, weight_max: int) -> np.ndarray:
    tails = graph.sources().astype(np.int64)
    pairs = np.minimum(tails, graph.indices) * graph.vertices + np.maximum(tails, graph.indices)
    return below(hashed_at(seed, _STREAM, pairs), weight_max - weight_min + 1) + weight_min
