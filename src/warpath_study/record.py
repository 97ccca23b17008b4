"""The record of one run: a typed value, and the JSON file that holds it.

The types below are the format. They store what was measured; what follows from it, such as a median, is a property.
Times are in seconds. The file's name is ``<dataset>/<algorithm>.<variant>[.<asked>].json``, see ``run_name``.
"""

import os
import statistics
from collections.abc import Mapping, Sequence
from datetime import datetime
from math import fsum, inf, sqrt
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Literal, TypedDict

import msgspec
from msgspec import Meta, Struct

from warpath.atomic import write_text
from warpath.durations import readable_seconds
from warpath.errors import FormatError, UsageError
from warpath.facts import Certificate, Code, Count, GraphFacts, Moment, Name, Positive, Seconds
from warpath.solvers.parameters import parse

from .data_files import json_schema

FORMAT: Final = 4

SOURCES: Final = "sources"
"""In a run's name: the number of random sources. A parameter of the measurement, which no variant may have."""
WITHOUT_TIME: Final = {"out_of_memory": "out of memory", "wrong": "wrong answer", "missing": "not available"}
"""The statuses of runs that gave no time, and what they mean in words."""
Sentence = Annotated[str, Meta(min_length=1)]
Status = Literal["ok", "estimated", "out_of_memory", "wrong", "missing"]

# Both are columns of a table, where names of times end in "_s".
Phases = dict[Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]*_s\Z")], Seconds]
Counters = dict[Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]*(?<!_s)\Z")], Count]


class Sample(Struct, forbid_unknown_fields=True, gc=False):
    """One full solve; ``phases`` are its parts by name, such as ``upload_s``."""

    phases: Annotated[Phases, Meta(min_length=1)]

    @property
    def total_s(self) -> float:
        return fsum(self.phases.values())  # whatever the order, which a file does not keep

    @property
    def source(self) -> int | None:
        """The index of the vertex where the solve began, if that differs from sample to sample."""
        return None

    @property
    def counters(self) -> Counters | None:
        """What the solve did, if that differs from sample to sample."""
        return None


class SourceSample(Sample):
    """One full solve from a random source."""

    source: Annotated[Count, Meta(description="The index of the vertex where this solve began.")]
    counters: Counters


class Stretch(Struct, forbid_unknown_fields=True):
    """How long so many iterations in a row took."""

    iterations: Positive
    seconds: Seconds


class EntryFacts(TypedDict):
    """An entry of a matrix product."""

    value: float
    row: Count
    column: Count


class PathFacts(TypedDict):
    """A path over a matrix product: its ends, each a row and a column, and a letter a step: up, down, left, right."""

    source: Annotated[list[Count], Meta(min_length=2, max_length=2)]
    destination: Annotated[list[Count], Meta(min_length=2, max_length=2)]
    weight: float
    moves: Annotated[str, Meta(pattern=r"^[UDLR]*\Z")]


class AnswerFacts(TypedDict):
    """The answer on a matrix product; see ``warpath_study.matrix_product.product_path``."""

    minimum: EntryFacts
    second_minimum: EntryFacts
    path: PathFacts


class ReductionsFacts(Struct, forbid_unknown_fields=True):
    """What all pairs, or those of the first ``sources`` vertices, come to; see ``warpath.reductions.reductions``."""

    sources: Positive
    parts: Annotated[Positive, Meta(description="Jobs that shared the work, each with its own device.")]
    solved_by: Annotated[str, Meta(description="The variants of today's choice that solved the rows.")]
    diameter: Annotated[float, Meta(ge=0)]
    radius: Annotated[float | None, Meta(description="None where no source reaches every vertex.")]
    mean_distance: Annotated[float | None, Meta(description="None where no pair has a path.")]
    bin_width: Annotated[float, Meta(gt=0, description="Of the histogram, whose first bin begins at 0.")]
    histogram: Annotated[list[Count], Meta(min_length=1, description="Pairs by distance, bin by bin.")]

    @property
    def pairs(self) -> int:
        """Pairs of a source and another vertex that have a path."""
        return sum(self.histogram)


class Outcome(Struct, tag_field="kind", forbid_unknown_fields=True, omit_defaults=True):
    """What came of a run."""

    status: ClassVar[Status]


