"""Compares runs that were measured twice, such as before and after an edit of a kernel.

Two records are comparable if graph, source and device agree. A verdict needs samples on both sides: an estimate, a
simulated time or a run without a time is ``undecided``.

A verdict comes from a confidence interval for the ratio of the times, which assumes no distribution. For independent
samples it is the Hodges-Lehmann interval: the k-th least and k-th greatest ratio of a sample of B to one of A, with k
from the distribution of Mann and Whitney's U. For paired samples, such as solves from the same sources, it is the
interval of the sign test: the k-th least and greatest ratio of a pair. Each end is wrong with a probability of at
most 5 %. An interval needs at least three samples on both sides, or five pairs.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import accumulate
from pathlib import Path
from statistics import NormalDist, median
from typing import Any, Literal

from warpath.errors import UsageError

from ..record import WITHOUT_TIME, Record, read_record, record_files

NOT_COMPARABLE = "not comparable"
MARGIN = 0.01
"""Smaller changes are undecided, because a new process alone may change a time."""
ERROR_OF_AN_END = 0.05
"""The maximum probability that the true ratio lies beyond one end of an interval, such as above its upper end."""

_EXACT_MAX = 2500
"""For more products of the two numbers of samples, U has nearly a normal distribution."""

Verdict = Literal["faster", "slower", "undecided"]
Interval = tuple[float, float]
Key = tuple[str, str]


@dataclass(frozen=True)
class Comparison:
    """Two records of a run; ``ratio`` is the time of ``b`` over that of ``a``, ``interval`` its interval.

    Of paired samples, ``ratio`` is the median of the pairs' ratios.
    """

    a: Record
    b: Record
    ratio: float | None
    interval: Interval | None
    verdict: str
    notes: tuple[str, ...]

    @property
    def lost(self) -> bool:
        """Whether only ``b`` has no time."""
        return self.b.status in WITHOUT_TIME and self.a.status not in WITHOUT_TIME


def compare(a: Record, b: Record, margin: float = MARGIN) -> Comparison:
    """Compare two records; changes of less than ``margin``, a fraction, are undecided."""
    obstacle = _obstacle(a, b)
    if obstacle:
        return Comparison(a, b, None, None, NOT_COMPARABLE, (obstacle,))
    before, after = _times(a, b)
    interval, reason = _interval(a, b, before, after)
    ratio = b.seconds / a.seconds if a.seconds and b.seconds is not None else None
    if a.measure.random_sources and before:
        ratio = median(map(_ratio, after, before))
    notes = [*_differences(a, b), *([reason] if reason else [])]
    return Comparison(a, b, ratio, interval, verdict(interval, margin), tuple(notes))


def read_records(path: Path) -> dict[Key, Record]:
    """The records in a file, or in a folder at any depth, by dataset and run, sorted.

    Raises UsageError if there is none, or if two are of the same run; FormatError for a file that is not a record.
    """
    if not path.is_dir():
        record = read_record(path)
        return {(record.dataset, record.run): record}
    records: dict[Key, Record] = {}
    files: dict[Key, Path] = {}
    for file in record_files(path):
        record = read_record(file)
        key = record.dataset, record.run
        if key in records:
            raise UsageError(f"{path}: has {' '.join(key)} twice, in {files[key]} and {file}; name a folder of one set")
        records[key], files[key] = record, file
    if not records:
        raise UsageError(f"{path}: no records; make some with 'warpath run'")
    return dict(sorted(records.items()))


def compare_sets(a: Mapping[Key, Record], b: Mapping[Key, Record], margin: float = MARGIN) -> list[Comparison]:
    """Compare every run that both sets have."""
    return [compare(a[key], b[key], margin) for key in a if key in b]


def _obstacle(a: Record, b: Record) -> str | None:
    """The reason why the times cannot be compared, in a few words."""
    if a.graph.sha256 != b.graph.sha256:
        return "other graph"
    if (a.problem, a.source) != (b.problem, b.source):
        return "other source" if a.problem == b.problem else "other problem"
    if a.measure.random_sources != b.measure.random_sources:
        return "other random sources"
    devices = [(record.device["kind"], record.device["name"]) for record in (a, b)]
    return None if devices[0] == devices[1] else f"{devices[0][1]} against {devices[1][1]}"


def _interval(a: Record, b: Record, before: Sequence[float], after: Sequence[float]) -> tuple[Interval | None, str]:
    """The interval of the ratio of two records with these times, or None and the reason."""
    for status, words in {**WITHOUT_TIME, "estimated": "estimate"}.items():
        if names := [name for name, record in (("A", a), ("B", b)) if record.status == status]:
            return None, f"{words} in {' and '.join(names)}"
    if a.device["kind"] == "simulated":
        return None, "simulated; times of the simulated GPU say nothing about a GPU"
    interval = (paired_interval if a.measure.random_sources else ratio_interval)(before, after)
    return interval, "" if interval else f"too few samples, {len(before)} and {len(after)}"


def _times(a: Record, b: Record) -> tuple[list[float], list[float]]:
    if a.measure.random_sources:
        return paired_times(*({sample.source: sample.total_s for sample in each.samples} for each in (a, b)))
    return [sample.total_s for sample in a.samples], [sample.total_s for sample in b.samples]


def _differences(a: Record, b: Record) -> list[str]:
    """Differences between the records that may explain a verdict."""
    notes = []
    if (a.algorithm, a.variant) != (b.algorithm, b.variant):
        notes.append(f"{a.algorithm}.{a.variant} against {b.algorithm}.{b.variant}")
    else:
        names = [name for name in {**a.parameters, **b.parameters} if a.parameters.get(name) != b.parameters.get(name)]
        notes += [f"{name} {a.parameters.get(name, '-')} against {b.parameters.get(name, '-')}" for name in names]
        if a.code == b.code:
            notes.append("same code")
    if a.launch_and_wait_s and b.launch_and_wait_s:
        before, after = (f"{1e6 * seconds:.2f}" for seconds in (a.launch_and_wait_s, b.launch_and_wait_s))
        notes.append(f"a launch and wait {before} µs against {after} µs")
    return notes


def paired_times(a: Mapping[Any, float], b: Mapping[Any, float]) -> tuple[list[float], list[float]]:
    """The times from the sources that both have, because either run may have ended early."""
    both = [source for source in a if source in b]
    return [a[source] for source in both], [b[source] for source in both]


def ratio_interval(a: Sequence[float], b: Sequence[float]) -> Interval | None:
    """The interval of the ratio B/A from independent samples, in seconds; None if they are too few."""
    return _inner(sorted(_ratio(y, x) for x in a for y in b), _rank_of_independent(len(a), len(b)))


def paired_interval(a: Sequence[float], b: Sequence[float], error: float = ERROR_OF_AN_END) -> Interval | None:
    """The interval of the median ratio B/A of paired samples, in seconds; None if they are too few.

    ``error`` is the maximum probability that the true ratio lies beyond one end.
    """
    return _inner(sorted(_ratio(y, x) for x, y in zip(a, b, strict=True)), _rank_of_pairs(len(a), error))


def verdict(interval: Interval | None, margin: float) -> Verdict:
    """``faster`` if the whole interval lies below 1 - ``margin``, ``slower`` if above 1 + ``margin``."""
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
    """The greatest k with P(U <= k - 1) <= ERROR_OF_AN_END for ``m`` and ``n`` samples; 0 if there is none."""
    if m * n > _EXACT_MAX:
        deviation = math.sqrt(m * n * (m + n + 1) / 12)
        return math.floor(m * n / 2 + NormalDist().inv_cdf(ERROR_OF_AN_END) * deviation + 0.5)
    # The number of arrangements with each U is a coefficient of the Gaussian binomial (m + n over m).
    counts = [1] + [0] * (m * n // 2)
    for i in range(1, m + 1):
        for u in range(len(counts) - 1, n + i - 1, -1):
            counts[u] -= counts[u - n - i]
        for u in range(i, len(counts)):
            counts[u] += counts[u - i]
    return _rank(counts, math.comb(m + n, m), ERROR_OF_AN_END)


@cache
def _rank_of_pairs(pairs: int, error: float) -> int:
    """The greatest k with P(binomial(pairs, 1/2) <= k - 1) <= ``error``; 0 if there is none."""
    return _rank([math.comb(pairs, k) for k in range(pairs // 2 + 1)], 2**pairs, error)


def _rank(counts: Sequence[int], total: int, error: float) -> int:
    limit = Fraction(str(error)) * total  # the numbers may exceed floats
    return sum(sum_ <= limit for sum_ in accumulate(counts))
