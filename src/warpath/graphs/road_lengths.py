"""Lengths for roads whose own are not known, distributed like those of New York.

The table holds quantiles of the arc lengths of New York's road network in the ninth DIMACS challenge: at each 32nd, and
in the longest 32nd, where lengths grow tenfold, at each halving of what is left. Between two quantiles a length is
equally likely everywhere. Mean, deviation, and the quantiles from a tenth on are within a few per cent of New York's,
but lengths of roads that meet are independent, as those of real roads are not.
"""

import numpy as np

from .random_numbers import below

LENGTHS = (
    1, 238, 336, 404, 473, 537, 597, 653, 687, 729, 756, 784, 807, 838, 873, 905, 951, 1014, 1079, 1144, 1225, 1320,
    1410, 1504, 1615, 1747, 1897, 2056, 2258, 2480, 2817, 3593, 4633, 6003, 7667, 9759, 11900, 14449, 17651, 21185,
    23771, 26751, 28526, 34918, 36421, 36946,
)  # fmt: skip
"""The quantiles, from the shortest arc to the longest."""

_BITS = 32
_STEPS = 32
_HALVINGS = 18
# The share of arcs that are shorter than each length, in 2**32nds.
_SHARES = (
    *((step << _BITS) // _STEPS for step in range(_STEPS)),
    *((1 << _BITS) - (1 << (_BITS - power)) for power in range(6, _HALVINGS + 1)),
    1 << _BITS,
)


def road_lengths(hashes: np.ndarray) -> np.ndarray:
    """A length for each of ``hashes``, uint64 with all bits random: int64, of the same shape.

    Only integers are computed with, so that equal hashes give equal lengths on every machine.
    """
    shares, lengths = np.array(_SHARES), np.array(LENGTHS)
    share = below(hashes, 1 << _BITS)
    place = np.searchsorted(shares, share, side="right") - 1
    above = (share - shares[place]) * np.diff(lengths)[place] // np.diff(shares)[place]
    return lengths[place] + above
