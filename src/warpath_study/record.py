"""The record of one run: a typed value, and the JSON file that holds it.

The types below are the format. Fields hold measured values; values that follow from them, such as a median, are
properties. Times are in seconds. A record is the file ``<dataset>/<run>.json``; ``run_name`` makes the name of a run.
"""

import contextlib
import os
import statistics
from collections.abc import Mapping, Sequence
from datetime import datetime
from math import fsum, inf, sqrt
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Literal, TypedDict

import msgspec
from msgspec import Meta, Struct

from warpath.certificates.facts import Certificate, Count, Positive, Seconds
from warpath.errors import FormatError, UsageError
from warpath.solvers.variant import parse
from warpath.system.atomic import write_text
from warpath.system.durations import readable_seconds

from .data_files import json_schema
from .provenance.facts import Code, GraphFacts, Moment, Name

FORMAT: Final = 4
REPEATS_LIMIT: Final = 1_000_000

SOURCES: Final = "sources"
SOURCES_WITH_ARCS: Final = "sources_with_arcs"
"""In a run's name: the number of random sources. No variant has a parameter of either name."""
WITHOUT_TIME: Final = {"out_of_memory": "out of memory", "wrong": "wrong answer", "missing": "not available"}
"""Each status of a run without a time -> its meaning in words."""
Sentence = Annotated[str, Meta(min_length=1)]
Status = Literal["ok", "estimated", "out_of_memory", "wrong", "missing"]

# Phases and counters are columns of one table. Only names of times end in "_s".
Phases = dict[Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]*_s\Z")], Seconds]
Counters = dict[Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]*(?<!_s)\Z")], Count]


class Sample(Struct, forbid_unknown_fields=True, gc=False):
    """One full solve: the seconds of its phases by name, such as ``upload_s``."""

    phases: Annotated[Phases, Meta(min_length=1)]

    @property
    def total_s(self) -> float:
        return fsum(self.phases.values())  # exact, because a file does not keep the order

    @property
    def source(self) -> int | None:
        """The index of the source, if each sample has its own."""
        return None

    @property
    def counters(self) -> Counters | None:
        """The counters of this solve, if each sample has its own."""
        return None


class SourceSample(Sample):
    """One full solve from a random source."""

    source: Annotated[Count, Meta(description="The index of the vertex where this solve began.")]
    counters: Counters


class Stretch(Struct, forbid_unknown_fields=True):
    """The time of several iterations in a row."""

    iterations: Positive
    seconds: Seconds


class EntryFacts(TypedDict):
    """An entry of a matrix product."""

    value: float
    row: Count
    column: Count


class PathFacts(TypedDict):
    """A path over a matrix product. An end is a row and a column; a move is U, D, L or R (up, down, left, right)."""

    source: Annotated[list[Count], Meta(min_length=2, max_length=2)]
    destination: Annotated[list[Count], Meta(min_length=2, max_length=2)]
    weight: float
    moves: Annotated[str, Meta(pattern=r"^[UDLR]*\Z")]


class AnswerFacts(TypedDict):
    """The answer for a matrix product; see ``warpath_study.matrix_product.product_path``."""

    minimum: EntryFacts
    second_minimum: EntryFacts
    path: PathFacts


class StatisticsFacts(Struct, forbid_unknown_fields=True):
    """Statistics of all pairs from the first ``sources`` vertices; see ``warpath.statistics.statistics``."""

    sources: Positive
    parts: Annotated[Positive, Meta(description="Jobs that shared the work, each with its own device.")]
    solved_by: Annotated[str, Meta(description="The variants that solved the rows.")]
    diameter: Annotated[float, Meta(ge=0)]
    radius: Annotated[float | None, Meta(description="None if no source reaches every vertex.")]
    mean_distance: Annotated[float | None, Meta(description="None if no pair has a path.")]
    bin_width: Annotated[float, Meta(gt=0, description="Of the histogram, whose first bin begins at 0.")]
    histogram: Annotated[list[Count], Meta(min_length=1, description="Pairs by distance, bin by bin.")]

    @property
    def pairs(self) -> int:
        """The number of pairs of a source and another vertex that have a path."""
        return sum(self.histogram)


class Outcome(Struct, tag_field="kind", forbid_unknown_fields=True, omit_defaults=True):
    """The result of a run."""

    status: ClassVar[Status]


