"""The measured runs of a target. Every view starts from them.

Times are in seconds. With random sources, ``seconds`` and counters are means over the sources.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from itertools import takewhile
from operator import attrgetter
from pathlib import Path
from statistics import fmean, median, pstdev
from typing import Annotated, Any, TypeVar, cast

import msgspec
import numpy as np
import pandas as pd
from msgspec import Meta, Struct

from warpath.errors import FormatError, UsageError, WarpathError
from warpath.system.atomic import write_text

from ..measure.host_load import load_of_others
from ..parts.run import IN_PARTS
from ..provenance.environment import commit_text
from ..record import SOURCES_WITH_ARCS, Record, read_record
from ..works.works import RunRequest
from .labels import run_label

STRAGGLER = 10
"""A sample that takes more than this multiple of the median is a straggler."""
REAL_ROADS = "Real roads with random weights"
"""Start of ``Run.weights`` for a real road topology with random weights."""
ESTIMATE, ROUGH_ESTIMATE = "~", "≈"
"""Marks of estimates. A rough one has no standard error, and its distances were not final."""
ESTIMATE_DIGITS = 2


Item = TypeVar("Item")


def digits_of(mark: str, usual: int = 3) -> int:
    """The significant digits of a number with this mark of an estimate or none."""
    return ESTIMATE_DIGITS if mark else usual


def mark_of_all(marks: Iterable[str]) -> str:
    """The mark of a number that is computed from times with these ``marks``: the roughest; "" without an estimate."""
    return max(marks, key=("", ESTIMATE, ROUGH_ESTIMATE).index, default="")


@dataclass(frozen=True, kw_only=True)
class Run:
    """A measured run of a row. Missing text is "", a missing number is None; missing ``vertices`` and ``arcs`` are 0.

    ``status`` is ok, estimated, unsettled, simulated, out_of_memory, wrong, missing or not_run. ``more`` has values
    that only some runs have: phases, counters, numbers of the answer, preparation, peers and statistics.
    ``iterations_max`` is the most iterations of a solve, among random sources, and ``times`` are its seconds from each
    of these. ``turns`` is the joint run in which it took turns with others.
    """

    row: str
    dataset: str
    run: str = ""
    algorithm: str = ""
    variant: str = ""
    asked: str = ""
    parameters: str = ""
    problem: str = ""
    source: int | None = None
    vertices: int = 0
    arcs: int = 0
    graph_sha256: str = ""
    weights: str = ""
    generator: str = ""
    status: str = "not_run"
    reason: str = ""
    seconds: float | None = None
    samples: int | None = None
    min_s: float | None = None
    max_s: float | None = None
    std_s: float | None = None
    stragglers: int | None = None
    sources: int | None = None
    device_kind: str = ""
    device: str = ""
    date: str = ""
    started: str = ""
    finished: str = ""
    beside: int | None = None
    machine: str = ""
    versions: str = ""
    certified: str = ""
    certified_vertices: int | None = None
    iterations_timed: int | None = None
    iterations_total: int | None = None
    seconds_timed: float | None = None
    settled: bool | None = None
    standard_error_s: float | None = None
    code: str = ""
    record: str = ""
    # Fields above are columns of the table of runs, and so is each name in ``more``.
    more: Mapping[str, Any] = field(default_factory=dict)
    driver: str = ""
    commit: str = ""
    by_source: bool = False
    iterations_max: float | None = None
    label: str = ""
    turns: str = ""
    times: Mapping[int, float] = field(default_factory=dict, repr=False)

    @property
    def estimated(self) -> str:
        """``~`` for an estimate, ``≈`` for a rough one, else empty."""
        if self.iterations_timed is None:
            return ""
        return ESTIMATE if self.settled or self.standard_error_s is not None else ROUGH_ESTIMATE

    def fact(self, name: str) -> Any:
        """A value of the table of runs; None if the run has no such value."""
        return {**vars(self), **self.more}.get(name)


_QUANTILES = {"p10_s": 0.1, "median_s": 0.5, "p90_s": 0.9}
_COLUMNS = [column.name for column in takewhile(lambda column: column.name != "more", fields(Run))]


def group_by(cells: Iterable[Item], *names: str) -> dict[Any, list[Item]]:
    """The cells by the values of one or several fields, in order of first appearance."""
    groups: dict[Any, list[Item]] = {}
    for cell in cells:
        groups.setdefault(attrgetter(*names)(cell), []).append(cell)
    return groups


def collect(requests: Iterable[RunRequest], records: str | os.PathLike) -> list[Run]:
    """Read the records of runs from the folder ``records``; runs without a record are skipped.

    Raises FormatError for a damaged record or the record of another run, WarpathError if runs of one row and problem
    used different graphs or sources, UsageError if there is no record at all.
    """
    runs: list[Run] = []
    first_of: dict[tuple[str, str, str, bool], tuple[Path, Record]] = {}
    spans = _run_spans(records)
    for run in requests:
        file = Path(records, run.file)
        if not file.is_file():
            continue
        record = read_record(file)
        if (record.dataset, record.run) != (run.dataset, run.run):
            raise FormatError(
                f"{file}: the record is of {record.dataset} {record.run}, not of {run.dataset} {run.run}; remove the "
                "file and measure again"
            )
        kind = (run.row, run.dataset, record.problem, SOURCES_WITH_ARCS in run.parameters)
        _check_same_run(file, record, *first_of.setdefault(kind, (file, record)))
        runs.append(_run(run, file, record, _concurrent_runs(file, spans)))
    if not runs:
        raise UsageError(f"{records}: no record of the requested runs; measure first, with `warpath run`")
    return runs


def write_runs(path: str | os.PathLike, runs: Sequence[Run]) -> None:
    """Write the table of runs: one line for each run, numbers with all digits."""
    facts: list[dict[str, Any]] = [{name: getattr(run, name) for name in _COLUMNS} | {**run.more} for run in runs]
    if len({run.driver for run in runs} - {""}) > 1:
        facts = [values | {"driver": run.driver} for values, run in zip(facts, runs, strict=True)]
    whole = {column.name: "Int64" for column in fields(Run) if column.name in _COLUMNS and column.type == int | None}
    write_text(path, pd.DataFrame(facts).astype(whole).to_csv(index=False, lineterminator="\n"))


def _check_same_run(file: Path, record: Record, first_file: Path, first: Record) -> None:
    """Raise WarpathError if two runs of a row have different graphs or sources."""
    sources = None not in (record.source, first.source)
    for name, here, there in (
        ("another graph", record.graph.sha256, first.graph.sha256),
        ("other random sources", record.measure.random_sources, first.measure.random_sources),
        ("another source vertex", sources and record.source, sources and first.source),
    ):
        if here != there:
            raise WarpathError(f"{file}: the run has {name} than {first_file}; measure the older run again")


def _run(run: RunRequest, file: Path, record: Record, concurrent: int) -> Run:
    totals = [sample.total_s for sample in record.samples]
    drawn, certificate = record.measure.random_sources, record.certificate
    names = ("iterations_timed", "iterations_total", "seconds_timed", "settled", "standard_error_s")
    estimate: dict[str, Any] = {name: getattr(record.estimate, name, None) for name in names}
    more = _solve_values(record) | _peer_values(record) | _statistics_values(record) | _load_values(record)
    if reserved := next((name for name in more if name in _COLUMNS), None):
        raise FormatError(
            f"{file}: not a record: the phase or counter {reserved} has the name of a column of the table"
        )
    iterations = [sample.counters["iterations"] for sample in record.samples if sample.counters]
    found = Run(
        row=run.row,
        dataset=run.dataset,
        run=run.run,
        algorithm=record.algorithm,
        variant=record.variant,
        asked=_pairs_text(record.name_parameters),
        parameters=_pairs_text(dict(sorted(record.parameters.items()))),
        problem=record.problem,
        source=record.source,
        vertices=record.graph.vertices,
        arcs=record.graph.arcs,
        graph_sha256=record.graph.sha256,
        weights=_random_weights(record),
        generator=record.graph.about.get("generator", ""),
        status=record.status,
        reason=record.reason or "",
        seconds=record.seconds,
        samples=len(totals),
        min_s=min(totals, default=None),
        max_s=max(totals, default=None),
        std_s=pstdev(totals) if totals else None,
        stragglers=sum(total > STRAGGLER * median(totals) for total in totals),
        sources=len(totals) if drawn else None,
        device_kind=record.device["kind"],
        device=record.device["name"],
        date=record.started[:10],
        started=record.started,
        finished=record.finished,
        beside=concurrent,
        machine=str(record.environment.get("machine") or ""),
        versions=_versions(record),
        certified=certificate.scope if certificate else "",
        certified_vertices=certificate.vertices if certificate else None,
        **estimate,
        code=record.code.identity,
        record=str(file),
        more=more,
        driver=_driver(record),
        commit=commit_text(record.environment),
        by_source=record.estimate is not None and record.estimate.by_source,
        iterations_max=max(iterations, default=None),
        label=run_label(record.variant),
        turns=record.measure.turns or "",
        times={sample.source: sample.total_s for sample in record.samples if sample.source is not None},
    )
    if found.device_kind == "simulated" and found.seconds:
        return replace(found, status="simulated")
    return replace(found, status="unsettled") if found.estimated == ROUGH_ESTIMATE else found


def _driver(record: Record) -> str:
    """The version of the GPU driver; "" if unknown or on the CPU."""
    facts: Any = record.environment
    for name in ("gpu", "before", "driver"):
        facts = facts.get(name) if isinstance(facts, Mapping) else None
    return facts if isinstance(facts, str) else ""


def _versions(record: Record) -> str:
    """Versions of packages, of the peer and of Python."""
    packages = record.environment.get("packages")
    versions = dict(packages) if isinstance(packages, Mapping) else {}
    if record.solved_by:
        versions[record.solved_by.name] = record.solved_by.version
    if python := record.environment.get("python"):
        versions["python"] = python
    return _pairs_text(versions)


def _solve_values(record: Record) -> dict[str, Any]:
    """Phases and counters of a solve, and numbers of the answer, such as ``path_weight``.

    With random sources, phases and counters are means; there are also percentiles of whole times, and the median of the
    phase of the solve. Otherwise, phases are of the middle sample and counters of the last solve.
    """
    values: dict[str, float] = {}
    counted = [sample.counters for sample in record.samples if sample.counters]
    if record.samples and record.measure.random_sources:
        names = record.samples[0].phases
        values = {name: fmean(sample.phases[name] for sample in record.samples) for name in names}
        totals = [sample.total_s for sample in record.samples]
        values |= {name: float(np.quantile(totals, part)) for name, part in _QUANTILES.items()}
        values["median_solve_s"] = median(sample.phases.get("solve_s", sample.total_s) for sample in record.samples)
    elif record.samples:
        names = record.samples[0].phases
        values = {name: median(sample.phases[name] for sample in record.samples) for name in names}
    if counted:
        values |= {name: fmean(counters[name] for counters in counted) for name in counted[0]}
        values["iterations_min"] = min(counters["iterations"] for counters in counted)
    else:
        values |= record.counters
    answer = cast(dict[str, dict[str, Any]], record.answer or {})
    numbers = {f"{name}_{fact}": value for name, part in answer.items() for fact, value in part.items()}
    return values | {name: value for name, value in numbers.items() if isinstance(value, int | float)}


def _peer_values(record: Record) -> dict[str, Any]:
    """Times of preparation and the first answer, and the peer that solved the graph."""
    values: dict[str, Any] = {"preparation_s": record.preparation_s} if record.preparation_s else {}
    if peer := record.solved_by:
        values |= {"peer": peer.name, "peer_version": peer.version, "peer_threads": peer.threads}
        values["peer_settings"] = _pairs_text(peer.settings)
        values |= {} if peer.first_answer_s is None else {"first_answer_s": peer.first_answer_s}
        values |= {"solvers": " ".join(sorted(peer.solvers))} if peer.solvers else {}
        for name, times_s in (("preparation", peer.preparations_s), ("first_answer", peer.first_answers_s)):
            values |= {f"{name}_min_s": min(times_s), f"{name}_max_s": max(times_s)} if times_s else {}
        values |= {"preparations": len(peer.preparations_s)} if peer.preparations_s else {}
    return values


def _load_values(record: Record) -> dict[str, Any]:
    """The part of the host's cores that other processes kept busy, if it is known."""
    facts = record.environment
    try:
        load = load_of_others(facts["load"]["before"], facts["load"]["after"], facts["cores"])
    except (KeyError, TypeError, ZeroDivisionError):
        return {}
    return {"load_of_others": load}


