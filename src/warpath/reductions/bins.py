"""Histograms of distances whose bins widen as greater distances come, so that any two can be added exactly.

There are BINS bins; bin b counts distances from b * width up to, but not including, (b + 1) * width, and the width is a
power of two. Where a distance lies beyond the last bin, the width doubles and each two neighbours become one. The
result is that of the least width that suffices, in whatever order distances come and parts are merged.
"""

import numpy as np

BINS = 1024


def shift_for(greatest: int) -> int:
    """The binary logarithm of the least width with which ``greatest`` has a bin."""
    return max(0, int(greatest).bit_length() - (BINS.bit_length() - 1))


def widened(histogram: np.ndarray, shift: int, wider: int) -> np.ndarray:
    """``histogram`` of widths ``2**shift`` as one of widths ``2**wider``: a new array, int64 of shape (BINS,)."""
    places = np.arange(BINS) >> min(wider - shift, BINS.bit_length())
    counts = np.zeros(BINS, np.int64)
    np.add.at(counts, places, histogram)
    return counts
