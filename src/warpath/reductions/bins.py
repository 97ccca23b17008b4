"""Histograms of distances whose bins widen as greater distances come, so that any two can be added exactly.

There are BINS bins; bin b counts distances from b * width up to, but not including, (b + 1) * width, and the width is a
power of two. Where a distance lies beyond the last bin, the width doubles and each two neighbours become one. The
result is that of the least width that suffices, in whatever order distances come and parts are merged.
"""

from typing import Any

BINS = 1024


def shift_for(greatest: int) -> int:
    """The binary logarithm of the least width with which ``greatest`` has a bin."""
    return max(0, int(greatest).bit_length() - (BINS.bit_length() - 1))


def widened(histogram: Any, shift: int, wider: int) -> Any:
    """``histogram`` of widths ``2**shift`` as one of widths ``2**wider``: a new array of NumPy or CuPy, (BINS,)."""
    together = 1 << min(wider - shift, BINS.bit_length())
    counts = histogram.copy()
    counts[:] = 0
    filled = -(-BINS // together)
    padded = histogram if BINS % together == 0 else histogram.sum().reshape(1)
    counts[:filled] = padded.reshape(filled, -1).sum(axis=1)
    return counts
