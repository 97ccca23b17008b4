"""The record of one run: a typed value, and the JSON file that holds it.

The types below are the format; ``records.files`` reads and writes it. Times are in seconds. The file's name is
``<dataset>/<algorithm>.<variant>[.<asked>].json``, see ``run_name``.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, TypedDict

from msgspec import Meta, Struct

from warpath.errors import UsageError
from warpath.facts import Certificate, Code, Count, GraphFacts, Moment, Name, Positive, Seconds
from warpath.solvers.registry import parse

FORMAT: Final = 3

Counters = dict[str, Count]
SOURCES: Final = "sources"
"""In a run's name: the number of random sources. A parameter of the measurement, which no variant may have."""
WITHOUT_TIME: Final = {"out_of_memory": "out of memory", "wrong": "wrong answer", "missing": "not available"}
"""The statuses of runs that gave no time, and what they mean in words."""
Status = Literal["ok", "estimated", "out_of_memory", "wrong", "missing"]


class Sample(Struct, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """One full solve. ``phases`` are its parts by name, such as ``upload_s``; they add up to ``total_s``."""

    total_s: Seconds
    phases: dict[str, Seconds]
    source: Annotated[
        Count | None, Meta(description="The index of the vertex where this solve began; only with random sources.")
    ] = None
    counters: Annotated[Counters | None, Meta(description="What this solve did; only with random sources.")] = None


class Stretch(Struct, forbid_unknown_fields=True):
    """How long iterations first, ..., last - 1 took."""

    first: Count
    last: Positive
    seconds: Seconds


class Estimate(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """How the time of a run that would have outlasted its budget was estimated."""

    iterations_timed: Positive
    iterations_total: Positive
    seconds_timed: Seconds
    seconds_per_iteration: Annotated[
        Seconds,
        Meta(description="In the last stretch; of all, where there is a standard_error_s."),
    ]
    settled: Annotated[bool, Meta(description="Whether the last stretch began after the distances were final.")]
    upload_s: Seconds
    finish_s: Seconds
    download_s: Seconds
    stretches: Annotated[list[Stretch], Meta(min_length=1)]
    standard_error_s: Annotated[
        Seconds | None,
        Meta(description="Of an estimate from sources, whose searches cost different times; from several stretches."),
    ] = None


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
    pairs: Annotated[Count, Meta(description="Pairs of a source and another vertex that have a path.")]
    diameter: Annotated[float, Meta(ge=0)]
    radius: Annotated[float | None, Meta(description="None where no source reaches every vertex.")]
    mean_distance: Annotated[float | None, Meta(description="None where no pair has a path.")]
    bin_width: Annotated[float, Meta(gt=0, description="Of the histogram, whose first bin begins at 0.")]
    histogram: Annotated[list[Count], Meta(min_length=1, description="Pairs by distance, bin by bin.")]


class PeerFacts(Struct, forbid_unknown_fields=True):
    """A solver that is not ours: see ``peers``. ``settings`` were chosen for the graph, such as a delta."""

    name: Name
    version: Name
    threads: Positive
    settings: dict[str, Count]


class RandomSources(Struct, forbid_unknown_fields=True, frozen=True):
    """One solve from each of ``count`` sources, which ``seed`` picks. Raises UsageError for fewer than one."""

    count: int
    seed: int = 1

    def __post_init__(self) -> None:
        if self.count < 1:
            raise UsageError(f"a mean over sources needs at least one, not {self.count}")


class Measure(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """How the run was measured: the settings of the sampling, or the random sources."""

    warmup_launches: Annotated[Count | None, Meta(description="Kernel launches before the first sample.")] = None
    budget_s: Annotated[float, Meta(gt=0)] | None = None
    repeats_min: Positive | None = None
    repeats_max: Positive | None = None
    spread: Annotated[Seconds, Meta(description="Wanted half interquartile range over median.")] | None = None
    random_sources: RandomSources | None = None


class Record(Struct, forbid_unknown_fields=True, kw_only=True):
    """One variant on one graph on one device."""

    format: Literal[3] = FORMAT
    dataset: Name
    algorithm: Name
    variant: Name
    asked: Annotated[dict[str, Count], Meta(description="What the run's name gives: parameters, and how many sources.")]
    parameters: Annotated[dict[str, Count], Meta(description="Every parameter of the variant.")]
    problem: Name
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
    samples: Annotated[list[Sample], Meta(description="Every full solve that was timed, in order.")]
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
    estimate: Estimate | None
    counters: Annotated[Counters, Meta(description="What the last timed solve did: iterations, launches, ...")]
    certificate: Certificate | None
    answer: Annotated[AnswerFacts | None, Meta(description="Of a matrix product: its minima and the path.")] = None
    reductions: Annotated[ReductionsFacts | None, Meta(description="Of all pairs that were made in parts.")] = None
    measure: Measure
    environment: dict[str, Any]
    code: Code
    started: Moment
    finished: Moment

    @property
    def run(self) -> str:
        """``bellman_ford.naive``, ``label_correcting.locality.k=4+sources=100``."""
        return run_name(self.algorithm, self.variant, self.asked)


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
