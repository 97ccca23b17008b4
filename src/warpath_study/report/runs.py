"""The runs of a target: each is a Cell, made from the record of the run. Every view starts from them.

Times are in seconds. With random sources, ``seconds`` and counters are means over the sources; ``min_s``, ``max_s`` and
``std_s`` describe the same samples.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from itertools import takewhile
from operator import attrgetter
from pathlib import Path
from statistics import fmean, median, pstdev
from typing import Any, cast

import msgspec
import pandas as pd
from msgspec import Struct

from warpath.atomic import write_text
from warpath.errors import FormatError, UsageError, WarpathError

from ..record import Record, read_record
from ..works.works import RunRequest
from .labels import run_label
from .published import seconds_of

STRAGGLER = 10
"""A sample of more than so many times the median is a straggler."""
REAL_ROADS = "Real roads with drawn weights"
"""How ``weights`` begins of a graph whose topology is that of real roads, but not its weights."""
FIRM, ROUGH = "~", "≈"
"""The marks of estimates: the second is of one that is neither settled nor has a standard error."""


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A run in its row. Text is "" and a number None where there is none; ``vertices`` and ``arcs`` are 0.

    ``status`` is ok, estimated, unsettled, simulated, out_of_memory, wrong, missing or not_run. ``more`` has what only
    some runs have, by name: phases, counters, numbers of an answer, and facts of preparation, peers and reductions.

    ``label`` is the run's name for a reader. ``report.cells.cells`` gives the place in a table: ``column`` is a short
    name of the run; ``nodes`` and ``edges`` are counts of the row's graph; ``published_seconds`` is the
    work's text, such as ``1320`` or ``>3600``; ``comparable`` says whether that is a time of the same graph, and
    ``arcs_missing`` how many parallel arcs of the work's graph this one lacks.
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
    # What follows is no column of the table of runs, but ``more``, which has a column for each name.
    more: Mapping[str, Any] = field(default_factory=dict)
    driver: str = ""
    label: str = ""
    column: str = ""
    nodes: int | None = None
    edges: int | None = None
    published_seconds: str = ""
    comparable: bool = False
    arcs_missing: int = 0

    @property
    def estimated(self) -> str:
        """``~`` for an estimate, ``≈`` for a rougher one, else empty."""
        if self.iterations_timed is None:
            return ""
        return FIRM if self.settled or self.standard_error_s is not None else ROUGH

    @property
    def ratio(self) -> float | None:
        """Published over measured seconds; above 1 means faster here."""
        published = seconds_of(self.published_seconds) if self.comparable else None
        return published / self.seconds if published and self.seconds and self.device_kind != "host" else None

    def fact(self, name: str) -> Any:
        """A fact of the table of runs; None if there is none of this name."""
        return {**vars(self), **self.more}.get(name)


_COLUMNS = [each.name for each in takewhile(lambda each: each.name != "more", fields(Cell))]


def grouped(cells: Iterable[Cell], *facts: str) -> dict[Any, list[Cell]]:
    """The cells by a fact such as ``row``, or by several facts, in the order in which each comes first."""
    found: dict[Any, list[Cell]] = {}
    for cell in cells:
        found.setdefault(attrgetter(*facts)(cell), []).append(cell)
    return found


def collect(asked: Iterable[RunRequest], records: str | os.PathLike) -> list[Cell]:
    """Those runs of ``asked`` that have a record in the folder ``records``, in the same order.

    Raises FormatError for a damaged record or one of another run, WarpathError if runs of one row that solve the same
    problem solved it on different graphs or from different sources, UsageError if there is no record at all.
    """
    found: list[Cell] = []
    first_of: dict[tuple[str, str, str], tuple[Path, Record]] = {}
    spans = _spans(records)
    for run in asked:
        file = Path(records, run.file)
        if not file.is_file():
            continue
        record = read_record(file)
        if (record.dataset, record.run) != (run.dataset, run.run):
            raise FormatError(
                f"{file}: holds the run {record.dataset} {record.run} where {run.dataset} {run.run} belongs; remove it "
                "and measure again"
            )
        _check_same_run(file, record, *first_of.setdefault((run.row, run.dataset, record.problem), (file, record)))
        found.append(_cell(run, file, record, _beside(file, spans)))
    if not found:
        raise UsageError(f"{records}: no record of the runs asked for; measure first, with `warpath run`")
    return found


def write_runs(path: str | os.PathLike, runs: Sequence[Cell]) -> None:
    """Write the table of runs, a line for each, with all digits of each number."""
    facts: list[dict[str, Any]] = [{name: getattr(run, name) for name in _COLUMNS} | {**run.more} for run in runs]
    if len({run.driver for run in runs} - {""}) > 1:  # one driver tells nothing about a table
        facts = [of_run | {"driver": run.driver} for of_run, run in zip(facts, runs, strict=True)]
    whole = {each.name: "Int64" for each in fields(Cell) if each.name in _COLUMNS and each.type == int | None}
    write_text(path, pd.DataFrame(facts).astype(whole).to_csv(index=False, lineterminator="\n"))


def _check_same_run(file: Path, record: Record, first_file: Path, first: Record) -> None:
    """Raise WarpathError if two runs of a row cannot be compared: different graphs or sources."""
    sources = None not in (record.source, first.source)
    for what, here, there in (
        ("another graph", record.graph.sha256, first.graph.sha256),
        ("from other random sources", record.measure.random_sources, first.measure.random_sources),
        ("from another source vertex", sources and record.source, sources and first.source),
    ):
        if here != there:
            raise WarpathError(f"{file}: solved {what} than {first_file}; measure the older one again")


def _cell(run: RunRequest, file: Path, record: Record, others: int) -> Cell:
    totals = [sample.total_s for sample in record.samples]
    drawn, certificate = record.measure.random_sources, record.certificate
    names = ("iterations_timed", "iterations_total", "seconds_timed", "settled", "standard_error_s")
    estimate: dict[str, Any] = {name: getattr(record.estimate, name, None) for name in names}
    more = [*_solved(record).items(), *_prepared(record).items(), *_reductions(record).items()]
    if taken := next((name for name, _ in more if name in _COLUMNS), None):
        raise FormatError(f"{file}: not a record: a phase or counter is named {taken}, as the table's own column is")
    return Cell(
        row=run.row,
        dataset=run.dataset,
        run=run.run,
        algorithm=record.algorithm,
        variant=record.variant,
        asked=_listed(record.name_parameters),
        parameters=_listed(dict(sorted(record.parameters.items()))),
        problem=record.problem,
        source=record.source,
        vertices=record.graph.vertices,
        arcs=record.graph.arcs,
        graph_sha256=record.graph.sha256,
        weights=_random_weights(record),
        generator=record.graph.about.get("generator", ""),
        status=_status(record),
        reason=record.reason or "",
        seconds=record.seconds,
        samples=len(totals),
        min_s=min(totals, default=None),
        max_s=max(totals, default=None),
        std_s=pstdev(totals) if totals else None,
        stragglers=sum(total > STRAGGLER * median(totals) for total in totals),
        sources=drawn.count if drawn else None,
        device_kind=record.device["kind"],
        device=record.device["name"],
        date=record.started[:10],
        started=record.started,
        finished=record.finished,
        beside=others,
        machine=str(record.environment.get("machine") or ""),
        versions=_versions(record),
        certified=certificate.scope if certificate else "",
        certified_vertices=certificate.vertices if certificate else None,
        **estimate,
        code=record.code.identity,
        record=str(file),
        more=dict(more),
        driver=_driver(record),
        label=run_label(record.variant),
    )


def _driver(record: Record) -> str:
    """The version of the GPU's driver; "" on the CPU, or where it is not known."""
    facts: Any = record.environment
    for name in ("gpu", "before", "driver"):
        facts = facts.get(name) if isinstance(facts, Mapping) else None
    return facts if isinstance(facts, str) else ""


