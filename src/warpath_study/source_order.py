"""The order of sources in which all pairs are solved one source at a time."""

import math

import numpy as np


def spread_out(count: int) -> np.ndarray:
    """A permutation of 0..count-1, shape (count,), int64, each prefix of which is spread evenly."""
    step = max(1, round(count * (math.sqrt(5) - 1) / 2))  # the golden ratio
    while math.gcd(step, count) != 1:
        step += 1
    return (np.arange(count, dtype=np.int64) * step) % count
