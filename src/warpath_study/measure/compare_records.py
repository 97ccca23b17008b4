"""Compares records: the same runs measured twice, such as before and after an edit of a kernel.

Two records are comparable if graph, source and device agree. A run with a full measurement on both sides gets a verdict
from its samples; an estimate, a simulated time or a run that is out of memory has none, and is ``undecided``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from warpath.errors import UsageError

from ..record import WITHOUT_TIME, Record
from ..records.files import read_record
from .compare_samples import Interval, paired_interval, ratio_interval, verdict

NOT_COMPARABLE = "not comparable"
MARGIN = 0.01
"""Smaller changes are undecided: the samples of a run share one process, and a new process alone may change a time."""

Key = tuple[str, str]


@dataclass(frozen=True)
class Comparison:
    """A run measured as ``a`` and as ``b``; ``ratio`` is the time of b over that of a, ``interval`` where it lies."""

    a: Record
    b: Record
    ratio: float | None
    interval: Interval | None
    verdict: str
    notes: tuple[str, ...]

    @property
    def lost(self) -> bool:
        """Whether only ``b`` gave no time: out of memory, or a peer's wrong answer."""
        return self.b.status in WITHOUT_TIME and self.a.status not in WITHOUT_TIME


def compare(a: Record, b: Record, margin: float = MARGIN) -> Comparison:
    """Compare two records; changes of less than ``margin``, a fraction of the time, are undecided."""
    obstacle = _obstacle(a, b)
    if obstacle:
        return Comparison(a, b, None, None, NOT_COMPARABLE, (obstacle,))
    ratio = b.seconds / a.seconds if a.seconds and b.seconds is not None else None
    interval, reason = _interval(a, b)
    notes = [*_differences(a, b), *([reason] if reason else [])]
    return Comparison(a, b, ratio, interval, verdict(interval, margin), tuple(notes))


def read_records(path: Path) -> dict[Key, Record]:
    """The records in a file, or in a folder at any depth, by dataset and run, in alphabetical order.

    Raises UsageError if there is none, or if two are of the same run; FormatError for a file that is no record.
    """
    if not path.is_dir():
        record = read_record(path)
        return {(record.dataset, record.run): record}
    found: dict[Key, Record] = {}
    places: dict[Key, Path] = {}
    for file in sorted(path.rglob("*.json")):
        record = read_record(file)
        key = record.dataset, record.run
        if key in found:
            raise UsageError(f"{path}: holds {' '.join(key)} twice, {places[key]} and {file}; name a folder of one set")
        found[key], places[key] = record, file
    if not found:
        raise UsageError(f"{path}: no records; make some with 'warpath run'")
    return dict(sorted(found.items()))


def compare_sets(a: Mapping[Key, Record], b: Mapping[Key, Record], margin: float = MARGIN) -> list[Comparison]:
    """Compare every run that both sets have."""
    return [compare(a[key], b[key], margin) for key in a if key in b]


def _obstacle(a: Record, b: Record) -> str | None:
    """Why times of the two cannot be compared, in a few words."""
    if a.graph.sha256 != b.graph.sha256:
        return "other graph"
    if (a.problem, a.source) != (b.problem, b.source):
        return "other source" if a.problem == b.problem else "other problem"
    if _sources(a) != _sources(b):
        return "other random sources"
    devices = [(record.device["kind"], record.device["name"]) for record in (a, b)]
    return None if devices[0] == devices[1] else f"{devices[0][1]} against {devices[1][1]}"


def _sources(record: Record) -> tuple[object, list[int | None]]:
    return record.measure.random_sources, [sample.source for sample in record.samples if sample.source is not None]


def _interval(a: Record, b: Record) -> tuple[Interval | None, str]:
    """The interval of the ratio, or None and why there is none."""
    for status, words in WITHOUT_TIME.items():
        if lost := [name for name, record in (("A", a), ("B", b)) if record.status == status]:
            return None, f"{words} in {' and '.join(lost)}"
    guessed = [name for name, record in (("A", a), ("B", b)) if record.status == "estimated"]
    if guessed:
        return None, f"estimate in {' and '.join(guessed)}"
    if a.device["kind"] == "host":
        return None, "simulated; times of the host device say nothing about a GPU"
    times = [[sample.total_s for sample in record.samples] for record in (a, b)]
    interval = paired_interval(*times) if a.measure.random_sources else ratio_interval(*times)
    return interval, "" if interval else f"too few samples, {len(times[0])} and {len(times[1])}"


def _differences(a: Record, b: Record) -> list[str]:
    """What a reader should know before believing a verdict."""
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
