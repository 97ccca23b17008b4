"""What contradicts itself in the times and counters of a record: samples, phases, the stretches of an estimate, sums.

A rule returns one clause that begins with the key, or None.
"""

from __future__ import annotations

import re
import statistics
from itertools import pairwise
from math import isclose
from typing import TYPE_CHECKING

from ..estimates import seconds_per_iteration, standard_error_s

if TYPE_CHECKING:
    from ..record import Estimate, Record

# Sums of a few times may differ in their last digits, because a file's keys are sorted.
_ROUNDING = 1e-12
# Names are columns of a table, where those of times end in "_s".
_PHASE = re.compile(r"[a-z][a-z0-9_]*_s")
_COUNTER = re.compile(r"[a-z][a-z0-9_]*(?<!_s)")


def time_fault(record: Record) -> str | None:
    """The first contradiction in the record's times and counters; None if there is none."""
    return (
        _samples_fault(record)
        or _counters_fault(record)
        or _random_sources_fault(record)
        or (_estimate_fault(record, record.estimate) if record.estimate else None)
        or _seconds_fault(record)
    )


def _counters_fault(record: Record) -> str | None:
    """A name that no column has."""
    name = next((name for name in record.counters if not _COUNTER.fullmatch(name)), None)
    return None if name is None else f"counters: {name!r}, where the name of a counter is like host_reads"


def _samples_fault(record: Record) -> str | None:
    """A total that is not the sum of its phases, phases that differ from sample to sample, or too many samples."""
    samples, most = record.samples, record.measure.repeats_max
    if most is not None and len(samples) > most:
        return f"samples: {len(samples)}, where measure.repeats_max is {most}"
    phases = samples[0].phases.keys() if samples else ()
    if not all(_PHASE.fullmatch(name) for name in phases):
        return f"samples[0].phases: {', '.join(phases)}, where the name of a phase is like upload_s"
    for number, sample in enumerate(samples):
        total, parts = sample.total_s, sample.phases
        if abs(total - sum(parts.values())) > _ROUNDING * total:  # isclose takes longer, and samples are many
            return f"samples[{number}].total_s: {total} is not the sum of the phases"
        if parts.keys() != phases:
            return f"samples[{number}].phases: not those of samples[0]"
    return None


def _random_sources_fault(record: Record) -> str | None:
    """Other than one sample from each of ``count`` vertices of the graph, counted alike."""
    drawn, samples = record.measure.random_sources, record.samples
    if drawn is None:
        named = any(sample.source is not None or sample.counters for sample in samples)
        return "samples: source and counters belong to random sources, and measure has none" if named else None
    if not samples:
        return "status: a mean over random sources is not estimated" if record.estimate else None
    if len(samples) != drawn.count:
        return f"samples: {len(samples)}, where measure.random_sources has {drawn.count}"
    sources = {-1 if sample.source is None else sample.source for sample in samples}
    if -1 in sources:
        return "samples: one has no source"
    if len(sources) < len(samples):
        return "samples: two have the same source"
    if max(sources) >= record.graph.vertices:
        return f"samples: one has the source {max(sources)}, where the graph has {record.graph.vertices} vertices"
    counted = [sample.counters or {} for sample in samples]
    names = counted[0].keys()
    if "iterations" not in names or not all(counters.keys() == names for counters in counted):
        return "samples: counters need iterations, and the same names in every sample"
    return None if record.counters == counted[-1] else "counters: not those of the last sample"


def _estimate_fault(record: Record, estimate: Estimate) -> str | None:
    """Stretches that leave a gap or do not add up, and a sum of the parts that is not ``seconds``."""
    stretches, done, total = estimate.stretches, estimate.iterations_timed, estimate.iterations_total
    last = stretches[-1]
    if stretches[0].first != 0 or any(one.last != other.first for one, other in pairwise(stretches)):
        return "estimate.stretches: each begins where the one before it ends, and the first at 0"
    if any(stretch.first >= stretch.last for stretch in stretches):
        return "estimate.stretches: one ends before it begins"
    if not last.last == done < total:
        return f"estimate.iterations_timed: {done}, where the stretches time {last.last} of {total}"
    if record.counters.get("iterations", done) != done:
        return f"counters: {record.counters['iterations']} iterations, where estimate.iterations_timed is {done}"
    by_source = estimate.standard_error_s is not None
    each = seconds_per_iteration(stretches, by_source)
    error = standard_error_s(stretches, total) if by_source else None
    if (error is None) == by_source:
        return "estimate.standard_error_s: not null, where a single stretch has none"
    timed = sum(stretch.seconds for stretch in stretches)
    whole = estimate.upload_s + timed + (total - done) * each + estimate.finish_s + estimate.download_s
    for key, value, follows in (
        ("estimate.seconds_timed", estimate.seconds_timed, timed),
        ("estimate.seconds_per_iteration", estimate.seconds_per_iteration, each),
        ("estimate.standard_error_s", estimate.standard_error_s or 0.0, error or 0.0),
        ("seconds", record.seconds or 0.0, whole),
    ):
        if not isclose(value, follows, rel_tol=_ROUNDING):
            return f"{key}: {value}, where the stretches of the estimate say {follows}"
    if estimate.settled and record.certificate and record.certificate.scope != "full":
        return "estimate.settled: true, where the certificate is of a part"
    return None


def _seconds_fault(record: Record) -> str | None:
    """Seconds that are not the middle of the samples."""
    if not record.samples or record.seconds is None:
        return None
    totals = [sample.total_s for sample in record.samples]
    middle = statistics.fmean(totals) if record.measure.random_sources else statistics.median(totals)
    if isclose(record.seconds, middle, rel_tol=_ROUNDING):
        return None
    return f"seconds: {record.seconds}, where the samples say {middle}"
