"""The record of one run: a typed value, and the JSON file that holds it.

Only this module reads and writes records. The types below are the format; ``schema()`` gives it as JSON schema. Times
are in seconds. The file's name is ``<dataset>/<algorithm>.<variant>[.<asked>].json``, see ``run_name``.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, TypedDict

import msgspec
from msgspec import Meta, Struct

from ..algorithms.parameters import parse
from ..algorithms.registry import Problem
from ..atomic import write_text
from ..errors import FormatError, UsageError
from ..json_schema import json_schema
from .record_faults import SOURCES, fault

FORMAT: Final = 3

Name = Annotated[str, Meta(pattern=r"^[^\x00-\x1f\x7f]+\Z")]
Seconds = Annotated[float, Meta(ge=0, le=1e12)]
Count = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Positive = Annotated[int, Meta(ge=1, le=2**63 - 1)]
Sha256 = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
Moment = Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)\Z")]
Counters = dict[str, Count]
Status = Literal["ok", "estimated", "out_of_memory", "wrong", "missing"]


class GraphFacts(Struct, forbid_unknown_fields=True):
    """The graph that was solved. For a matrix product, ``vertices`` are cells and ``arcs`` the steps between them."""

    vertices: Positive
    arcs: Count
    sha256: Annotated[Sha256, Meta(description="Of the arrays: indptr, indices and weights, or both matrices.")]
    about: Annotated[dict[str, Any], Meta(description="Where the graph and its weights come from.")]


class SampleFacts(Struct, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """One full solve. ``phases`` are its parts by name, such as ``upload_s``; they add up to ``total_s``."""

    total_s: Seconds
    phases: dict[str, Seconds]
    source: Annotated[
        Count | None, Meta(description="The index of the vertex where this solve began; only with random sources.")
    ] = None
    counters: Annotated[Counters | None, Meta(description="What this solve did; only with random sources.")] = None


class StretchFacts(Struct, forbid_unknown_fields=True):
    """How long iterations first, ..., last - 1 took."""

    first: Count
    last: Positive
    seconds: Seconds


class EstimateFacts(Struct, forbid_unknown_fields=True, omit_defaults=True):
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
    stretches: Annotated[list[StretchFacts], Meta(min_length=1)]
    standard_error_s: Annotated[
        Seconds | None,
        Meta(description="Of an estimate from sources, whose searches cost different times; from several stretches."),
    ] = None


class CertificateFacts(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What was certified: ``full`` is the timed answer; ``subgraph`` is an earlier answer on a part of the graph."""

    verdict: Literal["exact", "exact in float32"]
    scope: Literal["full", "subgraph"]
    vertices: Positive
    sources: Positive
    arcs_checked: Count
    reached: Annotated[Positive, Meta(description="Pairs of a source and a vertex it reaches.")]
    tolerances: Annotated[dict[str, float], Meta(description="Relative; only of float32 answers.")] = {}


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
    """The answer on a matrix product; see ``warpath.algorithms.product_path``."""

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
    """A solver that is not ours: see ``warpath.peers``. ``settings`` were chosen for the graph, such as a delta."""

    name: Name
    version: Name
    threads: Positive
    settings: dict[str, Count]


class RandomSourcesFacts(Struct, forbid_unknown_fields=True):
    """One solve from each of ``count`` sources, which ``seed`` picks."""

    count: Positive
    seed: int


class Measure(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """How the run was measured: the settings of the sampling, or the random sources."""

    warmup_launches: Annotated[Count | None, Meta(description="Kernel launches before the first sample.")] = None
    budget_s: Annotated[float, Meta(gt=0)] | None = None
    repeats_min: Positive | None = None
    repeats_max: Positive | None = None
    spread: Annotated[Seconds, Meta(description="Wanted half interquartile range over median.")] | None = None
    random_sources: RandomSourcesFacts | None = None


class Code(Struct, forbid_unknown_fields=True):
    """What identifies the code that ran; see ``warpath.code``."""

    kernels: Annotated[dict[str, Sha256], Meta(description="Of each kernel's text, and of each function of Numba's.")]
    launch: Annotated[dict[str, Any], Meta(description="Sizes of blocks and tiles.")]
    revisions: Annotated[dict[str, Positive], Meta(description="Of the variant, the sampling, the device's adapter.")]
    host_loop: Annotated[Sha256, Meta(description="Of the variant's own modules; no part of the identity.")]

    @property
    def identity(self) -> str:
        """One hash of kernels, launch and revisions; names of kernels do not count."""
        counted = [sorted(set(self.kernels.values())), self.launch, self.revisions]
        return hashlib.sha256(json.dumps(counted, sort_keys=True).encode()).hexdigest()


class Record(Struct, forbid_unknown_fields=True, kw_only=True):
    """One variant on one graph on one device."""

    format: Literal[3] = FORMAT
    dataset: Name
    algorithm: Name
    variant: Name
    asked: Annotated[dict[str, Count], Meta(description="What the run's name gives: parameters, and how many sources.")]
    parameters: Annotated[dict[str, Count], Meta(description="Every parameter of the variant.")]
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
    estimate: EstimateFacts | None
    counters: Annotated[Counters, Meta(description="What the last timed solve did: iterations, launches, ...")]
    certificate: CertificateFacts | None
    answer: Annotated[AnswerFacts | None, Meta(description="Of a matrix product: its minima and the path.")] = None
    reductions: Annotated[ReductionsFacts | None, Meta(description="Of all pairs that were made in parts.")] = None
    measure: Measure
    environment: dict[str, Any]
    code: Code
    started: Moment
    finished: Moment

    def __post_init__(self) -> None:
        clause = fault(self)
        if clause:
            raise ValueError(clause)

    @property
    def run(self) -> str:
        """``bellman_ford.naive``, ``label_correcting.locality.k=4,sources=100``."""
        return run_name(self.algorithm, self.variant, self.asked)


_DECODER = msgspec.json.Decoder(Record)


class _OfAnyFormat(Struct):
    format: Annotated[int, Meta(ge=1, lt=FORMAT)]


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
        _DECODER.decode(text)
    except msgspec.ValidationError as error:
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
    except msgspec.DecodeError as error:
        older = _older_format(text)
        why = f"a record of format {older}, where this version reads {FORMAT}" if older else why + str(error)
    raise FormatError(f"{path}: {why}; delete it and measure the run again")


def _older_format(text: bytes) -> int | None:
    """The format of a record that an older version wrote."""
    try:
        return msgspec.json.decode(text, type=_OfAnyFormat).format
    except msgspec.MsgspecError:
        return None
