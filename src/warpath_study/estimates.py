"""How stretches of iterations that were timed tell what the others take."""

from collections.abc import Sequence
from math import sqrt
from typing import Protocol


class Timed(Protocol):
    """Iterations first, ..., last - 1, and how long they took."""

    @property
    def first(self) -> int: ...
    @property
    def last(self) -> int: ...
    @property
    def seconds(self) -> float: ...


def seconds_per_iteration(stretches: Sequence[Timed], by_source: bool) -> float:
    """The mean over all ``stretches``, or over the last alone."""
    counted = stretches if by_source else stretches[-1:]
    return sum(stretch.seconds for stretch in counted) / sum(stretch.last - stretch.first for stretch in counted)


def standard_error_s(stretches: Sequence[Timed], iterations_total: int) -> float | None:
    """The standard error of an estimate by source; None for a single stretch, which shows no variance.

    A stretch of n sources is the mean of n draws, so its squared distance from the mean of all, times n, estimates the
    variance of one source. The sources that were timed add no error of their own.
    """
    timed = stretches[-1].last
    mean = seconds_per_iteration(stretches, by_source=True)
    if len(stretches) < 2:
        return None
    lengths = [stretch.last - stretch.first for stretch in stretches]
    squares = (n * (one.seconds / n - mean) ** 2 for n, one in zip(lengths, stretches, strict=True))
    variance = sum(squares) / (len(stretches) - 1)
    return sqrt(variance * iterations_total * (iterations_total - timed) / timed)