class Timed(Outcome, tag="timed"):
    """The same solve, timed in full as often as it has samples."""

    status: ClassVar[Status] = "ok"
    samples: Annotated[list[Sample], Meta(min_length=1)]
    counters: Annotated[Counters, Meta(description="What the last solve did: iterations, launches, ...")]

    def __post_init__(self) -> None:
        _check_alike("phases", [sample.phases for sample in self.samples])

    @property
    def seconds(self) -> float:
        """The median of the samples."""
        return statistics.median(sample.total_s for sample in self.samples)


class TimedFromSources(Outcome, tag="timed_from_sources"):
    """One solve from each of several sources, timed in full."""

    status: ClassVar[Status] = "ok"
    samples: Annotated[list[SourceSample], Meta(min_length=1)]

    def __post_init__(self) -> None:
        _check_alike("phases", [sample.phases for sample in self.samples])
        _check_alike("counters", [sample.counters for sample in self.samples])
        if "iterations" not in self.samples[0].counters:
            raise ValueError("samples: counters need iterations")

    @property
    def seconds(self) -> float:
        """The mean over the sources."""
        return statistics.fmean(sample.total_s for sample in self.samples)

    @property
    def counters(self) -> Counters:
        """What the last solve did."""
        return self.samples[-1].counters


class Estimated(Outcome, tag="estimated"):
    """A solve that was given up, since it would have outlasted its budget, and how its time is estimated.

    Where iterations cost the same, each that did not run is taken to cost as much as those of the last stretch. Where
    they are sources (``by_source``), which cost different times, it is taken to cost the mean of all that ran.
    """

    status: ClassVar[Status] = "estimated"
    stretches: Annotated[list[Stretch], Meta(min_length=1, description="The iterations that ran, in order.")]
    iterations_left: Positive
    upload_s: Seconds
    finish_s: Seconds
    download_s: Seconds
    settled: Annotated[bool, Meta(description="Whether the last stretch began after the distances were final.")]
    by_source: Annotated[bool, Meta(description="Whether iterations are sources.")] = False
    counted: Annotated[Counters, Meta(description="What the solve did, besides iterations.")] = {}

    @property
    def iterations_timed(self) -> int:
        return sum(stretch.iterations for stretch in self.stretches)

    @property
    def iterations_total(self) -> int:
        return self.iterations_timed + self.iterations_left

    @property
    def counters(self) -> Counters:
        return dict(sorted({**self.counted, "iterations": self.iterations_timed}.items()))

    @property
    def seconds_timed(self) -> float:
        """The time of all iterations that ran."""
        return sum(stretch.seconds for stretch in self.stretches)

    @property
    def seconds_per_iteration(self) -> float:
        """What an iteration that did not run is taken to cost."""
        return seconds_per_iteration(self.stretches, self.by_source)

    @property
    def seconds(self) -> float:
        measured_s = self.upload_s + self.seconds_timed + self.finish_s + self.download_s
        return measured_s + self.iterations_left * self.seconds_per_iteration

    @property
    def standard_error_s(self) -> float | None:
        """The standard error of an estimate by source; None for a single stretch, which shows no variance.

        A stretch of n sources is the mean of n draws, so its squared distance from the mean of all, times n, estimates
        the variance of one source. The sources that were timed add no error of their own.
        """
        if not self.by_source or len(self.stretches) < 2:
            return None
        mean = self.seconds_per_iteration
        squares = (one.iterations * (one.seconds / one.iterations - mean) ** 2 for one in self.stretches)
        variance = sum(squares) / (len(self.stretches) - 1)
        return sqrt(variance * self.iterations_total * self.iterations_left / self.iterations_timed)


class OutOfMemory(Outcome, tag="out_of_memory"):
    """Too little memory, of the device or of the machine."""

    status: ClassVar[Status] = "out_of_memory"
    reason: Sentence


class Wrong(Outcome, tag="wrong"):
    """A peer's answer that no certificate takes; a wrong answer of ours is an error."""

    status: ClassVar[Status] = "wrong"
    reason: Sentence


class Missing(Outcome, tag="missing"):
    """A peer that is not on the machine, or a device that cannot run the variant."""

    status: ClassVar[Status] = "missing"
    reason: Sentence


