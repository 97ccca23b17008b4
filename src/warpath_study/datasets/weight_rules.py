"""Random weights as a catalog describes them: uniform, or distributed like road lengths."""

from typing import Annotated, Literal

import numpy as np
from msgspec import Meta, Struct

from warpath.graphs.csr import Graph
from warpath.graphs.random_numbers import below
from warpath.graphs.weights import hashes_of_arcs, with_random_weights, with_weights

# Quantiles of the arc lengths in New York's road network (9th DIMACS Challenge): at each 32nd, and within the last 32nd
# at each halving of the rest. Lengths are uniform between two quantiles. Mean, deviation and most quantiles are within
# a few per cent of New York's. Unlike in a real network, the lengths of adjacent roads are independent.
LENGTHS = (
    1, 238, 336, 404, 473, 537, 597, 653, 687, 729, 756, 784, 807, 838, 873, 905, 951, 1014, 1079, 1144, 1225, 1320,
    1410, 1504, 1615, 1747, 1897, 2056, 2258, 2480, 2817, 3593, 4633, 6003, 7667, 9759, 11900, 14449, 17651, 21185,
    23771, 26751, 28526, 34918, 36421, 36946,
)  # fmt: skip
_BITS = 32
_STEPS = 32
_HALVINGS = 18
# The share of arcs shorter than each length, in 2**32nds.
_SHARES = (
    *((step << _BITS) // _STEPS for step in range(_STEPS)),
    *((1 << _BITS) - (1 << (_BITS - power)) for power in range(6, _HALVINGS + 1)),
    1 << _BITS,
)


def with_road_lengths(graph: Graph, seed: int) -> Graph:
    """``graph`` with random lengths, see ``road_lengths``; equal in both directions of an undirected edge."""
    metadata = {"kind": "random", "seed": seed, "min": LENGTHS[0], "max": LENGTHS[-1], "like": "road_lengths"}
    return with_weights(graph, road_lengths(hashes_of_arcs(graph, seed)), metadata)


def road_lengths(hashes: np.ndarray) -> np.ndarray:
    """A length (int64) for each of ``hashes`` (random uint64), distributed as in New York's road network.

    The arithmetic is on integers alone, so equal hashes give equal lengths on every machine.
    """
    shares, lengths = np.array(_SHARES), np.array(LENGTHS)
    share = below(hashes, 1 << _BITS)
    step = np.searchsorted(shares, share, side="right") - 1
    return lengths[step] + (share - shares[step]) * np.diff(lengths)[step] // np.diff(shares)[step]


class WeightRule(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How weights are drawn: uniform in min..max, or like measured lengths; equal in both directions of an edge."""

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
