"""Random integer weights, for graphs without weights or in place of their own.

Weight i is a hash of the seed and of i, the arc's position in ``indices``: the same on every machine and
with every version of Python and NumPy.
"""

from dataclasses import replace

import numpy as np

from ..errors import UsageError
from .csr import WEIGHT_LIMIT, Graph
from .random_numbers import integers

# A separate stream (the letters of "weights"), so that weights are independent of the shape of a generated graph.
_STREAM = int.from_bytes(b"weights", "big")


def check_range(weight_min: int, weight_max: int) -> None:
    """Raise UsageError for an empty range or one beyond 32 bits."""
    if not -WEIGHT_LIMIT <= weight_min <= weight_max <= WEIGHT_LIMIT:
        raise UsageError(
            f"weights cannot be drawn from {weight_min}..{weight_max}; the smallest must not exceed the largest, "
            f"and neither may exceed {WEIGHT_LIMIT} in absolute value"
        )


def with_random_weights(graph: Graph, seed: int, weight_min: int = 1, weight_max: int = 100) -> Graph:
    """``graph`` with every weight replaced by one of weight_min..weight_max, equally likely.

    ``about["weights"]`` of the new graph records seed and range. Raises UsageError for an empty range or one beyond
    32 bits.
    """
    check_range(weight_min, weight_max)
    weights = integers(seed, _STREAM, graph.arcs, weight_min, weight_max).astype(np.int32)
    recorded = {"kind": "random", "seed": seed, "min": weight_min, "max": weight_max}
    return replace(graph, weights=weights, about={**graph.about, "weights": recorded})
