"""Random integer weights, for graphs without weights or in place of their own: equally likely, or like road lengths.

Weight i comes from a hash of the seed and of i, the arc's position in ``indices``, or, in an undirected graph, of its
two ends: the same on every machine and with every version of Python and NumPy.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Meta, Struct

from ..errors import UsageError
from .csr import WEIGHT_LIMIT, Graph
from .random_numbers import below, hashed, hashed_at

# A separate stream (the letters of "weights"), so that weights are independent of the shape of a generated graph.
_STREAM = int.from_bytes(b"weights", "big")

# Quantiles of the arc lengths of New York's roads in the ninth DIMACS challenge: at each 32nd, and in the longest 32nd,
# where lengths grow tenfold, at each halving of what is left. Between two quantiles a length is equally likely
# everywhere. Mean, deviation, and the quantiles from a tenth on are within a few per cent of New York's, but lengths of
# roads that meet are independent, as those of real roads are not.
LENGTHS = (
    1, 238, 336, 404, 473, 537, 597, 653, 687, 729, 756, 784, 807, 838, 873, 905, 951, 1014, 1079, 1144, 1225, 1320,
    1410, 1504, 1615, 1747, 1897, 2056, 2258, 2480, 2817, 3593, 4633, 6003, 7667, 9759, 11900, 14449, 17651, 21185,
    23771, 26751, 28526, 34918, 36421, 36946,
)  # fmt: skip
_BITS = 32
_STEPS = 32
_HALVINGS = 18
# The share of arcs that are shorter than each length, in 2**32nds.
_SHARES = (
    *((step << _BITS) // _STEPS for step in range(_STEPS)),
    *((1 << _BITS) - (1 << (_BITS - power)) for power in range(6, _HALVINGS + 1)),
    1 << _BITS,
)


def check_range(weight_min: int, weight_max: int) -> None:
    """Raise UsageError for an empty range or one beyond 32 bits, and for bounds that are no int."""
    if not isinstance(weight_min, int) or not isinstance(weight_max, int):
        raise UsageError(f"weights cannot be drawn from {weight_min!r}..{weight_max!r}; the bounds must be of type int")
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
    weights = below(_hashes(graph, seed), weight_max - weight_min + 1) + weight_min
    return _with(graph, weights, {"kind": "random", "seed": seed, "min": weight_min, "max": weight_max})


def with_road_lengths(graph: Graph, seed: int) -> Graph:
    """``graph`` with every weight replaced by a length drawn like those of New York's roads, see ``road_lengths``.

    Drawn by the two ends in an undirected graph, as in ``with_random_weights``. ``about["weights"]`` of the new graph
    records seed, range and the rule.
    """
    recorded = {"kind": "random", "seed": seed, "min": LENGTHS[0], "max": LENGTHS[-1], "like": "road_lengths"}
    return _with(graph, road_lengths(_hashes(graph, seed)), recorded)


def road_lengths(hashes: np.ndarray) -> np.ndarray:
    """A length like those of New York's roads for each of ``hashes``, uint64 with all bits random: int64, as many.

    Only integers are computed with, so that equal hashes give equal lengths on every machine.
    """
    shares, lengths = np.array(_SHARES), np.array(LENGTHS)
    share = below(hashes, 1 << _BITS)
    place = np.searchsorted(shares, share, side="right") - 1
    above = (share - shares[place]) * np.diff(lengths)[place] // np.diff(shares)[place]
    return lengths[place] + above


class WeightRule(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How weights are drawn: equally likely from min..max, or like something measured; alike both ways of an edge."""

    seed: Annotated[int, Meta(description="Seed of the random numbers.")]
    min: Annotated[int | None, Meta(description="Smallest weight.")] = None
    max: Annotated[int | None, Meta(description="Largest weight.")] = None
    like: Annotated[
        Literal["road_lengths"] | None,
        Meta(description="road_lengths: distributed like the lengths of New York's roads."),
    ] = None

    def __post_init__(self) -> None:
        if {self.min is not None, self.max is not None} != {self.like is None}:
            raise ValueError("Weights need `seed` and either `like` or both `min` and `max`")


def with_drawn(graph: Graph, rule: WeightRule) -> Graph:
    """``graph`` with weights drawn as ``rule`` says."""
    if rule.min is None or rule.max is None:
        return with_road_lengths(graph, rule.seed)
    return with_random_weights(graph, rule.seed, rule.min, rule.max)


def with_ones(graph: Graph) -> Graph:
    """``graph`` with every weight 1."""
    return replace(graph, weights=np.ones(graph.arcs, np.int32), about={**graph.about, "weights": {"kind": "unit"}})


def _with(graph: Graph, weights: np.ndarray, recorded: Mapping[str, Any]) -> Graph:
    return replace(graph, weights=weights.astype(np.int32), about={**graph.about, "weights": recorded})


def _hashes(graph: Graph, seed: int) -> np.ndarray:
    """A random number for each arc: shape (m,), uint64."""
    if not graph.about.get("undirected"):
        return hashed(seed, _STREAM, graph.arcs)
    tails = graph.sources().astype(np.int64)
    pairs = np.minimum(tails, graph.indices) * graph.vertices + np.maximum(tails, graph.indices)
    return hashed_at(seed, _STREAM, pairs)
