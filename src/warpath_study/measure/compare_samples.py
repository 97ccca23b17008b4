"""How many times as long one set of samples takes as another, with an interval that assumes no distribution.

Independent samples give the interval of Hodges and Lehmann: the k-th least and the k-th greatest of all ratios of a
sample of B to one of A, where k comes from the exact distribution of Mann and Whitney's U. Samples in pairs, such as
solves from the same sources, give the interval of the sign test: the k-th least and greatest ratio of a pair. Each end
is wrong in at most one comparison in twenty. Two sets of three samples are enough for an interval, and so are five
pairs.
"""

import math
from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from typing import Literal

ERROR_OF_AN_END = 0.05
"""The greatest probability that the true ratio lies beyond one end of an interval, such as above its upper end."""

Verdict = Literal["faster", "slower", "undecided"]
Interval = tuple[float, float]


def ratio_interval(a: Sequence[float], b: Sequence[float]) -> Interval | None:
    """The interval of B over A from independent samples, in seconds; None if they are too few."""
    return _inner(sorted(_ratio(y, x) for x in a for y in b), _rank_of_independent(len(a), len(b)))


def paired_interval(a: Sequence[float], b: Sequence[float]) -> Interval | None:
    """The interval of the median ratio of a sample of B to that of A at the same place; None if they are too few."""
    return _inner(sorted(_ratio(y, x) for x, y in zip(a, b, strict=True)), _rank_of_pairs(len(a)))


def verdict(interval: Interval | None, margin: float) -> Verdict:
    """Whether all of the interval lies below 1 - ``margin``, or above 1 + ``margin``, or neither."""
    if interval is None:
        return "undecided"
    low, high = interval
    if high < 1 - margin:
        return "faster"
    return "slower" if low > 1 + margin else "undecided"


def _ratio(after: float, before: float) -> float:
    if before == after:
        return 1.0
    return after / before if before else math.inf


def _inner(ratios: Sequence[float], rank: int) -> Interval | None:
    """The ratios at ``rank`` from below and from above, counted from 1; None for rank 0."""
    return (ratios[rank - 1], ratios[-rank]) if rank else None


@cache
def _rank_of_independent(m: int, n: int) -> int:
    """The greatest k with P(U <= k - 1) of at most ERROR_OF_AN_END, for ``m`` and ``n`` samples; 0 if there is none."""
    # The number of arrangements with each U is a coefficient of the Gaussian binomial (m + n over m).
    counts = [1] + [0] * (m * n // 2)
    for i in range(1, m + 1):
        for u in range(len(counts) - 1, n + i - 1, -1):
            counts[u] -= counts[u - n - i]
        for u in range(i, len(counts)):
            counts[u] += counts[u - i]
    return _rank(counts, math.comb(m + n, m))


@cache
def _rank_of_pairs(pairs: int) -> int:
    """The greatest k with P(binomial(pairs, 1/2) <= k - 1) of at most ERROR_OF_AN_END; 0 if there is none."""
    return _rank([math.comb(pairs, k) for k in range(pairs // 2 + 1)], 2**pairs)


def _rank(counts: Sequence[int], total: int) -> int:
    return sum(sum_ <= ERROR_OF_AN_END * total for sum_ in accumulate(counts))