class Timed(Outcome, tag="timed"):
    """The same solve, timed in full once for each sample."""

    status: ClassVar[Status] = "ok"
    samples: Annotated[list[Sample], Meta(min_length=1)]
    counters: Annotated[Counters, Meta(description="Of the last solve: iterations, launches, ...")]

    def __post_init__(self) -> None:
        _check_same_keys("phases", [sample.phases for sample in self.samples])

    @property
    def seconds(self) -> float:
        """The median of the samples."""
        return statistics.median(sample.total_s for sample in self.samples)


class TimedFromSources(Outcome, tag="timed_from_sources"):
    """One solve from each of several sources, timed in full."""

    status: ClassVar[Status] = "ok"
    samples: Annotated[list[SourceSample], Meta(min_length=1)]

    def __post_init__(self) -> None:
        _check_same_keys("phases", [sample.phases for sample in self.samples])
        _check_same_keys("counters", [sample.counters for sample in self.samples])
        if "iterations" not in self.samples[0].counters:
            raise ValueError("samples: counters need iterations")

    @property
    def seconds(self) -> float:
        """The mean over the sources."""
        return statistics.fmean(sample.total_s for sample in self.samples)

    @property
    def counters(self) -> Counters:
        """The counters of the last solve."""
        return self.samples[-1].counters


class Estimated(Outcome, tag="estimated"):
    """A solve that was stopped because it would have exceeded its budget, and the estimate of its time.

    The estimate for the rest is the mean rate of the stretches that began after the distances were final, or of the
    last one if there are none. If iterations are sources (``by_source``), whose times differ, all stretches count.
    """

    status: ClassVar[Status] = "estimated"
    stretches: Annotated[list[Stretch], Meta(min_length=1, description="The iterations that ran, in order.")]
    iterations_left: Positive
    upload_s: Seconds
    finish_s: Seconds
    download_s: Seconds
    settled: Annotated[bool, Meta(description="Whether the last stretch began after the distances were final.")]
    by_source: Annotated[bool, Meta(description="Whether iterations are sources.")] = False
    steady_stretches: Annotated[
        Positive,
        Meta(description="If settled, so many of the last stretches began after the distances were final."),
    ] = 1
    counted: Annotated[Counters, Meta(description="Other counters than iterations.")] = {}

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
        """The estimated time of an iteration that did not run."""
        return seconds_per_iteration(self._used)

    @property
    def seconds(self) -> float:
        measured_s = self.upload_s + self.seconds_timed + self.finish_s + self.download_s
        return measured_s + self.iterations_left * self.seconds_per_iteration

    @property
    def standard_error_s(self) -> float | None:
        """The standard error, from the stretches that the estimate uses; None for a single one, which has no variance.

        The mean time of a stretch of n iterations has 1/n of the variance of one. So n times its squared distance from
        the overall mean estimates that variance. Iterations that were timed add no error.
        """
        if len(self._used) < 2:
            return None
        mean, timed = self.seconds_per_iteration, sum(part.iterations for part in self._used)
        squares = (part.iterations * (part.seconds / part.iterations - mean) ** 2 for part in self._used)
        variance = sum(squares) / (len(self._used) - 1)
        return sqrt(variance * (timed + self.iterations_left) * self.iterations_left / timed)

    @property
    def _used(self) -> Sequence[Stretch]:
        return used_stretches(self.stretches, self.steady_stretches, self.by_source)


class _WithoutTime(Outcome):
    reason: Sentence


class OutOfMemory(_WithoutTime, tag="out_of_memory"):
    """The memory of the device or of the machine did not suffice."""

    status: ClassVar[Status] = "out_of_memory"


class Wrong(_WithoutTime, tag="wrong"):
    """A peer's wrong answer. A wrong answer of warpath is an error instead."""

    status: ClassVar[Status] = "wrong"


class Missing(_WithoutTime, tag="missing"):
    """The peer is not installed, or the device cannot run the variant."""

    status: ClassVar[Status] = "missing"


AnyOutcome = Timed | TimedFromSources | Estimated | OutOfMemory | Wrong | Missing


def used_stretches(stretches: Sequence[Stretch], steady: int, by_source: bool) -> Sequence[Stretch]:
    """The stretches that an estimate uses: all ``by_source``, else so many of the last ones."""
    return stretches if by_source else stretches[-steady:]


def seconds_per_iteration(stretches: Sequence[Stretch]) -> float:
    return sum(stretch.seconds for stretch in stretches) / sum(stretch.iterations for stretch in stretches)


def _check_same_keys(what: str, mappings: Sequence[Mapping[str, object]]) -> None:
    if any(mapping.keys() != mappings[0].keys() for mapping in mappings):
        raise ValueError(f"samples: {what} differ between samples")


