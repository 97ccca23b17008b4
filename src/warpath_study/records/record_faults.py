"""What contradicts itself in a record. Whatever follows from other keys is computed again and compared.

A rule returns one clause that begins with the key, or None. A record with such a clause is neither written nor read.
"""

from datetime import datetime

from ..peers import PEERS
from ..problems import PROBLEMS
from ..record import SOURCES, WITHOUT_TIME, Record
from .time_faults import time_fault


def fault(record: Record) -> str | None:
    """The first contradiction in ``record``, in one clause that begins with the key; None if there is none."""
    return (
        _problem_fault(record)
        or _device_fault(record)
        or _status_fault(record)
        or _asked_fault(record)
        or _graph_fault(record)
        or _source_fault(record)
        or PROBLEMS[record.problem].fault(record)
        or time_fault(record)
        or _certificate_fault(record)
        or _moments_fault(record)
    )


def _problem_fault(record: Record) -> str | None:
    """A problem that is none."""
    return None if record.problem in PROBLEMS else f"problem: {record.problem!r} is none of {', '.join(PROBLEMS)}"


def _device_fault(record: Record) -> str | None:
    """A device without kind or name."""
    kind, called = record.device.get("kind"), record.device.get("name")
    if kind not in ("cuda", "host", "cpu") or not isinstance(called, str) or min(called, default="") < " ":
        return "device: needs a kind, which is cuda, host or cpu, and a name of one line"
    return None


def _status_fault(record: Record) -> str | None:
    """What the status lacks, or forbids."""
    status, scope = record.status, record.certificate.scope if record.certificate else None
    if status in WITHOUT_TIME:
        if record.seconds is not None or record.samples or record.estimate or not record.reason:
            return f"status: {status} has a reason, and no seconds, sample or estimate"
        if status == "wrong" and record.algorithm not in PEERS:
            return f"status: {status}, which is told of peers alone"
        return None
    if record.seconds is None:
        return f"seconds: missing, where the status is {status}"
    if not record.seconds:
        return f"seconds: 0, where the status is {status}"
    if status == "ok" and not (record.samples and scope == "full" and record.estimate is None):
        return "status: ok needs a sample, a certificate of the full answer, and no estimate"
    if status == "estimated" and not (record.estimate and record.reason and scope and not record.samples):
        return "status: estimated needs an estimate, a reason, a certificate, and no sample"
    return None


def _asked_fault(record: Record) -> str | None:
    """How the run's name contradicts the rest of the record."""
    drawn = record.measure.random_sources
    if record.asked.get(SOURCES) != (drawn.count if drawn else None):
        return f"asked: {SOURCES} is not the count of measure.random_sources"
    for name, value in record.asked.items():
        if name != SOURCES and record.parameters.get(name) != value:
            return f"asked: {name} is {value}, and {record.parameters.get(name)} in parameters"
    return None


def _graph_fault(record: Record) -> str | None:
    """A description of the graph that no report could read."""
    for part in ("weights", "parameters"):
        if not isinstance(record.graph.about.get(part, {}), dict):
            return f"graph.about.{part}: expected an object"
    return None


def _source_fault(record: Record) -> str | None:
    """A source where the problem has none, none where it has one, or one outside the graph."""
    wanted = PROBLEMS[record.problem].takes_source and record.measure.random_sources is None
    if (record.source is not None) != wanted:
        return (
            f"source: {record.source}, where the problem {'has' if wanted else 'gives'} {'one' if wanted else 'none'}"
        )
    if record.source is None:
        return None if record.source_label is None else "source_label: there is no source"
    if record.source >= record.graph.vertices:
        return f"source: {record.source}, where the graph has {record.graph.vertices} vertices"
    return None


def _certificate_fault(record: Record) -> str | None:
    """A certificate of another graph, of too few sources or arcs, or one that reaches what is not there."""
    certificate, graph = record.certificate, record.graph
    if certificate is None:
        return None
    full, vertices, sources = certificate.scope == "full", certificate.vertices, certificate.sources
    if vertices != graph.vertices if full else vertices > graph.vertices:
        return (
            f"certificate.vertices: {vertices} of the {graph.vertices} vertices, where its scope is {certificate.scope}"
        )
    problem = PROBLEMS[record.problem]
    wanted = problem.sources_of(record, vertices)
    if sources != wanted:
        return f"certificate.sources: {sources}, where the problem has {wanted}"
    arcs, pairs = certificate.arcs_checked, certificate.reached
    if not sources <= pairs <= sources * vertices:
        return f"certificate.reached: {pairs} pairs of {sources} sources and {vertices} vertices"
    exact = full and problem.certifies_all_arcs
    if arcs != sources * graph.arcs if exact else arcs > sources * graph.arcs:
        return f"certificate.arcs_checked: {arcs}, where {sources} sources have {graph.arcs} arcs each"
    if pairs - sources > arcs:
        return f"certificate.reached: {pairs} pairs, which takes more than {arcs} arcs"
    if certificate.verdict != problem.verdict:
        return f"certificate.verdict: {certificate.verdict!r}, where the problem is {record.problem}"
    return None


def _moments_fault(record: Record) -> str | None:
    """A day that no calendar has, or an end before the beginning."""
    moments = []
    for key in ("started", "finished"):
        try:
            moments.append(datetime.fromisoformat(getattr(record, key)))
        except ValueError:
            return f"{key}: {getattr(record, key)!r} is no moment of any calendar"
    return f"finished: {record.finished}, before started, {record.started}" if moments[1] < moments[0] else None