def _statistics_values(record: Record) -> dict[str, Any]:
    """Statistics of all pairs, time for each source, and time of a launch with its wait."""
    values: dict[str, Any] = {}
    if (statistics := record.reductions) and record.samples:
        names = ("parts", "solved_by", "pairs", "diameter", "radius", "mean_distance")
        values = {"rows": statistics.sources, **{name: getattr(statistics, name) for name in names}}
        phases = record.samples[0].phases
        values["source_s"] = sum(phases[name] for name in ("solve_s", "certify_s", "reduce_s")) / statistics.sources
    return values if record.launch_and_wait_s is None else values | {"launch_and_wait_s": record.launch_and_wait_s}


def _random_weights(record: Record) -> str:
    """How random weights were drawn; "" if the graph has its own weights."""
    weights = record.graph.about.get("weights", {})
    if weights.get("kind") != "random":
        return ""
    drawn = f"in [{weights.get('min')}, {weights.get('max')}], seed {weights.get('seed')}"
    if weights.get("like") != "road_lengths":
        return f"Random weights {drawn}"
    kind = "Random weights" if record.graph.about.get("generator") else REAL_ROADS
    return f"{kind}, distributed like New York's road lengths {drawn}"


def _pairs_text(values: Mapping[str, int | str]) -> str:
    return ",".join(f"{name}={value}" for name, value in values.items())