class PeerFacts(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A peer. ``settings`` are the values that trial solves chose for this graph, such as a delta."""

    name: Name
    version: Name
    threads: Positive
    settings: dict[str, Count]
    first_answer_s: Annotated[Seconds | None, Meta(description="Time to prepare the graph and solve once.")] = None
    solvers: Annotated[list[Name], Meta(description="Of warpath: the solvers that answered.")] = []
    preparations_s: Annotated[list[Seconds], Meta(description="Those whose median is preparation_s.")] = []
    first_answers_s: Annotated[list[Seconds], Meta(description="Those whose median is first_answer_s.")] = []


class Settings(Struct, forbid_unknown_fields=True, frozen=True, tag_field="kind", tag="repeated"):
    """When to stop sampling: ``budget_s`` limits the sum of all samples, ``spread`` is the target relative spread.

    Raises UsageError for values out of range.
    """

    budget_s: Annotated[float, Meta(gt=0)] = 60.0
    repeats_min: Positive = 3
    repeats_max: Positive = 10
    spread: Annotated[Seconds, Meta(description="Target: half the interquartile range over the median.")] = 0.02

    def __post_init__(self) -> None:
        if not 0 < self.budget_s < inf:
            raise UsageError(f"the budget must be a positive number of seconds, not {self.budget_s:g}")
        if not 1 <= self.repeats_min <= self.repeats_max:
            raise UsageError(
                f"the minimum of repeats must be from 1 to the maximum, {self.repeats_max}, not {self.repeats_min}"
            )
        if self.repeats_max > REPEATS_LIMIT:
            raise UsageError(f"the maximum of repeats must be at most {REPEATS_LIMIT:,}, not {self.repeats_max}")
        if not 0 <= self.spread < inf:
            raise UsageError(f"the spread must be a fraction of at least 0, not {self.spread:g}")


class RandomSources(Struct, forbid_unknown_fields=True, frozen=True, tag_field="kind", tag="random_sources"):
    """One solve from each of ``count`` random sources, or of fewer, if a budget ended. Raises UsageError for none."""

    count: Positive
    seed: int = 1
    with_arcs: Annotated[bool, Meta(description="Whether only vertices with arcs were drawn.")] = False

    def __post_init__(self) -> None:
        if self.count < 1:
            raise UsageError(f"the number of random sources must be at least 1, not {self.count}")

    @property
    def parameter(self) -> dict[str, int]:
        """The part of a run's name."""
        return {SOURCES_WITH_ARCS if self.with_arcs else SOURCES: self.count}


class Measure(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """How the run was measured. All pairs in parts have no ``sampling``."""

    sampling: Settings | RandomSources | None = None
    warmup_launches: Annotated[Count | None, Meta(description="Kernel launches before the first sample.")] = None
    turns: Annotated[Name | None, Meta(description="The joint run in which solvers took turns.")] = None

    @property
    def random_sources(self) -> RandomSources | None:
        return self.sampling if isinstance(self.sampling, RandomSources) else None


class Record(Struct, forbid_unknown_fields=True, kw_only=True):
    """One variant on one graph on one device. Raises ValueError if two fields contradict each other."""

    format: Literal[4] = FORMAT
    dataset: Name
    algorithm: Name
    variant: Name
    given: Annotated[dict[str, Count], Meta(description="The parameters of the variant in the run's name.")]
    parameters: Annotated[dict[str, Count], Meta(description="Every parameter of the variant.")]
    problem: Annotated[str, Meta(pattern=r"^(sssp|apsp|closure|grid|reductions)\Z")]
    source: Annotated[Count | None, Meta(description="The index of the source; None for all pairs and random sources.")]
    source_label: Annotated[int | str | None, Meta(description="The label of the source in the graph's file.")] = None
    graph: GraphFacts
    device: Annotated[
        dict[str, Any], Meta(description="kind (cuda, simulated, or cpu for serial variants), name, and facts.")
    ]
    measure: Measure
    outcome: AnyOutcome
    certificate: Annotated[
        Certificate | None, Meta(description="Of the full answer, or of that on a part of the graph.")
    ]
    answer: Annotated[AnswerFacts | None, Meta(description="For a matrix product: its minima and the path.")] = None
    reductions: Annotated[StatisticsFacts | None, Meta(description="For all pairs in parts.")] = None
    preparation_s: Annotated[Seconds, Meta(description="Time to prepare the graph, once, outside the samples.")] = 0.0
    solved_by: Annotated[PeerFacts | None, Meta(description="The peer that solved; None for warpath.")] = None
    launch_and_wait_s: Annotated[Seconds | None, Meta(description="Of an empty kernel on a GPU.")] = None
    environment: dict[str, Any]
    code: Code
    started: Moment
    finished: Moment

    def __post_init__(self) -> None:
        kind, name = self.device.get("kind"), self.device.get("name")
        if kind not in ("cuda", "simulated", "cpu") or not isinstance(name, str) or min(name, default="") < " ":
            raise ValueError("device: needs a kind, which is cuda, simulated or cpu, and a name of one line")
        for part in ("weights", "parameters"):
            if not isinstance(self.graph.about.get(part, {}), dict):
                raise ValueError(f"graph.about.{part}: expected an object")
        random, outcome = self.measure.random_sources, self.outcome
        if isinstance(outcome, TimedFromSources):
            sources = {sample.source for sample in outcome.samples}
            if not random or not random.count >= len(sources) == len(outcome.samples):
                raise ValueError("outcome.samples: need one sample for each source, of those of measure.sampling")
            if self.certificate and self.certificate.sources != len(sources):
                raise ValueError(
                    f"outcome.samples: {len(sources)} sources, but the certificate has {self.certificate.sources}"
                )
        elif random and self.seconds is not None:
            raise ValueError(f"outcome: has one source, but measure.sampling has {random.count}")
        elif isinstance(outcome, Estimated) and not isinstance(self.measure.sampling, Settings):
            raise ValueError("measure.sampling: an estimate needs a budget")
        if (self.source is not None) != (self.problem == "sssp" and not random):
            raise ValueError(f"source: {self.source} does not fit the problem {self.problem}")
        if max([self.source or 0, *(sample.source or 0 for sample in self.samples)]) >= self.graph.vertices:
            raise ValueError(f"source: the graph has only {self.graph.vertices} vertices")
        if self.seconds == 0:
            raise ValueError("outcome: the time is 0")
        if self.certificate:
            _check_certificate(self.certificate, self.graph)
        scope = self.certificate and self.certificate.scope
        if (self.status == "ok" and scope != "full") or (self.status == "estimated" and not scope):
            raise ValueError("certificate: a timed run needs one of the full answer, and an estimate needs any")
        try:
            backwards = datetime.fromisoformat(self.finished) < datetime.fromisoformat(self.started)
        except ValueError as error:
            raise ValueError(f"started or finished: {error}") from None
        if backwards:
            raise ValueError(f"finished: {self.finished} is before started, {self.started}")

    @property
    def name_parameters(self) -> dict[str, int]:
        """The parameters in the run's name, with the number of random sources."""
        random = self.measure.random_sources
        return dict(sorted({**self.given, **(random.parameter if random else {})}.items()))

    @property
    def run(self) -> str:
        """The run's name, such as ``label_correcting.locality.k=4+sources=100``."""
        return run_name(self.algorithm, self.variant, self.name_parameters)

    @property
    def status(self) -> Status:
        return self.outcome.status

    @property
    def reason(self) -> str | None:
        """The reason why there is no full measurement, in one sentence."""
        outcome, sampling = self.outcome, self.measure.sampling
        if isinstance(outcome, Estimated) and isinstance(sampling, Settings):
            return (
                f"a full run of about {readable_seconds(outcome.seconds, 2)} would outlast the budget of "
                f"{sampling.budget_s:g} s; "
                f"{outcome.iterations_timed:,} of {outcome.iterations_total:,} iterations were timed"
            )
        return getattr(outcome, "reason", None)

    @property
    def seconds(self) -> float | None:
        """The median of the samples, their mean over random sources, or the estimate; None without a time."""
        return getattr(self.outcome, "seconds", None)

    @property
    def samples(self) -> Sequence[Sample]:
        """The full solves that were timed, in order."""
        return getattr(self.outcome, "samples", [])

    @property
    def estimate(self) -> Estimated | None:
        return self.outcome if isinstance(self.outcome, Estimated) else None

    @property
    def counters(self) -> Counters:
        """The counters of the last timed solve: iterations, launches, ..."""
        return getattr(self.outcome, "counters", {})


def _check_certificate(certificate: Certificate, graph: GraphFacts) -> None:
    """Raise ValueError if the certificate cannot be that of an answer on this graph."""
    vertices, sources = certificate.vertices, certificate.sources
    if vertices != graph.vertices if certificate.scope == "full" else vertices > graph.vertices:
        raise ValueError(f"certificate.vertices: {vertices} of {graph.vertices}, with the scope {certificate.scope}")
    if not sources <= certificate.reached <= sources * vertices or sources > vertices:
        raise ValueError(f"certificate: {sources} sources cannot reach {certificate.reached} of {vertices} vertices")
    if not certificate.reached - sources <= certificate.arcs_checked <= sources * graph.arcs:
        raise ValueError(f"certificate.arcs_checked: {certificate.arcs_checked}, but the graph has {graph.arcs} arcs")


def run_name(algorithm: str, variant: str, parameters: Mapping[str, int]) -> str:
    """The name of a run: algorithm, variant, parameters in alphabetical order, sources last.

    "+" joins parameters, because Snakemake separates the wildcards of a job by commas.
    """
    names = sorted(parameters, key=lambda name: (name in (SOURCES, SOURCES_WITH_ARCS), name))
    return ".".join(filter(None, (algorithm, variant, "+".join(f"{name}={parameters[name]}" for name in names))))


def without_sources(parameters: Mapping[str, int]) -> dict[str, int]:
    """The parameters of the variant: ``parameters`` without the number of random sources."""
    return {name: value for name, value in parameters.items() if name not in (SOURCES, SOURCES_WITH_ARCS)}


def parse_run(text: str) -> tuple[str, str, dict[str, int]]:
    """Algorithm, variant and parameters of a run's name, such as ``label_correcting.locality.k=4+sources=100``.

    Raises UsageError for a text that ``run_name`` would not write.
    """
    algorithm, _, rest = text.partition(".")
    variant, dot, values = rest.partition(".")
    if not (algorithm.isidentifier() and variant.isidentifier()):
        raise UsageError(
            f"run {text!r}: expected ALGORITHM.VARIANT or ALGORITHM.VARIANT.NAME=NUMBER+..., such as "
            "bellman_ford.stride or label_correcting.locality.k=4+sources=100"
        )
    parameters = parse(values.replace("+", ",")) if dot else {}
    if {SOURCES, SOURCES_WITH_ARCS} <= parameters.keys():
        raise UsageError(f"run {text!r}: leave out {SOURCES} or {SOURCES_WITH_ARCS}")
    name = run_name(algorithm, variant, parameters)
    if name != text:
        raise UsageError(f"run {text!r}: write it as {name!r}, so that each run has one name")
    return algorithm, variant, parameters


_DECODER = msgspec.json.Decoder(Record)


class _OtherRecord(Struct):
    format: Annotated[int, Meta(ge=1)]


def schema() -> dict[str, Any]:
    """The JSON schema of a record."""
    return json_schema(Record)


def write_record(path: str | os.PathLike, record: Record) -> None:
    """Write ``record`` to ``path`` atomically, with sorted keys, so that equal records are equal files.

    Raises ValueError if ``read_record`` could not read the file, which is a bug in warpath.
    """
    text = msgspec.json.format(msgspec.json.encode(record, order="sorted"), indent=2).decode()
    try:
        _DECODER.decode(text)
    except (ValueError, UsageError) as error:
        raise ValueError(f"refused to write {path}: {error}") from None
    write_text(path, text + "\n")


def read_record(path: str | os.PathLike) -> Record:
    """Read a record. Raises FormatError, with file and key, if the file is not a record."""
    why, advice = "not a record: ", "if it was one, delete it and measure the run again"
    try:
        text = Path(path).read_bytes()
        return _DECODER.decode(text)
    except FileNotFoundError:
        raise FormatError(f"{path}: no such record; make it with 'warpath run'") from None
    except OSError as error:
        raise FormatError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        why += "holds text that is not UTF-8"
    except RecursionError:
        why += "holds too many nested brackets"
    except (ValueError, UsageError) as error:
        why += str(error)
        with contextlib.suppress(msgspec.MsgspecError):
            other = msgspec.json.decode(text, type=_OtherRecord)
            if other.format != FORMAT:
                why = f"a record of format {other.format}; this version reads format {FORMAT}"
            if other.format > FORMAT:
                advice = "update warpath"
    raise FormatError(f"{path}: {why}; {advice}")


def record_files(folder: Path) -> list[Path]:
    """The files of records in ``folder``, at any depth, sorted.

    Hidden files and folders, such as unfinished files of killed processes, and those of Zarr stores are left out.
    """
    parts = {file: file.relative_to(folder).parts for file in folder.rglob("*.json")}
    return sorted(file for file in parts if not any(part[0] == "." or part.endswith(".zarr") for part in parts[file]))
