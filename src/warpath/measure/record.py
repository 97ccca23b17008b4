"""The record of one run: a typed value, and the JSON file that holds it.

Only this module reads and writes records. The types below are the format; ``schema()`` gives it as JSON schema. Times
are in seconds. The file's name is ``<dataset>/<algorithm>.<variant>[.<asked>].json``, see ``run_name``.
"""

import os
import statistics
from collections.abc import Mapping
from math import isclose
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from ..algorithms.parameters import parse
from ..algorithms.registry import Problem
from ..atomic import write_text
from ..errors import FormatError, UsageError
from ..json_schema import json_schema

FORMAT: Final = 2
SOURCES = "sources"
"""In a run's name: the number of random sources. A parameter of the measurement, which no variant may have."""

Name = Annotated[str, Meta(min_length=1)]
Seconds = Annotated[float, Meta(ge=0)]
Count = Annotated[int, Meta(ge=0)]
Sha256 = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
Moment = Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)\Z")]
Status = Literal["ok", "estimated", "out_of_memory"]


class GraphFacts(Struct, forbid_unknown_fields=True):
    """The graph that was solved. For a matrix product, ``vertices`` are cells and ``arcs`` the steps between them."""

    vertices: Annotated[int, Meta(ge=1)]
    arcs: Count
    sha256: Annotated[Sha256, Meta(description="Of the arrays: indptr, indices and weights, or both matrices.")]
    about: Annotated[dict[str, Any], Meta(description="Where the graph and its weights come from.")]


