"""What contradicts itself in a record. Whatever follows from other keys is computed again and compared.

A rule returns one clause that begins with the key, or None. A record with such a clause is neither written nor read.
"""

from __future__ import annotations

from datetime import datetime
from math import isqrt
from typing import TYPE_CHECKING, Final

from ..algorithms.product_path import cells_of
from ..algorithms.registry import PEERS
from .time_faults import time_fault

if TYPE_CHECKING:
    from .record import Record

SOURCES: Final = "sources"
"""In a run's name: the number of random sources. A parameter of the measurement, which no variant may have."""

WITHOUT_TIME: Final = {"out_of_memory": "out of memory", "wrong": "wrong answer", "missing": "not available"}
"""The statuses of runs that gave no time, and what they mean in words."""


def fault(record: Record) -> str | None:
    """The first contradiction in ``record``, in one clause that begins with the key; None if there is none."""
    return (
        _device_fault(record)
        or _status_fault(record)
        or _asked_fault(record)
        or _graph_fault(record)
        or _source_fault(record)
        or time_fault(record)
        or _certificate_fault(record)
        or _answer_fault(record)
        or _reductions_fault(record)
        or _moments_fault(record)
    )


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
    """A matrix product of another shape, or a description that no report could read."""
    graph = record.graph
    if record.problem == "grid":
        size = isqrt(graph.vertices)
        if size * size != graph.vertices or graph.arcs != 4 * size * (size - 1):
            return f"graph: {graph.vertices} vertices and {graph.arcs} arcs are not the cells of a square and its steps"
    for part in ("weights", "parameters"):
        if not isinstance(graph.about.get(part, {}), dict):
            return f"graph.about.{part}: expected an object"
    return None


def _source_fault(record: Record) -> str | None:
    """A source where the problem has none, none where it has one, or one outside the graph."""
    wanted = record.problem == "sssp" and record.measure.random_sources is None
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
    drawn = record.measure.random_sources
    wanted = vertices if record.problem in ("apsp", "closure") else drawn.count if drawn and full else 1
    if record.problem == "reductions":
        wanted = record.parameters.get("first") or vertices
    if sources != wanted:
        return f"certificate.sources: {sources}, where the problem has {wanted}"
    arcs, pairs = certificate.arcs_checked, certificate.reached
    if not sources <= pairs <= sources * vertices:
        return f"certificate.reached: {pairs} pairs of {sources} sources and {vertices} vertices"
    # A certificate of a closure counts the arcs that its searches visit.
    exact = full and record.problem != "closure"
    if arcs != sources * graph.arcs if exact else arcs > sources * graph.arcs:
        return f"certificate.arcs_checked: {arcs}, where {sources} sources have {graph.arcs} arcs each"
    if pairs - sources > arcs:
        return f"certificate.reached: {pairs} pairs, which takes more than {arcs} arcs"
    if (certificate.verdict == "exact") != (record.problem != "grid"):
        return f"certificate.verdict: {certificate.verdict!r}, where the problem is {record.problem}"
    if record.problem == "grid" and not {"product", "weight"} <= certificate.tolerances.keys():
        return "certificate.tolerances: needs those of product and weight"
    return None


def _answer_fault(record: Record) -> str | None:
    """An answer that is missing or has no place, or a path that leaves the product or misses its destination."""
    answer = record.answer
    if answer is None or record.problem != "grid":
        wanted = record.problem == "grid" and record.status not in WITHOUT_TIME
        return None if (answer is not None) == wanted else "answer: every measured matrix product has one, and only it"
    size = isqrt(record.graph.vertices)
    path, entries = answer["path"], (answer["minimum"], answer["second_minimum"])
    cells = cells_of(path)
    if list(cells[-1]) != path["destination"]:
        return f"answer.path.moves: lead to {list(cells[-1])}, not to the destination {path['destination']}"
    cells += [(entry["row"], entry["column"]) for entry in entries]
    if not all(0 <= row < size and 0 <= column < size for row, column in cells):
        return f"answer: names a cell outside the {size} rows and columns"
    if cells[-1] == cells[-2]:
        return "answer.second_minimum: in the same place as the minimum"
    if entries[0]["value"] > entries[1]["value"]:
        return "answer.minimum: larger than the second minimum"
    return None


def _reductions_fault(record: Record) -> str | None:
    """Reductions of another problem, or of other pairs than the certificate's."""
    found, certificate = record.reductions, record.certificate
    if (found is not None) != (record.problem == "reductions"):
        return "reductions: every run of all pairs in parts has them, and only it"
    if found is None or certificate is None:
        return None
    if (found.sources, found.sources + found.pairs) != (certificate.sources, certificate.reached):
        return f"reductions: {found.pairs} pairs of {found.sources} sources are not those of the certificate"
    if sum(found.histogram) != found.pairs:
        return f"reductions.histogram: {sum(found.histogram)} pairs, where there are {found.pairs}"
    if not (len(found.histogram) - 1) * found.bin_width <= found.diameter < len(found.histogram) * found.bin_width:
        return f"reductions.diameter: {found.diameter}, which is not in the last bin"
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