AnyOutcome = Timed | TimedFromSources | Estimated | OutOfMemory | Wrong | Missing


def seconds_per_iteration(stretches: Sequence[Stretch], by_source: bool) -> float:
    """The mean over all ``stretches``, or over the last alone."""
    counted = stretches if by_source else stretches[-1:]
    return sum(stretch.seconds for stretch in counted) / sum(stretch.iterations for stretch in counted)


def _check_alike(what: str, of_samples: Sequence[Mapping[str, object]]) -> None:
    if any(each.keys() != of_samples[0].keys() for each in of_samples):
        raise ValueError(f"samples: not the same {what} in each")


class PeerFacts(Struct, forbid_unknown_fields=True):
    """A solver that is not ours: see ``peers``. ``settings`` were chosen for the graph, such as a delta."""

    name: Name
    version: Name
    threads: Positive
    settings: dict[str, Count]


class Settings(Struct, forbid_unknown_fields=True, frozen=True, tag_field="kind", tag="repeated"):
    """How long to measure. ``budget_s`` limits the sum of all samples; ``spread`` is the wanted ``relative_spread``.

    Raises UsageError for impossible values.
    """

    budget_s: Annotated[float, Meta(gt=0)] = 60.0
    repeats_min: Positive = 3
    repeats_max: Positive = 10
    spread: Annotated[Seconds, Meta(description="Wanted half interquartile range over median.")] = 0.02

    def __post_init__(self) -> None:
        if not 0 < self.budget_s < inf:
            raise UsageError(f"the budget must be a positive number of seconds, not {self.budget_s:g}")
        if not 1 <= self.repeats_min <= self.repeats_max:
            raise UsageError(
                f"the least repeats ({self.repeats_min}) must be at least 1 and not above the most ({self.repeats_max})"
            )
        if not 0 <= self.spread < inf:
            raise UsageError(f"the wanted spread must be a fraction of at least 0, not {self.spread:g}")


class RandomSources(Struct, forbid_unknown_fields=True, frozen=True, tag_field="kind", tag="random_sources"):
    """One solve from each of ``count`` sources, which ``seed`` picks. Raises UsageError for fewer than one."""

    count: Positive
    seed: int = 1

    def __post_init__(self) -> None:
        if self.count < 1:
            raise UsageError(f"a mean over sources needs at least one, not {self.count}")