class SampleFacts(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """One full solve. ``phases`` are its parts by name, such as ``upload_s``; they add up to ``total_s``."""

    total_s: Seconds
    phases: dict[str, Seconds]
    source: Annotated[
        Count | None, Meta(description="The index of the vertex where this solve began; only with random sources.")
    ] = None
    counters: Annotated[dict[str, int] | None, Meta(description="What this solve did; only with random sources.")] = (
        None
    )


class StretchFacts(Struct, forbid_unknown_fields=True):
    """How long iterations first, ..., last - 1 took."""

    first: Count
    last: Annotated[int, Meta(ge=1)]
    seconds: Seconds


class EstimateFacts(Struct, forbid_unknown_fields=True):
    """How the time of a run that would have outlasted its budget was estimated."""

    iterations_timed: Annotated[int, Meta(ge=1)]
    iterations_total: Annotated[int, Meta(ge=1)]
    seconds_timed: Seconds
    seconds_per_iteration: Annotated[Seconds, Meta(description="In the last stretch.")]
    settled: Annotated[bool, Meta(description="Whether the last stretch began after the distances were final.")]
    upload_s: Seconds
    finish_s: Seconds
    download_s: Seconds
    stretches: Annotated[list[StretchFacts], Meta(min_length=1)]


class CertificateFacts(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What was certified: ``full`` is the timed answer; ``subgraph`` is an earlier answer on a part of the graph."""

    verdict: Literal["exact", "exact in float32"]
    scope: Literal["full", "subgraph"]
    vertices: Annotated[int, Meta(ge=1)]
    sources: Annotated[int, Meta(ge=1)]
    arcs_checked: Count
    reached: Annotated[int, Meta(ge=1, description="Pairs of a source and a vertex it reaches.")]
    tolerances: Annotated[dict[str, float], Meta(description="Relative; only of float32 answers.")] = {}


class RandomSourcesFacts(Struct, forbid_unknown_fields=True):
    """One solve from each of ``count`` sources, which ``seed`` picks."""

    count: Annotated[int, Meta(ge=1)]
    seed: int


class Measure(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """How the run was measured: the settings of the sampling, or the random sources."""

    warmup_launches: Annotated[Count | None, Meta(description="Kernel launches before the first sample.")] = None
    budget_s: Annotated[float, Meta(gt=0)] | None = None
    repeats_min: Annotated[int, Meta(ge=1)] | None = None
    repeats_max: Annotated[int, Meta(ge=1)] | None = None
    spread: Annotated[Seconds, Meta(description="Wanted half interquartile range over median.")] | None = None
    random_sources: RandomSourcesFacts | None = None


class Code(Struct, forbid_unknown_fields=True):
    """The code that ran: a hash of each file that decides a run, and one of all files; see ``warpath.code``."""

    identity: Sha256
    files: dict[str, Sha256]


class Record(Struct, forbid_unknown_fields=True, kw_only=True):
    """One variant on one graph on one device."""

    format: Literal[2] = FORMAT
    dataset: Name
    algorithm: Name
    variant: Name
    asked: Annotated[dict[str, int], Meta(description="What the run's name gives: parameters, and how many sources.")]
    parameters: Annotated[dict[str, int], Meta(description="Every parameter of the variant.")]
    problem: Problem
    source: Annotated[
        Count | None, Meta(description="The index of the source, from 0; None for all pairs and for random sources.")
    ]
    source_label: Annotated[int | str | None, Meta(description="What the graph's file calls the source.")] = None
    graph: GraphFacts
    device: Annotated[
        dict[str, Any], Meta(description="kind (cuda, host, or cpu for serial variants), name, and facts.")
    ]
    status: Status
    reason: Annotated[str | None, Meta(description="Why there is no full measurement, in one sentence.")]
    seconds: Annotated[
        Seconds | None,
        Meta(description="What a table shows: the samples' median, their mean over random sources, or the estimate."),
    ]
    samples: Annotated[list[SampleFacts], Meta(description="Every full solve that was timed, in order.")]
    estimate: EstimateFacts | None
    counters: Annotated[dict[str, int], Meta(description="What the last timed solve did: iterations, launches, ...")]
    certificate: CertificateFacts | None
    answer: Annotated[dict[str, Any] | None, Meta(description="Of a matrix product: its minima and the path.")] = None
    measure: Measure
    environment: dict[str, Any]
    code: Annotated[Code | None, Meta(description="None if it is not known what code ran.")]
    started: Moment
    finished: Moment

    def __post_init__(self) -> None:
        fault = _fault(self)
        if fault:
            raise ValueError(fault)

    @property
    def run(self) -> str:
        """``bellman_ford.naive``, ``label_correcting.locality.k=4,sources=100``."""
        return run_name(self.algorithm, self.variant, self.asked)


def run_name(algorithm: str, variant: str, asked: Mapping[str, int]) -> str:
    """The name of a run and of its file: algorithm, variant, parameters in alphabetical order, sources last."""
    names = sorted(asked, key=lambda name: (name == SOURCES, name))
    return ".".join(filter(None, (algorithm, variant, ",".join(f"{name}={asked[name]}" for name in names))))


def parameters_of(asked: Mapping[str, int]) -> dict[str, int]:
    """What was asked of the variant: ``asked`` without the number of random sources."""
    return {name: value for name, value in asked.items() if name != SOURCES}


def parse_run(text: str) -> tuple[str, str, dict[str, int]]:
    """Algorithm, variant and parameters, from a name such as ``label_correcting.locality.k=4,sources=100``.

    Raises UsageError for any text that ``run_name`` would not write.
    """
    algorithm, _, rest = text.partition(".")
    variant, dot, parameters = rest.partition(".")
    if not (algorithm.isidentifier() and variant.isidentifier()):
        raise UsageError(
            f"run {text!r}: expected ALGORITHM.VARIANT or ALGORITHM.VARIANT.NAME=NUMBER,..., such as "
            "bellman_ford.stride or label_correcting.locality.k=4,sources=100"
        )
    asked = parse(parameters) if dot else {}
    name = run_name(algorithm, variant, asked)
    if name != text:
        raise UsageError(f"run {text!r}: write it as {name!r}, so that one run has one name")
    return algorithm, variant, asked


def schema() -> dict[str, Any]:
    """The format as JSON schema."""
    return json_schema(Record)


def write_record(path: str | os.PathLike, record: Record) -> None:
    """Write ``record`` to ``path``, whole or not at all. Keys are sorted, so that equal records are equal files.

    Raises ValueError, a bug in warpath, if ``read_record`` could not read the file again.
    """
    text = msgspec.json.format(msgspec.json.encode(record, order="sorted"), indent=2).decode()
    try:
        msgspec.json.decode(text, type=Record)
    except msgspec.ValidationError as error:
        raise ValueError(f"refused to write {path}: {error}") from None
    write_text(path, text + "\n")


def read_record(path: str | os.PathLike) -> Record:
    """Read what ``write_record`` wrote. Raises FormatError, naming file and key, for anything else."""
    try:
        return msgspec.json.decode(Path(path).read_bytes(), type=Record)
    except FileNotFoundError:
        raise FormatError(f"{path}: no such record; make it with 'warpath run'") from None
    except OSError as error:
        raise FormatError(f"{path}: cannot be read ({error.strerror})") from None
    except msgspec.DecodeError as error:
        raise FormatError(f"{path}: not a record: {error}; delete it and measure the run again") from None


def _fault(record: Record) -> str | None:
    """A contradiction in ``record``, in one clause that begins with the key; None if there is none."""
    device = record.device
    if device.get("kind") not in ("cuda", "host", "cpu") or not (name := device.get("name")) or type(name) is not str:
        return "device: needs a kind, which is cuda, host or cpu, and a name"
    return _status_fault(record) or _asked_fault(record) or _seconds_fault(record)


def _status_fault(record: Record) -> str | None:
    """What the status lacks, or forbids."""
    status, scope = record.status, record.certificate.scope if record.certificate else None
    if status == "out_of_memory":
        if record.seconds is not None or record.samples or record.estimate or not record.reason:
            return "status: out_of_memory has a reason, and no seconds, sample or estimate"
        return None
    if record.seconds is None:
        return f"seconds: missing, where the status is {status}"
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


def _seconds_fault(record: Record) -> str | None:
    """How the times contradict the samples."""
    for number, sample in enumerate(record.samples):
        if not isclose(sample.total_s, sum(sample.phases.values())):
            return f"samples[{number}].total_s: {sample.total_s} is not the sum of the phases"
    if record.samples and record.seconds is not None:
        totals = [sample.total_s for sample in record.samples]
        middle = statistics.fmean(totals) if record.measure.random_sources else statistics.median(totals)
        if not isclose(record.seconds, middle):
            return f"seconds: {record.seconds}, where the samples say {middle}"
    return None
