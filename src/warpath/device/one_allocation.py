"""Several arrays in one allocation: a GPU takes longer for each of its allocations than for a small solve."""

from itertools import accumulate
from typing import Any

import numpy as np

from .contract import Device

# Each array begins at a multiple of so many words, 256 bytes, as one with an allocation of its own does.
_WORDS_APART = 64


def in_one_allocation(device: Device, *counts: int) -> list[Any]:
    """New, uninitialised arrays of so many int32 each: views of one allocation, which lasts as long as any of them.

    May raise OutOfMemoryError.
    """
    begins = [0, *accumulate(-(-count // _WORDS_APART) * _WORDS_APART for count in counts)]
    words = device.empty((begins[-1],), np.int32)
    return [words[begin : begin + count] for begin, count in zip(begins, counts, strict=False)]
