"""Whether one of two runs that took turns is faster: the ratio of their times, with an interval of 95 %.

Only times from the same sources are compared, each taken right after the other. The ratio of medians is the median of
the sources' ratios, and its interval that of the sign test. The ratio of means has the interval of a bootstrap that
draws sources.
"""

from dataclasses import dataclass
from statistics import fmean, median

import numpy as np

from warpath.graphs.random_numbers import integers

from ..measure.compare import paired_interval, paired_times
from .runs import Run

ERROR_OF_AN_END = 0.025
"""The probability that the true ratio lies beyond one end of an interval."""
DRAWS = 4000
FASTER, SLOWER, NO_DIFFERENCE = "faster", "slower", "no difference"


@dataclass(frozen=True)
class Ratio:
    """The time of one run over that of another one. ``interval`` is None if they took no turns, or too few."""

    value: float
    interval: tuple[float, float] | None = None

    @property
    def verdict(self) -> str:
        """Whether the first run is faster; "" without an interval."""
        if self.interval is None:
            return ""
        low, high = self.interval
        return FASTER if high < 1 else SLOWER if low > 1 else NO_DIFFERENCE


def took_turns(a: Run, b: Run) -> bool:
    """Whether two runs took turns."""
    return bool(a.turns) and a.turns == b.turns


def ratio_of_medians(a: Run, b: Run) -> Ratio:
    """The median of the ratios A/B of two runs that took turns."""
    ours, theirs = paired_times(b.times, a.times)
    value = median(after / before for before, after in zip(ours, theirs, strict=True))
    return Ratio(value, paired_interval(ours, theirs, ERROR_OF_AN_END))


def ratio_of_means(a: Run, b: Run) -> Ratio:
    """The mean of A over that of B, of two runs that took turns."""
    ours, theirs = paired_times(b.times, a.times)
    ratio = Ratio(fmean(theirs) / fmean(ours))
    if paired_interval(ours, theirs, ERROR_OF_AN_END) is None:
        return ratio
    count = len(ours)
    drawn = integers(1, 0, DRAWS * count, 0, count - 1).reshape(DRAWS, count)
    ratios = np.array(theirs)[drawn].mean(axis=1) / np.array(ours)[drawn].mean(axis=1)
    low, high = np.quantile(ratios, (ERROR_OF_AN_END, 1 - ERROR_OF_AN_END))
    return Ratio(ratio.value, (float(low), float(high)))
