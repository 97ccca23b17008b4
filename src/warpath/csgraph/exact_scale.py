"""Weights that are no whole numbers, multiplied by a power of two or of ten that makes them whole."""

import numpy as np

from ..graphs.csr import WEIGHT_LIMIT

_POWERS = sorted([*(2**exponent for exponent in range(31)), *(10**exponent for exponent in range(1, 10))])
# Sums of decimals in floats are off by this much: 0.1 + 0.2 is 0.30000000000000004.
_ROUNDING = 1e-15


def scaled_exactly(weights: np.ndarray) -> tuple[np.ndarray, int] | None:
    """``weights``, float64 of shape (m,), as int32 in units of 1 / scale, and the scale; None if there is none.

    The scale is the smallest power of two or of ten that makes each weight a whole number, but for the rounding of
    floats, 1e-15 of the weight: 0.1, the float nearest to 1 / 10, is whole at scale 10.
    """
    if not np.isfinite(weights).all():
        return None
    sizes = np.abs(weights)
    largest = sizes.max(initial=0)
    for scale in _POWERS:
        if largest * scale > WEIGHT_LIMIT:
            return None
        whole = np.rint(weights * scale)
        if np.all(np.abs(whole / scale - weights) <= _ROUNDING * sizes):
            return whole.astype(np.int32), scale
    return None
