"""The order in which all pairs are solved, a source after the other."""

import math

import numpy as np

GOLDEN_RATIO = (math.sqrt(5) - 1) / 2


def spread_out(count: int) -> np.ndarray:
    """0..count-1 in steps of about ``count`` times the golden ratio, so that every prefix is spread evenly."""
    step = max(1, round(count * GOLDEN_RATIO))
    while math.gcd(step, count) != 1:
        step += 1
    return (np.arange(count, dtype=np.int64) * step) % count