class _Span(Struct):
    """Time and machine of a run, the only parts that are read of its record."""

    algorithm: str
    variant: str
    outcome: dict[str, Any]
    measure: dict[str, Any]
    started: Annotated[datetime, Meta(tz=True)]
    finished: Annotated[datetime, Meta(tz=True)]
    environment: dict[str, Any]

    @property
    def machine(self) -> str:
        """The machine's id, else its kind; "" if both are unknown."""
        facts = [self.environment.get(name) for name in ("os", "processor", "cores")]
        return str(self.environment.get("machine") or "|".join(map(str, facts)) if all(facts) else "")


def _run_spans(records: str | os.PathLike) -> dict[Path, _Span]:
    """The span of each record in a folder that names its machine; other files are skipped.

    So are runs in parts, which need not follow one another.
    """
    decoder = msgspec.json.Decoder(_Span)
    spans = {}
    for file in Path(records).glob("*/[!.]*.json"):
        try:
            span = decoder.decode(file.read_bytes())
        except (OSError, ValueError):
            continue
        if span.outcome.get("kind") != "missing" and span.machine and span.algorithm != IN_PARTS.algorithm:
            spans[file] = span
    return spans


def _concurrent_runs(file: Path, spans: Mapping[Path, _Span]) -> int:
    """The number of other runs on the same machine at the same time, without those that took turns with it."""
    run = spans.get(file)
    return sum(
        run is not None
        and other is not run
        and other.machine == run.machine
        and (run.measure.get("turns") is None or other.measure.get("turns") != run.measure["turns"])
        and other.started < run.finished
        and run.started < other.finished
        for other in spans.values()
    )