class Measure(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """How the run was measured; all pairs in parts were not sampled."""

    sampling: Settings | RandomSources | None = None
    warmup_launches: Annotated[Count | None, Meta(description="Kernel launches before the first sample.")] = None

    @property
    def random_sources(self) -> RandomSources | None:
        return self.sampling if isinstance(self.sampling, RandomSources) else None


class Record(Struct, forbid_unknown_fields=True, kw_only=True):
    """One variant on one graph on one device. Raises ValueError for parts that contradict each other."""

    format: Literal[4] = FORMAT
    dataset: Name
    algorithm: Name
    variant: Name
    given: Annotated[dict[str, Count], Meta(description="The parameters of the variant in the run's name.")]
    parameters: Annotated[dict[str, Count], Meta(description="Every parameter of the variant.")]
    problem: Annotated[str, Meta(pattern=r"^(sssp|apsp|closure|grid|reductions)\Z")]
    source: Annotated[
        Count | None, Meta(description="The index of the source, from 0; None for all pairs and for random sources.")
    ]
    source_label: Annotated[int | str | None, Meta(description="What the graph's file calls the source.")] = None
    graph: GraphFacts
    device: Annotated[
        dict[str, Any], Meta(description="kind (cuda, host, or cpu for serial variants), name, and facts.")
    ]
    measure: Measure
    outcome: AnyOutcome
    certificate: Annotated[
        Certificate | None,
        Meta(description="Of the full answer, or of a part that was solved first."),
    ]
    answer: Annotated[AnswerFacts | None, Meta(description="Of a matrix product: its minima and the path.")] = None
    reductions: Annotated[ReductionsFacts | None, Meta(description="Of all pairs that were made in parts.")] = None
    preparation_s: Annotated[
        Seconds, Meta(description="What preparing the graph took, once and apart from every sample; 0 if nothing.")
    ] = 0.0
    solved_by: Annotated[
        PeerFacts | None, Meta(description="The solver that is not ours; None where warpath solved.")
    ] = None
    launch_and_wait_s: Annotated[
        Seconds | None,
        Meta(description="What launching an empty kernel and waiting for it took, before the first sample; on a GPU."),
    ] = None
    environment: dict[str, Any]
    code: Code
    started: Moment
    finished: Moment

    def __post_init__(self) -> None:
        kind, called = self.device.get("kind"), self.device.get("name")
        if kind not in ("cuda", "host", "cpu") or not isinstance(called, str) or min(called, default="") < " ":
            raise ValueError("device: needs a kind, which is cuda, host or cpu, and a name of one line")
        for part in ("weights", "parameters"):
            if not isinstance(self.graph.about.get(part, {}), dict):
                raise ValueError(f"graph.about.{part}: expected an object")
        drawn, outcome = self.measure.random_sources, self.outcome
        if isinstance(outcome, TimedFromSources):
            sources = {sample.source for sample in outcome.samples}
            if not drawn or not drawn.count == len(sources) == len(outcome.samples):
                raise ValueError("outcome.samples: not one from each source of measure.sampling")
        elif drawn and self.seconds is not None:
            raise ValueError(f"outcome: from one source, where measure.sampling has {drawn.count}")
        elif isinstance(outcome, Estimated) and not isinstance(self.measure.sampling, Settings):
            raise ValueError("measure.sampling: has no budget that the estimated run would have outlasted")
        if (self.source is not None) != (self.problem == "sssp" and not drawn):
            raise ValueError(f"source: {self.source}, where the problem is {self.problem}")
        if max([self.source or 0, *(sample.source or 0 for sample in self.samples)]) >= self.graph.vertices:
            raise ValueError(f"source: not one of the {self.graph.vertices} vertices of the graph")
        if self.seconds == 0:
            raise ValueError("outcome: took no time")
        if self.certificate:
            _check_certificate(self.certificate, self.graph)
        scope = self.certificate and self.certificate.scope
        if (self.status == "ok" and scope != "full") or (self.status == "estimated" and not scope):
            raise ValueError("certificate: of the full answer, where the run was timed in full; any for an estimate")
        try:
            backwards = datetime.fromisoformat(self.finished) < datetime.fromisoformat(self.started)
        except ValueError as error:
            raise ValueError(f"started or finished: {error}") from None
        if backwards:
            raise ValueError(f"finished: {self.finished}, before started, {self.started}")

    @property
    def asked(self) -> dict[str, int]:
        """What the run's name gives: parameters, and how many sources."""
        drawn = self.measure.random_sources
        return dict(sorted({**self.given, **({SOURCES: drawn.count} if drawn else {})}.items()))

    @property
    def run(self) -> str:
        """``bellman_ford.naive``, ``label_correcting.locality.k=4+sources=100``."""
        return run_name(self.algorithm, self.variant, self.asked)

    @property
    def status(self) -> Status:
        return self.outcome.status

    @property
    def reason(self) -> str | None:
        """Why there is no full measurement, in one sentence."""
        outcome, sampling = self.outcome, self.measure.sampling
        if isinstance(outcome, Estimated) and isinstance(sampling, Settings):
            return (
                f"a full run of about {readable_seconds(outcome.seconds, 3)} would outlast the budget of "
                f"{sampling.budget_s:g} s; "
                f"{outcome.iterations_timed:,} of {outcome.iterations_total:,} iterations were timed"
            )
        return getattr(outcome, "reason", None)

    @property
    def seconds(self) -> float | None:
        """What a table shows: the samples' median, their mean over random sources, or the estimate."""
        return getattr(self.outcome, "seconds", None)

    @property
    def samples(self) -> Sequence[Sample]:
        """Every full solve that was timed, in order."""
        return getattr(self.outcome, "samples", [])

    @property
    def estimate(self) -> Estimated | None:
        return self.outcome if isinstance(self.outcome, Estimated) else None

    @property
    def counters(self) -> Counters:
        """What the last timed solve did: iterations, launches, ..."""
        return getattr(self.outcome, "counters", {})


def _check_certificate(certificate: Certificate, graph: GraphFacts) -> None:
    """Raise ValueError if the certificate cannot be of an answer on this graph."""
    vertices, sources = certificate.vertices, certificate.sources
    if vertices != graph.vertices if certificate.scope == "full" else vertices > graph.vertices:
        raise ValueError(f"certificate.vertices: {vertices} of {graph.vertices}, with the scope {certificate.scope}")
    if not sources <= certificate.reached <= sources * vertices or sources > vertices:
        raise ValueError(f"certificate: {sources} sources cannot reach {certificate.reached} of {vertices} vertices")
    if not certificate.reached - sources <= certificate.arcs_checked <= sources * graph.arcs:
        raise ValueError(f"certificate.arcs_checked: {certificate.arcs_checked}, where the graph has {graph.arcs}")


def run_name(algorithm: str, variant: str, asked: Mapping[str, int]) -> str:
    """The name of a run and of its file: algorithm, variant, parameters in alphabetical order, sources last.

    "+" joins parameters: Snakemake hands wildcards to a job between commas.
    """
    names = sorted(asked, key=lambda name: (name == SOURCES, name))
    return ".".join(filter(None, (algorithm, variant, "+".join(f"{name}={asked[name]}" for name in names))))


def parameters_of(asked: Mapping[str, int]) -> dict[str, int]:
    """What was asked of the variant: ``asked`` without the number of random sources."""
    return {name: value for name, value in asked.items() if name != SOURCES}


def parse_run(text: str) -> tuple[str, str, dict[str, int]]:
    """Algorithm, variant and parameters, from a name such as ``label_correcting.locality.k=4+sources=100``.

    Raises UsageError for any text that ``run_name`` would not write.
    """
    algorithm, _, rest = text.partition(".")
    variant, dot, parameters = rest.partition(".")
    if not (algorithm.isidentifier() and variant.isidentifier()):
        raise UsageError(
            f"run {text!r}: expected ALGORITHM.VARIANT or ALGORITHM.VARIANT.NAME=NUMBER+..., such as "
            "bellman_ford.stride or label_correcting.locality.k=4+sources=100"
        )
    asked = parse(parameters.replace("+", ",")) if dot else {}
    name = run_name(algorithm, variant, asked)
    if name != text:
        raise UsageError(f"run {text!r}: write it as {name!r}, so that one run has one name")
    return algorithm, variant, asked


_DECODER = msgspec.json.Decoder(Record)


class _OfAnyFormat(Struct):
    format: Annotated[int, Meta(ge=1, lt=FORMAT)]


def schema() -> dict[str, Any]:
    """The format as JSON schema."""
    return json_schema(Record)


def write_record(path: str | os.PathLike, record: Record) -> None:
    """Write ``record`` to ``path``, whole or not at all. Keys are sorted, so that equal records are equal files.

    Raises ValueError, a bug in warpath, if ``read_record`` could not read the file again.
    """
    text = msgspec.json.format(msgspec.json.encode(record, order="sorted"), indent=2).decode()
    try:
        _DECODER.decode(text)
    except (ValueError, UsageError) as error:
        raise ValueError(f"refused to write {path}: {error}") from None
    write_text(path, text + "\n")


def read_record(path: str | os.PathLike) -> Record:
    """Read what ``write_record`` wrote. Raises FormatError, naming file and key, for anything else."""
    why = "not a record: "
    try:
        with open(path, "rb") as file:
            text = file.read()
        return _DECODER.decode(text)
    except FileNotFoundError:
        raise FormatError(f"{path}: no such record; make it with 'warpath run'") from None
    except OSError as error:
        raise FormatError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        why += "holds text that is not UTF-8"
    except RecursionError:
        why += "holds too many brackets in each other"
    except (ValueError, UsageError) as error:
        older = _older_format(text)
        why = f"a record of format {older}, where this version reads {FORMAT}" if older else why + str(error)
    raise FormatError(f"{path}: {why}; delete it and measure the run again")


def _older_format(text: bytes) -> int | None:
    """The format of a record that an older version wrote."""
    try:
        return msgspec.json.decode(text, type=_OfAnyFormat).format
    except msgspec.MsgspecError:
        return None


def record_files(folder: Path) -> list[Path]:
    """The files of records in ``folder``, at any depth, sorted; not those that a killed process had begun to write."""
    return sorted(file for file in folder.rglob("*.json") if not file.name.startswith("."))