def _status(record: Record) -> str:
    """The record's status; ``simulated`` if its time comes from the host device, even an estimated time.

    An estimate is ``unsettled`` if it is neither from final distances nor from sources with a standard error.
    """
    if record.device["kind"] == "host" and record.seconds:
        return "simulated"
    rough = record.estimate and not record.estimate.settled and record.estimate.standard_error_s is None
    return "unsettled" if rough else record.status


def _versions(record: Record) -> str:
    """Packages, the peer among them, and Python."""
    packages = record.environment.get("packages")
    found = dict(packages) if isinstance(packages, Mapping) else {}
    if record.solved_by:
        found[record.solved_by.name] = record.solved_by.version
    if python := record.environment.get("python"):
        found["python"] = python
    return _listed(found)


def _solved(record: Record) -> dict[str, float]:
    """Phases and counters of a solve, and the numbers of a matrix product's answer: ``path_weight``, ...

    With random sources, phases and counters are means, with the fewest iterations; else phases are those of the middle
    sample, and counters those of the last solve.
    """
    found: dict[str, float] = {}
    counted = [sample.counters for sample in record.samples if sample.counters]
    if record.samples and record.measure.random_sources:
        names = record.samples[0].phases
        found = {name: fmean(sample.phases[name] for sample in record.samples) for name in names}
    elif record.samples:
        found = dict(sorted(record.samples, key=lambda sample: sample.total_s)[len(record.samples) // 2].phases)
    if counted:
        found |= {name: fmean(counters[name] for counters in counted) for name in counted[0]}
        found["iterations_min"] = min(counters["iterations"] for counters in counted)
    else:
        found |= record.counters
    answer = cast(dict[str, dict[str, Any]], record.answer or {})
    numbers = {f"{name}_{fact}": value for name, part in answer.items() for fact, value in part.items()}
    return found | {name: value for name, value in numbers.items() if isinstance(value, int | float)}


def _prepared(record: Record) -> dict[str, Any]:
    """What preparing the graph took, and the solver that is not ours; nothing without either."""
    found: dict[str, Any] = {"preparation_s": record.preparation_s} if record.preparation_s else {}
    if by := record.solved_by:
        found |= {"peer": by.name, "peer_version": by.version, "peer_threads": by.threads}
        found["peer_settings"] = _listed(by.settings)
    return found


def _reductions(record: Record) -> dict[str, Any]:
    """What all pairs come to and a source costs, and what a launch and the wait for it took; nothing without them."""
    facts: dict[str, Any] = {}
    if (found := record.reductions) and record.samples:
        names = ("parts", "solved_by", "pairs", "diameter", "radius", "mean_distance")
        facts = {"rows": found.sources, **{name: getattr(found, name) for name in names}}
        phases = record.samples[0].phases
        facts["source_s"] = sum(phases[name] for name in ("solve_s", "certify_s", "reduce_s")) / found.sources
    return facts if record.launch_and_wait_s is None else facts | {"launch_and_wait_s": record.launch_and_wait_s}


def _random_weights(record: Record) -> str:
    """How the graph's random weights were drawn; "" if its weights are its own."""
    weights = record.graph.about.get("weights", {})
    if weights.get("kind") != "random":
        return ""
    drawn = f"in [{weights.get('min')}, {weights.get('max')}], seed {weights.get('seed')}"
    if weights.get("like") != "road_lengths":
        return f"Random weights {drawn}"
    what = "Drawn weights" if record.graph.about.get("generator") else REAL_ROADS
    return f"{what}, like the road lengths of New York {drawn}"


def _listed(values: Mapping[str, int | str]) -> str:
    return ",".join(f"{name}={value}" for name, value in values.items())


class _Span(Struct):
    """When and where a run was; nothing else is read of its record."""

    outcome: dict[str, Any]
    started: datetime
    finished: datetime
    environment: dict[str, Any]

    @property
    def machine(self) -> str:
        """The machine; before records told it, the kind of machine; "" if neither is known."""
        facts = [self.environment.get(name) for name in ("os", "processor", "cores")]
        return str(self.environment.get("machine") or "|".join(map(str, facts)) if all(facts) else "")


def _spans(records: str | os.PathLike) -> dict[Path, _Span]:
    """By file, of all records in a folder that tell their machine; what is no record is left out."""
    decoder = msgspec.json.Decoder(_Span)
    found = {}
    for file in Path(records).glob("*/[!.]*.json"):
        try:
            span = decoder.decode(file.read_bytes())
        except (OSError, ValueError):
            continue
        if span.outcome.get("kind") != "missing" and span.machine:
            found[file] = span
    return found


def _beside(file: Path, spans: Mapping[Path, _Span]) -> int:
    """How many other runs went on at the time of the one in ``file``, where nothing tells their machines apart."""
    one = spans.get(file)
    return sum(
        one is not None
        and other is not one
        and other.machine == one.machine
        and other.started < one.finished
        and one.started < other.finished
        for other in spans.values()
    )
